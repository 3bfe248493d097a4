"""App: everything that is built once from a configuration, and the way from a job to its answer."""

import logging
import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from citestream.citation.answers.host_labels import HostLabels
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.link_policy import LinkDefangers
from citestream.citation.markers import compile_patterns
from citestream.citation.prompt.injection import Injected, Templates, inject_in_steps
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim
from citestream.citation.text.segmentation import SegmentLimits
from citestream.providers.events import ChatRequest, Message
from citestream.providers.scheduler import Work, scheduler

from .config import Config, ConfigError, PromptFiles, ReferencesConfig
from .embedders import Embedders
from .judges import make_judge
from .model_routes import Route, Routes
from .observability.readiness import Check
from .observability.telemetry import Telemetry
from .passages import PassageLinks
from .pipeline.completion_chunks import AnswerChunks, Chunks, UncitedChunks
from .pipeline.request.host_evidence import host_evidence
from .pipeline.request.job import Job, JobEvidence
from .pipeline.request.long_input import read_input
from .pipeline.request.prompt_cache import evidence_nonce, has_cached_prefix
from .pipeline.request.questions import is_background_request, question
from .pipeline.request.structured_answers import answer_functions, asks_for_data, asks_for_fenced_json, forced_function
from .pipeline.request.tool_evidence import with_results, with_tool_evidence
from .pipeline.respond import Batches, pass_through, respond
from .pipeline.second_pass import respond_in_two_passes
from .retrievers import Retrievers
from .scorers import Scorers
from .storage import KnownIds, RecentReferences

log = logging.getLogger("citestream")

# A claim in each language that has word lists for the gates. The first decision in a language takes 10 to 30 ms.
FIRST_CLAIMS = (
    "The old bridge was opened in 1932, not in 1931.",
    "Die alte Brücke wurde 1932 eröffnet, nicht 1931.",
    "Le vieux pont a été ouvert en 1932, pas en 1931.",
    "El puente viejo se abrió en 1932, no en 1931.",
    "这座旧桥于1932年开通，不是1931年。",
)


class App:
    """The routes, retrievers, scorers and prompt templates of one server."""

    def __init__(self, config: Config, telemetry: Telemetry | None = None) -> None:
        """Raise ConfigError if a scorer, a judge, a prompt template or a store cannot be used."""
        self.config = config
        self.telemetry = telemetry or Telemetry()
        self.routes = Routes(config, self.telemetry)
        embedders = Embedders(config)
        self.scorers = Scorers(config, embedders, make_judge(config.scoring, self.routes))
        self.retrievers = Retrievers(config, embedders, self.routes, self.telemetry)
        self.recent = RecentReferences(_references_config(config), store=config.store)
        self.known_ids = KnownIds(config.references, config.store) if _has_tenants(config) else None
        self.passage_links = PassageLinks(config.server.public_url, config.server.link_secret)
        self._secret = secrets.token_bytes(32)
        self._templates = load_templates(config.evidence.prompt_files)
        self._limits = SegmentLimits(characters=config.limits.held_characters)

    @property
    def passes_bytes(self) -> bool:
        """Whether a provider's answer may be forwarded byte for byte, because no policy applies to its text."""
        return self.config.output.links == "allow"

    async def collect_evidence(self, job: Job, *, native: bool, from_tools: bool = False) -> JobEvidence:
        """Return the evidence for a job: its own, that of tool results, and that of a retriever.

        If the job has none of its own and names no retriever, evidence that a host put into the prompt comes first.
        `native`: see `Job.for_provider`. `from_tools`: read tool results whatever the configuration says. Raise
        FieldError for an unknown retriever, ProviderError if it fails.
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
        collected = with_results(JobEvidence(job.evidence), messages, job.evidence_by_call, self._secret)
        if config.from_tools or from_tools:
            collected = await read_input(
                partial(with_tool_evidence, collected, messages, config, self._secret), messages
            )
        return await self.retrievers.search(job, collected)

    async def open(
        self, job: Job, collected: JobEvidence, route: Route, *, native: bool = False
    ) -> tuple[Batches, AnswerChunks]:
        """Begin to answer a job with this evidence. Return its events, and what turns them into chunks.

        Raise FieldError if the provider of this route cannot answer the request.
        """
        messages, params = job.for_provider(route.provider.native, native=native)
        if collected.needs_citations:
            return await self._open_cited(job, collected, route, messages, params)
        request = ChatRequest(route.model, messages, params, question=question(messages))
        defangers = None if self.passes_bytes or job.json else LinkDefangers()
        return pass_through(route.stream(request), defangers), UncitedChunks(usage=job.usage)

    async def _open_cited(
        self, job: Job, collected: JobEvidence, route: Route, messages: list[Message], params: Mapping[str, Any]
    ) -> tuple[Batches, Chunks]:
        json = job.json or asks_for_fenced_json(messages)
        ask_markers = not (json or forced_function(params))
        prompt = await self._prompt(collected, messages, ask_markers=ask_markers, note=job.options.unsupported_note)
        passages = None if collected.prompt else self.passage_links.of_answer()  # a host shows passages itself
        asked = (collected.prompt and collected.prompt.question) or question(messages)
        response = Response(
            prompt.injected,
            self.scorers.resolve(job.options),
            received=len(collected.evidence),
            dropped=prompt.dropped,
            labels=self.config.evidence.labels,
            limits=self._limits,
            json=json,
            answer_functions=await read_input(partial(answer_functions, params), params.get("tools")),
            links=self.config.output.links,
            passage_link=passages.link if passages else None,
            host=HostLabels.from_prompt(collected.prompt) if collected.prompt else None,
            question=asked,
            expects_data=asks_for_data(messages),
        )
        if job.omitted_tools:
            response.grounding.notes["omitted_tools"] = list(job.omitted_tools)
        if collected.retrieval is not None:
            response.grounding.notes["retrieval"] = dict(collected.retrieval)
        scoring = self.scorers.open(response.options, prompt.injected)
        response.grounding.judging = scoring.judge_report
        request = _request(route.model, prompt, params, asked, searched=collected.retrieval is not None)
        hold_seconds = self.config.limits.held_seconds
        batches = (
            respond_in_two_passes(route, request, response, scoring, hold_seconds)
            if response.options.enrich and not json
            else respond(route.stream(request), response, scoring, hold_seconds, request.wakeup)
        )
        token = passages.token if passages else ""
        return batches, Chunks(response, usage=job.usage, streamed=job.stream_chunks, passage_token=token)

    async def _prompt(
        self, collected: JobEvidence, messages: list[Message], *, ask_markers: bool, note: str
    ) -> Injected:
        """Return the messages with the evidence; unchanged if a host has already put it there."""
        if collected.prompt:
            return Injected(messages, collected.evidence, ())
        steps = inject_in_steps(
            messages,
            collected.evidence,
            templates=self._templates,
            nonce=await Work("prepare_prompt").run(evidence_nonce(self._secret, collected.evidence)),
            budget_tokens=self.config.evidence.max_tokens,
            ask_markers=ask_markers,
            results=collected.tool_results,
            keep_prefix=await read_input(partial(has_cached_prefix, messages), messages),
            note=note,
        )
        return await Work("prepare_prompt").run(steps)

    def checks(self) -> dict[str, Check]:
        """Return the readiness checks of all services, by their path in the configuration."""
        providers = {f"providers.{name}": check for name, check in self.routes.checks().items()}
        retrievers = {f"retrievers.{name}": check for name, check in self.retrievers.checks().items()}
        return {**providers, **retrievers, "references": self.recent.reach}

    def warm_up(self) -> None:
        """Load what the first request would wait for, such as word lists, weights, providers and evidence stores."""
        compile_patterns()
        self.routes.open_all()
        for name, reason in self.retrievers.open_all().items():
            log.warning("the retriever %s cannot be used: %s", name, reason)
        scorer = self.scorers.scorer(self.config.citations.scorer)
        for text in FIRST_CLAIMS:
            claim = Claim(text)
            prepared = scorer.prepare([Evidence(1, f"{text} {text[::-1]}", "e1")])
            attribute(claim, prepared.score(claim), prepared)

    async def load(self) -> None:
        """Wait for the models on this machine that the first request would wait for."""
        await self.scorers.load()

    async def aclose(self) -> None:
        """Close all connections."""
        await self.recent.aclose()
        if self.known_ids:
            await self.known_ids.recent.aclose()
        await self.retrievers.aclose()
        await self.routes.aclose()
        await self.scorers.aclose()
        scheduler().close()


def _request(model: str, prompt: Injected, params: Mapping[str, Any], asked: str, *, searched: bool) -> ChatRequest:
    """Return the request to a provider, with the evidence for providers that answer from it without a model."""
    excerpts = {evidence.number: evidence.text for evidence in prompt.injected}
    titles = {evidence.number: _title(evidence) for evidence in prompt.injected}
    return ChatRequest(model, prompt.messages, params, excerpts, asked, titles=titles, searched=searched)


def _title(evidence: Evidence) -> str:
    """Return the title of an evidence, or else the name of its file without its extension."""
    return evidence.title or (evidence.file_name or "").rpartition(".")[0]


def _has_tenants(config: Config) -> bool:
    """Return whether there are several clients, which may share the key of the operator at a provider."""
    return len(config.server.keys) > 1 or any(provider.pass_client_key for provider in config.providers.values())


def _references_config(config: Config) -> ReferencesConfig:
    """Return the limits of stored answers. With links to passages, each answer is stored in two entries."""
    references = config.references
    return references.model_copy(update={"keep": 2 * references.keep}) if config.server.public_url else references


def load_templates(files: PromptFiles) -> Templates:
    """Return the prompt templates. Raise ConfigError if a file cannot be read or lacks a placeholder."""
    templates = {name: _read_template(name, path) for name, path in files.model_dump().items() if path}
    try:
        return Templates.load(**templates)
    except FieldError as error:
        raise ConfigError(f"evidence.prompt_files.{error.path}: {error.message}") from None


def _read_template(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"evidence.prompt_files.{name}: {path}: {error.strerror}") from None
