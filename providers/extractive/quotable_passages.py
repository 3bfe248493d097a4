"""passages: an excerpt cut into sentences, each with the words around it. For quoting; answers are cut elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .question_words import MONTH, terms

_SHORT = """
    mr mrs ms dr prof st jr sr vs etc e.g i.e cf no nos vol fig figs pp approx ca dept est inc ltd co corp jan feb mar
    apr jun jul aug sep sept oct nov dec u.s u.k z.b d.h bzw usw ggf evtl nr abs art bd hr fr sog vgl p.ej sra
"""
ABBREVIATIONS = frozenset(_SHORT.split())
NUMBERED = frozenset({"no", "nos", "nr", "fig", "figs", "art", "abs", "p", "pp", "vol", "ch", "sec"})
LOOK = 24  # characters on both sides of a full stop that tell what it ends
LONGEST_HEADING = 80  # characters of a line without a full stop that is taken for a title
LONGEST = 600  # characters of a quoted sentence; a longer one is a table or has no punctuation

_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•|>]|\d{1,3}[.)])\s)|(?<=[|])\s*\n")
_HEADING = re.compile(r"\s*#{1,6}\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•>]|\d{1,3}[.)])\s+")
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？؟।۔][」』”’）]*")
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}\]")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A sentence of an excerpt."""

    number: int  # of the excerpt
    place: int  # in it
    text: str
    terms: frozenset[str]
    near: frozenset[str]  # of its heading and of the sentences before and after it
    ended: bool  # it ends like a sentence


def passages(number: int, text: str) -> Iterator[Passage]:
    """The sentences of an excerpt, headings left out."""
    place = 0
    heading: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    blocks = [block for block in _BLOCKS.split(text) if re.search(r"\w", block)]
    for block in blocks:
        first, _, rest = block.strip("\n").partition("\n")
        if title := _heading(first, rest, last=block is blocks[-1]):
            heading, before = terms(title), frozenset()
            block = rest
        sentences = [(sentence, words) for sentence in _sentences(_plain(block)) if (words := terms(sentence))]
        for at, (sentence, words) in enumerate(sentences):
            after = sentences[at + 1][1] if at + 1 < len(sentences) else frozenset()
            yield Passage(number, place, sentence, words, heading | before | after, bool(_END.search(sentence[-4:])))
            before = words
            place += 1


def _heading(first: str, rest: str, *, last: bool) -> str:
    """The heading that a block begins with: marked as one, or a short line of its own with text after it."""
    if marked := _HEADING.match(first):
        return marked[1]
    alone = not rest and not last and len(first) <= LONGEST_HEADING
    return first if alone and not _END.search(first) and not _BULLET.match(first) and first[-1] not in ",;|" else ""


def _plain(block: str) -> str:
    """One line, without list markers, emphasis and footnote numbers, which would read as our markers."""
    bullet = _BULLET.match(block)
    text = block[bullet.end() :] if bullet else block
    text = _FOOTNOTE.sub("", _EMPHASIS.sub("", text))
    return " ".join(text.split())


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if not _ends(text, start, end):
            continue
        if sentence := text[start : end.end()].strip():
            yield sentence[:LONGEST]
        start = end.end()
    if rest := text[start:].strip():
        yield rest[:LONGEST]


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a sentence ends here: not after an abbreviation or an initial, not before a small letter."""
    following = text[end.end() : end.end() + LOOK].lstrip()
    if following[:1].islower():
        return False
    if not end[0].startswith("."):
        return True
    word = re.search(r"[\w.]+$", text[max(start, end.start() - LOOK) : end.start()])
    if word is None:
        return True
    if following[:1].isdecimal() and word[0].casefold() in NUMBERED:
        return False  # "Fig. 3"
    initial = len(word[0]) == 1 and word[0].isupper()  # "J. Smith"
    ordinal = word[0].isdecimal() and len(word[0]) <= 2 and MONTH.match(following) is not None  # "4. Juli"
    return not (initial or ordinal or word[0].casefold() in ABBREVIATIONS)
