"""Excerpts: a text file cut into passages that each say one thing, at paragraphs and headings, with their offsets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LENGTH = 1200  # characters an excerpt aims at: about 200 words, one thought with its context
LONGEST = 2000  # above this even a single paragraph is cut, at a sentence's end or else at a space

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_BREAK = re.compile(r"(?<=[.!?。！？])\s+|\s+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One passage; `file[start:end]` is its text, but for the space around it."""

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
    excerpts: list[Excerpt] = []
    headings: tuple[tuple[int, str], ...] = ()
    start = end = 0  # of the excerpt being filled; empty where they are equal
    for piece_start, piece_end in _pieces(text):
        heading = _HEADING.match(text[piece_start:piece_end].split("\n", 1)[0])
        if end > start and (heading or piece_end - start > length):
            excerpts.append(_excerpt(text, start, end, headings))
            start = end
        if heading:
            depth = len(heading[1])
            headings = (*(known for known in headings if known[0] < depth), (depth, heading[2]))
            piece_start += heading.end()
            piece_start += len(text[piece_start:piece_end]) - len(text[piece_start:piece_end].lstrip())
        if piece_start < piece_end:
            start, end = (piece_start if start == end else start), piece_end
    if end > start:
        excerpts.append(_excerpt(text, start, end, headings))
    return excerpts


def _excerpt(text: str, start: int, end: int, headings: tuple[tuple[int, str], ...]) -> Excerpt:
    return Excerpt(text[start:end], start, end, tuple(heading for _, heading in headings))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs; those that are too long in parts."""
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.start(), paragraph.start() + len(paragraph[0].rstrip())
        while end - start > LONGEST:
            breaks = list(_BREAK.finditer(text, start + LONGEST // 2, start + LONGEST))
            sentences = [found for found in breaks if text[found.start() - 1] in ".!?。！？"]
            best = (sentences or breaks)[-1:]
            yield start, best[0].start() if best else start + LONGEST
            start = best[0].end() if best else start + LONGEST
        if end > start:
            yield start, end
