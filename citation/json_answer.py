"""JsonAnswer: a choice whose text is JSON: it flows untouched, and its string values are judged."""

import json
import re

from .answer import UNDECIDED, Draft, book
from .grounding import Grounding
from .references import References
from .support.claims import makes_claim
from .support.decision import Decision
from .support.scorers import Claim
from .text.segmentation import Kind, Segmenter

# A string and what follows a key. Possessive, so that an unclosed string cannot make it backtrack.
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?', re.DOTALL)


class JsonAnswer:
    """The same calls as Answer; no marker ever touches the text, so offsets are those of the provider's text."""

    holds = False  # nothing is ever held

    def __init__(self, choice: int, references: References, grounding: Grounding) -> None:
        """`references` and `grounding` belong to the response and are shared by its choices."""
        self.choice = choice
        self._references = references
        self._grounding = grounding
        self._parts: list[str] = []
        self._length = 0
        self._judged = 0  # offset up to which string values have been handed out

    def feed(self, text: str) -> list[Draft]:
        """Text leaves as it came."""
        self._parts.append(text)
        self._length += len(text)
        return [Draft(text, end=self._length)]

    def flush(self) -> list[Draft]:
        """The sentences of all string values so far, to be judged; they have no text left to show."""
        text = "".join(self._parts)
        drafts: list[Draft] = []
        for match in _STRING.finditer(text, self._judged):
            self._judged = match.end()
            if match[2] is None:
                drafts += _sentences(match[1], match.start(1))
        return drafts

    def take(self, text: str) -> list[Draft]:
        """A piece of JSON is no sentence."""
        return self.feed(text)

    def release(self) -> list[Draft]:
        """Nothing is held."""
        return []

    def cite(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """The text to show; for a judged sentence none, only its citations are booked."""
        if draft.claim is None:
            return draft.text
        span = (draft.start, draft.end)
        book(self._references, self._grounding, self.choice, span, [span] * len(decision.supports), decision)
        return ""

    def reference_list(self) -> str:
        """None: it would not be JSON any more."""
        return ""


def _sentences(raw: str, start: int) -> list[Draft]:
    """A string value cut into sentences; one with escapes stays whole, since its offsets are not those of its text."""
    if "\\" in raw:
        try:
            return _judged(json.loads(f'"{raw}"', strict=False), start, start + len(raw))
        except ValueError:
            return []
    segmenter = Segmenter()
    drafts: list[Draft] = []
    for sentence in segmenter.feed(raw) + segmenter.flush():
        body = sentence.text.strip()
        offset = start + sentence.start + sentence.text.index(body)
        drafts += _judged(body, offset, offset + len(body))
    return drafts


def _judged(text: str, start: int, end: int) -> list[Draft]:
    if not makes_claim(text, Kind.PROSE):
        return []
    return [Draft("", start=start, end=end, claim=Claim(text))]
