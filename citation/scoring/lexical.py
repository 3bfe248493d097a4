"""The default scorer: no model, no network. How much of what a sentence says the best passage says too."""

from collections.abc import Sequence

from ..evidence import Evidence
from . import Claim, Scores, Vectors
from .comparison import Comparison
from .index import Index


class LexicalScorer:
    """Its features are listed in `comparison.FEATURES`."""

    name = "lexical"
    needs_vectors = False

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """No vectors are wanted."""
        return []

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "LexicalPrepared":
        """Index the evidence."""
        return LexicalPrepared(Index(evidence))


class LexicalPrepared:
    """Indexed evidence of one request."""

    name = "lexical"

    def __init__(self, index: Index) -> None:
        """`index` may be shared with other scorers."""
        self.index = index
        self.evidence = index.evidence

    def score(self, claim: Claim) -> Scores:
        """One row of features a piece of evidence, and its best window."""
        return Comparison(claim, self.index).scores()
