"""Passages: excerpts as the index wants them, read one by one, so that they can be read ahead and kept.

Reading an excerpt of 600 characters takes 0.4 ms, putting the index of twenty together from what was read 1 ms. The
turns of one conversation, and the questions of many users about the same documents, bring the same excerpts.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..lexicon import Lexed, lex, sentences
from ..lexicon.keeping import LONGEST_TITLE, kept

Ints = NDArray[np.int64]

# Past this share of CJK terms a text is taken for Chinese, Japanese or Korean.
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class Passage:
    """What one excerpt says. Sentences are numbered from 0 within it."""

    lexed: Lexed
    language: str | None
    titled: tuple[str, ...]  # the terms of its title
    spans: Ints  # (S, 2), offsets of its sentences
    term_sentences: Ints  # the sentence of each term
    negations: Ints  # (S,), how many
    poles: tuple[tuple[int, int, int], ...]  # sentence, family of opposites, member
    numbers: tuple[tuple[int, float], ...]  # sentence, value


class Passages:
    """Reads excerpts, and keeps what was read last."""

    def __init__(self, characters: int = 0, lock: AbstractContextManager[object] | None = None) -> None:
        """`characters`: of the texts whose reading is kept; each takes 15 bytes. `lock`: where several threads read."""
        self._most = characters
        self._kept: OrderedDict[tuple[str, str], Passage] = OrderedDict()
        self._size = 0
        self._lock = lock or nullcontext()

    def of(self, evidence: Evidence) -> Passage:
        """This excerpt, read."""
        key = (evidence.text, evidence.title or evidence.file_name or "")
        with self._lock:
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known
        read = passage(*key)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = read
                self._size += sum(map(len, key))
            while self._size > self._most:
                oldest, _ = self._kept.popitem(last=False)
                self._size -= sum(map(len, oldest))
        return read


def passage(text: str, title: str = "") -> Passage:
    """Read one excerpt."""
    lexed = lex(text)
    spans = sentences(text) or [(0, len(text))]
    begins = [start for start, _ in spans]
    return Passage(
        lexed,
        language_of(lexed),
        _titled(title),
        np.array(spans, dtype=np.int64),
        np.searchsorted(begins, lexed.starts, side="right") - 1,
        np.bincount(_sentences(begins, [end - 1 for end in lexed.negations]), minlength=len(spans)).astype(np.int64),
        tuple(
            (at, family, member)
            for at, (_, family, member) in zip(
                _sentences(begins, [start for start, _, _ in lexed.poles]), lexed.poles, strict=True
            )
        ),
        tuple(
            (at, value)
            for at, quantity in zip(
                _sentences(begins, [q.start for q in lexed.quantities]), lexed.quantities, strict=True
            )
            for value in quantity.values
        ),
    )


def _sentences(begins: Sequence[int], places: Sequence[int]) -> list[int]:
    """The sentences that offsets fall into."""
    return [bisect_right(begins, place) - 1 for place in places]


@kept(1024, LONGEST_TITLE)
def _titled(title: str) -> tuple[str, ...]:
    """The terms of a title, which many excerpts share."""
    return tuple(dict.fromkeys(lex(title).terms))


def language_of(lexed: Lexed) -> str | None:
    """`han` for text without spaces, else what its function words say."""
    terms = lexed.terms
    if not "".join(terms).isascii() and sum(term[0] > "\u2e80" for term in terms) > _MOSTLY * len(terms):
        return "han"
    return lexed.language
