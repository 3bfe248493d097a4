"""A choice whose text is JSON: the text is not changed, and its string values are checked for claims."""

import json
import re

from .answer import UNDECIDED, Draft, record
from .grounding import Grounding
from .references import References
from .support.claims import makes_claim
from .support.decision import Decision
from .support.scorers import Claim
from .text.segmentation import Kind, Segmenter

# A string, and the colon after a key. Possessive, so that an unclosed string does not backtrack.
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?', re.DOTALL)


class JsonAnswer:
    """Same interface as Answer. The text gets no markers, so its offsets are those of the provider's text."""

    holds = False  # text is never held

    def __init__(self, choice: int, references: References, grounding: Grounding) -> None:
        """Create an empty answer. `references` and `grounding` belong to the response; its choices share them."""
        self.choice = choice
        self._references = references
        self._grounding = grounding
        self._parts: list[str] = []
        self._length = 0
        self._searched = 0  # offset up to which string values were returned

    def feed(self, text: str) -> list[Draft]:
        """Return the text unchanged."""
        self._parts.append(text)
        self._length += len(text)
        return [Draft(text, end=self._length)]

    def flush(self, *, complete: bool = True) -> list[Draft]:
        """Return the sentences of all complete string values so far. Their text was already shown."""
        del complete  # an incomplete value is never returned
        text = "".join(self._parts)
        drafts: list[Draft] = []
        for match in _STRING.finditer(text, self._searched):
            self._searched = match.end()
            if match[2] is None:
                drafts += _sentences(match[1], match.start(1))
        return drafts

    def take(self, text: str) -> list[Draft]:
        """Return the text unchanged: a piece of JSON is not a sentence."""
        return self.feed(text)

    def release(self) -> list[Draft]:
        """Return nothing, since no text is held."""
        return []

    def cite(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """Return the text to show, or record the decision about a sentence that was already shown."""
        if draft.claim is None:
            return draft.text
        span = (draft.start, draft.end)
        record(self._references, self._grounding, self.choice, span, [span] * len(decision.supports), decision)
        return ""

    def reference_list(self) -> str:
        """Return "": a list of references would make the text invalid JSON."""
        return ""


def _sentences(raw: str, start: int) -> list[Draft]:
    """Split a string value into sentences. A value with escapes stays whole, since its offsets differ."""
    if "\\" in raw:
        try:
            return _draft(json.loads(f'"{raw}"', strict=False), start, start + len(raw))
        except ValueError:
            return []
    segmenter = Segmenter()
    drafts: list[Draft] = []
    for sentence in segmenter.feed(raw) + segmenter.flush():
        body = sentence.text.strip()
        offset = start + sentence.start + sentence.text.index(body)
        drafts += _draft(body, offset, offset + len(body))
    return drafts


def _draft(text: str, start: int, end: int) -> list[Draft]:
    if not makes_claim(text, Kind.PROSE):
        return []
    return [Draft("", start=start, end=end, claim=Claim(text))]
