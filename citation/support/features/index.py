"""An inverted index of the evidence of one request: terms, pairs of terms, sentences, windows, negations."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, chain, count, islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import Analysis
from ...text.line_hyphens import join_in_steps
from ...text.normalize import to_simplified
from ...text.steps import Steps, complete
from ...text.tables import with_bars_in_steps
from ...text.words.concepts import SHORTEST_COGNATE, consonant_skeleton
from .characters import SentenceCharacters
from .excerpts import AnalyzedExcerpt, ExcerptCache
from .title_contrast import TitleContrast

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
T = TypeVar("T")

# A claim rarely rests on more than three neighbouring sentences; longer windows only add chance matches.
WINDOW_SENTENCES = 3

_STEP = 5_000  # terms that are indexed in a step: 1 ms
_MAX_AT_ONCE = 20_000  # elements of an array that is sorted or searched in the event loop: 2 ms
_NO_SENTENCES = np.zeros(0, dtype=np.int64)
_MAX_COVERAGES = 64  # sentences: only the previous one is needed, and a few may be scored at a time


class Surroundings(NamedTuple):
    """The spans of the sentences in a window, and the same with one more sentence on each side.

    A year or a unit is often stated there once for all.
    """

    inside: list[list[int]]
    around: list[list[int]]

    @property
    def span(self) -> tuple[int, int]:
        """The span of `around`."""
        return self.around[0][0], self.around[-1][1]


class SharedIndex:
    """The part of the index that depends only on the excerpts, so that requests can share it. Read-only.

    Arrays of S sentences of N excerpts, in order:

    - `sentence_spans`, (S, 2): start and end in the text of the excerpt. `starts`, `ends`, (S,): its columns.
    - `sentence_owner`, (S,): the excerpt of each sentence.
    - `first_sentence`, (N + 1,): the first sentence of each excerpt, and S.
    - `valid`, (3, S): whether a window of 1, 2 or 3 sentences that starts at a sentence ends in the same excerpt.
    - `negations`, (S,): the number of negations.

    T occurrences of V different terms, which `vocabulary` numbers from 0:

    - `term_ends`, (S + 1,): the first occurrence in each sentence, and T.
    - `posted`, (T,): the sentences of all occurrences of the first term, then those of the second, and so on.
    - `posted_ends`, V + 1 numbers: where those of each term begin in `posted`, and T.
    - `pair_keys`, `pairs`: see `_index_pairs`.
    """

    def __init__(self, excerpts: Sequence[AnalyzedExcerpt]) -> None:
        """Build the index of these excerpts."""
        complete(self._build(excerpts))

    @classmethod
    def in_steps(cls, excerpts: Sequence[AnalyzedExcerpt]) -> Steps["SharedIndex"]:
        """Build the index of many or long excerpts in steps."""
        index = cls.__new__(cls)
        yield from index._build(excerpts)
        return index

    def _build(self, excerpts: Sequence[AnalyzedExcerpt]) -> Steps[None]:
        """Set all attributes."""
        self.analyses: list[Analysis] = [excerpt.analysis for excerpt in excerpts]
        self.languages = [excerpt.language for excerpt in excerpts]
        languages = {excerpt.language for excerpt in excerpts if excerpt.language}
        self.known_languages = frozenset(languages)
        self.language = languages.pop() if len(languages) == 1 else None  # the language that all excerpts share
        self._foreign: dict[str, Bools | None] = {}
        self.titles: dict[str, list[int]] = {}  # term -> rows of the evidence whose title contains it
        for row, excerpt in enumerate(excerpts):
            for term in dict.fromkeys(excerpt.title_terms):
                self.titles.setdefault(term, []).append(row)
        self.title_contrast = TitleContrast(self.titles, len(excerpts))
        self._index_sentences(excerpts)
        yield from self._index_terms(excerpts)
        self._index_windows()
        yield None
        self._index_negations()
        yield None
        self.skeletons: defaultdict[str, list[str]] = defaultdict(list)  # consonants -> terms, for cognates
        words = (term for term in self.vocabulary if len(term) >= SHORTEST_COGNATE)  # few of Chinese, and of numbers
        while part := list(islice(words, _STEP)):
            for term, consonants in zip(part, map(consonant_skeleton.__getitem__, part), strict=True):
                if consonants:
                    self.skeletons[consonants].append(term)
            yield None
        self.skeletons.default_factory = None
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def surroundings(self, row: int, start: int, end: int) -> "Surroundings":
        """Return the sentences in and around a window of evidence `row`."""
        first, beyond = self.first_sentence[row : row + 2].tolist()
        lo = bisect_right(self.starts, start, first, beyond) - 1
        hi = bisect_right(self.starts, max(start, end - 1), first, beyond) - 1
        before, after = max(lo - 1, first), min(hi + 1, beyond - 1)
        spans: list[list[int]] = self.sentence_spans[before : after + 1].tolist()
        return Surroundings(spans[lo - before : hi + 1 - before], spans)

    def widened(self, row: int, start: int, end: int) -> tuple[int, int]:
        """Return the span of the window with one more sentence on each side."""
        return self.surroundings(row, start, end).span

    @cached_property
    def listed_vocabulary(self) -> str:
        """The terms of the evidence, with a line break before and after each."""
        return "\n".join(("", *self.vocabulary, ""))

    def sentences_of(self, term: str) -> Ints:
        """Return the sentences that contain `term`, ascending, with repeats."""
        number = self.vocabulary.get(term)
        return _NO_SENTENCES if number is None else self.posted[slice(*self.posted_ends[number : number + 2])]

    def foreign_to(self, language: str | None) -> Bools | None:
        """Return which evidence is in another language, (N,), or None if none is."""
        if language is None:
            return None
        if language not in self._foreign:
            foreign = np.array(
                [
                    bool(language_of_evidence and language_of_evidence != language)
                    for language_of_evidence in self.languages
                ]
            )
            self._foreign[language] = foreign if foreign.any() else None
        return self._foreign[language]

    def _index_sentences(self, excerpts: Sequence[AnalyzedExcerpt]) -> None:
        """Set the spans and the excerpts of the sentences."""
        counts = [len(excerpt.spans) // 2 for excerpt in excerpts]
        self.sentence_spans = _concatenate([excerpt.spans for excerpt in excerpts]).reshape(-1, 2)
        self.sentence_owner = np.repeat(np.arange(len(excerpts)), counts)
        self.starts, self.ends = np.ascontiguousarray(self.sentence_spans.T)
        self.size = len(self.sentence_spans)
        self.first_sentence = np.array([0, *accumulate(counts)], dtype=np.int64)

    def _index_terms(self, excerpts: Sequence[AnalyzedExcerpt]) -> Steps[None]:
        """Index the terms by the sentences and the pairs of neighbours in which they occur."""
        numbered: defaultdict[str, int] = defaultdict(count().__next__)  # numbers the terms in order of appearance
        parts: list[Ints] = []
        unpaused = 0
        for excerpt in excerpts:
            terms = excerpt.analysis.terms
            for start in range(0, len(terms), _STEP):
                part = terms[start : start + _STEP] if len(terms) > _STEP else terms
                parts.append(np.fromiter(map(numbered.__getitem__, part), np.int64, len(part)))
                unpaused += len(part)
                if unpaused >= _STEP:
                    unpaused = 0
                    yield None
        numbered.default_factory = None
        self.vocabulary: dict[str, int] = numbered
        term_ids = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        yield None
        rows, sentences = yield from _undivided(partial(self._places_of_terms, excerpts), len(term_ids))
        yield from _undivided(partial(self._post_terms, term_ids, sentences), len(term_ids))
        yield None
        yield from _undivided(partial(self._index_pairs, term_ids, sentences, rows), len(term_ids))

    def _places_of_terms(self, excerpts: Sequence[AnalyzedExcerpt]) -> tuple[Ints, Ints]:
        """Return the evidence, (T,), and the sentences, (T,), of all occurrences of terms."""
        rows = np.repeat(np.arange(len(excerpts)), [len(excerpt.analysis.terms) for excerpt in excerpts])
        return rows, self._sentences_at(rows, _concatenate([excerpt.analysis.starts for excerpt in excerpts]))

    def _post_terms(self, term_ids: Ints, sentences: Ints) -> None:
        """Sort the occurrences by their terms; see `posted`."""
        per_sentence = np.bincount(sentences, minlength=self.size)
        self.term_ends = np.concatenate([[0], np.cumsum(per_sentence)])
        self.posted = sentences[np.argsort(term_ids, kind="stable")]
        occurrences = np.bincount(term_ids, minlength=len(self.vocabulary))
        self.posted_ends: list[int] = [0, *occurrences.cumsum().tolist()]

    def _index_pairs(self, term_ids: Ints, sentences: Ints, rows: Ints) -> None:
        """Index the P pairs of neighbouring terms: `pair_keys`, (P,), sorted; `pairs`, (P, 3): position, row, sentence.

        The sentence is -1 if one ends between the two terms.
        """
        positions = np.flatnonzero(rows[1:] == rows[:-1])
        keys = term_ids[positions] * (len(self.vocabulary) + 1) + term_ids[positions + 1]
        order = np.argsort(keys, kind="stable")
        positions, self.pair_keys = positions[order], keys[order]
        sentence = sentences[positions]
        sentence[sentence != sentences[positions + 1]] = -1
        self.pairs = np.stack(
            (positions + rows[positions], rows[positions], sentence), axis=1, dtype=np.int32, casting="same_kind"
        )

    def _sentences_at(self, rows: Ints, offsets: Ints) -> Ints:
        """Return the sentences, (T,), at T offsets in the texts of the excerpts `rows`.

        One search over all excerpts, as if their texts followed each other.
        """
        length = int(self.ends.max(initial=0)) + 1
        begins = self.sentence_owner * length + self.starts
        return np.asarray(begins.searchsorted(rows * length + offsets, side="right") - 1)

    def _index_windows(self) -> None:
        """Set which windows are valid, and arrays that the features of every claim need."""
        owner = self.sentence_owner
        self.valid = np.zeros((WINDOW_SENTENCES, self.size), dtype=bool)
        for size in range(WINDOW_SENTENCES):
            self.valid[size, : self.size - size] = owner[size:] == owner[: self.size - size]
        self.invalid = ~self.valid
        self.ones = np.ones(self.size, dtype=np.float32)
        self.valid_twice = np.concatenate((self.valid, self.valid))  # (6, S), for two values of each window

    def _index_negations(self) -> None:
        """Count the negations of each sentence."""
        ends = [analysis.negations for analysis in self.analyses]
        rows = np.repeat(np.arange(len(ends)), [len(negations) for negations in ends])
        offsets = np.fromiter(chain.from_iterable(ends), np.int64, len(rows)) - 1
        self.negations = np.bincount(self._sentences_at(rows, offsets), minlength=self.size)


def _readable_in_steps(evidence: Sequence[Evidence]) -> Steps[list[Evidence]]:
    """Return the evidence with texts in which the words can be recognised, of the same lengths."""
    read: list[Evidence] = []
    for item in evidence:
        text = yield from join_in_steps((yield from with_bars_in_steps(item.text)))
        read.append(item if text is item.text else replace(item, text=text))
        if len(item.text) > _STEP:
            yield None
    return read


class Index(SharedIndex):
    """The index of one request: the shared index of its excerpts, its evidence, and the coverage of recent claims."""

    def __init__(self, evidence: Sequence[Evidence], cache: ExcerptCache | None = None) -> None:
        """Build the index, or take the shared part from `cache`."""
        read = complete(_readable_in_steps(evidence))
        self._share(read, complete((cache or ExcerptCache()).index(read, SharedIndex.in_steps)))

    @classmethod
    def of(cls, evidence: Sequence[Evidence], cache: ExcerptCache) -> Steps["Index"]:
        """Build the index in steps, or take the shared part from `cache`."""
        read = yield from _readable_in_steps(evidence)
        shared = yield from cache.index(read, SharedIndex.in_steps)
        index = cls.__new__(cls)
        index._share(read, shared)
        return index

    def _share(self, evidence: Sequence[Evidence], shared: SharedIndex) -> None:
        vars(self).update(vars(shared))  # refer to the same arrays: 8 µs instead of 1 ms for building them
        self.evidence = tuple(evidence)
        self.coverage: dict[str, Floats] = {}  # claim -> (N,), share of its weight that each evidence contains
        # question -> its shares in the excerpts with their titles and in the titles, and its contrast, (N,) each
        self.questions: dict[str, tuple[Floats, Floats, Floats]] = {}

    @cached_property
    def characters(self) -> SentenceCharacters:
        """The characters of all sentences, where traditional Chinese ones are simplified."""
        texts = [to_simplified(item.text) for item in self.evidence]
        return SentenceCharacters(texts, self.starts, self.first_sentence[:-1])

    def remember_question(self, question: str, shares: tuple[Floats, Floats, Floats]) -> None:
        """Store what is computed for the question, which all sentences of an answer have in common."""
        self.questions.clear()
        self.questions[question] = shares

    def remember_coverage(self, claim: str, coverage: Floats) -> None:
        """Store the coverage of a claim for the next claim, whose context it is. The oldest entry is dropped.

        Insertion order suffices: the next sentence is compared in the same call or in one of the next.
        """
        self.coverage.pop(claim, None)
        self.coverage[claim] = coverage
        if len(self.coverage) > _MAX_COVERAGES:
            del self.coverage[next(iter(self.coverage))]


def _undivided(function: Callable[[], T], size: int) -> Steps[T]:
    """Call a function of NumPy's that takes long for large arrays, outside the event loop if there is one."""
    if size <= _MAX_AT_ONCE:
        yield None
        return function()
    result: T = yield function
    return result


def _concatenate(offsets: list["array[int]"]) -> Ints:
    """Return the numbers of several arrays as one."""
    return np.frombuffer(b"".join(offsets), dtype=np.uint32).astype(np.int64)
