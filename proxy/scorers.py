"""Scorers: what a configuration says about scoring, made once, and the scoring of each request."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.excerpts import ExcerptCache
from citestream.citation.support.scorers import Scorer, scorer
from citestream.citation.support.scorers.entailment import EntailmentScorer, EntailmentWeights
from citestream.citation.support.scorers.ragflow import RagflowScorer
from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError
from citestream.providers.judging.cross_encoder import EntailmentModel

from .config import Config, ConfigError
from .embedders import Embedders
from .pipeline.preparation import Preparations
from .pipeline.scoring import Outside, Scoring

log = logging.getLogger("citestream")

WEIGHING = "citestream.json"  # in a model's folder: how its word is weighed, as bench/fit_entailment.py writes it


class Scorers:
    """The embedder and the entailment model are made when a request first wants them, or at once where all do."""

    def __init__(self, config: Config, embedders: Embedders | None = None) -> None:
        """`embedders`: closed with it. Raises ConfigError where the configured scorer wants what is not there."""
        self._config = config
        self._embedders = embedders or Embedders(config)
        self._embedder: Embedder | None = None
        self._reader: EntailmentModel | None = None
        self._failed: set[str] = set()
        self._excerpts = ExcerptCache(config.scoring.kept_characters, Lock())
        self._preparations = Preparations()
        name = config.citations.scorer
        try:
            if self.scorer(name).needs_vectors:
                self._embedder = self._embedders.find(config.scoring.embedder)
            if name == "entailment":
                self._reader = self._made_reader()
        except ProviderError as error:
            raise ConfigError(f"citations.scorer: {name}: {error.message}") from None

    def open(self, options: Options, evidence: Sequence[Evidence]) -> Scoring:
        """Begin to score one request. What its scorer wants and nobody can give makes it `degraded`, not an error."""
        made = self.scorer(options.scorer)
        if made.needs_vectors and self._embedder is None and "embedder" not in self._failed:
            try:
                self._embedder = self._embedders.find(self._config.scoring.embedder)
            except (ProviderError, ConfigError) as error:
                self._cannot("embedder", error)
        reader = self._reader if options.scorer == "entailment" else None
        if options.scorer == "entailment" and reader is None and "reader" not in self._failed:
            try:
                reader = self._reader = self._made_reader()
            except ProviderError as error:
                self._cannot("reader", error)
        deadline = self._config.scoring.deadline_seconds
        return Scoring(made, evidence, Outside(self._embedder, reader, deadline, self._preparations))

    def scorer(self, name: str) -> Scorer:
        """The scorer of that name, told what the configuration says. Raises ValueError for an unknown one."""
        if name == "ragflow":
            return RagflowScorer(self._config.scoring.ragflow_token_weight)
        if name == "entailment":
            return EntailmentScorer(self._weighing(), self._excerpts)
        return scorer(name, excerpts=self._excerpts)

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        await self._embedders.aclose()
        if self._reader is not None:
            await self._reader.aclose()
        self._preparations.close()

    def _cannot(self, what: str, error: Exception) -> None:
        """Said once, and not tried again for every request."""
        self._failed.add(what)
        log.warning("no %s: %s", what, error)

    def _made_reader(self) -> EntailmentModel:
        folder = self._config.scoring.entailment
        if not folder:
            raise ProviderError("scoring.entailment names no folder with model.onnx and tokenizer.json.")
        return EntailmentModel(folder)

    def _weighing(self) -> EntailmentWeights | None:
        path = Path(self._config.scoring.entailment) / WEIGHING
        if not (self._config.scoring.entailment and path.is_file()):
            return None
        try:
            return EntailmentWeights(**json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(f"{path}: {error}") from None
