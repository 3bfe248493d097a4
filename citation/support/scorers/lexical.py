"""The default scorer: no model, no network. How much of what a sentence says the best passage says too."""

from collections.abc import Sequence

from ...evidence import Evidence
from ..features import compare
from ..index import Index
from ..passages import Passages
from . import Claim, Scores, Vectors


class LexicalScorer:
    """Its features are listed in `comparison.FEATURES`."""

    name = "lexical"
    needs_vectors = False

    def __init__(self, passages: Passages | None = None) -> None:
        """`passages`: who reads excerpts, and keeps what was read for other requests."""
        self._passages = passages or Passages()

    def preread(self, evidence: Evidence) -> None:
        """Read it."""
        self._passages.of(evidence)

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """No vectors are wanted."""
        return []

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "LexicalPrepared":
        """Index the evidence."""
        return LexicalPrepared(Index(evidence, self._passages))


class LexicalPrepared:
    """Indexed evidence of one request."""

    name = "lexical"

    def __init__(self, index: Index) -> None:
        """`index` may be shared with other scorers."""
        self.index = index
        self.evidence = index.evidence

    def score(self, claim: Claim) -> Scores:
        """One row of features a piece of evidence, and its best window."""
        return self.score_all([claim])[0]

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """The same for several claims."""
        return compare(claims, self.index)
