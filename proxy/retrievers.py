"""Retrievers: the configured ones, opened at first use, and the search for one request."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from citestream.citation.evidence import Evidence, FieldError, parse_evidence
from citestream.citation.text.steps import Steps
from citestream.providers.errors import ProviderError, TimedOut
from citestream.providers.retrieval import Document, Retrieved, Retriever, http, postgres, retriever
from citestream.providers.retrieval.hybrid_search import milliseconds_since
from citestream.providers.retrieval.ranking import MAX_QUESTION_CHARACTERS
from citestream.providers.retrieval.readers import SourceFile
from citestream.providers.scheduler import Work

from .config import Config, ConfigError, RetrieverConfig
from .embedders import Embedders
from .model_routes import Routes
from .observability.readiness import Check
from .observability.telemetry import Telemetry
from .pipeline.request.job import Job, JobEvidence
from .pipeline.request.questions import rewrite_question, search_query

Fields = dict[str, Any]

# Results of a search that was asked for explicitly which are used whatever their scores: the passage that answers a
# question in other words has a low one.
KEPT = 5

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class _Selection:
    """The results of a search that become evidence, and how many were dropped for each reason."""

    evidence: tuple[Evidence, ...]
    dropped: Mapping[str, int]


class Retrievers:
    """The retrievers of a configuration, by name."""

    def __init__(
        self, config: Config, embedders: Embedders, routes: Routes, telemetry: Telemetry | None = None
    ) -> None:
        """Open nothing yet. `embedders` and `routes` are closed by their owner."""
        self._config = config
        self._embedders = embedders
        self._routes = routes
        self._telemetry = telemetry or Telemetry()
        self._open: dict[str, Retriever] = {}

    async def search(self, job: Job, earlier: JobEvidence) -> JobEvidence:
        """Return the given evidence, the results of a search for the question of the job, and a report on the search.

        The request can name a retriever. The default one is used if there is no other evidence. Raise FieldError for
        an unknown retriever, and ProviderError if the search fails and `on_failure` is `fail`.
        """
        name = job.retrieval.source or ("" if earlier.evidence or job.retrieval.off else self._config.default_retriever)
        if not (name and job.options.enabled):
            return earlier
        if name not in self._config.retrievers:
            names = ", ".join(self._config.retrievers) or "none"
            raise FieldError("retrieval.source", f"there is no source {name!r}; there are: {names}")
        config = self._config.retrievers[name]
        query, notes = await self._query(job, config)
        query = query[:MAX_QUESTION_CHARACTERS]
        if not query.strip():
            return earlier
        report: Fields = {"source": name, "query": query, **notes}
        began = perf_counter()
        try:
            with self._telemetry.observe_search(name, query) as search:
                retrieved = await self._search(name, config, query, job.retrieval.top_k or config.top_k)
                search.entries = retrieved.entries
        except ProviderError as error:
            log.warning("the retriever %s failed: %s", name, error.brief)
            if config.on_failure == "fail":
                status = 504 if isinstance(error, TimedOut) else 502  # with any status: it is not the client's fault
                message = f"The search in {name!r} failed: {error.message}"
                raise ProviderError(message, status=status, code="retrieval_failed") from None
            failed = {"found": 0, "used": 0, "ms": milliseconds_since(began), "error": error.message}
            return replace(earlier, retrieval=report | failed)
        always_admitted = KEPT if job.retrieval.source else 0
        selected = await Work("retriever").run(self._select(retrieved, earlier.evidence, config, always_admitted))
        used = selected.evidence[len(earlier.evidence) :]
        report |= {"found": retrieved.matched, "used": len(used), "dropped": dict(selected.dropped)}
        report |= {"scores": [item.score for item in used], "ms": milliseconds_since(began), "error": None}
        return replace(earlier, evidence=selected.evidence, retrieval={**report, **retrieved.notes})

    async def file(self, name: str, document_id: str) -> SourceFile | None:
        """Open the original file of a document; None if there is none. Raise ProviderError, UnreadableFileError."""
        return await self._opened(name, self._config.retrievers[name]).file(document_id)

    async def document(self, name: str, document_id: str, first: int = 0, limit: int | None = None) -> Document:
        """Return excerpts of a document in order. Raise ProviderError if the retriever cannot be read."""
        config = self._config.retrievers[name]
        try:
            async with asyncio.timeout(config.timeout):
                return await self._opened(name, config).document(document_id, first, limit)
        except TimeoutError:
            raise TimedOut(f"The retriever did not answer in {config.timeout:g} seconds.") from None

    def open_all(self) -> dict[str, str]:
        """Open all retrievers. Return the reasons why some of them cannot be used, by name."""
        reasons: dict[str, str] = {}
        for name, config in self._config.retrievers.items():
            try:
                self._opened(name, config)
            except ProviderError as error:
                reasons[name] = error.message
        return reasons

    def checks(self) -> dict[str, Check]:
        """Return the readiness check of each retriever."""
        return {name: partial(self._reach, name, config) for name, config in self._config.retrievers.items()}

    def folders(self) -> dict[str, Path]:
        """Return the folders of the files in embedded stores, by the prefix of `document_id`."""
        folders: dict[str, Path] = {}
        for config in self._config.retrievers.values():
            if config.kind == "folder" and Path(config.store).is_file():
                from citestream.providers.retrieval.folder.store import (
                    Store,  # imported late: SQLite takes 1 MB
                )

                store = Store(Path(config.store))
                folders |= store.folders()
                store.close()
        return folders

    async def aclose(self) -> None:
        """Close connections and files."""
        for made in self._open.values():
            await made.aclose()

    async def _query(self, job: Job, config: RetrieverConfig) -> tuple[str, Fields]:
        """Return the query, and the fields of the report that explain it."""
        if job.retrieval.query:
            return job.retrieval.query, {}
        asked, follows_up = search_query(job.messages)
        notes = {"follow_up": True} if follows_up else {}
        if not config.rewrite:
            return asked, notes
        query = await rewrite_question(self._routes.find(config.rewrite), job.messages, config.timeout)
        return (query, {"rewritten": True}) if query else (asked, {"rewritten": False, **notes})

    async def _search(self, name: str, config: RetrieverConfig, query: str, top_k: int) -> Retrieved:
        try:
            async with asyncio.timeout(config.timeout):
                return await self._opened(name, config).retrieve(query, top_k)
        except TimeoutError:
            raise TimedOut(f"The retriever did not answer in {config.timeout:g} seconds.") from None

    async def _reach(self, name: str, config: RetrieverConfig) -> None:
        await self._opened(name, config).reach()

    def _select(
        self, retrieved: Retrieved, earlier: tuple[Evidence, ...], config: RetrieverConfig, always_admitted: int
    ) -> Steps[_Selection]:
        """Append the results that are good enough and fit into the limits to the given evidence.

        `always_admitted`: how many of the best results are good enough whatever their scores.
        """
        limits = self._config.evidence.limits
        evidence, dropped = earlier, {"score": 0, "invalid": 0, "room": 0}
        min_score = retrieved.min_score if config.min_score is None else config.min_score
        for position, entry in enumerate(retrieved.entries):
            yield None
            if position >= always_admitted and (entry.get("score") or 0.0) < min_score:
                dropped["score"] += 1
                continue
            if len(evidence) >= limits.items:
                dropped["room"] += 1
                continue
            try:
                evidence += parse_evidence([_with_free_id(entry, evidence)], limits=limits, after=evidence)
            except FieldError as error:
                log.info("a retrieved excerpt is not valid evidence: %s", error)
                dropped["invalid"] += 1
        return _Selection(evidence, {reason: count for reason, count in dropped.items() if count})

    def _opened(self, name: str, config: RetrieverConfig) -> Retriever:
        """Return the open retriever. Raise ProviderError if it cannot be opened."""
        if name not in self._open:
            try:
                self._open[name] = self._folder(config) if config.kind == "folder" else self._service(config)
            except ConfigError as error:
                raise ProviderError(str(error)) from None
        return self._open[name]

    def _folder(self, config: RetrieverConfig) -> Retriever:
        from citestream.providers.retrieval.folder.store import Store
        from citestream.providers.retrieval.folder.store_file import StoreError

        try:
            store = Store(Path(config.store))
            counts, embedder = store.counts(), store.metadata("embedder")
            store.close()
            log.info("evidence: %s, %d excerpts of %d files", config.store, counts["excerpts"], counts["files"])
            if embedder:
                self._embedders.find_available(embedder)  # a model on this machine begins to load
            return retriever(
                "folder",
                path=Path(config.store),
                find_embedder=self._embedders.find_available,
                url_prefix=config.url_prefix,
                timeout=config.timeout,
            )
        except StoreError as error:
            raise ProviderError(str(error)) from None

    def _service(self, config: RetrieverConfig) -> Retriever:
        settings = http.Settings if config.kind == "http" else postgres.Settings
        options = config.model_dump(include={field.name for field in fields(settings)} - {"api_key"})
        embedder = self._embedders.find(config.embedder) if config.embedder else None
        return retriever(config.kind, settings=settings(**options, api_key=config.secret()), embedder=embedder)


def _with_free_id(entry: Fields, evidence: tuple[Evidence, ...]) -> Fields:
    """Leave out an id that is already in use."""
    if "id" in entry and any(entry["id"] == item.id for item in evidence):
        return {key: value for key, value in entry.items() if key != "id"}
    return entry
