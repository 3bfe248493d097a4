"""Routes: from the `model` of a request to a provider, its own name for the model, and the citation options."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from functools import partial

from citestream.citation.options import Options, parse_options
from citestream.providers import provider
from citestream.providers.events import ChatRequest, Event, Provider
from citestream.providers.transport import Retries, Timeouts, Transport

from .config import Config, ProviderConfig
from .http.error_responses import RequestError
from .observability.readiness import Check
from .observability.telemetry import CallTarget, Telemetry

# Of a provider's configuration, what `providers.settings` knows by the same name.
SETTINGS = {"base_url", "headers", "api_version", "azure", "responses", "vertex", "ca_file"}


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes."""

    name: str  # of the provider
    provider: Provider
    model: str  # as the provider names it
    options: Options
    passes_key: bool = False  # whether the client's own key goes on to it
    vendor: str = ""  # as OpenTelemetry names it
    address: str = ""
    telemetry: Telemetry = field(default_factory=Telemetry)

    def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Ask the provider, watched. As `Provider.stream`."""
        return self.telemetry.observe_call(self.target, request, self.provider.stream(request))

    @property
    def target(self) -> CallTarget:
        """Whom a call goes to."""
        return CallTarget(self.name, self.model, self.vendor, self.address)


class Routes:
    """The providers of a configuration, each made at its first use, since importing one can take a second."""

    def __init__(self, config: Config, telemetry: Telemetry | None = None) -> None:
        """Nothing is connected yet."""
        self._config = config
        self._telemetry = telemetry or Telemetry()
        self._providers: dict[str, Provider] = {}
        self._transport: Transport | None = None  # one pool of connections for all of them

    def find(self, model: str) -> Route:
        """The route of a model. Raises RequestError 404 that lists what exists."""
        alias = self._config.models.get(model)
        options = self._config.citations
        if alias is not None:
            options = parse_options(alias.citations, options, f"models.{model}.citations")
            model = alias.model
        name, _, rest = model.partition("/")
        if name not in self._config.providers and self._config.default_provider:
            name, rest = self._config.default_provider, model
        if name in self._config.providers:
            told = self._config.providers[name]
            return Route(
                name,
                self.provider(name),
                rest or name,
                options,
                told.pass_client_key,
                _vendor(told),
                told.base_url,
                self._telemetry,
            )
        raise RequestError(
            404, f"the model {model!r} does not exist; {self._known()}", param="model", code="model_not_found"
        )

    def chain(self, model: str) -> tuple[str, ...]:
        """This model, then those that are asked in turn where the one before cannot answer; each once."""
        names = [model]
        while (other := self._fallback(names[-1])) and other not in names:
            names.append(other)
        return tuple(names)

    def provider(self, name: str) -> Provider:
        """The provider of that name."""
        if name not in self._providers:
            self._providers[name] = self._made(self._config.providers[name])
        return self._providers[name]

    def checks(self) -> dict[str, Check]:
        """Whether each provider that is somewhere else can be reached now."""
        return {
            name: partial(self._reach, name)
            for name, config in self._config.providers.items()
            if config.kind != "extractive"
        }

    async def aclose(self) -> None:
        """Let go of all connections."""
        for known in self._providers.values():
            await known.aclose()
        if self._transport:
            await self._transport.aclose()

    async def _reach(self, name: str) -> None:
        await self.provider(name).reach()

    def _made(self, config: ProviderConfig) -> Provider:
        if config.kind == "extractive":
            return provider(config.kind)
        self._transport = self._transport or Transport()
        settings = config.model_dump(include=SETTINGS) | {"api_key": config.secret()}
        settings["max_event_bytes"] = self._config.limits.event_bytes
        settings["max_answer_bytes"] = self._config.limits.answer_bytes
        settings["timeouts"] = Timeouts(**config.timeouts.model_dump())
        settings["retries"] = Retries(**config.retries.model_dump())
        return provider(config.kind, transport=self._transport, **settings)

    def _fallback(self, model: str) -> str:
        """The model that an alias names, or else its provider."""
        alias = self._config.models.get(model)
        if alias and alias.fallback:
            return alias.fallback
        name = (alias.model if alias else model).partition("/")[0]
        provider = self._config.providers.get(name) or self._config.providers.get(self._config.default_provider)
        return provider.fallback if provider else ""

    def _known(self) -> str:
        names = [f"{name}/…" for name, settings in self._config.providers.items() if settings.kind != "extractive"]
        plain = [name for name, settings in self._config.providers.items() if settings.kind == "extractive"]
        return "there are: " + ", ".join([*self._config.models, *plain, *names])


def _vendor(config: ProviderConfig) -> str:
    """By OpenTelemetry's conventions, which take a server that speaks OpenAI's API for OpenAI; its address tells."""
    if config.azure:
        return "azure.ai.openai"
    if config.kind == "gemini":
        return "gcp.vertex_ai" if config.vertex else "gcp.gemini"
    return config.kind
