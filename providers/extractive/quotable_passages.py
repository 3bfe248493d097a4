"""Split an excerpt into sentences that can be quoted, each with the terms around it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citestream.citation.text import split_sentences
from citestream.citation.text.search_terms import search_terms

MAX_HEADING = 80  # characters of a line without a full stop that counts as a title
MAX_SENTENCE = 600  # characters of a quoted sentence; a longer one is a table or has no punctuation

_BLOCK_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•|>]|\d{1,3}[.)])\s)|(?<=[|])\s*\n")
_HEADING = re.compile(r"\s*#{1,6}\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•>]|\d{1,3}[.)])\s+")
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？؟।۔][」』”’）]*")
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}\]")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A sentence of an excerpt."""

    number: int  # number of the excerpt
    position: int  # index in the excerpt
    text: str
    terms: frozenset[str]
    nearby_terms: frozenset[str]  # terms of its heading and of the sentences before and after it
    complete: bool  # whether it ends like a sentence


def passages(number: int, text: str) -> Iterator[Passage]:
    """Yield the sentences of an excerpt, without headings."""
    position = 0
    heading: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    blocks = [block for block in _BLOCK_BREAK.split(text) if re.search(r"\w", block)]
    for block in blocks:
        first, _, rest = block.strip("\n").partition("\n")
        if title := _heading(first, rest, last=block is blocks[-1]):
            heading, before = frozenset(search_terms(title)), frozenset()
            block = rest
        sentences = [(text, terms) for text in _sentences(block) if (terms := frozenset(search_terms(text)))]
        for i, (sentence, terms) in enumerate(sentences):
            after = sentences[i + 1][1] if i + 1 < len(sentences) else frozenset()
            complete = bool(_END.search(sentence[-4:]))
            yield Passage(number, position, sentence, terms, heading | before | after, complete)
            before = terms
            position += 1


def _heading(first: str, rest: str, *, last: bool) -> str:
    """Return the heading that a block begins with: marked as one, or a short line of its own with text after it."""
    if marked := _HEADING.match(first):
        return marked[1]
    alone = not rest and not last and len(first) <= MAX_HEADING
    return first if alone and not _END.search(first) and not _BULLET.match(first) and first[-1] not in ",;|" else ""


def _sentences(block: str) -> list[str]:
    """Return the sentences of a block in one line each, without list markers, emphasis and footnote numbers.

    A footnote number in a quotation would look like one of our markers.
    """
    bullet = _BULLET.match(block)
    text = block[bullet.end() :] if bullet else block
    text = " ".join(_FOOTNOTE.sub("", _EMPHASIS.sub("", text)).split())
    return [text[start:end].strip()[:MAX_SENTENCE] for start, end in split_sentences(text)]
