"""App: everything that is built once from a configuration, and the way from a job to its answer."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.evidence.prompt import Injected, Templates, inject
from citestream.citation.link_policy import LinkDefangers
from citestream.citation.markers import compile_patterns
from citestream.citation.markers.host_labels import HostLabels
from citestream.citation.response import Response
from citestream.citation.text.segmentation import SegmentLimits
from citestream.providers.events import ChatRequest, Message

from .apis.extensions import check_scorer
from .config import Config, ConfigError, PromptFiles
from .embedders import Embedders
from .judges import make_judge
from .model_routes import Route, Routes
from .observability.readiness import Check
from .observability.telemetry import Telemetry
from .pipeline.completion_chunks import AnswerChunks, Chunks, UncitedChunks
from .pipeline.host_evidence import host_evidence
from .pipeline.job import Job, JobEvidence
from .pipeline.questions import is_background_request, question
from .pipeline.respond import Batches, pass_through, respond
from .pipeline.second_pass import respond_in_two_passes
from .pipeline.tool_evidence import with_tool_evidence
from .retrievers import Retrievers
from .scorers import Scorers
from .storage import RecentReferences


class App:
    """The routes, retrievers, scorers and prompt templates of one server."""

    def __init__(self, config: Config, telemetry: Telemetry | None = None) -> None:
        """Raise ConfigError if a prompt template cannot be read."""
        self.config = config
        self.telemetry = telemetry or Telemetry()
        check_scorer(config.citations)
        self.routes = Routes(config, self.telemetry)
        embedders = Embedders(config)
        self.scorers = Scorers(config, embedders, make_judge(config.scoring, self.routes))
        self.retrievers = Retrievers(config, embedders, self.routes, self.telemetry)
        self.recent = RecentReferences(config.references, store=config.store)
        self._secret = secrets.token_bytes(32)
        self._templates = _load_templates(config.evidence.prompt_files)
        self._limits = SegmentLimits(characters=config.limits.held_characters)

    @property
    def passes_bytes(self) -> bool:
        """Whether a provider's answer may be forwarded byte for byte, because no policy applies to its text."""
        return self.config.output.links == "allow"

    async def collect_evidence(self, job: Job, *, native: bool) -> JobEvidence:
        """Return the evidence for a job: its own, that of tool results, and that of a retriever.

        If the job has none of its own and names no retriever, evidence that a host put into the prompt comes first.
        `native`: see `Job.for_provider`. Raise FieldError for an unknown retriever, ProviderError if it fails.
        """
        config = self.config.evidence
        if not job.options.enabled:
            return JobEvidence()
        if config.skip_housekeeping and is_background_request(job.messages, job.params, config.housekeeping):
            return JobEvidence()
        messages = job.messages_for(native=native)
        asks_for_evidence = job.evidence or job.retrieval.source
        if not asks_for_evidence and (in_prompt := await host_evidence(messages, config)) is not None:
            return in_prompt
        found = JobEvidence(job.evidence)
        if config.from_tools:
            found = with_tool_evidence(found, messages, config, self._secret)
        return await self.retrievers.search(job, found)

    def open(
        self, job: Job, found: JobEvidence, route: Route, *, native: bool = False, key: str | None = None
    ) -> tuple[Batches, AnswerChunks]:
        """Begin to answer a job with this evidence. Return its events, and what turns them into chunks.

        Raise FieldError if the provider of this route cannot answer the request.
        """
        messages, params = job.for_provider(route.provider.native, native=native)
        if found.needs_citations:
            batches, response = self._open_cited(job, found, route, messages, params, key)
            return batches, Chunks(response, usage=job.usage, streamed=job.stream)
        request = ChatRequest(route.model, messages, params, question=question(messages), key=key)
        defangers = None if self.passes_bytes or job.json else LinkDefangers()
        return pass_through(route.stream(request), defangers), UncitedChunks(usage=job.usage)

    def _open_cited(
        self,
        job: Job,
        found: JobEvidence,
        route: Route,
        messages: list[Message],
        params: Mapping[str, Any],
        key: str | None,
    ) -> tuple[Batches, Response]:
        options = self.scorers.resolve(job.options)
        prompt = self._prompt(job, found, messages)
        response = Response(
            prompt.injected,
            options,
            received=len(found.evidence),
            dropped=prompt.dropped,
            labels=self.config.evidence.labels,
            limits=self._limits,
            json=job.json,
            links=self.config.output.links,
            host=HostLabels.from_prompt(found.prompt) if found.prompt else None,
        )
        if found.retrieval is not None:
            response.grounding.notes["retrieval"] = dict(found.retrieval)
        scoring = self.scorers.open(response.options, prompt.injected)
        response.grounding.judging = scoring.judge_report
        excerpts = {evidence.number: evidence.text for evidence in prompt.injected}
        asked = (found.prompt and found.prompt.question) or question(messages)
        request = ChatRequest(route.model, prompt.messages, params, excerpts, asked, key)
        hold_seconds = self.config.limits.held_seconds
        if response.options.enrich and not job.json:
            return respond_in_two_passes(route, request, response, scoring, hold_seconds), response
        return respond(route.stream(request), response, scoring, hold_seconds), response

    def _prompt(self, job: Job, found: JobEvidence, messages: list[Message]) -> Injected:
        """Return the messages with the evidence; unchanged if a host has already put it there."""
        if found.prompt:
            return Injected(messages, found.evidence, ())
        return inject(
            messages,
            found.evidence,
            templates=self._templates,
            nonce=secrets.token_hex(4),
            budget_tokens=self.config.evidence.max_tokens,
            ask_markers=not job.json,
            results=found.tool_results,
        )

    def checks(self) -> dict[str, Check]:
        """Return the readiness checks of all services, by their path in the configuration."""
        providers = {f"providers.{name}": check for name, check in self.routes.checks().items()}
        retrievers = {f"retrievers.{name}": check for name, check in self.retrievers.checks().items()}
        return {**providers, **retrievers, "references": self.recent.reach}

    def warm_up(self) -> None:
        """Load what the first request would wait for: word lists, model weights, marker patterns, evidence stores."""
        compile_patterns()
        self.retrievers.open_all()
        evidence = [Evidence(1, "The first request does not wait.", "e1")]
        self.scorers.scorer(self.config.citations.scorer).prepare(evidence)

    async def aclose(self) -> None:
        """Close all connections."""
        await self.recent.aclose()
        await self.retrievers.aclose()
        await self.routes.aclose()
        await self.scorers.aclose()


def _load_templates(files: PromptFiles) -> Templates:
    given = {name: _read_template(name, path) for name, path in files.model_dump().items() if path}
    try:
        return Templates.load(**given)
    except FieldError as error:
        raise ConfigError(f"evidence.prompt_files.{error.path}: {error.message}") from None


def _read_template(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"evidence.prompt_files.{name}: {path}: {error.strerror}") from None
