"""A sentence of which the client has a part before it is complete."""

from ..link_policy import LinkDefanger
from ..markers import MarkerNames, MarkerStripper, StrippedText, strip
from ..text.segmentation import VERBATIM, Kind, OpenSentence, Sentence


class PartialSentence:
    """The released part of an incomplete sentence, and the pieces that the length limit split off it."""

    def __init__(self, names: MarkerNames, defanger: LinkDefanger | None, max_claim: int) -> None:
        """`max_claim`: code points of a split sentence above which it gets no decision."""
        self._names = names
        self._defanger = defanger
        self._max_claim = max_claim
        self._forgotten = False  # whether pieces were dropped, because the sentence is too long for a decision
        self._stripper: MarkerStripper | None = None  # created when a part is released
        self._text = ""  # the released part without the model's markers
        self._shown = ""  # the same with defanged links
        self._raw_length = 0  # its length in the provider's text
        self._pieces: list[Sentence] = []
        self._pieces_length = 0

    @property
    def released(self) -> int:
        """The number of characters that the client has."""
        return len(self._shown)

    def too_long(self, joined: Sentence) -> bool:
        """Return whether the length limit split this sentence, and it is too long for a decision."""
        return self._forgotten or (bool(self._pieces) and len(joined.text) > self._max_claim)

    def release(self, part: OpenSentence | Sentence, length: int) -> str:
        """Release the first `length` characters of the text after the pieces. Return what the client does not have."""
        begin = self._raw_length - self._pieces_length
        if length <= begin:
            return ""
        piece = part.text[begin:length]
        self._raw_length += len(piece)
        text = piece if part.kind in VERBATIM else self._strip(piece)
        self._text += text
        shown = self._defanger.feed(text, code=part.kind is Kind.CODE) if self._defanger else text
        self._shown += shown
        return shown

    def release_piece(self, piece: Sentence) -> str:
        """Release a piece that the length limit split off. Return what the client does not have."""
        shown = self.release(piece, len(piece.text))
        self._pieces.append(piece)
        self._pieces_length += len(piece.text)
        if self._raw_length == self._pieces_length > self._max_claim:
            self._forget()
        return shown

    def _forget(self) -> None:
        """Drop the pieces. Joining each to all before it takes quadratic time: 13 s for 4 MB without a sentence end."""
        self._forgotten = True
        self._text = self._shown = ""
        self._pieces, self._raw_length, self._pieces_length = [], 0, 0

    def joined(self, last: Sentence) -> Sentence:
        """Return the complete sentence: all pieces and the last one."""
        if not self._pieces:
            return last
        first = self._pieces[0]
        return Sentence(first.start, "".join(piece.text for piece in [*self._pieces, last]), first.kind)

    def complete(self, sentence: Sentence) -> tuple[StrippedText, str]:
        """Return the complete sentence without markers, and the text to show, which begins with the released part."""
        stripped = self._stripped(sentence)
        if self._defanger is None:
            return stripped, stripped.text
        rest = stripped.text[len(self._text) :]
        shown = self._defanger.feed(rest, code=sentence.kind is Kind.CODE) + self._defanger.flush()
        return stripped, self._shown + shown

    def _stripped(self, sentence: Sentence) -> StrippedText:
        if sentence.verbatim:
            return StrippedText(sentence.text)
        if not self._raw_length and self._stripper is None:
            return strip(sentence.text, self._names)
        stripper = self._stripper or MarkerStripper(self._names)
        rest = stripper.feed(sentence.text[self._raw_length :]) + stripper.flush()
        return StrippedText(self._text + rest, stripper.cited, stripper.unknown)

    def _strip(self, piece: str) -> str:
        self._stripper = self._stripper or MarkerStripper(self._names)
        return self._stripper.feed(piece)
