"""Split an excerpt into sentences that can be quoted, each with the terms around it.

A row of a table is one sentence, in which each cell follows the name of its column: "Plan: Business; Price: 49 €."
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from citestream.citation.text import split_sentences
from citestream.citation.text.queries.search_terms import search_terms
from citestream.citation.text.tables import is_table_rule, table_cells

MAX_HEADING_CHARACTERS = 80  # characters of a line without a full stop that counts as a title
MAX_ROW_CHARACTERS = 1200  # characters of a row of a table; the names of its columns are a large part of it
MAX_SENTENCE_CHARACTERS = 600  # characters of a quoted sentence; a longer one is a table or has no punctuation

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
_DENIALS = frozenset({"no", "nein", "non", "nee", "não", "否", "-", "–", "—", "✗", "keine", "keiner", "none", "0"})
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
    heading_terms: frozenset[str] = frozenset()  # terms of the title and the heading
    answered_terms: frozenset[str] = frozenset()  # terms of a heading or sentence above it that is a question
    list_terms: frozenset[str] = frozenset()  # terms of the heading and introduction of the list to which it belongs
    group: int = -1  # the same number for all rows of a table, or all items of a list, of an excerpt
    row_name: frozenset[str] = frozenset()  # terms of the first two cells of a row that no column has in its name
    denied_terms: frozenset[str] = frozenset()  # terms of the names of columns in which a row says no


def passages(number: int, text: str, title: str = "") -> Iterator[Passage]:
    """Yield the sentences of an excerpt, without headings. `title`: that of its document and section."""
    section = _Section(frozenset(search_terms(title)), title.rpartition(" › ")[2])
    position = 0
    blocks = [block for block in _BLOCK_BREAK.split(_name_cells(text)) if re.search(r"\w", block)]
    for block in blocks:
        first, _, following = block.strip("\n").partition("\n")
        if first_line := _heading(first, following, last=block is blocks[-1]):
            section.begin(first_line)
            block = following
        is_item = _BULLET.match(block) is not None
        sentences = [(text, terms) for text in _sentences(block) if (terms := frozenset(search_terms(text)))]
        for i, (sentence, terms) in enumerate(sentences):
            if sentence.endswith(("?", "？", "؟")) and i + 1 < len(sentences):  # the sentences after it answer it
                section.ask(terms)
                continue
            after = sentences[i + 1][1] if i + 1 < len(sentences) else frozenset()
            yield _passage(number, position, sentence, terms, after, section, is_item=is_item)
            section.before = terms
            position += 1
        if not is_item and sentences and not _ROW.fullmatch(sentences[-1][0]):
            section.introduce(sentences[-1][0], sentences[-1][1])


class _Section:
    """The headings and questions above the sentences of an excerpt."""

    def __init__(self, outer: frozenset[str], heading: str) -> None:
        """`outer`: the terms of the whole title. `heading`: its last part."""
        self._outer = outer
        self.heading = outer  # the terms of the title and the heading
        self.asked = frozenset[str]()  # the terms of a question that the next sentences answer
        self.before = frozenset[str]()  # the terms of the sentence before
        self.list_terms = frozenset(search_terms(heading))
        self.group = 0
        if heading.endswith(("?", "？", "؟")):
            self.asked = self.list_terms

    def begin(self, heading: str) -> None:
        """Begin a section below another heading."""
        terms = frozenset(search_terms(heading))
        self.heading, self.before = self._outer | terms, frozenset()
        self.asked = terms if heading.endswith(("?", "？", "؟")) else frozenset()
        self.list_terms = self.list_terms | terms if heading.endswith((":", "：")) else terms
        self.group += 1

    def ask(self, terms: frozenset[str]) -> None:
        """Let the next sentences answer a question."""
        self.heading, self.asked, self.before = self.heading | terms, terms, frozenset()

    def introduce(self, sentence: str, terms: frozenset[str]) -> None:
        """Let a sentence introduce the list below it, which is another one than a list above it."""
        self.group += 1
        if sentence.endswith((":", "：")):
            self.list_terms |= terms


def _passage(
    number: int,
    position: int,
    sentence: str,
    terms: frozenset[str],
    after: frozenset[str],
    section: _Section,
    *,
    is_item: bool,
) -> Passage:
    nearby = section.heading | after | (section.before if _refers_back(sentence) else frozenset())
    passage = Passage(
        number,
        position,
        sentence,
        terms,
        terms,
        nearby,
        bool(_END.search(sentence[-4:])),
        section.heading,
        section.asked,
        section.list_terms if is_item else frozenset(),
        section.group if is_item else -1,
    )
    return _as_row(passage, section.group) if _ROW.fullmatch(sentence) else passage


def _as_row(passage: Passage, group: int) -> Passage:
    """Return the passage of a row of a table. The names of columns stand in every row, so they state nothing."""
    cells = [cell.rpartition(": ") for cell in passage.text.removesuffix(".").split("; ")]
    columns = frozenset(search_terms(" ".join(name for name, _, _ in cells)))
    return replace(
        passage,
        stated_terms=frozenset(search_terms(_COLUMN_NAME.sub(" ", passage.text))),
        complete=False,
        group=group,
        row_name=frozenset(search_terms(" ".join(cell for _, _, cell in cells[:2]))) - columns,
        denied_terms=frozenset(search_terms(" ".join(name for name, _, cell in cells if cell.casefold() in _DENIALS))),
    )


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


def _heading(first: str, following: str, *, last: bool) -> str:
    """Return the heading that a block begins with: marked as one, or a short line of its own with text after it."""
    if marked := _HEADING.match(first):
        return marked[1]
    alone = not following and not last and len(first) <= MAX_HEADING_CHARACTERS
    return first if alone and not _END.search(first) and not _BULLET.match(first) and first[-1] not in ",;|" else ""


def _sentences(block: str) -> list[str]:
    """Return the sentences of a block in one line each, without list markers, emphasis and footnote numbers.

    A footnote number in a quotation would look like one of our markers.
    """
    if _ROW.fullmatch(block.strip()):
        return [" ".join(_EMPHASIS.sub("", block).split())[:MAX_ROW_CHARACTERS]]
    bullet = _BULLET.match(block)
    text = block[bullet.end() :] if bullet else block
    text = " ".join(_FOOTNOTE.sub("", _EMPHASIS.sub("", text)).split())
    return [text[start:end].strip()[:MAX_SENTENCE_CHARACTERS] for start, end in split_sentences(text)]
