"""Scorers: the configured scorers and their external models, and the scoring of each request."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from threading import Lock

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, parse_options
from citestream.citation.support.features.excerpts import ExcerptCache
from citestream.citation.support.scorers import AUTO, SCORERS, Scorer, scorer
from citestream.citation.support.scorers.checker import CheckerScorer, CheckerWeights
from citestream.citation.support.scorers.ragflow import RagflowScorer
from citestream.providers.cache_owner import CACHE_OWNER
from citestream.providers.embedding import Embedder
from citestream.providers.embedding.local import PACKAGE as LOCAL_EMBEDDER
from citestream.providers.errors import ProviderError
from citestream.providers.judging.cross_encoder import PACKAGES, EntailmentModel, require_packages

from .checkers import available_checker, best_installed, is_worthwhile, weights_of
from .config import Config, ConfigError
from .embedders import Embedders
from .pipeline.deciding.judging import Judge
from .pipeline.deciding.scoring import ExternalModels, Scoring
from .pipeline.deciding.work_budget import WorkBudgets

log = logging.getLogger("citestream")


class Scorers:
    """The scorers of a configuration.

    The embedder and the cross-encoder are loaded when a request first needs them, or at once if the configured scorer
    needs them.
    """

    def __init__(
        self,
        config: Config,
        embedders: Embedders | None = None,
        judge: Judge | None = None,
        checker_weights: CheckerWeights | None = None,
    ) -> None:
        """`embedders` and `judge` are closed with this object. Raise ConfigError if the scorer lacks a model.

        `checker_weights`: by default those in the folder of the checker.
        """
        self._config = config
        self._embedders = embedders or Embedders(config)
        self._judge = judge
        self._embedder: Embedder | None = None
        self._checker = _checker_of(config)
        self._weights = checker_weights
        self._is_worthwhile = bool(self._checker) and is_worthwhile(self._checker)
        self._cross_encoder: EntailmentModel | None = None
        self._failed: set[str] = set()
        several = len(config.server.keys) > 1
        self._budgets = WorkBudgets(config.scoring.work_milliseconds, several_clients=several)
        self._excerpts = ExcerptCache(config.scoring.kept_characters, Lock())
        for path, options in self._configured().items():
            if options.scorer not in SCORERS and options.scorer != AUTO:
                raise ConfigError(f"{path}: must be one of: {AUTO}, {', '.join(SCORERS)}")
        self._require("citations.scorer", config.citations)

    def open(self, options: Options, evidence: Sequence[Evidence]) -> Scoring:
        """Begin to score one request. A missing model makes its scores `degraded`; it is not an error."""
        options = self.resolve(options)
        chosen = self.scorer(options.scorer)
        if chosen.needs_vectors and self._embedder is None and "embedder" not in self._failed:
            try:
                self._embedder = self._embedders.find(self._config.scoring.embedder)
            except (ProviderError, ConfigError) as error:
                self._log_once("embedder", error)
        needs_cross_encoder = options.scorer == "checker"
        if needs_cross_encoder and self._cross_encoder is None and "cross-encoder" not in self._failed:
            try:
                self._cross_encoder = self._load_cross_encoder()
            except ProviderError as error:
                self._log_once("cross-encoder", error)
        cross_encoder = self._cross_encoder if needs_cross_encoder else None
        deadline = self._config.scoring.deadline_seconds
        judge = self._judge if options.judge else None
        models = ExternalModels(deadline, self._embedder, cross_encoder, judge, self._budgets.open())
        return Scoring(chosen, evidence, models)

    def resolve(self, options: Options) -> Options:
        """Replace the scorer `auto`, and `checker` without its model if it is not required, by the best available one.

        That is the configured checker, or else the best installed one, if its weights were fitted or
        `citestream models check` found that it is worthwhile; else the hybrid scorer if there is an embedder, else the
        lexical one.
        """
        scoring = self._config.scoring
        is_optional = options.scorer == "checker" and not self._checker and not scoring.checker_required
        if options.scorer != AUTO and not is_optional:
            return options
        if self._is_worthwhile and all(map(find_spec, PACKAGES)):
            return replace(options, scorer="checker")
        return replace(options, scorer="hybrid" if self._has_embedder() else "lexical")

    def require(self, options: Options) -> None:
        """Raise ProviderError or ConfigError if the embedder or the cross-encoder of the scorer is not available."""
        if options.scorer == "checker":
            self._cross_encoder = self._cross_encoder or self._load_cross_encoder()
        elif self.scorer(options.scorer).needs_vectors:
            self._embedder = self._embedder or self._embedders.find(self._config.scoring.embedder)

    async def load(self) -> None:
        """Wait for the embedders and the cross-encoder on this machine that are in use. A failure is logged."""
        await self._embedders.load()
        if self._cross_encoder is not None:
            try:
                await self._cross_encoder.load()
            except ProviderError as error:
                log.warning("the entailment model cannot be loaded: %s", error)

    def require_all(self) -> None:
        """Raise ConfigError if a scorer that the configuration names, also for an alias, is not available."""
        for path, options in self._configured().items():
            self._require(path, options)

    def scorer(self, name: str) -> Scorer:
        """Return the scorer of that name, as configured. Raise ValueError if the name is unknown."""
        excerpts = self._excerpts.of_client(CACHE_OWNER.get())
        if name == "ragflow":
            return RagflowScorer(self._config.scoring.ragflow_token_weight)
        if name == "checker":
            base = scorer("hybrid" if self._has_embedder() else "lexical", excerpts=excerpts)
            self._weights = self._weights or weights_of(self._checker)
            return CheckerScorer(self._weights, base)
        return scorer(name, excerpts=excerpts)

    async def aclose(self) -> None:
        """Close connections and threads."""
        await self._embedders.aclose()
        if self._cross_encoder is not None:
            await self._cross_encoder.aclose()
        if self._judge is not None:
            await self._judge.aclose()

    def _configured(self) -> dict[str, Options]:
        """Return all options of the configuration that choose a scorer, by their path."""
        config = self._config
        aliases = {
            f"models.{name}.citations.scorer": parse_options(alias.citations, config.citations)
            for name, alias in config.models.items()
        }
        model = {"scoring.checker": Options(scorer="checker")} if config.scoring.checker and self._checker else {}
        return {"citations.scorer": config.citations, **aliases, **model}

    def _require(self, path: str, options: Options) -> None:
        options = self.resolve(options)
        if options.scorer == "checker" and self._config.scoring.checker:
            path = "scoring.checker"
        try:
            self.require(options)
        except ProviderError as error:
            raise ConfigError(f"{path}: {options.scorer}: {error.message}") from None

    def _log_once(self, model: str, error: Exception) -> None:
        """Log that a model is missing. Later requests do not try to load it again."""
        self._failed.add(model)
        log.warning("the %s is not available: %s", model, error)

    def _load_cross_encoder(self) -> EntailmentModel:
        require_packages()
        if not self._checker:
            raise ProviderError("The scorer `checker` needs a model: set scoring.checker in the configuration.")
        return EntailmentModel(self._checker)

    def _has_embedder(self) -> bool:
        return self._config.scoring.embedder != "local" or find_spec(LOCAL_EMBEDDER) is not None


def _checker_of(config: Config) -> str:
    """Return the folder of the configured checker, or else of the best installed one; "" if there is none.

    Raise ConfigError if the configured one is missing.
    """
    try:
        return available_checker(config.scoring) if config.scoring.checker else best_installed()
    except ProviderError as error:
        raise ConfigError(f"scoring.checker: {error.message}") from None
