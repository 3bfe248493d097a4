"""The tree: every option, its default, and in one line what it is for."""

import hashlib
import re
from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, PlainValidator, model_validator

from citestream.citation.evidence import LABELS, MAX_CHARACTERS, MAX_EVIDENCE
from citestream.citation.link_policy import LinkPolicy
from citestream.citation.options import Options, parse_options

from .operation_options import Log, Readiness, StoreConfig, Traces
from .retrieval_options import RetrieverConfig
from .section import Keyed, Section, content
from .validation_errors import meant

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ClientKey(Section):
    """A key that clients present as `Authorization: Bearer …`; one of the three ways to give it."""

    name: str = Field(default="", description="who it belongs to; shown in the access log")
    key: str = Field(default="", repr=False, description="the key itself; better `${VARIABLE}` than in the file")
    file: str = Field(default="", description="a file that holds it")
    sha256: str = Field(default="", description="its SHA-256, so that the file gives nothing away: citestream make-key")

    @model_validator(mode="after")
    def _one_way(self) -> "ClientKey":
        if sum(map(bool, (self.key, self.file, self.sha256))) != 1:
            raise ValueError("give exactly one of key, file and sha256, and not an empty one")
        if self.sha256 and not _SHA256.fullmatch(self.sha256.strip().lower()):
            raise ValueError("sha256 must be 64 hexadecimal digits: citestream make-key")
        return self

    def digest(self) -> str:
        """The SHA-256 of the key, in hex. Raises ConfigError for a file that cannot be read or is empty."""
        if self.sha256:
            return self.sha256.strip().lower()
        return hashed(self.key or content(self.file))


def hashed(key: str) -> str:
    """The SHA-256 of a key, in hex."""
    # A header may hold any byte; aiohttp makes lone surrogates of those that are not UTF-8
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


class Tls(Section):
    """Certificate files for clients that come by https."""

    certificate: str = Field(default="", description="PEM file with the chain")
    private_key: str = Field(default="", description="PEM file with the key; empty: it stands beside the chain")

    @model_validator(mode="after")
    def _whole(self) -> "Tls":
        if self.private_key and not self.certificate:
            raise ValueError("private_key is of no use without certificate")
        return self


class Server(Section):
    """Where it listens, who may come in."""

    host: str = Field(default="127.0.0.1", description="address to listen on; beyond loopback it wants client keys")
    port: int = Field(default=8787, ge=0, le=65535, description="0 takes a free one")
    workers: int = Field(default=1, ge=1, le=256, description="processes that share the port; one for each core")
    keys: tuple[ClientKey, ...] = Field(
        default=(), description="client keys; none: everyone who reaches the port may ask"
    )
    allow_anonymous: bool = Field(default=False, description="listen beyond loopback without client keys all the same")
    cors_origins: tuple[str, ...] = Field(
        default=(), description="web pages of other origins that may ask: https://app.example, or * for all"
    )
    hosts: tuple[str, ...] = Field(
        default=(),
        description="names it answers to besides addresses and localhost; "
        "none: any, but on loopback without keys only those two",
    )
    tls: Tls = Field(default_factory=Tls, description="serve https")
    max_body_bytes: int = Field(
        default=32 * 2**20, ge=1024, description="a request's body; images come in it as base64"
    )
    body_seconds: float = Field(
        default=120.0, gt=0, description="that a request's body may take; an admitted one waits"
    )
    max_streams: int = Field(default=1000, ge=1, description="requests in flight; above it 503 with Retry-After")
    drain_seconds: float = Field(default=30.0, ge=0, description="how long running streams may finish after SIGTERM")
    keepalive_seconds: float = Field(
        default=15.0, gt=0, description="silence after which a stream shows a sign of life"
    )
    stalled_seconds: float = Field(
        default=300.0, gt=0, description="that a client may take nothing of a stream before it is let go"
    )


class Timeouts(Section):
    """Seconds to wait for a provider."""

    connect: float = Field(default=10.0, gt=0, description="for the connection")
    first_token: float = Field(
        default=300.0, gt=0, description="for its answer to begin; a local model may have to load first"
    )
    idle: float = Field(default=120.0, gt=0, description="for the next piece of a stream")
    total: float = Field(default=3600.0, gt=0, description="for a whole answer")


class Retries(Section):
    """Sending a request again where a provider could not be reached or cannot work on it yet: 429, 502, 503, 504."""

    most: int = Field(default=2, ge=0, le=10, description="tries after the first")
    longest_wait: float = Field(
        default=10.0, gt=0, description="seconds, of all waits together; a longer Retry-After goes to the client"
    )
    timeouts: bool = Field(
        default=False, description="also after it was asked and kept silent; it may have worked, and be paid, twice"
    )


class ProviderConfig(Keyed):
    """One provider."""

    kind: Literal["openai", "ollama", "gemini", "extractive"] = Field(
        description="which protocol it speaks; may be left out where the provider's name says it"
    )
    base_url: str = Field(default="", description="its address; empty: the vendor's own")
    pass_client_key: bool = Field(default=False, description="send the client's own key instead, where it has one")
    headers: dict[str, str] = Field(default_factory=dict, repr=False, description="headers to add to every request")
    models: tuple[str, ...] = Field(default=(), description="what /v1/models lists of it; empty: what it says itself")
    api_version: str = Field(default="", description="Azure OpenAI: its api-version; Gemini: v1beta or v1")
    azure: bool = Field(default=False, description="base_url is an Azure OpenAI resource")
    responses: bool | Literal["auto"] = Field(
        default="auto", description="whether an OpenAI-compatible server has /v1/responses; auto: try, else ask by chat"
    )
    vertex: bool = Field(default=False, description="base_url is a Vertex AI address up to and including the location")
    ca_file: str = Field(default="", description="PEM file with the certificate authority to trust")
    timeouts: Timeouts = Field(default_factory=Timeouts, description="seconds to wait for it")
    retries: Retries = Field(default_factory=Retries, description="before any of its answer has come")
    fallback: str = Field(
        default="", description="the provider/model or alias that answers where it cannot; never after text was sent"
    )

    @model_validator(mode="after")
    def _no_password(self) -> "ProviderConfig":
        if re.match(r"\w+://[^/]*@", self.base_url):
            raise ValueError("base_url must not hold a user or password: use api_key or headers")
        return self


class Alias(Section):
    """A name of its own for a model, with citation options of its own."""

    model: str = Field(min_length=1, description="provider/model")
    fallback: str = Field(default="", description="the provider/model or alias that answers where this one cannot")
    citations: dict[str, Any] = Field(default_factory=dict, description="options that differ from `citations`")


class PromptFiles(Section):
    """Files that replace the prompt's own templates; empty: the own one."""

    system: str = Field(default="", description="the rules")
    unmarked: str = Field(default="", description="the rules where markers would break the answer, as in JSON")
    evidence: str = Field(default="", description="what stands around the excerpts: $excerpts, and $nonce if wanted")
    results: str = Field(default="", description="what stands around those in a tool's message: the same")


class EvidenceConfig(Section):
    """What evidence a request may bring and how the model is shown it."""

    from_tools: bool = Field(default=False, description="results of tools in the conversation are evidence too")
    skip_housekeeping: bool = Field(
        default=True, description="titles, tags and the like that chat pages ask for get no evidence and no citations"
    )
    housekeeping: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), description="how further such prompts begin, besides those of known pages"
    )
    limit: int = Field(default=MAX_EVIDENCE, ge=1, description="pieces a request may bring")
    max_characters: int = Field(default=MAX_CHARACTERS, ge=1, description="of all their texts together")
    max_tokens: int = Field(default=24_000, ge=100, description="of excerpts and prompt together; the rest is dropped")
    labels: dict[str, str] = Field(default_factory=lambda: dict(LABELS), description="what pages call each kind")
    prompt_files: PromptFiles = Field(
        default_factory=PromptFiles, description="files that replace the prompt's own templates"
    )


class ScoringConfig(Section):
    """What scorers other than `lexical` use."""

    embedder: str = Field(
        default="local", description="who makes vectors: local, or provider/model such as ollama/nomic-embed-text"
    )
    cache_bytes: int = Field(default=64 * 2**20, ge=0, description="of vectors kept; 64 MiB are 30,000 sentences")
    kept_characters: int = Field(
        default=2_000_000,
        ge=0,
        description="of excerpts whose words are kept; Chinese counts eightfold; they take 30 MB",
    )
    # At most 10: misses of one sentence after the other add up to 4/3, and the client is to hear something every 15 s.
    deadline_seconds: float = Field(
        default=2.0, gt=0, le=10, description="that a sentence waits for vectors or a model; then words alone decide"
    )
    ragflow_token_weight: float = Field(
        default=0.1, ge=0, le=1, description="of words in the ragflow scorer, vectors have the rest; RAGFlow uses 0.7"
    )
    entailment: str = Field(default="", description="folder of a cross-encoder: model.onnx, tokenizer.json")


class Output(Section):
    """What an answer may hold besides text; no request can loosen it."""

    links: LinkPolicy = Field(
        default="allow", description="that the model writes: allow, only addresses of the evidence, or none"
    )


class Limits(Section):
    """What keeps one request from hurting the others."""

    held_characters: int = Field(default=2000, ge=100, description="of one sentence; longer ones leave in pieces")
    event_bytes: int = Field(
        default=16 * 2**20, ge=1024, description="of one event or line of a provider's stream; an image fits"
    )
    answer_bytes: int = Field(
        default=128 * 2**20,
        ge=1024,
        description="of all events of one cited answer: some 400,000 tokens; then it breaks",
    )
    held_seconds: float = Field(default=20.0, gt=0, description="that a sentence may be held")


class ReferencesConfig(Section):
    """References of recent answers, kept for clients that drop unknown fields."""

    keep: int = Field(default=10_000, ge=0, description="answers, the oldest go first; 0 keeps none")
    keep_seconds: float = Field(default=3600.0, gt=0, description="each; a client asks right after its answer")
    max_bytes: int = Field(default=256 * 2**20, ge=2**16, description="that all of them may take")
    conversations: Literal["memory", "file", "none"] = Field(
        default="memory",
        description="what the Responses API refers to later; memory: not if a file is named; file: there, too",
    )
    file: str = Field(default="", description="SQLite file, to outlive a restart; empty: memory, or a temporary file")

    @property
    def keeps_conversations(self) -> bool:
        """Whether they are kept: what people ask is not written to a lasting file without being told so."""
        return self.conversations == "file" or (self.conversations == "memory" and not self.file)


def _options(raw: Any) -> Options:
    return raw if isinstance(raw, Options) else parse_options(raw, Options())


class Config(Section):
    """Everything that can be set."""

    server: Server = Field(default_factory=Server, description="where it listens, who may come in")
    providers: dict[str, ProviderConfig] = Field(
        default_factory=dict,
        description="by the name that stands before the slash in `model`; "
        "without any: those the environment has keys for",
    )
    models: dict[str, Alias] = Field(default_factory=dict, description="names of your own for models")
    default_provider: str = Field(
        default="",
        description="the provider of a model named without one; with no providers here, the vendor whose key is set",
    )
    citations: Annotated[Options, PlainValidator(_options)] = Field(
        default_factory=Options, description="what a request that says nothing gets"
    )
    evidence: EvidenceConfig = Field(default_factory=EvidenceConfig, description="what evidence a request may bring")
    retrievers: dict[str, RetrieverConfig] = Field(
        default_factory=dict,
        description="where evidence is fetched from, by name; without any: what `citestream index` left here",
    )
    default_retriever: str = Field(
        default="", description="the one that is asked for requests without evidence; empty: none"
    )
    scoring: ScoringConfig = Field(default_factory=ScoringConfig, description="what scorers other than lexical use")
    output: Output = Field(default_factory=Output, description="what an answer may hold besides text")
    limits: Limits = Field(default_factory=Limits, description="what keeps one request from hurting the others")
    references: ReferencesConfig = Field(
        default_factory=ReferencesConfig,
        description="what GET /v1/references/{id} can look up, for clients that drop unknown fields",
    )
    store: StoreConfig = Field(
        default_factory=StoreConfig, description="where that is kept, if several machines share it"
    )
    readiness: Readiness = Field(
        default_factory=Readiness, description="when GET /readyz says that this server can serve"
    )
    log: Log = Field(default_factory=Log, description="what is written to standard error; content only if told so")
    traces: Traces = Field(default_factory=Traces, description="what happens with requests as OpenTelemetry spans")

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        server = self.server
        if not (is_loopback(server.host) or server.keys or server.allow_anonymous):
            raise ValueError(
                f"server.host {server.host} is reachable from other machines: name client keys in server.keys, "
                "or set server.allow_anonymous: true"
            )
        if self.default_provider and self.default_provider not in self.providers:
            raise ValueError(
                f"default_provider {self.default_provider!r} is not among the providers"
                + meant(self.default_provider, self.providers)
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
            self._check(name, alias)
            self._check_model(alias.fallback, f"models.{name}.fallback")
        if self.default_retriever and self.default_retriever not in self.retrievers:
            raise ValueError(
                f"default_retriever {self.default_retriever!r} is not among the retrievers"
                + meant(self.default_retriever, self.retrievers)
            )
        for name, retriever in self.retrievers.items():
            self._check_model(retriever.rewrite, f"retrievers.{name}.rewrite")
            if retriever.embedder:
                self._check_embedder(retriever.embedder, f"retrievers.{name}.embedder")
        self._check_embedder(self.scoring.embedder, "scoring.embedder")
        self._check_required()
        if self.store.url and self.references.file:
            raise ValueError("give only one of store.url and references.file")
        return self

    def _check_required(self) -> None:
        known = [f"providers.{name}" for name, provider in self.providers.items() if provider.kind != "extractive"]
        known += [*(f"retrievers.{name}" for name in self.retrievers), "references"]
        for name in self.readiness.required:
            if name not in known:
                raise ValueError(f"readiness.required: there is nothing called {name!r}{meant(name, known)}")

    def _check(self, name: str, alias: Alias) -> None:
        """Refuse an alias that would fail only once somebody asks for it."""
        parse_options(alias.citations, self.citations, f"models.{name}.citations")
        self._check_model(alias.model, f"models.{name}.model")

    def _check_embedder(self, option: str, path: str) -> None:
        name = option.partition("/")[0]
        if name != "local" and (name not in self.providers or self.providers[name].kind == "extractive"):
            raise ValueError(f"{path}: {name!r} is neither local nor a provider that embeds")

    def _check_model(self, model: str, path: str) -> None:
        provider = model.partition("/")[0]
        if model and model not in self.models and provider not in self.providers and not self.default_provider:
            raise ValueError(f"{path}: there is no provider {provider!r}{meant(provider, self.providers)}")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"


def asks_itself(config: Config) -> str:
    """The provider whose address is this server's own, which would ask itself until it is full; "" where none is."""
    server = config.server
    local = is_loopback(server.host) or _is_everywhere(server.host)
    for name, provider in config.providers.items():
        try:
            address = urlsplit(provider.base_url)
            here = address.port == server.port
        except ValueError:  # an address that is none is another error's
            continue
        host = address.hostname or ""
        if here and (host == server.host or (local and is_loopback(host))):
            return name
    return ""


def _is_everywhere(host: str) -> bool:
    """Whether a server with this host is reached by every address of its machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:  # a name
        return False
