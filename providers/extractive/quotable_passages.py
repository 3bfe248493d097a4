"""Split an excerpt into sentences that can be quoted, each with the terms around it.

A row of a table is one sentence, in which each cell follows the name of its column: "Plan: Business; Price: 49 €."
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from citestream.citation.text import split_sentences
from citestream.citation.text.queries.search_terms import search_terms
from citestream.citation.text.tables import is_table_rule, table_cells

MAX_HEADING = 80  # characters of a line without a full stop that counts as a title
MAX_ROW = 1200  # characters of a row of a table; the names of its columns are a large part of it
MAX_SENTENCE = 600  # characters of a quoted sentence; a longer one is a table or has no punctuation

_BLOCK_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•|>]|\d{1,3}[.)])\s)|(?<=[|])\s*\n")
_HEADING = re.compile(r"\s*#{1,6}\s+(.+?)\s*#*\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•>]|\d{1,3}[.)])\s+")
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？؟।۔][」』”’）]*")
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}\]")
# The first column may have no name: then it has the names of the rows.
_ROW = re.compile(
    r"(?:[^\s:;][^:;\n]{0,60}: [^;\n]+|[^;\n]+(?=(?:; [^:;\n]{1,60}: [^;\n]+){2}))(?:; [^:;\n]{1,60}: [^;\n]+)+\."
)
_COLUMN_NAME = re.compile(r"(?:^|(?<=;) )[^:;\n]{1,60}: ")
# Pronouns and definite articles of English, German, French, Spanish, Italian and Portuguese; Chinese and Japanese
_REFERENCE = re.compile(
    r"(?i)(?:it|its|he|his|she|her|they|their|this|these|that|those|the|there|er|sie|es|ihr|sein|dies\w*|der|die|das|den|dem"
    r"|il|ils|elle|elles|ce|cet|cette|ces|son|sa|ses|le|la|les|l['’]|él|ella|ellos|este|esta|estos|su|sus|el|los|las"
    r"|lo|gli|i|esso|essa|ele|ela|o|a|os|as)\b|[\u3040-\u30ff\u3400-\u9fff]"
)
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A sentence of an excerpt."""

    number: int  # number of the excerpt
    position: int  # index in the excerpt
    text: str
    terms: frozenset[str]
    stated_terms: frozenset[str]  # the same without the names of columns, which stand in every row of a table
    # terms of its title and heading, the next sentence, and the one before it if it refers to that
    nearby_terms: frozenset[str]
    complete: bool  # whether it is a sentence that ends like one, not a row of a table or an item of a list


def passages(number: int, text: str, title: str = "") -> Iterator[Passage]:
    """Yield the sentences of an excerpt, without headings. `title`: that of its document and section."""
    position = 0
    outer = frozenset(search_terms(title))
    heading = outer
    before: frozenset[str] = frozenset()
    blocks = [block for block in _BLOCK_BREAK.split(_name_cells(text)) if re.search(r"\w", block)]
    for block in blocks:
        first, _, rest = block.strip("\n").partition("\n")
        if first_line := _heading(first, rest, last=block is blocks[-1]):
            heading, before = outer | frozenset(search_terms(first_line)), frozenset()
            block = rest
        sentences = [(text, terms) for text in _sentences(block) if (terms := frozenset(search_terms(text)))]
        for i, (sentence, terms) in enumerate(sentences):
            if sentence.endswith(("?", "？", "؟")) and i + 1 < len(sentences):  # the sentences after it answer it
                heading, before = heading | terms, frozenset()
                continue
            after = sentences[i + 1][1] if i + 1 < len(sentences) else frozenset()
            nearby = heading | after | (before if _refers_back(sentence) else frozenset())
            is_row = _ROW.fullmatch(sentence) is not None
            stated = frozenset(search_terms(_COLUMN_NAME.sub(" ", sentence))) if is_row else terms
            complete = bool(_END.search(sentence[-4:])) and not is_row
            yield Passage(number, position, sentence, terms, stated, nearby, complete)
            before = terms
            position += 1


def _refers_back(sentence: str) -> bool:
    """Return whether a sentence may need the one before it: it begins with a pronoun or a definite article.

    Chinese and Japanese leave out the subject instead, so there every sentence may.
    """
    return _REFERENCE.match(sentence) is not None


def _name_cells(text: str) -> str:
    """Return the text with each row of a table as a paragraph. The readers of CSV files name the cells already."""
    lines = text.split("\n")
    names: list[str] = []
    for i, line in enumerate(lines):
        if "|" not in line:
            names = []
        if is_table_rule(line) and i and len(table_cells(lines[i - 1])) > 1:
            names, lines[i - 1], lines[i] = table_cells(lines[i - 1]), "", ""
        elif names:
            cells = zip_longest(names, table_cells(line)[: len(names)], fillvalue="")
            named = [f"{name}: {cell}" if name else cell for name, cell in cells if cell]
            lines[i] = "\n" + "; ".join(named).removesuffix(".") + ".\n"
        elif _ROW.fullmatch(line.strip()):
            lines[i] = f"\n{line}\n"
    return "\n".join(lines)


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
    if _ROW.fullmatch(block.strip()):
        return [" ".join(_EMPHASIS.sub("", block).split())[:MAX_ROW]]
    bullet = _BULLET.match(block)
    text = block[bullet.end() :] if bullet else block
    text = " ".join(_FOOTNOTE.sub("", _EMPHASIS.sub("", text)).split())
    return [text[start:end].strip()[:MAX_SENTENCE] for start, end in split_sentences(text)]
