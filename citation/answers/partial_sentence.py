"""A sentence of which the client has a part before it is complete."""

from collections.abc import Sequence
from typing import NamedTuple

from ..link_policy import LinkDefanger
from ..markers import MarkerNames, MarkerStripper, StrippedText, WordMarker, strip
from ..text.segmentation import VERBATIM, Kind, OpenSentence, Sentence


class CompleteSentence(NamedTuple):
    """A sentence without markers, the text to show, which begins with the released part, and the places in it."""

    stripped: StrippedText
    text: str
    places: tuple[WordMarker, ...]


class PartialSentence:
    """The released part of an incomplete sentence, and the pieces that the length limit split off it."""

    def __init__(self, names: MarkerNames, defanger: LinkDefanger | None, max_claim: int) -> None:
        """`max_claim`: code points of a split sentence above which it gets no decision."""
        self._names = names
        self._defanger = defanger
        self._max_claim = max_claim
        self._forgotten = False  # whether pieces were dropped, because the sentence is too long for a decision
        self._stripper: MarkerStripper | None = None  # created when a part is released
        self._text = ""  # the beginning of the sentence without the model's markers
        self._used = 0  # characters of it that are in `_shown`
        self._shown = ""  # the released part, with defanged links and a place for each marker that is a word
        self._places: list[WordMarker] = []
        self._filled = 0  # markers that are words before the end of `_shown`
        self._forgotten_length = 0  # length of the text before `_text`
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

    def release(self, part: OpenSentence | Sentence, length: int, *, everything: bool = False) -> str:
        """Release the first `length` characters of the text after the pieces. Return what the client does not have.

        Text from a marker that is a word of the sentence is held for the decision, except with `everything`.
        """
        begin, released = self._raw_length - self._pieces_length, len(self._shown)
        piece = part.text[begin:length]
        self._raw_length += len(piece)
        verbatim = part.kind in VERBATIM
        if piece:
            self._text += piece if verbatim else self._strip(piece)
        words = () if verbatim or self._stripper is None else self._stripper.words
        self._show(words, everything=everything, code=part.kind is Kind.CODE)
        return self._shown[released:]

    def release_piece(self, piece: Sentence) -> str:
        """Release a piece that the length limit split off. Return what the client does not have."""
        shown = self.release(piece, len(piece.text), everything=True)
        self._pieces.append(piece)
        self._pieces_length += len(piece.text)
        if self._raw_length == self._pieces_length > self._max_claim:
            self._forget()
        return shown

    def _forget(self) -> None:
        """Drop the pieces. Joining each to all before it takes quadratic time: 13 s for 4 MB without a sentence end."""
        self._forgotten = True
        self._forgotten_length += len(self._text)
        self._text, self._used, self._shown, self._places = "", 0, "", []
        self._pieces, self._raw_length, self._pieces_length = [], 0, 0

    def joined(self, last: Sentence) -> Sentence:
        """Return the complete sentence: all pieces and the last one."""
        if not self._pieces:
            return last
        first = self._pieces[0]
        return Sentence(first.start, "".join(piece.text for piece in [*self._pieces, last]), first.kind)

    def complete(self, sentence: Sentence) -> CompleteSentence:
        """Return the complete sentence."""
        stripped = self._stripped(sentence)
        self._text = stripped.text
        self._show(stripped.words, everything=True, code=sentence.kind is Kind.CODE)
        self._flush_links()
        return CompleteSentence(stripped, self._shown, tuple(self._places))

    def _show(self, words: Sequence[WordMarker], *, everything: bool, code: bool) -> None:
        """Append the rest of the text to the released part, up to the first new marker that is a word or all of it."""
        for word in words[self._filled :]:
            offset = word.offset - self._forgotten_length
            if offset > len(self._text):
                break  # the stripper still holds the space before the marker
            self._append(self._text[self._used : offset], code)
            self._used = offset
            if not everything:
                return
            self._flush_links()
            self._places.append(word._replace(offset=len(self._shown)))
            self._filled += 1
        self._append(self._text[self._used :], code)
        self._used = len(self._text)

    def _append(self, text: str, code: bool) -> None:
        self._shown += self._defanger.feed(text, code=code) if self._defanger else text

    def _flush_links(self) -> None:
        """Show the text that the link policy holds, so that the place after it is known."""
        if self._defanger:
            self._shown += self._defanger.flush()

    def _stripped(self, sentence: Sentence) -> StrippedText:
        if sentence.verbatim:
            return StrippedText(sentence.text)
        if not self._raw_length and self._stripper is None:
            return strip(sentence.text, self._names)
        stripper = self._stripper or MarkerStripper(self._names)
        added = stripper.feed(sentence.text[self._raw_length :]) + stripper.flush()
        return StrippedText(self._text + added, stripper.cited, stripper.unknown, tuple(stripper.words))

    def _strip(self, piece: str) -> str:
        self._stripper = self._stripper or MarkerStripper(self._names)
        return self._stripper.feed(piece)
