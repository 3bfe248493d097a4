"""Retrievers: those of a configuration, each opened at its first use; and the search for one request."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from citestream.citation.evidence import Evidence, FieldError, parse_evidence
from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError, TimedOut
from citestream.providers.retrieval import Retrieved, Retriever, http, postgres, retriever

from .config import Config, ConfigError, RetrieverConfig
from .embedders import Embedders
from .model_routes import Routes
from .observability.readiness import Check
from .observability.telemetry import Telemetry
from .pipeline.job import Job, question
from .pipeline.query_rewriting import rewritten

Fields = dict[str, Any]

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What of a search goes on, and why the rest does not."""

    evidence: tuple[Evidence, ...]
    dropped: Mapping[str, int]


class Retrievers:
    """By name."""

    def __init__(
        self, config: Config, embedders: Embedders, routes: Routes, telemetry: Telemetry | None = None
    ) -> None:
        """Nothing is opened yet. `embedders`, `routes`: closed by their owner."""
        self._config = config
        self._embedders = embedders
        self._routes = routes
        self._telemetry = telemetry or Telemetry()
        self._open: dict[str, Retriever] = {}

    async def retrieved(self, job: Job) -> Job:
        """The job with evidence for its question, and what a report says of the search, where there is one to make.

        A request names a source; one without evidence gets the default one's. Raises FieldError for an unknown source,
        ProviderError where the search fails and an answer without evidence is not wanted.
        """
        name = job.retrieval.source or ("" if job.evidence or job.retrieval.off else self._config.default_retriever)
        if not (name and job.options.enabled):
            return job
        if name not in self._config.retrievers:
            known = ", ".join(self._config.retrievers) or "none"
            raise FieldError("retrieval.source", f"there is no source {name!r}; there are: {known}")
        config = self._config.retrievers[name]
        query, notes = await self._query(job, config)
        if not query.strip():
            return job
        report: Fields = {"source": name, "query": query, **notes}
        began = perf_counter()
        try:
            with self._telemetry.observe_search(name, query) as search:
                found = await self._search(name, config, query, job.retrieval.top_k or config.top_k)
                search.entries = found.entries
        except ProviderError as error:
            log.warning("the retriever %s failed: %s", name, error.brief)
            if config.on_failure == "fail":
                status = 504 if isinstance(error, TimedOut) else 502  # whatever the service answered: not the client's
                message = f"The retriever {name!r} failed: {error.message}"
                raise ProviderError(message, status=status, code="retrieval_failed") from None
            failed = {"found": 0, "used": 0, "ms": _milliseconds(began), "error": error.message}
            return replace(job, retrieved=report | failed)
        chosen = self._chosen(found, job, config)
        used = chosen.evidence[len(job.evidence) :]
        report |= {"found": found.found, "used": len(used), "dropped": dict(chosen.dropped)}
        report |= {"scores": [item.score for item in used], "ms": _milliseconds(began), "error": None, **found.notes}
        return replace(job, evidence=chosen.evidence, retrieved=report)

    def look(self) -> None:
        """Open what can be opened, and say of the rest what is missing."""
        for name, config in self._config.retrievers.items():
            try:
                self._opened(name, config)
            except ProviderError as error:
                log.warning("the retriever %s cannot be used: %s", name, error.message)

    def checks(self) -> dict[str, Check]:
        """Whether each can be used now."""
        return {name: partial(self._reach, name, config) for name, config in self._config.retrievers.items()}

    def folders(self) -> dict[str, Path]:
        """Where on this machine the files of embedded stores stand, by the beginning of `document_id`."""
        known: dict[str, Path] = {}
        for config in self._config.retrievers.values():
            if config.kind == "folder" and Path(config.store).is_file():
                from citestream.providers.retrieval.store import (
                    Store,  # not where there is no folder: SQLite takes 1 MB
                )

                store = Store(Path(config.store))
                known |= store.folders()
                store.close()
        return known

    async def aclose(self) -> None:
        """Let go of connections and files."""
        for made in self._open.values():
            await made.aclose()

    async def _query(self, job: Job, config: RetrieverConfig) -> tuple[str, Fields]:
        """What to search for, and what to say of how it came about."""
        asked = job.retrieval.query or question(job.messages)
        if job.retrieval.query or not config.rewrite:
            return asked, {}
        query = await rewritten(self._routes.find(config.rewrite), job.messages, config.timeout)
        return query or asked, {"rewritten": bool(query)}

    async def _search(self, name: str, config: RetrieverConfig, query: str, top_k: int) -> Retrieved:
        try:
            async with asyncio.timeout(config.timeout):
                return await self._opened(name, config).retrieve(query, top_k)
        except TimeoutError:
            raise TimedOut(f"It did not answer in {config.timeout:g} seconds.") from None

    async def _reach(self, name: str, config: RetrieverConfig) -> None:
        await self._opened(name, config).reach()

    def _chosen(self, found: Retrieved, job: Job, config: RetrieverConfig) -> _Chosen:
        """As much as a request may have of what is good enough, numbered behind the evidence it brings itself."""
        limits = self._config.evidence
        evidence, dropped = job.evidence, {"score": 0, "invalid": 0, "room": 0}
        for entry in found.entries:
            if (entry.get("score") or 0.0) < config.min_score:
                dropped["score"] += 1
                continue
            if len(evidence) >= limits.limit:
                dropped["room"] += 1
                continue
            try:
                evidence += parse_evidence(
                    [_with_free_id(entry, evidence)],
                    limit=limits.limit,
                    max_characters=limits.max_characters,
                    after=evidence,
                )
            except FieldError as error:
                log.info("a retriever's excerpt cannot be evidence: %s", error)
                dropped["invalid"] += 1
        return _Chosen(evidence, {reason: count for reason, count in dropped.items() if count})

    def _opened(self, name: str, config: RetrieverConfig) -> Retriever:
        """Raises ProviderError."""
        if name not in self._open:
            try:
                self._open[name] = self._folder(config) if config.kind == "folder" else self._service(config)
            except ConfigError as error:
                raise ProviderError(str(error)) from None
        return self._open[name]

    def _folder(self, config: RetrieverConfig) -> Retriever:
        """Raises ProviderError."""
        from citestream.providers.retrieval.store import Store, StoreError

        try:
            store = Store(Path(config.store))
            option, counts = store.about("embedder"), store.counts()
            store.close()
            log.info("evidence: %s, %d excerpts of %d files", config.store, counts["excerpts"], counts["files"])
            embedder = self._embedder_of(option, config) if option else None
            return retriever("folder", path=Path(config.store), embedder=embedder, url_prefix=config.url_prefix)
        except StoreError as error:
            raise ProviderError(str(error)) from None

    def _embedder_of(self, option: str, config: RetrieverConfig) -> Embedder | None:
        """Who made a store's vectors; None where there is no asking it."""
        try:
            return self._embedders.find(option)
        except ProviderError as error:
            log.warning("%s is searched by words only: %s", config.store, error.message)
            return None

    def _service(self, config: RetrieverConfig) -> Retriever:
        made = http.Settings if config.kind == "http" else postgres.Settings
        told = config.model_dump(include={field.name for field in fields(made)} - {"api_key"})
        embedder = self._embedders.find(config.embedder) if config.embedder else None
        return retriever(config.kind, settings=made(**told, api_key=config.secret()), embedder=embedder)


def _with_free_id(entry: Fields, evidence: tuple[Evidence, ...]) -> Fields:
    """An id that another piece has is left out."""
    if "id" in entry and any(entry["id"] == item.id for item in evidence):
        return {key: value for key, value in entry.items() if key != "id"}
    return entry


def _milliseconds(since: float) -> float:
    return round((perf_counter() - since) * 1000, 3)
