"""Passages: excerpts as the index wants them, read one by one, so that they can be read ahead and kept.

Reading an excerpt of 800 characters takes 0.2 ms, putting the index of twenty together from what was read 0.5, finding
all of it again 0.02 (`python -m bench.reading`). The turns of one conversation, and the questions of many users about
the same documents, bring the same excerpts.
"""

import re
from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from ..evidence import Evidence
from ..text import Analysis, analyze_text, analyze_title, split_sentences
from ..text.words import UNSPACED
from .lru_cache import Recent

T = TypeVar("T")

# Of the characters whose reading is kept, those of excerpts that are kept as they came together are a fourth: what a
# conversation had last. An index takes as many bytes a character as the reading does.
TOGETHER = 4
# What takes more memory than a character of English, by how many: a character of a script without spaces, most of which
# are terms of their own, a hundred bytes each; a number; a word that has an opposite.
_UNSPACED, _QUANTITY, _OPPOSITE = 7, 20, 5
_RUNS = re.compile(f"[{UNSPACED}]+")
# Past this share of CJK terms a text is taken for Chinese, Japanese or Korean.
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True, eq=False)  # one read twice is two: as a key it is itself
class Passage:
    """What one excerpt says."""

    lexed: Analysis
    language: str | None
    titled: list[str]  # the terms of its title
    spans: "array[int]"  # start and end of each of its sentences
    weight: int  # as many characters of English take as much memory


class Passages:
    """Reads excerpts, and keeps what was read last."""

    def __init__(self, characters: int = 0, lock: AbstractContextManager[object] | None = None) -> None:
        """`characters`: of English texts whose reading is kept, 9 bytes each. `lock`: where several threads read."""
        self._passages: Recent[tuple[str, str], Passage] = Recent(characters)
        self._together: Recent[tuple[Passage, ...], Any] = Recent(characters // TOGETHER)
        self._lock = lock or nullcontext()

    def of(self, evidence: Evidence) -> Passage:
        """This excerpt, read."""
        return self._read(_key(evidence))

    def together(self, evidence: Sequence[Evidence], make: Callable[[tuple[Passage, ...]], T]) -> T:
        """What `make`, always the same one, makes of these excerpts, in this order; nobody may change it."""
        keys = [_key(one) for one in evidence]
        with self._lock:
            known = [self._passages.get(key) for key in keys]
        found = tuple(passage or self._read(key) for passage, key in zip(known, keys, strict=True))
        with self._lock:
            made: T | None = self._together.get(found)
        if made is None:
            made = make(found)
            with self._lock:
                self._together.keep(found, made, sum(one.weight for one in found))
        return made

    def _read(self, key: tuple[str, str]) -> Passage:
        with self._lock:
            known = self._passages.get(key)
        if known is not None:
            return known
        read = passage(*key)
        with self._lock:
            self._passages.keep(key, read, read.weight)
        return read


def _key(evidence: Evidence) -> tuple[str, str]:
    return evidence.text, evidence.title or evidence.file_name or ""


def passage(text: str, title: str = "") -> Passage:
    """Read one excerpt."""
    lexed = analyze_text(text, named=False)  # of names only those of a claim are asked for
    spans = split_sentences(text) or [(0, len(text))]
    places = array("I", list(chain.from_iterable(spans)))
    return Passage(lexed, language_of(lexed), analyze_title(title).terms, places, len(title) + _weight(text, lexed))


def _weight(text: str, lexed: Analysis) -> int:
    unspaced = 0 if text.isascii() else sum(map(len, _RUNS.findall(text)))
    return len(text) + _UNSPACED * unspaced + _QUANTITY * len(lexed.quantities) + _OPPOSITE * len(lexed.antonyms)


def language_of(lexed: Analysis) -> str | None:
    """`han` for text without spaces, else what its function words say."""
    terms = lexed.terms
    if not "".join(terms).isascii() and sum(term[0] > "\u2e80" for term in terms) > _MOSTLY * len(terms):
        return "han"
    return lexed.language
