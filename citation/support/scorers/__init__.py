"""Scorers: how similar a claim and each piece of evidence are. They give scores; `decision` decides.

A new scorer is one file with two classes, a `Scorer` and its `PreparedEvidence`, and one line in `SCORERS`. Both are
base classes whose optional methods have defaults, so that a simple scorer implements only `prepare` and `score`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, cast

from ...evidence import Evidence
from ...text.steps import Steps
from ..features.index import Index
from ..scores import MAX_BATCH, Calibrated, Claim, Scores, Vectors

__all__ = [
    "AUTO",
    "CHARACTERS_AT_A_TIME",
    "MAX_BATCH",
    "SCORERS",
    "SENTENCES_AT_A_TIME",
    "Calibrated",
    "Claim",
    "Pair",
    "PreparedEvidence",
    "Scorer",
    "Scores",
    "Vectors",
    "scorer",
]

# name -> "module:Class", imported when it is needed
SCORERS = {
    "checker": "citestream.citation.support.scorers.checker:CheckerScorer",
    "hybrid": "citestream.citation.support.scorers.hybrid:HybridScorer",
    "lexical": "citestream.citation.support.scorers.lexical:LexicalScorer",
    "ragflow": "citestream.citation.support.scorers.ragflow:RagflowScorer",
}

Pair = tuple[str, str]  # a passage and a claim, which a checker reads together

AUTO = "auto"  # the best scorer that the server has; without a server, the lexical one

# Sentences of the evidence times claims that are scored in one call: 3 ms. A single claim with more sentences is scored
# in a thread. Its work is mostly NumPy's, which releases the interpreter's lock.
SENTENCES_AT_A_TIME = 4_000
CHARACTERS_AT_A_TIME = 3_000  # maximum length of several claims that are scored in one call, together
_CHARACTERS_PER_SENTENCE, _TERMS_PER_SENTENCE = 80, 12  # on average


class PreparedEvidence(ABC):
    """The evidence of one request, ready to be scored."""

    name: ClassVar[str]  # the scorer's name
    needs_checker: ClassVar[bool] = False  # whether a checker should read what the scores leave open

    def __init__(self, evidence: Sequence[Evidence], index: Index | None = None) -> None:
        """Store the evidence, in number order. Without `index`, it is built when the gates need it."""
        self.evidence = tuple(evidence)
        self._index = index

    @property
    def index(self) -> Index:
        """Terms, quantities and negations of the evidence, which the gates read."""
        if self._index is None:
            self._index = Index(self.evidence)
        return self._index

    @abstractmethod
    def score(self, claim: Claim) -> Scores:
        """Score one claim against all evidence."""

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Score several claims. Override if that costs less than scoring each; the result must be the same."""
        return [self.score(claim) for claim in claims]

    def score_in_steps(self, claims: Sequence[Claim]) -> Steps[list[Scores]]:
        """Score several claims, some at a time. With long evidence, a step may run in a thread."""
        if self._index:
            sentences = max(self._index.size, len(self._index.posted) // _TERMS_PER_SENTENCE)
        else:
            sentences = sum(item.characters for item in self.evidence) // _CHARACTERS_PER_SENTENCE
        at_a_time = max(1, min(MAX_BATCH, SENTENCES_AT_A_TIME // max(1, sentences)))
        scores: list[Scores] = []
        for batch in _batches(claims, at_a_time):
            score = partial(self.score_all, batch)
            if sentences > SENTENCES_AT_A_TIME:
                scores += yield score
            else:
                if scores:
                    yield None
                scores += score()
        return scores

    def with_vectors(self, vectors: Vectors) -> "PreparedEvidence":
        """Return the same evidence with the vectors of `Scorer.texts_to_embed`. ValueError if their number differs."""
        del vectors
        return self

    def calibrate_answer(self, scores: Sequence[Scores]) -> list[Scores]:
        """Calibrate the scores of a complete answer together, if the scorer's rule looks at whole answers."""
        return list(scores)

    def pairs_to_check(self, claim: Claim, scores: Scores) -> list[Pair]:
        """Return what a checker should read about a claim."""
        del claim, scores
        return []

    def with_checked(self, claim: Claim, scores: Scores, log_odds: Sequence[float]) -> Scores:
        """Return the scores combined with the checker's log odds for each of `pairs_to_check`."""
        del claim, log_odds
        return scores


def _batches(claims: Sequence[Claim], most: int) -> Iterator[list[Claim]]:
    """Divide claims into batches of at most `most`. Those of several have at most `CHARACTERS_AT_A_TIME` characters."""
    batch: list[Claim] = []
    characters = 0
    for claim in claims:
        characters += len(claim.text)
        if batch and (len(batch) == most or characters > CHARACTERS_AT_A_TIME):
            yield batch
            batch, characters = [], len(claim.text)
        batch.append(claim)
    if batch:
        yield batch


class Scorer(ABC):
    """A way to score. `prepare` and `score` are pure and may run in a thread."""

    name: ClassVar[str]
    needs_vectors: bool = False

    @abstractmethod
    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> PreparedEvidence:
        """Prepare the evidence. `vectors`: of `texts_to_embed`, (number of texts, D), unit length, if already known."""

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        """Prepare the evidence in steps, without vectors. Override to divide the work; by default it is one step."""
        prepared: PreparedEvidence = yield partial(self.prepare, evidence)
        return prepared

    def texts_to_embed(self, evidence: Sequence[Evidence]) -> list[str]:
        """Return the texts whose vectors the scorer needs, in order."""
        del evidence
        return []


def scorer(name: str, **settings: Any) -> Scorer:
    """Return the scorer `name`, created with `settings`. Raise ValueError, listing the names, if there is none."""
    name = "lexical" if name == AUTO else name
    if name not in SCORERS:
        raise ValueError(f"unknown scorer {name!r}; there are: {', '.join(SCORERS)}")
    module, _, kind = SCORERS[name].partition(":")
    return cast("Scorer", getattr(import_module(module), kind)(**settings))
