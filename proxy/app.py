"""App: everything that is built once from a configuration, and what it does with one job."""

import secrets
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.evidence.prompt import Templates, inject
from citestream.citation.link_policy import LinkDefangers
from citestream.citation.markers import compile_patterns
from citestream.citation.response import Response
from citestream.citation.text.segmentation import SegmentLimits
from citestream.providers.events import ChatRequest

from .apis.extensions import check_scorer
from .config import Config, ConfigError, PromptFiles
from .embedders import Embedders
from .model_routes import Route, Routes
from .observability.readiness import Check
from .observability.telemetry import Telemetry
from .pipeline.background_requests import is_housekeeping
from .pipeline.completion_chunks import Chunks, Unchanged
from .pipeline.drafts import Pace
from .pipeline.job import Job, question
from .pipeline.outgoing import Outgoing
from .pipeline.respond import respond, unchanged
from .pipeline.second_pass import enriched
from .pipeline.tool_evidence import with_results
from .retrievers import Retrievers
from .scorers import Scorers
from .storage import RecentReferences


class App:
    """Routes, prompt templates, limits."""

    def __init__(self, config: Config, telemetry: Telemetry | None = None) -> None:
        """`telemetry`: is told of the work. Raises ConfigError for a template that cannot be read."""
        self.config = config
        self.telemetry = telemetry or Telemetry()
        check_scorer(config.citations)
        self.routes = Routes(config, self.telemetry)
        embedders = Embedders(config)
        self.scorers = Scorers(config, embedders)
        self.retrievers = Retrievers(config, embedders, self.routes, self.telemetry)
        self.recent = RecentReferences(config.references, store=config.store)
        self._secret = secrets.token_bytes(32)
        self._templates = _templates(config.evidence.prompt_files)
        self._limits = SegmentLimits(characters=config.limits.held_characters)
        self._pace = Pace(
            hold=config.limits.held_seconds,
            keepalive=config.server.keepalive_seconds,
        )

    @property
    def passes_bytes(self) -> bool:
        """Whether a provider's answer may go to a client byte for byte: no policy asks for a look into it."""
        return self.config.output.links == "allow"

    def taken(self, job: Job, *, same: bool) -> Job:
        """The job with the evidence it should have. `same`: see Job.told.

        None, where a chat page asks for itself; else also what its tools brought. Both as the configuration says.
        """
        config = self.config.evidence
        if config.skip_housekeeping and is_housekeeping(job.messages, job.params, config.housekeeping):
            return replace(job, evidence=(), options=replace(job.options, enabled=False))
        if not (config.from_tools and job.options.enabled):
            return job
        return with_results(job, job.told_messages(same=same), config, self._secret)

    def open(
        self, job: Job, route: Route, key: str | None
    ) -> tuple[AsyncGenerator[Outgoing, None], Chunks | Unchanged]:
        """Begin to answer a job: what happens, and what makes chunks of it."""
        if job.cited:
            outgoing, response = self.cite(job, route, key)
            return outgoing, Chunks(response, usage=job.usage, streamed=job.stream)
        request = ChatRequest(route.model, job.messages, job.params, question=question(job.messages), key=key)
        beside = None if self.passes_bytes or job.json else LinkDefangers()
        return unchanged(route.stream(request), self._pace, beside), Unchanged(usage=job.usage)

    def cite(self, job: Job, route: Route, key: str | None) -> tuple[AsyncGenerator[Outgoing, None], Response]:
        """Begin to answer a job that has evidence: what the client will be sent, and the response behind it."""
        injected = inject(
            job.messages,
            job.evidence,
            templates=self._templates,
            nonce=secrets.token_hex(4),
            budget_tokens=self.config.evidence.max_tokens,
            ask_markers=not job.json,
            results=job.results,
        )
        response = Response(
            injected.injected,
            job.options,
            received=len(job.evidence),
            dropped=injected.dropped,
            labels=self.config.evidence.labels,
            limits=self._limits,
            json=job.json,
            links=self.config.output.links,
        )
        if job.retrieved is not None:
            response.grounding.notes["retrieval"] = dict(job.retrieved)
        scoring = self.scorers.open(job.options, injected.injected)
        request = ChatRequest(
            route.model,
            injected.messages,
            job.params,
            {evidence.number: evidence.text for evidence in injected.injected},
            question(job.messages),
            key,
        )
        if job.options.enrich and not job.json:
            return enriched(route, request, response, scoring, self._pace), response
        return respond(route.stream(request), response, scoring, self._pace), response

    def checks(self) -> dict[str, Check]:
        """What has to be there for it to work well, by its path in the configuration."""
        providers = {f"providers.{name}": check for name, check in self.routes.checks().items()}
        retrievers = {f"retrievers.{name}": check for name, check in self.retrievers.checks().items()}
        return {**providers, **retrievers, "references": self.recent.reach}

    def warm_up(self) -> None:
        """Load what the first request would wait for: word tables, weights, marker patterns, evidence stores."""
        self.retrievers.look()
        compile_patterns()
        self.scorers.scorer(self.config.citations.scorer).prepare(
            [Evidence(1, "The first request need not wait.", "e1")]
        )

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self.recent.aclose()
        await self.retrievers.aclose()
        await self.routes.aclose()
        await self.scorers.aclose()


def _templates(files: PromptFiles) -> Templates:
    given = {name: _text(name, path) for name, path in files.model_dump().items() if path}
    try:
        return Templates.load(**given)
    except FieldError as error:
        raise ConfigError(f"evidence.prompt_files.{error.path}: {error.message}") from None


def _text(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"evidence.prompt_files.{name}: {path}: {error.strerror}") from None
