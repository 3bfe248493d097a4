"""Split a text file into excerpts at paragraphs and headings, with their offsets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from citestream.citation.text import split_sentences
from citestream.citation.text.tables import is_table_rule

TARGET_LENGTH = 1200  # characters of an excerpt: about 200 words, one thought with its context
MAX_LENGTH = 2000  # a longer paragraph is split, at the end of a sentence or else at a space
MAX_HEADER_CHARACTERS = 600  # characters of the header of a table that is repeated in each of its excerpts
MAX_HEADING_CHARACTERS = (
    200  # characters; a longer line is a paragraph. Headings are repeated in each excerpt below them
)

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:==+|--+|~~~+|\^\^\^+|\"\"\"+)[ \t]*$")  # under a single line it makes that a heading
_DEPTHS = {"=": 1, "-": 2, "~": 3, "^": 4, '"': 5}  # depth of a heading by its underline; Markdown has the first two
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SPACE = re.compile(r"\s+")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")  # lines with text
_SENTENCE_ENDS = frozenset(".!?…。！？؟।\"'”’»)」』）")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One passage: `file[start:end]`, after the header of its table if the excerpt begins with later rows of it."""

    text: str
    start: int
    end: int
    headings: tuple[str, ...] = ()  # from the outermost to the nearest

    def as_evidence(self, file_name: str, chunk_index: int) -> dict[str, Any]:
        """Return the excerpt as an entry of a request's `evidence`."""
        evidence: dict[str, Any] = {
            "text": self.text,
            "file_name": file_name,
            "chunk_index": chunk_index,
            "metadata": {"start": self.start, "end": self.end},
        }
        return evidence | ({"title": " › ".join(self.headings)} if self.headings else {})


def split_excerpts(text: str, length: int = TARGET_LENGTH) -> list[Excerpt]:
    """Split a text or Markdown file. Paragraphs under one heading share an excerpt as long as they fit."""
    return ExcerptSplitter(length).split(text)


class ExcerptSplitter:
    """Split the parts of a document. The headings of one part apply to the next."""

    def __init__(self, length: int = TARGET_LENGTH) -> None:
        """Create a splitter. `length`: the target length of an excerpt in characters."""
        self._length = length
        self._headings: tuple[_Heading, ...] = ()

    def split(self, text: str, *, is_markdown: bool = True) -> list[Excerpt]:
        """Return the excerpts of a part, with their offsets in it. `is_markdown`: it may have headings and code."""
        excerpts: list[Excerpt] = []
        start = end = 0  # offsets of the open excerpt, which is empty if they are equal
        header = ""  # the header of a table, if the excerpt begins with later rows

        def close() -> None:
            if end > start:
                titles = tuple(heading.text for heading in self._headings if heading.text)
                excerpts.append(Excerpt(header + text[start:end], start, end, titles))

        for block in _blocks(text) if is_markdown else _paragraphs(text):
            if isinstance(block, _Heading):
                close()
                start, end, header = 0, 0, ""
                self._headings = (*(above for above in self._headings if above.depth < block.depth), block)
                continue
            for part in _parts(text, *block):
                if end > start and (part.header or part.end - start > self._length):
                    close()
                    start = end
                if start == end:
                    start, header = part.start, part.header
                end = part.end
        close()
        return excerpts


@dataclass(frozen=True, slots=True)
class _Heading:
    depth: int
    text: str


def _blocks(text: str) -> Iterator[tuple[int, int] | _Heading]:
    """Yield headings, and the offsets of paragraphs. Fenced code is one paragraph."""
    start = end = 0  # offsets of the open paragraph
    lines = 0
    fence = ""
    for line_start, line in _lines(text):
        line = line.rstrip()
        marks = _FENCE.match(line)
        if fence:
            end = line_start + len(line) if line else end
            fence = "" if marks and marks[1].startswith(fence) and line.strip() == marks[1] else fence
        elif (
            1 <= lines <= 2
            and end - start <= 2 * MAX_HEADING_CHARACTERS
            and (title := _underlined(text[start:end], line))
        ):
            yield _Heading(_DEPTHS[line.strip()[0]], title)
            lines = 0
        elif not line:
            if lines:
                yield start, end
            lines = 0
        elif len(line) <= MAX_HEADING_CHARACTERS and (heading := _HEADING.match(line)):
            if lines:
                yield start, end
            yield _Heading(len(heading[1]), _title(line[heading.end() :].strip()))
            lines = 0
        else:
            start = start if lines else line_start + len(line) - len(line.lstrip())
            end = line_start + len(line)
            lines += 1
            fence = marks[1] if marks else ""
    if lines:
        yield start, end


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the paragraphs of a text without markup."""
    for match in _PARAGRAPH.finditer(text):
        yield match.start(), match.start() + len(match[0].rstrip())


def _underlined(above: str, line: str) -> str:
    """Return the heading that a line underlines, "" if it is none.

    `above`: the text of the heading. In reStructuredText it may follow a line that is equal to the underline, and the
    underlines of deeper headings are as long as the text; a shorter line of tildes begins code in Markdown.
    """
    if not _UNDERLINE.match(line):
        return ""
    overline, _, title = above.rpartition("\n")
    if overline and overline.strip() != line.strip():
        return ""
    title, is_long = title.strip(), len(line.strip()) >= len(title.strip())
    return title if len(title) <= MAX_HEADING_CHARACTERS and (is_long or line.strip()[0] in "=-") else ""


def _title(text: str) -> str:
    """Return a heading without the closing `##` that Markdown allows."""
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a paragraph. `header`: the header of a table and its rule, if the part begins with later rows."""

    start: int
    end: int
    header: str = ""


def _parts(text: str, start: int, end: int) -> Iterator[_Part]:
    """Yield the offsets of a paragraph, in parts if it is too long."""
    if end - start > MAX_LENGTH and (table := _table_header(text, start, end)):
        yield from _table_parts(text, start, end, *table)
        return
    while end - start > MAX_LENGTH:
        part_end = _split_point(text[start : start + MAX_LENGTH])
        yield _Part(start, start + len(text[start : start + part_end].rstrip()))
        start += part_end
    if end > start:
        yield _Part(start, end)


def _table_header(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the header of the Markdown table in a paragraph, with its rule, and where its rows begin.

    None without a table, or if a row, or the header with the text above it, is too long for an excerpt.
    """
    lines = [(start + offset, line) for offset, line in _lines(text[start:end])]
    rule = next((n for n in range(1, len(lines)) if "|" in lines[n - 1][1] and is_table_rule(lines[n][1])), None)
    if rule is None or max(len(line) for _, line in lines) > TARGET_LENGTH:
        return None
    rows = lines[rule][0] + len(lines[rule][1]) + 1
    header = text[lines[rule - 1][0] : rows]
    return (header, rows) if len(header) <= MAX_HEADER_CHARACTERS and rows - start <= TARGET_LENGTH else None


def _table_parts(text: str, start: int, end: int, header: str, rows: int) -> Iterator[_Part]:
    """Yield the parts of a paragraph with a table, split between rows. `rows`: offset of the first row."""
    repeated = ""
    part_end = rows
    for offset, row in _lines(text[rows:end]):
        row_end = rows + offset + len(row)
        if part_end > rows and len(repeated) + row_end - start > TARGET_LENGTH:
            yield _Part(start, part_end, repeated)
            start, repeated = rows + offset, header
        part_end = row_end
    yield _Part(start, part_end, repeated)


def _split_point(text: str) -> int:
    """Return where to split a text: after the last sentence or the last space of its second half, or at its end."""
    half = len(text) // 2
    ends = [end for _, end in split_sentences(text)[:-1] if end > half and _ends_sentence(text[:end])]
    spaces = [match.end() for match in _SPACE.finditer(text, half)]
    return (ends or spaces or [len(text)])[-1]


def _ends_sentence(text: str) -> bool:
    """Return whether a text ends with a sentence, not at a line break within one."""
    return text.rstrip()[-1:] in _SENTENCE_ENDS
