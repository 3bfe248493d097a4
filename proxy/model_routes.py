"""Routes: find the provider for the `model` of a request, its name for that model, and the citation options."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from citestream.citation.options import Options, parse_options
from citestream.providers import provider
from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Embedded, Event, Provider, Relayed, RelayRequest
from citestream.providers.transport import Retries, Timeouts, Transport

from .config import Config, ProviderConfig
from .http.error_responses import RequestError
from .missing_models import missing_model
from .observability.readiness import Check
from .observability.telemetry import CallTarget, Telemetry

# The options of a provider's configuration that `providers.settings` has under the same name.
SETTINGS = {"base_url", "headers", "api_version", "azure", "responses", "vertex", "ca_file"}
# How the names of a vendor's own models begin. Its clients name them without a provider.
MODEL_PREFIXES = {"anthropic": "claude-", "gemini": "gemini-", "interactions": "gemini-"}
KINDS = {"interactions": "gemini"}  # the kind of provider whose clients have an API of another name


@dataclass(frozen=True, slots=True)
class Route:
    """The provider and model that a request is sent to."""

    name: str  # the provider's
    provider: Provider
    model: str  # as the provider names it
    options: Options
    passes_key: bool = False  # whether the client's key is forwarded
    vendor: str = ""  # in OpenTelemetry's conventions
    address: str = ""
    telemetry: Telemetry = field(default_factory=Telemetry)
    key: str | None = field(default=None, repr=False)  # the client's own, if it is forwarded
    version: str = ""  # the version of Gemini's API in the client's address, if it is not the default
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # those of the client that are forwarded
    received_headers: dict[str, str] = field(default_factory=dict)  # headers of the provider's answer, for the client

    def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream an answer of the provider, observed by telemetry; see `Provider.stream`."""
        request = replace(request, key=self.key, headers=self.headers, received_headers=self.received_headers)
        return self.telemetry.observe_call(self.target, request, self.provider.stream(request))

    async def relay(self, body: bytes, path: str, choices: int = 1, *, method: str = "POST") -> Relayed:
        """Pass a request and its answer through unchanged, observed by telemetry; see `Provider.relay`."""
        request = RelayRequest(body, path, self.model, self.key, self.headers, choices, method, self.version)
        try:
            return await self.telemetry.observe_relayed(self.target, self.provider.relay(request))
        except ProviderError as error:
            error.passes_body = True
            raise

    async def describe(self) -> dict[str, Any]:
        """Return the provider's description of the model; see `Provider.describe`."""
        return await self.provider.describe(self.model, key=self.key)

    async def embeddings(self, texts: Sequence[str], dimensions: int | None = None) -> Embedded:
        """Return embeddings of texts; see `Provider.embeddings`."""
        return await self.provider.embeddings(texts, model=self.model, dimensions=dimensions, key=self.key)

    @property
    def target(self) -> CallTarget:
        """Return the target of a call, for telemetry."""
        return CallTarget(self.name, self.model, self.vendor, self.address)


class Routes:
    """The providers of a configuration. Each is created at first use, since importing one can take a second."""

    def __init__(self, config: Config, telemetry: Telemetry | None = None) -> None:
        """Connect to nothing yet."""
        self._config = config
        self._telemetry = telemetry or Telemetry()
        self._providers: dict[str, Provider] = {}
        self._transport: Transport | None = None  # one connection pool for all providers

    def find(self, model: str, api: str = "") -> Route:
        """Return the route of a model. Raise RequestError 404, which lists the known models, if there is none.

        `api`: of the client, if the client named the model; see `Provider.native`.
        """
        model = self._with_provider(model, api)
        alias = self._config.models.get(model)
        options = self._config.citations
        if alias is not None:
            options = parse_options(alias.citations, options, f"models.{model}.citations")
            model = alias.model
        name, _, model_name = model.partition("/")
        if name not in self._config.providers and self._config.default_provider:
            name, model_name = self._config.default_provider, model
        if name in self._config.providers:
            config = self._config.providers[name]
            return Route(
                name,
                self.provider(name),
                model_name or name,
                options,
                config.pass_client_key,
                _vendor(config),
                config.base_url,
                self._telemetry,
            )
        raise RequestError(
            404,
            missing_model(model, self._config),
            param="model",
            code="model_not_found",
        )

    def chain(self, model: str, api: str = "") -> tuple[str, ...]:
        """Return this model and its fallbacks in order, each of them once. `api`: of the client.

        Without a model, the first provider with this API knows it. Raise RequestError if there is none.
        """
        if not model:
            return (f"{self._first_with_api(api)}/",)
        names = [self._with_provider(model, api)]
        while (fallback := self._fallback(names[-1])) and fallback not in names:
            names.append(fallback)
        return tuple(names)

    def with_api(self, api: str) -> list[str]:
        """Return the names of the providers that have this API, the default one first."""
        names = [name for name, provider in self._config.providers.items() if provider.kind == api]
        return sorted(names, key=lambda name: name != self._config.default_provider)

    def provider(self, name: str) -> Provider:
        """Return the provider of that name."""
        if name not in self._providers:
            self._providers[name] = self._create(self._config.providers[name])
        return self._providers[name]

    def open_all(self) -> None:
        """Create all providers, which imports their modules. One whose settings are wrong fails when it is asked."""
        for name in self._config.providers:
            with suppress(ProviderError, ValueError):
                self.provider(name)

    def checks(self) -> dict[str, Check]:
        """Return the readiness check of each external provider."""
        return {
            name: partial(self._reach, name)
            for name, config in self._config.providers.items()
            if config.kind != "extractive"
        }

    async def aclose(self) -> None:
        """Close all connections."""
        for created in self._providers.values():
            await created.aclose()
        if self._transport:
            await self._transport.aclose()

    async def _reach(self, name: str) -> None:
        await self.provider(name).reach()

    def _create(self, config: ProviderConfig) -> Provider:
        if config.kind == "extractive":
            return provider(config.kind)
        self._transport = self._transport or Transport()
        settings = config.model_dump(include=SETTINGS) | {"api_key": config.secret()}
        settings["max_event_bytes"] = self._config.limits.event_bytes
        settings["max_answer_bytes"] = self._config.limits.answer_bytes
        settings["timeouts"] = Timeouts(**config.timeouts.model_dump())
        settings["retries"] = Retries(**config.retries.model_dump())
        return provider(config.kind, transport=self._transport, **settings)

    def _with_provider(self, model: str, api: str) -> str:
        """Return a name without a slash with the first provider of the client's API, if it is one of its models."""
        config, prefix = self._config, MODEL_PREFIXES.get(api)
        if "/" in model or model in config.models or model in config.providers:
            return model
        if prefix is None or not model.startswith(prefix):
            return model
        kind = KINDS.get(api, api)
        of_client = next((name for name, provider in config.providers.items() if provider.kind == kind), "")
        return f"{of_client}/{model}" if of_client else model

    def _first_with_api(self, api: str) -> str:
        names = self.with_api(api)
        if not names:
            raise RequestError(400, "model: is missing, and there is no provider that could know it", param="model")
        return names[0]

    def _fallback(self, model: str) -> str:
        """Return the fallback of an alias, or else that of its provider."""
        alias = self._config.models.get(model)
        if alias and alias.fallback:
            return alias.fallback
        name = (alias.model if alias else model).partition("/")[0]
        provider = self._config.providers.get(name) or self._config.providers.get(self._config.default_provider)
        return provider.fallback if provider else ""


def _vendor(config: ProviderConfig) -> str:
    """Return OpenTelemetry's name of a vendor. Every server with OpenAI's API counts as OpenAI."""
    if config.azure:
        return "azure.ai.openai"
    if config.kind == "gemini":
        return "gcp.vertex_ai" if config.vertex else "gcp.gemini"
    return config.kind
