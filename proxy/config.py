"""Configuration: a typed tree with every default in one place; YAML under it, environment variables over it.

`CITESTREAM_SERVER__PORT=9000` sets `server.port`; `${NAME}` in any text stands for a variable of the environment.
An unknown key is an error that names its path and what was probably meant.
"""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from citation.evidence import LABELS, MAX_CHARACTERS, MAX_EVIDENCE, FieldError
from citation.options import Options, parse_options

ENVIRONMENT = "CITESTREAM_"  # what the names of variables that set options begin with
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class ConfigError(ValueError):
    """The configuration is wrong; the message says where and what to do, a line each."""


class Section(BaseModel):
    """Frozen, and strict about its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ClientKey(Section):
    """A key that clients present as `Authorization: Bearer …`; one of the three ways to give it."""

    name: str = Field(default="", description="who it belongs to; shown in the access log")
    key: str = Field(default="", description="the key itself; better `${VARIABLE}` than in the file")
    file: str = Field(default="", description="a file that holds it")
    sha256: str = Field(default="", description="its SHA-256 in hex, so that the file gives nothing away")

    @model_validator(mode="after")
    def _one_way(self) -> "ClientKey":
        if sum(map(bool, (self.key, self.file, self.sha256))) != 1:
            raise ValueError("give exactly one of key, file and sha256")
        return self


class Tls(Section):
    """Certificate files for clients that come by https; both or none."""

    certificate: str = Field(default="", description="PEM file with the chain")
    private_key: str = Field(default="", description="PEM file with the key")


class Server(Section):
    """Where it listens, who may come in."""

    host: str = Field(default="127.0.0.1", description="address to listen on; beyond loopback it wants client keys")
    port: int = Field(default=8787, ge=0, le=65535, description="0 takes a free one")
    keys: tuple[ClientKey, ...] = Field(
        default=(), description="client keys; none: everyone who reaches the port may ask"
    )
    allow_anonymous: bool = Field(default=False, description="listen beyond loopback without client keys all the same")
    tls: Tls = Field(default_factory=Tls, description="serve https")
    max_body_bytes: int = Field(
        default=32 * 2**20, ge=1024, description="a request's body; images come in it as base64"
    )
    max_streams: int = Field(default=1000, ge=1, description="requests in flight; above it 503 with Retry-After")
    drain_seconds: float = Field(default=30.0, ge=0, description="how long running streams may finish after SIGTERM")
    keepalive_seconds: float = Field(
        default=15.0, gt=0, description="silence after which a stream shows a sign of life"
    )


class Timeouts(Section):
    """Seconds to wait for a provider."""

    connect: float = Field(default=10.0, gt=0, description="for the connection")
    first_token: float = Field(
        default=300.0, gt=0, description="for its answer to begin; a local model may have to load first"
    )
    idle: float = Field(default=120.0, gt=0, description="for the next piece of a stream")


class ProviderConfig(Section):
    """One provider."""

    kind: Literal["openai", "ollama", "gemini", "extractive"] = Field(description="which protocol it speaks")
    base_url: str = Field(default="", description="its address; empty: the vendor's own")
    api_key: str = Field(default="", description="its key; better `${VARIABLE}` than in the file")
    api_key_file: str = Field(default="", description="a file that holds the key")
    pass_client_key: bool = Field(default=False, description="send the client's own key instead, where it has one")
    headers: dict[str, str] = Field(default_factory=dict, description="headers to add to every request")
    api_version: str = Field(default="", description="Azure OpenAI: its api-version; Gemini: v1beta or v1")
    azure: bool = Field(default=False, description="base_url is an Azure OpenAI resource")
    vertex: bool = Field(default=False, description="base_url is a Vertex AI address up to and including the location")
    ca_file: str = Field(default="", description="PEM file with the certificate authority to trust")
    timeouts: Timeouts = Field(default_factory=Timeouts, description="seconds to wait for it")


class Alias(Section):
    """A name of its own for a model, with citation options of its own."""

    model: str = Field(description="provider/model")
    citations: dict[str, Any] = Field(default_factory=dict, description="options that differ from `citations`")


class PromptFiles(Section):
    """Files that replace the prompt's own templates; empty: the own one."""

    system: str = Field(default="", description="the rules")
    unmarked: str = Field(default="", description="the rules where markers would break the answer, as in JSON")
    evidence: str = Field(default="", description="what stands around the excerpts: $excerpts, and $nonce if wanted")


class EvidenceConfig(Section):
    """What evidence a request may bring and how the model is shown it."""

    limit: int = Field(default=MAX_EVIDENCE, ge=1, description="pieces a request may bring")
    max_characters: int = Field(default=MAX_CHARACTERS, ge=1, description="of all their texts together")
    max_tokens: int = Field(default=24_000, ge=100, description="of excerpts and prompt together; the rest is dropped")
    labels: dict[str, str] = Field(default_factory=lambda: dict(LABELS), description="what pages call each kind")
    prompt_files: PromptFiles = Field(
        default_factory=PromptFiles, description="files that replace the prompt's own templates"
    )


class Limits(Section):
    """What keeps one request from hurting the others."""

    held_characters: int = Field(default=2000, ge=100, description="of one sentence; longer ones leave in pieces")
    held_seconds: float = Field(default=20.0, gt=0, description="that a sentence may be held")
    total_seconds: float = Field(default=3600.0, gt=0, description="for a whole answer")


def _options(raw: Any) -> Options:
    return raw if isinstance(raw, Options) else parse_options(raw, Options())


class Config(Section):
    """Everything that can be set."""

    server: Server = Field(default_factory=Server, description="where it listens, who may come in")
    providers: dict[str, ProviderConfig] = Field(
        default_factory=dict, description="by the name that stands before the slash in `model`"
    )
    models: dict[str, Alias] = Field(default_factory=dict, description="names of your own for models")
    default_provider: str = Field(default="", description="the provider of a model named without one")
    citations: Annotated[Options, PlainValidator(_options)] = Field(
        default_factory=Options, description="what a request that says nothing gets"
    )
    evidence: EvidenceConfig = Field(default_factory=EvidenceConfig, description="what evidence a request may bring")
    limits: Limits = Field(default_factory=Limits, description="what keeps one request from hurting the others")

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        if self.server.host not in LOOPBACK and not self.server.keys and not self.server.allow_anonymous:
            raise ValueError(
                f"server.host {self.server.host} is reachable from other machines: name client keys in server.keys, "
                "or set server.allow_anonymous: true"
            )
        if self.default_provider and self.default_provider not in self.providers:
            raise ValueError(f"default_provider {self.default_provider!r} is not among the providers")
        return self


def load(path: str | None = None, environ: Mapping[str, str] = os.environ, **overrides: Any) -> Config:
    """The configuration of a file, the environment and the command line, in rising order. Raises ConfigError."""
    raw = _file(path, environ) if path else {}
    for name, value in environ.items():
        if name.startswith(ENVIRONMENT):
            _set(raw, name[len(ENVIRONMENT) :].lower().split("__"), yaml.safe_load(value))
    for name, value in overrides.items():
        if value is not None:
            _set(raw, ["server", name], value)
    if not raw.get("providers"):
        raw["providers"] = default_providers(environ)
    return parse(raw)


def parse(raw: Mapping[str, Any]) -> Config:
    """A configuration from plain data. Raises ConfigError that names every wrong key."""
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError("\n".join(_explained(problem, Config) for problem in error.errors())) from None


def default_providers(environ: Mapping[str, str] = os.environ) -> dict[str, dict[str, Any]]:
    """What is there without a configuration file; vendors whose key the environment holds."""
    providers: dict[str, dict[str, Any]] = {
        "extractive": {"kind": "extractive"},
        "ollama": {"kind": "ollama", "base_url": environ.get("OLLAMA_HOST", "")},
    }
    if key := environ.get("OPENAI_API_KEY"):
        providers["openai"] = {"kind": "openai", "api_key": key, "base_url": environ.get("OPENAI_BASE_URL", "")}
    if key := environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY"):
        base_url = environ.get("GOOGLE_GEMINI_BASE_URL", "")
        providers["gemini"] = {"kind": "gemini", "api_key": key, "base_url": base_url}
    return providers


def _file(path: str, environ: Mapping[str, str]) -> dict[str, Any]:
    try:
        raw = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {error}") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: must hold sections such as `server:`")
    filled: dict[str, Any] = _filled(raw, environ)
    return filled


def _filled(value: Any, environ: Mapping[str, str]) -> Any:
    """`${NAME}` replaced everywhere."""
    if isinstance(value, dict):
        return {key: _filled(item, environ) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, environ) for item in value]
    return re.sub(r"\$\{(\w+)\}", lambda name: _variable(name[1], environ), value) if isinstance(value, str) else value


def _variable(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise ConfigError(f"${{{name}}} is not set in the environment")
    return environ[name]


def _set(raw: dict[str, Any], path: list[str], value: Any) -> None:
    for key in path[:-1]:
        raw = raw.setdefault(key, {})
    raw[path[-1]] = value


def _explained(problem: Any, model: type[BaseModel]) -> str:
    """One line for one problem, with what was probably meant by an unknown key."""
    path = ".".join(str(part) for part in problem["loc"])
    cause = (problem.get("ctx") or {}).get("error")
    if isinstance(cause, FieldError):
        return str(cause)
    if problem["type"] != "extra_forbidden":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{path}: {message}" if path else message
    close = get_close_matches(str(problem["loc"][-1]), _keys(model, problem["loc"][:-1]), n=1)
    return f"{path}: there is no such option" + (f"; did you mean {close[0]}?" if close else "")


def _keys(model: Any, path: tuple[Any, ...]) -> list[str]:
    """The keys of the section at this path."""
    for part in path:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:
            model = field.annotation
        if not hasattr(model, "model_fields"):  # dict[str, Section], tuple[Section, ...]
            model = next((arg for arg in getattr(model, "__args__", ()) if hasattr(arg, "model_fields")), model)
    return list(getattr(model, "model_fields", {}))
