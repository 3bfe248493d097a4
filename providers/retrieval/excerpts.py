"""Excerpts: a text file cut into passages that each say one thing, at paragraphs and headings, with their offsets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LENGTH = 1200  # characters an excerpt aims at: about 200 words, one thought with its context
LONGEST = 2000  # above this even a single paragraph is cut, at a sentence's end or else at a space
LONGEST_HEADING = 200  # characters of an underlined heading; a longer line above a rule is a paragraph

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=)=+|--+)[ \t]*$")  # below a line of its own it makes that a heading
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\s+")
_TERMINATORS = ".!?。！？"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One passage; `file[start:end]` is its text."""

    text: str
    start: int
    end: int
    headings: tuple[str, ...] = ()  # from the outermost to the nearest

    def as_evidence(self, file_name: str, chunk_index: int) -> dict[str, Any]:
        """As an entry of a request's `evidence`."""
        evidence: dict[str, Any] = {
            "text": self.text,
            "file_name": file_name,
            "chunk_index": chunk_index,
            "metadata": {"start": self.start, "end": self.end},
        }
        return evidence | ({"title": " › ".join(self.headings)} if self.headings else {})


def cut(text: str, length: int = LENGTH) -> list[Excerpt]:
    """Cut a text or Markdown file; paragraphs under one heading share an excerpt as long as they fit."""
    return Cutter(length).cut(text)


class Cutter:
    """Cuts one text after the other; the headings of one part stay in force in the next."""

    def __init__(self, length: int = LENGTH) -> None:
        """`length`: characters an excerpt aims at."""
        self._length = length
        self._headings: tuple[_Heading, ...] = ()

    def cut(self, text: str) -> list[Excerpt]:
        """The excerpts of a part, with their places in it."""
        excerpts: list[Excerpt] = []
        start = end = 0  # of the excerpt being filled; empty where they are equal

        def close() -> None:
            if end > start:
                titles = tuple(heading.text for heading in self._headings if heading.text)
                excerpts.append(Excerpt(text[start:end], start, end, titles))

        for block in _blocks(text):
            if isinstance(block, _Heading):
                close()
                start = end = 0
                self._headings = (*(above for above in self._headings if above.depth < block.depth), block)
                continue
            for part_start, part_end in _parts(text, *block):
                if end > start and part_end - start > self._length:
                    close()
                    start = end
                start, end = (part_start if start == end else start), part_end
        close()
        return excerpts


@dataclass(frozen=True, slots=True)
class _Heading:
    depth: int
    text: str


def _blocks(text: str) -> Iterator[tuple[int, int] | _Heading]:
    """Headings, and the places of paragraphs; code between fences is one paragraph, whatever stands in it."""
    start = end = 0  # of the paragraph being read
    lines = 0
    fence = ""
    for line_start, line in _lines(text):
        line = line.rstrip()
        marks = _FENCE.match(line)
        if fence:
            end = line_start + len(line) if line else end
            fence = "" if marks and marks[1].startswith(fence) and line.strip() == marks[1] else fence
        elif lines == 1 and end - start <= LONGEST_HEADING and (underline := _UNDERLINE.match(line)):
            yield _Heading(1 if underline[1] else 2, text[start:end].strip())
            lines = 0
        elif not line:
            if lines:
                yield start, end
            lines = 0
        elif heading := _HEADING.match(line):
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


def _title(text: str) -> str:
    """Without the closing `##` that Markdown allows."""
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A paragraph, in parts where it is too long."""
    while end - start > LONGEST:
        breaks = list(_BREAK.finditer(text, start + LONGEST // 2, start + LONGEST))
        sentences = [found for found in breaks if text[found.start() - 1] in _TERMINATORS]
        best = (sentences or breaks)[-1:]
        yield start, best[0].start() if best else start + LONGEST
        start = best[0].end() if best else start + LONGEST
    if end > start:
        yield start, end
