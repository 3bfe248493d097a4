"""Analysis of single excerpts, with a cache.

The turns of a conversation, and different users' questions about the same documents, send the same excerpts again.
Analyzing an excerpt of 800 characters takes 0.2 ms, building the index of twenty analyzed excerpts 0.5 ms, and finding
both in the cache 0.02 ms (`python -m bench.evidence_reading`).
"""

import re
from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from ...evidence import Evidence
from ...text import Analysis, analyze_title
from ...text.analysis import analyze_in_steps
from ...text.normalize import UNSPACED
from ...text.sentences import split_in_steps
from ...text.steps import Steps, complete, completed
from .lru_cache import LRUCache

T = TypeVar("T")

# The cache of indexes is limited to this fraction of the cache of excerpts (1/4). An index needs about as much memory
# as its excerpts do, and only the latest turn of a conversation needs its index.
INDEX_SHARE = 4
# Extra memory in units of one character of English text: a character of a script without spaces, where most characters
# are terms of their own (100 bytes each); a number.
_UNSPACED_COST, _QUANTITY_COST = 7, 20
_UNSPACED_RUNS = re.compile(f"[{UNSPACED}]+")
_SEARCHED = 50_000  # characters in which such runs are searched in a step: 1 ms
BLOCK = 5_000  # characters that are analyzed at once: some milliseconds; most excerpts are one block
MANY_BLOCKS = 10  # a shorter text has few sentences, however short they are
_SPANS_AT_A_TIME = 10_000  # offsets of sentences that are copied in a step: 1 ms
SHORT_SENTENCE = 10  # characters; in a long text whose sentences are shorter on average, neighbours are joined
# A text counts as Chinese, Japanese or Korean if more than this share of its terms is.
_HAN_SHARE = 0.5
_COUNTED_TERMS = 10_000  # terms that are counted in a step: 1 ms
_BEFORE_HAN = "\u2e80"


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, so that it can be part of a cache key
class AnalyzedExcerpt:
    """The terms, language and sentences of one excerpt."""

    analysis: Analysis
    language: str | None
    title_terms: list[str]
    spans: "array[int]"  # start and end offset of each sentence, flat
    size: int  # memory in units of one character of English text


_Key = tuple[str, str, str]  # client, text and title


class ExcerptCache:
    """Analyzes excerpts and caches the results, and the indexes built from them."""

    def __init__(self, characters: int = 0, lock: AbstractContextManager[object] | None = None) -> None:
        """Cache up to `characters` of English text, at about 9 bytes each. Give a `lock` if several threads use it."""
        self.client = ""  # the client whose excerpts this part has
        self._excerpts: LRUCache[_Key, AnalyzedExcerpt] = LRUCache(characters)
        self._indexes: LRUCache[tuple[AnalyzedExcerpt, ...], Any] = LRUCache(characters // INDEX_SHARE)
        self._lock = lock or nullcontext()

    def of_client(self, client: str) -> "ExcerptCache":
        """Return a part of this cache that only this client uses. All parts share its size.

        Otherwise a client could measure whether another one has sent an excerpt.
        """
        part = copy(self)
        part.client = client
        return part

    def analyze(self, evidence: Evidence) -> AnalyzedExcerpt:
        """Return the analysis of this excerpt."""
        return complete(self._analyze(self._key(evidence)))

    def index(self, evidence: Sequence[Evidence], build: Callable[[tuple[AnalyzedExcerpt, ...]], Steps[T]]) -> Steps[T]:
        """Return the result of `build(analyzed excerpts)`, cached. Always pass the same `build`; never change it."""
        keys = [self._key(item) for item in evidence]
        with self._lock:
            cached = [self._excerpts.get(key) for key in keys]
        analyzed: list[AnalyzedExcerpt] = []
        for key, excerpt in zip(keys, cached, strict=True):
            analyzed.append(excerpt or (yield from self._analyze(key)))
        excerpts = tuple(analyzed)
        with self._lock:
            index: T | None = self._indexes.get(excerpts)
        if index is None:
            index = yield from build(excerpts)
            with self._lock:
                self._indexes.put(excerpts, index, sum(excerpt.size for excerpt in excerpts))
        return index

    def _analyze(self, key: _Key) -> Steps[AnalyzedExcerpt]:
        """Return the analysis of an excerpt, cached."""
        with self._lock:
            cached = self._excerpts.get(key)
        if cached is not None:
            return cached
        _, text, title = key
        excerpt = yield from analyze_excerpt_in_steps(text, title)
        yield None
        with self._lock:
            self._excerpts.put(key, excerpt, excerpt.size)
        return excerpt

    def _key(self, evidence: Evidence) -> _Key:
        return self.client, evidence.text, evidence.title or evidence.file_name or ""


def analyze_excerpt(text: str, title: str = "") -> AnalyzedExcerpt:
    """Analyze one excerpt."""
    return complete(analyze_excerpt_in_steps(text, title))


def analyze_excerpt_in_steps(text: str, title: str = "") -> Steps[AnalyzedExcerpt]:
    """Analyze one excerpt in steps of about a millisecond."""
    spans = yield from split_in_steps(text)
    blocks = yield from _blocks(spans or [(0, len(text))])
    analysis = yield from analyze_in_steps(text, blocks)
    merged = (yield from _merge_short(spans, len(text))) or [(0, len(text))]
    if merged is not spans:
        while spans:  # half a million of them are freed in 10 ms
            del spans[-_SPANS_AT_A_TIME:]
            yield None
    flat = array("I")
    for first in range(0, len(merged), _SPANS_AT_A_TIME):
        flat.extend(chain.from_iterable(merged[first : first + _SPANS_AT_A_TIME]))
        yield None
    language = yield from language_of_in_steps(analysis)
    extra = yield from _extra_size(text, analysis)
    size = len(title) + len(text) + extra
    return AnalyzedExcerpt(analysis, language, analyze_title(title).terms, flat, size)


def _blocks(spans: Sequence[tuple[int, int]]) -> Steps[list[tuple[int, int]]]:
    """Join sentences to blocks that are analyzed at once."""
    blocks: list[tuple[int, int]] = []
    first = spans[0][0]
    for number, (start, end) in enumerate(spans, 1):
        if end - first > BLOCK and start > first:
            blocks.append((first, start))
            first = start
        if number % _SPANS_AT_A_TIME == 0:
            yield None
    return [*blocks, (first, spans[-1][1])]


def _merge_short(spans: list[tuple[int, int]], length: int) -> Steps[list[tuple[int, int]]]:
    """Join neighbouring sentences of a long text that consists of short ones, such as a column of numbers.

    The cost of scoring a claim grows with the number of sentences, which would be 500,000 in 2 MB of one-letter lines.
    """
    if length <= BLOCK * MANY_BLOCKS or length >= len(spans) * SHORT_SENTENCE:
        return spans
    merged: list[tuple[int, int]] = []
    first = 0
    for number, (_, end) in enumerate(spans, 1):
        if end - first >= SHORT_SENTENCE:
            merged.append((first, end))
            first = end
        if number % _SPANS_AT_A_TIME == 0:
            yield None
    return [*merged, (first, length)] if first < length else merged


def _extra_size(text: str, analysis: Analysis) -> Steps[int]:
    """Return the extra memory of an analysis, in units of one character of English text."""
    unspaced = 0
    for start in range(0, 0 if text.isascii() else len(text), _SEARCHED):
        unspaced += sum(map(len, _UNSPACED_RUNS.findall(text, start, start + _SEARCHED)))
        yield None
    return _UNSPACED_COST * unspaced + _QUANTITY_COST * len(analysis.quantities)


def language_of_in_steps(analysis: Analysis) -> Steps[str | None]:
    """Return `han` for text without spaces, otherwise the language that its function words indicate."""
    terms, unspaced = analysis.terms, 0
    for start in range(0, len(terms), _COUNTED_TERMS):
        part = terms[start : start + _COUNTED_TERMS]
        unspaced += 0 if "".join(part).isascii() else sum(map(_BEFORE_HAN.__lt__, part))
        yield None
    return "han" if unspaced > _HAN_SHARE * len(terms) else analysis.language


language_of = completed(language_of_in_steps)
