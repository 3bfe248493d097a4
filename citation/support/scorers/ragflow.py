"""RAGFlow's scoring rule, for comparison and migration: its similarity and thresholds, without gates or hints.

Same as in RAGFlow: the share of the sentence's weighted tokens and token pairs that the excerpt contains, mixed with
the cosine of the excerpt; thresholds that fall round by round until something is cited; everything within 1 % of the
best is cited, at most four.

Different: the sentence splitter; RAGFlow cites a chunk only once per answer; pairs of characters replace its Chinese
dictionary; its vectors include the document's name. The window is the most similar sentence.
"""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise
from math import log10

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import fold, split_sentences, stem
from ...text.memo import memoize
from ...text.normalize import HAN, character_pairs
from ...text.words.languages import stopwords
from . import Calibrated, Claim, PreparedEvidence, Scorer, Scores, Vectors

TOKEN_WEIGHT = 0.1  # weight of the token similarity; the cosine has the rest. RAGFlow's own callers pass 0.7
UNIGRAM, BIGRAM = 0.4, 0.6  # weights of tokens and of pairs of tokens
FIRST_THRESHOLD, FALL, LOWEST_THRESHOLD = 0.63, 0.8, 0.3  # each round multiplies the threshold by FALL
NEAR_BEST = 0.99  # evidence with this share of the best score is cited, too

NAMES = ("token", "cosine", "hybrid")
_EPSILON = 1e-9
_TOKEN = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+")  # RAGFlow splits `20.6` and `don't`; the text kernel does not
_HAN_START = re.compile(f"[{HAN}]")
_NUMBER = re.compile(r"\d{2,}")

Floats = NDArray[np.float64]


class RagflowScorer(Scorer):
    """Weighted token containment mixed with cosines."""

    name = "ragflow"
    needs_vectors = True

    def __init__(self, token_weight: float = TOKEN_WEIGHT) -> None:
        """`token_weight`: 0..1, of tokens relative to vectors. Raise ValueError outside this range."""
        if not 0 <= token_weight <= 1:
            raise ValueError(f"token_weight must lie between 0 and 1, not {token_weight}")
        self.token_weight = token_weight

    def texts_to_embed(self, evidence: Sequence[Evidence]) -> list[str]:
        """Return the text of each piece of evidence."""
        return [e.text for e in evidence]

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "RagflowPrepared":
        """Tokenize; `vectors`: (N, D), or None to use tokens only."""
        return RagflowPrepared(evidence, vectors, self.token_weight)


class RagflowPrepared(PreparedEvidence):
    """The tokens of every excerpt and of its sentences."""

    name = "ragflow"

    def __init__(self, evidence: Sequence[Evidence], vectors: Vectors | None, token_weight: float) -> None:
        """See RagflowScorer.prepare."""
        super().__init__(evidence)
        self._vectors = vectors
        self._token_weight = token_weight
        self._keys = [keys(tokens(e.text)) for e in self.evidence]
        self._sentences = [
            [(span, keys(tokens(e.text[slice(*span)]))) for span in split_sentences(e.text) or [(0, len(e.text))]]
            for e in self.evidence
        ]

    def with_vectors(self, vectors: Vectors) -> "RagflowPrepared":
        """Return the same evidence with vectors, (N, D)."""
        if len(vectors) != len(self.evidence):
            raise ValueError(f"{len(vectors)} vectors for {len(self.evidence)} pieces of evidence")
        prepared = copy(self)
        prepared._vectors = vectors
        return prepared

    def score(self, claim: Claim) -> Scores:
        """Score one claim: the thresholds fall until this sentence is cited or the last is reached."""
        claim_tokens = tokens(claim.text)
        weighed = weights(claim_tokens)
        token = np.array([token_similarity(claim_tokens, weighed, excerpt_keys) for excerpt_keys in self._keys])
        cosine = np.zeros(len(self.evidence))
        if self._vectors is not None and claim.vector is not None and self._vectors.shape[1] == len(claim.vector):
            cosine = (self._vectors @ claim.vector).astype(np.float64)
        mixed = hybrid(token, cosine, self._token_weight)
        windows = [(0, len(e.text)) for e in self.evidence]
        for row in np.flatnonzero(mixed >= NEAR_BEST * mixed.max(initial=0.0)):
            windows[row] = max(
                self._sentences[row], key=lambda sentence: token_similarity(claim_tokens, weighed, sentence[1])
            )[0]
        scores = Scores(
            NAMES,
            np.stack((token, cosine, mixed), axis=1).astype(np.float32),
            np.array(windows, dtype=np.int32).reshape(-1, 2),
            degraded=not cosine.any(),
            scorer=self.name,
        )
        return replace(scores, calibrated=_calibrate(mixed, threshold([mixed])))

    def calibrate_answer(self, scores: Sequence[Scores]) -> list[Scores]:
        """Calibrate a complete answer: the thresholds fall until any sentence is cited, and apply to all."""
        mixed = [claim_scores.features[:, 2].astype(np.float64) for claim_scores in scores]
        lowest = threshold(mixed)
        return [
            replace(claim_scores, calibrated=_calibrate(m, lowest))
            for claim_scores, m in zip(scores, mixed, strict=True)
        ]


def thresholds() -> list[float]:
    """Return the thresholds of the rounds: 0.63, 0.504, 0.4032, 0.32256."""
    rounds, value = [], FIRST_THRESHOLD
    while value > LOWEST_THRESHOLD:
        rounds.append(value)
        value *= FALL
    return rounds


def threshold(answer: Sequence[Floats]) -> float:
    """Return the threshold of the first round in which a sentence of the answer is cited, or the last one."""
    best = max((NEAR_BEST * float(sentence.max()) for sentence in answer if len(sentence)), default=0.0)
    rounds = thresholds()
    return next((value for value in rounds if best >= value), rounds[-1])


def hybrid(token: Floats, cosine: Floats, token_weight: float) -> Floats:
    """Mix tokens and cosines; use tokens only if no evidence has a vector."""
    return token_weight * token + (1 - token_weight) * cosine if cosine.sum() != 0 else token


def token_similarity(claim_tokens: Sequence[str], weighed: Sequence[float], excerpt_keys: frozenset[str]) -> float:
    """Return the share of the sentence's weighted tokens and pairs that the excerpt's keys contain."""
    total = shared = _EPSILON
    for token, weight in zip(claim_tokens, weighed, strict=True):
        total += UNIGRAM * weight
        shared += UNIGRAM * weight * (token in excerpt_keys)
    for (a, b), pair in zip(pairwise(claim_tokens), pairwise(weighed), strict=True):
        total += BIGRAM * max(pair)
        shared += BIGRAM * max(pair) * (a + b in excerpt_keys)
    return shared / total


def keys(token_list: Sequence[str]) -> frozenset[str]:
    """Return tokens and concatenated pairs. `20`, `6` and the token `206` collide, as they do in RAGFlow."""
    return frozenset([*token_list, *(a + b for a, b in pairwise(token_list))])


def tokens(text: str) -> list[str]:
    """Return lower-case stems. Punctuation separates: `20.6%` becomes `20`, `6`.

    Function words are removed as in RAGFlow: of two neighbours only the first, never the first or last word.
    """
    pieces = _TOKEN.findall(text)
    ignored = stopwords("en")
    stems: list[str] = []
    dropped = True  # the first word has no space before it
    for i, piece in enumerate(pieces):
        if not piece.isascii() and _HAN_START.match(piece):
            stems += character_pairs(piece)
            dropped = False
            continue
        folded = fold(piece)
        if folded in ignored and not dropped and i + 1 < len(pieces):
            dropped = True
            continue
        stems.append(stem(folded))
        dropped = False
    return stems


def weights(token_list: Sequence[str]) -> list[float]:
    """Return the weight of each token, sum 1: longer words weigh more, numbers double, two letters almost nothing."""
    raw = [_weight(token) for token in token_list]
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


def _calibrate(mixed: Floats, lowest: float) -> Calibrated:
    """Set the threshold so that everything within 1 % of the best is cited if the best reaches `lowest`."""
    near = NEAR_BEST * float(mixed.max()) if len(mixed) else 0.0
    least = np.nextafter(near, 1.0) if near >= lowest else lowest / NEAR_BEST
    return Calibrated(np.clip(mixed, 0.0, 1.0), np.full(len(mixed), least), checked=False)
