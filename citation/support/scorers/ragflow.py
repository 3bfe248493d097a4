"""RAGFlow's rule, for comparison and for those who move over: its similarity, its bars, no gates, no use of hints.

Followed: containment of the sentence's weighted tokens and neighbouring pairs, mixed with a cosine of the excerpt;
thresholds that fall round by round while nothing is cited; what is within 1 % of the best, four at most.

Not followed: its sentence splitter and its one citation of a chunk an answer; its Chinese dictionary, which pairs of
characters stand in for; its vectors, which mix in the document's name. The window is ours: the most alike sentence.
"""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import log10

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import fold, split_sentences, stem
from ...text.memo import memoize
from ...text.stopwords import stopwords
from ..index import Index
from . import Claim, Judgement, Scores, Vectors

TOKEN_WEIGHT = 0.1  # of the token similarity; the rest is the cosine's. Its own callers pass 0.7
UNIGRAM, BIGRAM = 0.4, 0.6
FIRST_THRESHOLD, FALL, LOWEST_THRESHOLD = 0.63, 0.8, 0.3
NEAR_BEST = 0.99

NAMES = ("token", "cosine", "hybrid")
_EPSILON = 1e-9
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_NUMBER = re.compile(r"\d{2,}")

Floats = NDArray[np.float64]


class RagflowScorer:
    """`token_weight`: 0..1, how much tokens count beside vectors."""

    name = "ragflow"
    needs_vectors = True

    def __init__(self, token_weight: float = TOKEN_WEIGHT) -> None:
        """ValueError for a weight outside 0..1."""
        if not 0 <= token_weight <= 1:
            raise ValueError(f"token_weight must lie between 0 and 1, not {token_weight}")
        self.token_weight = token_weight

    def preread(self, evidence: Evidence) -> None:
        """Nothing: it has another way to read."""

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """One vector a piece of evidence."""
        return [e.text for e in evidence]

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "RagflowPrepared":
        """Tokenise; `vectors`: (N, D), or None for tokens alone."""
        return RagflowPrepared(evidence, vectors, self.token_weight)


class RagflowPrepared:
    """The token keys of every excerpt and of its sentences."""

    name = "ragflow"

    def __init__(self, evidence: Sequence[Evidence], vectors: Vectors | None, token_weight: float) -> None:
        """See RagflowScorer.prepare."""
        self.evidence = tuple(evidence)
        self._vectors = vectors
        self._token_weight = token_weight
        self._keys = [keys(tokens(e.text)) for e in self.evidence]
        self._sentences = [
            [(span, keys(tokens(e.text[slice(*span)]))) for span in split_sentences(e.text) or [(0, len(e.text))]]
            for e in self.evidence
        ]

    @cached_property
    def index(self) -> Index:
        """For gates, which this rule does not ask."""
        return Index(self.evidence)

    def with_vectors(self, vectors: Vectors) -> "RagflowPrepared":
        """The same evidence, its vectors having come."""
        if len(vectors) != len(self.evidence):
            raise ValueError(f"{len(vectors)} vectors for {len(self.evidence)} pieces of evidence")
        prepared = copy(self)
        prepared._vectors = vectors
        return prepared

    def score(self, claim: Claim) -> Scores:
        """Judged by itself: the thresholds fall until this sentence is cited or they end."""
        said = tokens(claim.text)
        weighed = weights(said)
        token = np.array([token_similarity(said, weighed, known) for known in self._keys])
        cosine = np.zeros(len(self.evidence))
        if self._vectors is not None and claim.vector is not None and self._vectors.shape[1] == len(claim.vector):
            cosine = (self._vectors @ claim.vector).astype(np.float64)
        mixed = hybrid(token, cosine, self._token_weight)
        windows = [(0, len(e.text)) for e in self.evidence]
        for row in np.flatnonzero(mixed >= NEAR_BEST * mixed.max(initial=0.0)):
            windows[row] = max(self._sentences[row], key=lambda one: token_similarity(said, weighed, one[1]))[0]
        scores = Scores(
            NAMES,
            np.stack((token, cosine, mixed), axis=1).astype(np.float32),
            np.array(windows, dtype=np.int32).reshape(-1, 2),
            degraded=not cosine.any(),
            scorer=self.name,
        )
        return replace(scores, judgement=_judged(mixed, threshold([mixed])))

    def together(self, scores: Sequence[Scores]) -> list[Scores]:
        """Judged as one answer: the thresholds fall until any of its sentences is cited, for all alike."""
        mixed = [one.features[:, 2].astype(np.float64) for one in scores]
        bar = threshold(mixed)
        return [replace(one, judgement=_judged(m, bar)) for one, m in zip(scores, mixed, strict=True)]


def thresholds() -> list[float]:
    """The bars of its rounds: 0.63, 0.504, 0.4032, 0.32256."""
    found, bar = [], FIRST_THRESHOLD
    while bar > LOWEST_THRESHOLD:
        found.append(bar)
        bar *= FALL
    return found


def threshold(answer: Sequence[Floats]) -> float:
    """The bar of the round in which some sentence of the answer is cited; of the last one if none is."""
    best = max((NEAR_BEST * float(one.max()) for one in answer if len(one)), default=0.0)
    rounds = thresholds()
    return next((bar for bar in rounds if best >= bar), rounds[-1])


def hybrid(token: Floats, cosine: Floats, token_weight: float) -> Floats:
    """Tokens and cosines mixed; tokens alone where there is no vector at all."""
    return token_weight * token + (1 - token_weight) * cosine if cosine.sum() != 0 else token


def token_similarity(said: Sequence[str], weighed: Sequence[float], known: frozenset[str]) -> float:
    """Share of the sentence's weight, single tokens and neighbouring pairs, that the excerpt's keys hold."""
    total = shared = _EPSILON
    for token, weight in zip(said, weighed, strict=True):
        total += UNIGRAM * weight
        shared += UNIGRAM * weight * (token in known)
    for (a, b), pair in zip(pairwise(said), pairwise(weighed), strict=True):
        total += BIGRAM * max(pair)
        shared += BIGRAM * max(pair) * (a + b in known)
    return shared / total


def keys(said: Sequence[str]) -> frozenset[str]:
    """Tokens and pairs of neighbours, written together: `20`, `6` and `206` meet there, as they do in RAGFlow."""
    return frozenset([*said, *(a + b for a, b in pairwise(said))])


def tokens(text: str) -> list[str]:
    """Lower case, stemmed; punctuation separates, so `20.6%` is `20`, `6`.

    Function words are left out as RAGFlow does: of two neighbours only the first, and never the first or last word.
    """
    pieces = _TOKEN.findall(text)
    ignored = stopwords("en")
    found: list[str] = []
    dropped = True  # the first word has no space before it
    for i, piece in enumerate(pieces):
        if piece[0] >= "\u3400" and _HAN_START.match(piece):
            found += [piece[j : j + 2] for j in range(len(piece) - 1)] or [piece]
            dropped = False
            continue
        folded = fold(piece)
        if folded in ignored and not dropped and i + 1 < len(pieces):
            dropped = True
            continue
        found.append(stem(folded))
        dropped = False
    return found


def weights(said: Sequence[str]) -> list[float]:
    """What each token weighs, sum 1: by how rare words of its length are; numbers double, two letters near nothing."""
    raw = [_weight(token) for token in said]
    total = sum(raw)
    return [weight / total for weight in raw] if total else raw


@memoize(8192)
def _weight(token: str) -> float:
    numeric = bool(_NUMBER.fullmatch(token))
    rare = max(10.0, round(300 / 2 ** (max(0, len(token) - 3) / 2)))
    frequency, found_in = (3.0, 5.0) if numeric else (10.0, 3.0) if _HAN_START.match(token) else (rare, rare)
    kind = 2.0 if numeric else 0.01 if token.isascii() and token.isalpha() and len(token) <= 2 else 1.0
    return (0.3 * _idf(frequency, 1e7) + 0.7 * _idf(found_in, 1e9)) * kind


def _idf(frequency: float, total: float) -> float:
    return log10(10 + (total - frequency + 0.5) / (frequency + 0.5))


_HAN_START = re.compile(rf"[{_HAN}]")


def _judged(mixed: Floats, bar: float) -> Judgement:
    """Everything within 1 % of the best is cited, if the best reaches the bar."""
    near = NEAR_BEST * float(mixed.max()) if len(mixed) else 0.0
    least = np.nextafter(near, 1.0) if near >= bar else bar / NEAR_BEST
    bars = np.full(len(mixed), least)
    return Judgement(np.clip(mixed, 0.0, 1.0), bars, bars, gated=False)
