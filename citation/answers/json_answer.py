"""A choice whose text is JSON: the text is not changed, and its string values are checked for claims."""

from collections.abc import Iterator
from functools import partial

from ..grounding import Grounding
from ..markers import MarkerNames
from ..references import References
from ..support.decision import Decision
from ..text.steps import Steps
from .draft import UNDECIDED, Draft, record
from .json_values import JsonValues
from .offset_map import OffsetMap


class JsonAnswer:
    """Same interface as Answer. The text gets no markers, so its offsets are those of the provider's text."""

    holds = False  # text is never held
    sentence_start = 0  # the text is not split into sentences
    is_sentence_open = False
    is_only_data = True

    def __init__(
        self, choice: int, names: MarkerNames, references: References, grounding: Grounding, question: str = ""
    ) -> None:
        """Create an empty answer to the question. `references` and `grounding` belong to the response."""
        self._record = partial(record, references, grounding, choice)
        self._values = JsonValues(names, question=question)
        self._length = 0
        self.offsets = OffsetMap()

    def feed(self, text: str) -> list[Draft]:
        """Return the text unchanged."""
        self._values.feed(text)
        self.offsets.add(self._length, text, self._length, text)
        self._length += len(text)
        return [Draft(text, end=self._length)]

    def flush(self, *, complete: bool = True) -> list[Draft]:
        """Return the sentences of all complete string values so far. Their text was already shown."""
        return [draft for part in self.flush_in_parts(complete=complete) for draft in part]

    def flush_in_parts(self, *, complete: bool = True) -> Iterator[list[Draft]]:
        """Yield the same in parts of about a millisecond."""
        del complete  # an incomplete value is never returned
        return self._values.drafts_in_parts()

    def interrupt_in_parts(self, *, ends: bool) -> Iterator[list[Draft]]:
        """Yield the sentences of all complete string values so far."""
        del ends
        return self._values.drafts_in_parts()

    def take_in_steps(self, text: str) -> Steps[list[Draft]]:
        """Return the text unchanged: a piece of JSON is not a sentence."""
        yield None
        return self.feed(text)

    def release(self) -> list[Draft]:
        """Return nothing, since no text is held."""
        return []

    def cite(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """Return the text to show, or record the decision about a sentence that was already shown."""
        if draft.claim is None:
            return draft.text
        if decision is not UNDECIDED:
            self._record(decision, (draft.start, draft.end), tool_call=draft.tool_call)
        return ""

    def withhold(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """Return the text to show as `cite` does: a message would be no valid JSON."""
        return self.cite(draft, decision)

    def reference_list(self) -> str:
        """Return "": a list of references would make the text invalid JSON."""
        return ""
