"""The default scorer: how much of a sentence the best passage contains. It needs no model and no network."""

from collections.abc import Sequence

from ...evidence import Evidence
from ...text.steps import Steps
from ..features.excerpts import ExcerptCache
from ..features.features import compute_features
from ..features.index import Index
from . import Claim, PreparedEvidence, Scorer, Scores, Vectors


class LexicalScorer(Scorer):
    """Computes the lexical features, `features.FEATURES`."""

    name = "lexical"

    def __init__(self, excerpts: ExcerptCache | None = None) -> None:
        """`excerpts`: a cache that requests share."""
        self._excerpts = excerpts or ExcerptCache()

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "LexicalPrepared":
        """Index the evidence; vectors are ignored."""
        return LexicalPrepared(Index(evidence, self._excerpts))

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        """Index the evidence in steps."""
        return LexicalPrepared((yield from Index.of(evidence, self._excerpts)))


class LexicalPrepared(PreparedEvidence):
    """Indexed evidence."""

    name = "lexical"

    def __init__(self, index: Index) -> None:
        """`index` may be shared with other scorers."""
        super().__init__(index.evidence, index)

    def score(self, claim: Claim) -> Scores:
        """Return the features of one claim."""
        return self.score_all([claim])[0]

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Return the features of several claims."""
        return compute_features(claims, self.index)
