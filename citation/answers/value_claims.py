"""Claims in the values of structured text: sentences of JSON strings and of plain values."""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from ..markers import MarkerNames, marker_end, strip
from ..support.attribution_phrases import without_attribution
from ..support.claims import makes_claim, misses_information
from ..support.scorers import Claim
from ..support.statement_text import stated_text
from ..text.normalize import UNSPACED
from ..text.segmentation import Kind, Segmenter, SegmentLimits, Sentence
from ..text.segmentation.blocks import prefix_length
from .draft import Draft

# Characters that are searched or split into sentences in one step: 1 ms.
STEP = 1_000
# Characters of a sentence above which it gets no decision, as in a text.
_MAX_CLAIM = 2 * SegmentLimits().characters


class ValueClaims:
    """Finds the claims in the values of one text, which is not changed."""

    def __init__(
        self, names: MarkerNames, question: str = "", kind: Kind = Kind.PROSE, tool_call: int | None = None
    ) -> None:
        """`names`: of the markers that a model may write into the values. `question`: that the answer replies to.

        `kind`: of the text. `tool_call`: the text is its arguments.
        """
        self._names = names
        self._question = question
        self._kind = kind
        self._tool_call = tool_call
        self._cited_before = Counter[int]()  # how often the model has cited the evidence with each number

    def of_string(self, raw: str, start: int) -> Iterator[list[Draft]]:
        """Yield the claims in a string of JSON without its quotes, in parts of about a millisecond.

        `start`: the offset of the string.
        """
        return self.of_text(raw, start) if "\\" not in raw else self._of_escaped(raw, start)

    def of_text(self, text: str, start: int) -> Iterator[list[Draft]]:
        """Yield the claims in a value without escapes. The parameters are those of `of_string`."""
        segmenter = Segmenter(marker_end=marker_end())
        for offset in range(0, len(text), STEP):
            sentences = segmenter.feed(text[offset : offset + STEP])
            if offset + STEP >= len(text):
                sentences += segmenter.flush()
            yield [
                draft
                for sentence in sentences
                for begin, end in (_body(sentence),)
                for draft in self.claim(text[begin:end], start + begin, start + end, sentence.kind)
            ]

    def claim(self, text: str, start: int, end: int, kind: Kind = Kind.PROSE) -> list[Draft]:
        """Return the draft of a sentence if it makes a claim. `kind`: of the sentence within its value."""
        if not text or len(text) > _MAX_CLAIM:
            return []
        stripped = strip(text, self._names)
        body = without_attribution(stated_text(stripped.text)).strip()
        if not body or misses_information(body):
            return []
        if not (stripped.cited or (_has_words(body) and makes_claim(body, kind))):
            return []
        claim = Claim(body, "", self._question, frozenset(stripped.cited), dict(self._cited_before))
        self._cited_before.update(claim.cited)
        return [
            Draft("", self._kind, start=start, end=end, claim=claim, cited=stripped.cited, tool_call=self._tool_call)
        ]

    def _of_escaped(self, raw: str, start: int) -> Iterator[list[Draft]]:
        """Yield the claims in a string with escapes, such as line breaks, which separate sentences."""
        segmenter = Segmenter(marker_end=marker_end())
        offsets = _Offsets()
        position = 0
        while position < len(raw):
            stop = position
            while stop < len(raw) and stop - position < STEP:
                piece = _PIECE.match(raw, stop)
                if piece is None:
                    return  # not JSON
                stop = piece.end()
            try:
                text = offsets.decode(raw[position:stop], position)
            except ValueError:
                return
            sentences = segmenter.feed(text)
            position = stop
            if position >= len(raw):
                sentences += segmenter.flush()
            drafts: list[Draft] = []
            for sentence in sentences:
                begin, end = _body(sentence)
                body = sentence.text[begin - sentence.start : end - sentence.start]
                span = (start + offsets.raw(begin), start + offsets.raw(end - 1, after=True)) if body else (0, 0)
                drafts += self.claim(body, *span, sentence.kind)
            yield drafts


class _Offsets:
    """Decodes a string of JSON in pieces, and returns the place of each decoded character in it."""

    def __init__(self) -> None:
        self._decoded = [0]  # where plain stretches and escapes begin in the decoded string, in code points
        self._raw = [0]  # where they begin in the raw string
        self._length = 0

    def decode(self, raw: str, start: int) -> str:
        """Return the next piece of the string. `start`: its offset. Raise ValueError if it is not JSON."""
        texts: list[str] = []
        for piece in _PIECE.finditer(raw):
            text = json.loads(f'"{piece[0]}"') if piece[0].startswith("\\") else piece[0]
            self._decoded.append(self._length)
            self._raw.append(start + piece.start())
            self._length += len(text)
            texts.append(text)
        self._ends = start + len(raw)
        return "".join(texts)

    def raw(self, offset: int, *, after: bool = False) -> int:
        """Return where the decoded character at `offset` begins in the raw string; `after`: where it ends."""
        position = bisect_right(self._decoded, offset) - 1
        begin = self._raw[position]
        following = self._raw[position + 1] if position + 1 < len(self._raw) else self._ends
        decoded_end = self._decoded[position + 1] if position + 1 < len(self._decoded) else self._length
        is_escape = following - begin != decoded_end - self._decoded[position]
        if is_escape:
            return following if after else begin
        return begin + offset - self._decoded[position] + after


# A stretch without escapes, of limited length, or one escape; two surrogates are one character.
_PIECE = re.compile(
    rf"[^\\]{{1,{STEP}}}|\\u[dD][89abAB][0-9a-fA-F]{{2}}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}|\\u[0-9a-fA-F]{{4}}|\\[^u]",
    re.DOTALL,
)


def _body(sentence: Sentence) -> tuple[int, int]:
    """Return the span of a sentence without white space and without the marker of its list item."""
    text = sentence.text.rstrip()
    return sentence.start + min(prefix_length(text), len(text)), sentence.start + len(text)


def _has_words(value: str) -> bool:
    """Return whether a value is more than one word: names of files, categories and ids state nothing."""
    return len(value.split()) > 1 or _UNSPACED.search(value) is not None


_UNSPACED = re.compile(f"[{UNSPACED}]{{2}}")
