"""The root section, Config, and the sections about evidence, scoring and limits."""

from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, PlainValidator, model_validator

from citestream.citation.evidence import LABELS, MAX_CHARACTERS, MAX_EVIDENCE
from citestream.citation.evidence.hosts import KNOWN_FENCES, Fence
from citestream.citation.link_policy import LinkPolicy
from citestream.citation.options import Options, parse_options
from citestream.citation.support.judging import JudgeBand
from citestream.citation.support.scorers.ragflow import TOKEN_WEIGHT
from citestream.citation.text.segmentation import SegmentLimits
from citestream.providers.embedding.embedder import CACHE_BYTES
from citestream.providers.transport import MAX_ANSWER_BYTES, MAX_EVENT_BYTES

from .section import Section
from .server_options import (
    Log,
    Readiness,
    ReferencesConfig,
    Server,
    StoreConfig,
    Traces,
    is_loopback,
    is_malformed_address,
)
from .service_options import Alias, ProviderConfig, RetrieverConfig
from .validation_errors import suggestion


class PromptFiles(Section):
    """Files that replace the built-in prompt templates. Empty: use the built-in template."""

    system: str = Field(default="", description="citation rules")
    unmarked: str = Field(default="", description="rules for answers without markers, such as JSON")
    evidence: str = Field(default="", description="text around the excerpts, with $excerpts and optionally $nonce")
    results: str = Field(
        default="", description="text around the excerpts in a tool message, with the same placeholders"
    )


def _parse_from_prompt(value: object) -> object:
    """Return `hosts`, `off` or a tuple of fences. Raise ValueError."""
    if value is False:
        return "off"  # YAML reads `off` as false
    if value in ("hosts", "off"):
        return value
    if not isinstance(value, list | tuple):
        raise ValueError("must be hosts, off or a list of fences")
    return tuple(_parse_fence(one) for one in value)


def _parse_fence(value: object) -> Fence:
    match value:
        case Fence():
            return value
        case str() if value in KNOWN_FENCES:
            return KNOWN_FENCES[value]
        case {"opening": str(opening), "closing": str(closing), **others} if opening and closing and not others:
            return Fence(opening, closing)
    raise ValueError(f"each fence must be {{opening, closing}} or one of: {', '.join(KNOWN_FENCES)}")


class EvidenceConfig(Section):
    """Sources and limits of evidence, and its presentation to the model."""

    from_prompt: Annotated[Literal["hosts", "off"] | tuple[Fence, ...], BeforeValidator(_parse_from_prompt)] = Field(
        default="hosts",
        description="use evidence that RAG hosts put into prompts: hosts (known ones), off, or a list of fences to add",
    )
    from_tools: bool = Field(default=False, description="also use tool results in the conversation as evidence")
    skip_housekeeping: bool = Field(
        default=True,
        description="pass through requests of chat pages for titles and tags without evidence and citations",
    )
    housekeeping: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), description="beginnings of further prompts of this kind, in addition to those of known pages"
    )
    limit: int = Field(default=MAX_EVIDENCE, ge=1, description="maximum number of evidence items in a request")
    max_characters: int = Field(
        default=MAX_CHARACTERS, ge=1, description="maximum characters of all evidence texts together"
    )
    max_tokens: int = Field(
        default=24_000,
        ge=100,
        description="maximum tokens of excerpts and prompt together; further evidence is dropped",
    )
    labels: dict[str, str] = Field(
        default_factory=lambda: dict(LABELS), description="names of the kinds of evidence on web pages"
    )
    prompt_files: PromptFiles = Field(
        default_factory=PromptFiles, description="files that replace the built-in prompt templates"
    )


ONNX = "onnx:"  # prefix of a folder with a model, where a model's name may also stand


class ScoringConfig(Section):
    """Settings of the scorers."""

    embedder: str = Field(
        default="local", description="embedding model: local, or provider/model such as ollama/nomic-embed-text"
    )
    cache_bytes: int = Field(
        default=CACHE_BYTES, ge=0, description="size of the embedding cache; 64 MiB hold 30,000 sentences"
    )
    kept_characters: int = Field(
        default=2_000_000,
        ge=0,
        description="characters of analyzed excerpts in the cache (30 MB); Chinese characters count eightfold",
    )
    # At most 10: successive sentences that miss the deadline wait up to 4/3 of it in total, and the client must
    # receive something every 15 s.
    deadline_seconds: float = Field(
        default=2.0,
        gt=0,
        le=10,
        description="maximum seconds to wait for embeddings or a model per sentence; then the lexical scorer decides",
    )
    ragflow_token_weight: float = Field(
        default=TOKEN_WEIGHT,
        ge=0,
        le=1,
        description="weight of words in the ragflow scorer, the rest is the weight of embeddings; RAGFlow uses 0.7",
    )
    entailment: str = Field(default="", description="folder of a cross-encoder with model.onnx and tokenizer.json")
    judge: str = Field(
        default="",
        description="model that confirms or refuses citations: provider/model, or onnx:FOLDER of a cross-encoder",
    )
    judge_band: tuple[float, float] | Literal["all"] = Field(
        default=(JudgeBand().low, JudgeBand().high),
        description="scorer probabilities for which the judge is asked; all: also what gates refuse, except numbers",
    )
    judge_deadline_seconds: float = Field(
        default=2.0, gt=0, le=10, description="maximum seconds to wait for the judge per sentence; then it is ignored"
    )
    judge_concurrent_calls: int = Field(
        default=8, ge=1, description="maximum concurrent calls of one worker; one answer uses at most half of them"
    )
    judge_calls_per_answer: int = Field(
        default=100, ge=1, description="maximum calls for one answer; 30 sentences with three candidates each need 90"
    )
    judge_template: str = Field(default="", description="file with a prompt for the judge; empty: chosen by model name")
    judge_cached_verdicts: int = Field(
        default=20_000, ge=0, description="number of verdicts in the cache; 20,000 take about 3 MB"
    )

    @model_validator(mode="after")
    def _check_band(self) -> "ScoringConfig":
        if self.judge_band != "all" and not 0 <= self.judge_band[0] < self.judge_band[1] <= 1:
            raise ValueError("scoring.judge_band must be two numbers 0 <= low < high <= 1, or all")
        return self


class Output(Section):
    """Restrictions on the content of answers. Requests cannot override them."""

    links: LinkPolicy = Field(
        default="allow",
        description="links that the model writes: allow, evidence (only addresses of the evidence), or none",
    )


class Limits(Section):
    """Limits that protect other requests and the memory of the server."""

    held_characters: int = Field(
        default=SegmentLimits().characters,
        ge=100,
        description="maximum characters to buffer; longer sentences are sent early, decided up to twice this",
    )
    event_bytes: int = Field(
        default=MAX_EVENT_BYTES,
        ge=1024,
        description="maximum size of one event or line of a provider's stream; large enough for an image",
    )
    answer_bytes: int = Field(
        default=MAX_ANSWER_BYTES,
        ge=1024,
        description="maximum size of all events of a cited answer, about 400,000 tokens; larger answers fail",
    )
    held_seconds: float = Field(
        default=20.0,
        gt=0,
        description="maximum seconds to buffer; then the complete words are sent, and decided with the sentence's end",
    )


def _options(raw: Any) -> Options:
    return raw if isinstance(raw, Options) else parse_options(raw, Options())


class Config(Section):
    """The whole configuration."""

    server: Server = Field(default_factory=Server, description="listening address, access and connection limits")
    providers: dict[str, ProviderConfig] = Field(
        default_factory=dict,
        description="providers by name, as in `model: NAME/…`; empty: those with an API key in the environment",
    )
    models: dict[str, Alias] = Field(default_factory=dict, description="custom model names")
    default_provider: str = Field(
        default="",
        description="provider for model names without one; if `providers` is empty, the vendor with an API key",
    )
    citations: Annotated[Options, PlainValidator(_options)] = Field(
        default_factory=Options, description="default citation options of requests"
    )
    evidence: EvidenceConfig = Field(default_factory=EvidenceConfig, description="sources and limits of evidence")
    retrievers: dict[str, RetrieverConfig] = Field(
        default_factory=dict,
        description="retrievers by name; empty: the index of `citestream index` in the working directory",
    )
    default_retriever: str = Field(default="", description="retriever for requests without evidence; empty: none")
    scoring: ScoringConfig = Field(default_factory=ScoringConfig, description="settings of the scorers")
    output: Output = Field(default_factory=Output, description="restrictions on the content of answers")
    limits: Limits = Field(
        default_factory=Limits, description="limits that protect other requests and the memory of the server"
    )
    references: ReferencesConfig = Field(
        default_factory=ReferencesConfig,
        description="stored answers for GET /v1/references/{id}, for clients that drop unknown fields",
    )
    store: StoreConfig = Field(
        default_factory=StoreConfig, description="Redis server that stores `references` for several machines"
    )
    readiness: Readiness = Field(default_factory=Readiness, description="conditions for GET /readyz to return 200")
    log: Log = Field(default_factory=Log, description="log on standard error")
    traces: Traces = Field(default_factory=Traces, description="OpenTelemetry spans of requests")

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        server = self.server
        if is_malformed_address(server.host):
            raise ValueError(f"server.host {server.host} is not an IP address, which has four numbers of 0 to 255")
        if not (is_loopback(server.host) or server.keys or server.allow_anonymous):
            raise ValueError(
                f"server.host {server.host} is reachable from other machines: name client keys in server.keys, "
                "or set server.allow_anonymous: true"
            )
        if self.default_provider and self.default_provider not in self.providers:
            raise ValueError(
                f"default_provider {self.default_provider!r} is not among the providers"
                + suggestion(self.default_provider, self.providers)
            )
        for name, provider in self.providers.items():
            if not name or "/" in name:
                raise ValueError(f"providers.{name}: a provider's name must not be empty or hold a slash")
            if provider.pass_client_key and server.keys:
                raise ValueError(
                    f"providers.{name}.pass_client_key: with server.keys the client's key is the one for this server; "
                    "it must not go on to a provider"
                )
            self._check_model(provider.fallback, f"providers.{name}.fallback")
        for name, alias in self.models.items():
            self._check_alias(name, alias)
            self._check_model(alias.fallback, f"models.{name}.fallback")
        if self.default_retriever and self.default_retriever not in self.retrievers:
            raise ValueError(
                f"default_retriever {self.default_retriever!r} is not among the retrievers"
                + suggestion(self.default_retriever, self.retrievers)
            )
        for name, retriever in self.retrievers.items():
            self._check_model(retriever.rewrite, f"retrievers.{name}.rewrite")
            if retriever.embedder:
                self._check_embedder(retriever.embedder, f"retrievers.{name}.embedder")
        self._check_embedder(self.scoring.embedder, "scoring.embedder")
        if not self.scoring.judge.startswith(ONNX):
            self._check_model(self.scoring.judge, "scoring.judge")
        self._check_required()
        self._check_store()
        return self

    def _check_store(self) -> None:
        if self.store.url and self.references.file:
            raise ValueError("give only one of store.url and references.file")
        if self.store.url and self.server.public_url and not self.server.link_secret:
            raise ValueError("server.link_secret must be set, to the same value on all machines that share store.url")

    def _check_required(self) -> None:
        known = [f"providers.{name}" for name, provider in self.providers.items() if provider.kind != "extractive"]
        known += [*(f"retrievers.{name}" for name in self.retrievers), "references"]
        for name in self.readiness.required:
            if name not in known:
                raise ValueError(f"readiness.required: there is no service {name!r}{suggestion(name, known)}")

    def _check_alias(self, name: str, alias: Alias) -> None:
        """Validate an alias now, so that it does not fail at the first request."""
        parse_options(alias.citations, self.citations, f"models.{name}.citations")
        if alias.model in self.models and alias.model.partition("/")[0] not in self.providers:
            raise ValueError(f"models.{name}.model: {alias.model!r} is an alias; name a provider/model")
        self._check_model(alias.model, f"models.{name}.model")

    def _check_embedder(self, option: str, path: str) -> None:
        name = option.partition("/")[0]
        if name != "local" and (name not in self.providers or self.providers[name].kind == "extractive"):
            raise ValueError(f"{path}: {name!r} is neither local nor a provider that embeds")

    def _check_model(self, model: str, path: str) -> None:
        provider = model.partition("/")[0]
        if model and model not in self.models and provider not in self.providers and not self.default_provider:
            raise ValueError(f"{path}: there is no provider {provider!r}{suggestion(provider, self.providers)}")


def find_loop(config: Config) -> str:
    """Return the name of a provider whose address is this server, which would cause an endless loop, or ""."""
    server = config.server
    local = is_loopback(server.host) or _is_unspecified(server.host)
    for name, provider in config.providers.items():
        try:
            address = urlsplit(provider.base_url)
            here = address.port == server.port
        except ValueError:  # invalid addresses are reported when the provider is created
            continue
        host = address.hostname or ""
        if here and (host == server.host or (local and is_loopback(host))):
            return name
    return ""


def _is_unspecified(host: str) -> bool:
    """Return whether a server with this host listens on all addresses of its machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:  # a host name
        return False
