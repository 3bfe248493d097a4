"""Scorers: how alike a sentence and each piece of evidence are. Scores only, no decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence

if TYPE_CHECKING:
    from ..index import Index

Vectors = NDArray[np.float32]

# name -> "module:Class", imported when asked for. A new scorer is one file and one line here.
SCORERS = {
    "entailment": "citestream.citation.support.scorers.entailment:EntailmentScorer",
    "hybrid": "citestream.citation.support.scorers.hybrid:HybridScorer",
    "lexical": "citestream.citation.support.scorers.lexical:LexicalScorer",
    "ragflow": "citestream.citation.support.scorers.ragflow:RagflowScorer",
}

# Claims scored in one call. Ten with 20 excerpts take 1.1 ms, one by one 4.0; more bring little, and others wait.
MOST_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the answer, its markers removed, and what it may lean on."""

    text: str
    context: str = ""  # the sentence before, same paragraph
    vector: Vectors | None = None  # (D,), unit length, from the embedder of the request


@dataclass(frozen=True, slots=True)
class Judgement:
    """What scores amount to, one value a piece of evidence, and what each has to reach."""

    probability: NDArray[np.float64]  # (N,), 0..1
    bar: NDArray[np.float64]  # (N,): cite from this on
    hint_bar: NDArray[np.float64]  # (N,): for evidence the model cited
    gated: bool = True  # whether numbers and negations have the last word


@dataclass(frozen=True, slots=True)
class Scores:
    """One row a piece of evidence, in number order."""

    names: tuple[str, ...]  # F feature names
    features: NDArray[np.float32]  # (N, F)
    windows: NDArray[np.int32]  # (N, 2): best window, offsets into Evidence.text
    degraded: bool = False
    scorer: str = "lexical"  # whose calibration turns them into a probability
    judgement: Judgement | None = None  # by a rule of the scorer's own, or its calibration; None: not judged yet


class Prepared(Protocol):
    """The evidence of one request, made ready while the model is still thinking."""

    @property
    def evidence(self) -> Sequence[Evidence]:
        """In number order."""
        ...

    @property
    def name(self) -> str:
        """Of the scorer."""
        ...

    @property
    def index(self) -> "Index":
        """Terms, quantities and polarity of the evidence: what the gates read."""
        ...

    def score(self, claim: Claim) -> Scores:
        """Score one claim against every piece of evidence."""
        ...


class ScoresTogether(Protocol):
    """Prepared evidence that scores several claims for little more than one."""

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Each as it would be alone."""
        ...


@runtime_checkable
class WantsVectors(Protocol):
    """Prepared evidence that waits for the vectors of its windows, and scores without them until then."""

    def with_vectors(self, vectors: Vectors) -> Prepared:
        """The same evidence with them. ValueError where they are not as many as the windows."""
        ...


@runtime_checkable
class WantsReading(Protocol):
    """Prepared evidence that wants a model to read what its scores leave open, and does without until then."""

    def open(self, scores: Scores) -> list[int]:
        """The rows to ask about."""
        ...

    def passages(self, scores: Scores, rows: Sequence[int]) -> list[str]:
        """What to read for each."""
        ...

    def read(self, scores: Scores, rows: Sequence[int], entailed: Sequence[float]) -> Scores:
        """The scores with what the model says: log odds that each passage entails the sentence."""
        ...


@runtime_checkable
class AnswerWide(Protocol):
    """Prepared evidence whose scorer judges the sentences of a finished answer together."""

    def together(self, scores: Sequence[Scores]) -> list[Scores]:
        """The scores of all sentences of an answer, judged as a whole."""
        ...


class Scorer(Protocol):
    """A way to score. `prepare` and `score` are pure and may run in a thread."""

    name: str
    needs_vectors: bool

    def preread(self, evidence: Evidence) -> None:
        """Read one piece of evidence before `prepare` does, where what is read is kept: long work in small steps."""
        ...

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """The texts whose vectors `prepare` wants, in order; empty unless `needs_vectors`."""
        ...

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> Prepared:
        """Make the evidence ready. `vectors`: (number of windows, D), unit length."""
        ...


def scorer(name: str, **settings: Any) -> Scorer:
    """The scorer of that name; ValueError, listing what exists, for an unknown one. `settings`: what it can be told."""
    if name not in SCORERS:
        raise ValueError(f"unknown scorer {name!r}; there are: {', '.join(SCORERS)}")
    module, _, kind = SCORERS[name].partition(":")
    return cast("Scorer", getattr(import_module(module), kind)(**settings))


def score_all(prepared: Prepared, claims: Sequence[Claim]) -> list[Scores]:
    """The scores of several claims, together where the scorer can."""
    if _scores_together(prepared):
        return prepared.score_all(claims)
    return [prepared.score(claim) for claim in claims]


def _scores_together(prepared: object) -> TypeGuard[ScoresTogether]:
    """By its one name: to look at the protocol takes 20 µs, and this is asked for every read."""
    return hasattr(prepared, "score_all")
