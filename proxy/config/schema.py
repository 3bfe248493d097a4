"""The root section, Config, and the sections about evidence, scoring and limits."""

from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, PlainValidator, model_validator

from citestream.citation.link_policy import LinkPolicy
from citestream.citation.options import Options, parse_options
from citestream.citation.text.segmentation import SegmentLimits
from citestream.providers.errors import ProviderError
from citestream.providers.judging.checkers import find_checker
from citestream.providers.transport import MAX_ANSWER_BYTES, MAX_EVENT_BYTES

from .client_keys import check_distinct
from .evidence_options import ONNX, EvidenceConfig, ScoringConfig
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

    @model_validator(mode="before")
    @classmethod
    def _use_checker(cls, raw: Any) -> Any:
        """Use a configured checker, unless another scorer is named."""
        if isinstance(raw, dict) and isinstance(scoring := raw.get("scoring"), dict) and scoring.get("checker"):
            citations = raw.get("citations") or {}
            if isinstance(citations, dict) and "scorer" not in citations:
                return {**raw, "citations": {**citations, "scorer": "checker"}}
        return raw

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        self._check_server()
        self._check_providers()
        for name, alias in self.models.items():
            self._check_alias(name, alias)
            self._check_model(alias.fallback, f"models.{name}.fallback")
        self._check_retrievers()
        self._check_embedder(self.scoring.embedder, "scoring.embedder")
        if not _names_local_model(self.scoring.judge, "scoring.judge"):
            self._check_model(self.scoring.judge, "scoring.judge")
        _names_local_model(self.scoring.checker, "scoring.checker")
        self._check_required()
        self._check_store()
        return self

    def _check_server(self) -> None:
        server = self.server
        if is_malformed_address(server.host):
            raise ValueError(f"server.host {server.host} is not an IP address, which has four numbers of 0 to 255")
        if not (is_loopback(server.host) or server.keys or server.allow_anonymous):
            raise ValueError(
                f"server.host {server.host} is reachable from other machines: name client keys in server.keys, "
                "or set server.allow_anonymous: true"
            )
        check_distinct([key for key in server.keys if not key.file], server.link_secret)

    def _check_providers(self) -> None:
        if self.default_provider and self.default_provider not in self.providers:
            raise ValueError(
                f"default_provider {self.default_provider!r} is not among the providers"
                + suggestion(self.default_provider, self.providers)
            )
        for name, provider in self.providers.items():
            if not name or "/" in name:
                raise ValueError(f"providers.{name}: a provider's name must not be empty or hold a slash")
            if provider.pass_client_key and self.server.keys:
                raise ValueError(
                    f"providers.{name}.pass_client_key: with server.keys the client's key is the one for this server; "
                    "it must not go on to a provider"
                )
            self._check_model(provider.fallback, f"providers.{name}.fallback")

    def _check_retrievers(self) -> None:
        if self.default_retriever and self.default_retriever not in self.retrievers:
            raise ValueError(
                f"default_retriever {self.default_retriever!r} is not among the retrievers"
                + suggestion(self.default_retriever, self.retrievers)
            )
        for name, retriever in self.retrievers.items():
            self._check_model(retriever.rewrite, f"retrievers.{name}.rewrite")
            if retriever.embedder:
                self._check_embedder(retriever.embedder, f"retrievers.{name}.embedder")

    def _check_store(self) -> None:
        if self.store.url and self.references.file:
            raise ValueError("give only one of store.url and references.file")
        if self.store.url and self.server.public_url and not self.server.link_secret:
            raise ValueError("server.link_secret must be set, to the same value on all machines that share store.url")

    def _check_required(self) -> None:
        services = [f"providers.{name}" for name, provider in self.providers.items() if provider.kind != "extractive"]
        services += [*(f"retrievers.{name}" for name in self.retrievers), "references"]
        for name in self.readiness.required:
            if name not in services:
                raise ValueError(f"readiness.required: there is no service {name!r}{suggestion(name, services)}")

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


def _names_local_model(option: str, path: str) -> bool:
    """Return whether an option names a local model. Raise ValueError for an impossible name."""
    try:
        return option.startswith(ONNX) or find_checker(option) is not None
    except ProviderError as error:
        raise ValueError(f"{path}: {error.message}") from None


def find_loop(config: Config) -> str:
    """Return the name of a provider whose address is this server, which would cause an endless loop, or ""."""
    server = config.server
    local = is_loopback(server.host) or _is_unspecified(server.host)
    for name, provider in config.providers.items():
        address = urlsplit(provider.base_url)
        host = address.hostname or ""
        if address.port == server.port and (host == server.host or (local and is_loopback(host))):
            return name
    return ""


def _is_unspecified(host: str) -> bool:
    """Return whether a server with this host listens on all addresses of its machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:  # a host name
        return False
