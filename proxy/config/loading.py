"""Load the configuration from a YAML file, environment variables and the command line, in this order."""

import os
import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

import yaml
from pydantic import ValidationError

from .client_keys import check_distinct
from .schema import Config
from .service_options import STORE
from .validation_errors import ConfigError, annotation_at, format_path, format_problem

ENVIRONMENT = "CITESTREAM_"  # prefix of variables that set options
FILE_VARIABLE = "CITESTREAM_CONFIG"  # path of the file, unless the command line names one
SHORT_NAMES = {"CITESTREAM_JUDGE": "CITESTREAM_SCORING__JUDGE"}

# Variables that Kubernetes sets for a service named citestream, as NAME=value. They are ignored.
_KUBERNETES = re.compile(r"CITESTREAM_(SERVICE_(HOST|PORT)(_\w+)?=|PORT_\d+_(TCP|UDP)(_\w+)?=|PORT=\w+://).*")
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_NAMES = ("default_provider", "default_retriever")  # texts: unlike a section, they must not be null
_KINDS = ("openai", "ollama", "gemini", "anthropic", "extractive")

Raw = dict[str, Any]


def load(
    path: str | None = None, environ: Mapping[str, str] = os.environ, *, judge: str | None = None, **overrides: Any
) -> Config:
    """Return the configuration of a file, the environment and the command line.

    `judge`: as `scoring.judge`. `overrides`: options of `server`.

    All secrets are read once, so that a missing one fails now and not at the first request. Raise ConfigError if the
    configuration is invalid.
    """
    raw = _read_file(path, environ) if path else {}
    if not raw.get("providers"):
        raw["providers"] = default_providers(environ)
        raw["default_provider"] = raw.get("default_provider") or default_provider(raw["providers"])
    if not raw.get("retrievers") and not raw.get("default_retriever") and Path(STORE).is_file():
        raw |= {"retrievers": {"folder": {"kind": "folder"}}, "default_retriever": "folder"}
    sources: dict[str, str] = {}
    for name, value in environ.items():
        if name.startswith(ENVIRONMENT) and name != FILE_VARIABLE and not _KUBERNETES.fullmatch(f"{name}={value}"):
            option = SHORT_NAMES.get(name, name)[len(ENVIRONMENT) :].lower().split("__")
            _set(raw, option, _parse_variable(name, value, option))
            sources[format_path(option)] = name
    for name, value in overrides.items():
        if value is not None:
            _set(raw, ["server", name], value)
    if judge is not None:
        _set(raw, ["scoring", "judge"], judge)
    config = parse(raw, sources)
    _read_secrets(config, environ)
    return config


def parse(raw: Mapping[str, Any], sources: Mapping[str, str] | None = None) -> Config:
    """Return the configuration for plain data. Raise ConfigError with all invalid keys.

    `sources` maps the path of an option to the environment variable that set it. It is used in error messages.
    """
    try:
        return Config.model_validate(_with_kinds(raw))
    except ValidationError as error:
        lines = [format_problem(problem, Config) for problem in error.errors()]
        raise ConfigError("\n".join(_with_source(line, sources or {}) for line in lines)) from None


def _with_source(line: str, sources: Mapping[str, str]) -> str:
    source = sources.get(line.partition(": ")[0])
    return f"{line} (from {source})" if source else line


def default_providers(environ: Mapping[str, str] = os.environ) -> dict[str, Raw]:
    """Return the providers for an empty configuration: local ones, and vendors with an API key in the environment."""
    providers: dict[str, Raw] = {
        "extractive": {"kind": "extractive"},
        "ollama": {"kind": "ollama", "base_url": environ.get("OLLAMA_HOST", "")},
    }
    if key := environ.get("OPENAI_API_KEY"):
        providers["openai"] = {"kind": "openai", "api_key": key, "base_url": environ.get("OPENAI_BASE_URL", "")}
    if key := environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY"):
        base_url = environ.get("GOOGLE_GEMINI_BASE_URL", "")
        providers["gemini"] = {"kind": "gemini", "api_key": key, "base_url": base_url}
    if key := environ.get("ANTHROPIC_API_KEY"):
        base_url = environ.get("ANTHROPIC_BASE_URL", "")
        providers["anthropic"] = {"kind": "anthropic", "api_key": key, "base_url": base_url}
    return providers


def default_provider(providers: Mapping[str, Raw]) -> str:
    """Return the provider for model names without a provider, such as `gpt-4.1`, or ""."""
    return next((name for name in ("openai", "gemini", "anthropic") if name in providers), "")


def _read_file(path: str, environ: Mapping[str, str]) -> Raw:
    try:
        raw = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)  # noqa: S506 # nosec B506 # a SafeLoader
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{path} is not YAML: {_describe(error)}") from None
    except ValueError:  # an invalid date: 2024-13-01
        raise ConfigError(f"{path} is not YAML: a value looks like a date but is not valid; put it in quotes") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: must contain sections such as `server:`")
    result: Raw = _substitute(raw, environ, ())
    return result


class _Loader(yaml.SafeLoader):
    """A SafeLoader that rejects duplicate keys and references, which could form loops."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[object] = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, f"{key.value} is given twice", key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return super().construct_mapping(node, deep)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "references (*name) are not supported", mark)
        return super().compose_node(parent, index)


def _describe(error: Exception) -> str:
    """Return a YAML error without the quoted part of the file, which may contain an API key."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return "it cannot be read"
    return f"line {error.problem_mark.line + 1}: {error.problem}"


def _substitute(value: Any, environ: Mapping[str, str], path: tuple[str | int, ...]) -> Any:
    """Return a value with `${NAME}` replaced by environment variables, and `$${` by `${`."""
    if isinstance(value, dict):
        return {str(key): _substitute(item, environ, (*path, str(key))) for key, item in value.items()}
    if isinstance(value, list):
        return [_substitute(item, environ, (*path, position)) for position, item in enumerate(value)]
    if not isinstance(value, str):
        return value
    plain = [_VARIABLE.sub(lambda name: _variable(name, environ, path), part) for part in value.split("$${")]
    return "${".join(plain)


def _variable(name: re.Match[str], environ: Mapping[str, str], path: tuple[str | int, ...]) -> str:
    content = environ.get(name[1])
    if content is None and name[2] is None:
        raise ConfigError(f"{format_path(path)}: ${{{name[1]}}} is not set in the environment")
    return content or name[2] or ""


def _parse_variable(name: str, value: str, option: list[str]) -> Any:
    """Return the value of an environment variable: as it is for text options, parsed as YAML for others."""
    kind = annotation_at(Config, tuple(option))
    if kind is str or get_origin(kind) is Literal:
        return value
    try:
        return yaml.load(value, _Loader)  # noqa: S506 # nosec B506 # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ConfigError(f"{name} is not YAML, such as `true`, `5` or `[a, b]`") from None


def _set(raw: Raw, path: list[str], value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(raw.get(key), dict):
            raw[key] = {}
        raw = raw[key]
    raw[path[-1]] = value


def _with_kinds(raw: Mapping[str, Any]) -> Raw:
    """Return the data with empty sections (`server:`) as mappings, and with the kinds of providers named like one."""
    completed = {str(key): {} if value is None and key not in _NAMES else value for key, value in raw.items()}
    providers = completed.get("providers")
    if isinstance(providers, dict):
        completed["providers"] = {name: _with_kind(name, provider) for name, provider in providers.items()}
    return completed


def _with_kind(name: object, provider: Any) -> Any:
    provider = {} if provider is None else provider
    if isinstance(provider, dict) and "kind" not in provider and name in _KINDS:
        return {"kind": name, **provider}
    return provider


def _read_secrets(config: Config, environ: Mapping[str, str]) -> None:
    for name, provider in config.providers.items():
        try:
            provider.secret(environ)
        except ConfigError as error:
            raise ConfigError(f"providers.{name}: {error}") from None
    for name, retriever in config.retrievers.items():
        try:
            retriever.secret(environ)
        except ConfigError as error:
            raise ConfigError(f"retrievers.{name}: {error}") from None
    try:
        config.store.secret(environ)
    except ConfigError as error:
        raise ConfigError(f"store: {error}") from None
    for position, key in enumerate(config.server.keys):
        try:
            key.digest()
        except ConfigError as error:
            raise ConfigError(f"server.keys[{position}]: {error}") from None
    check_distinct(config.server.keys, config.server.link_secret)
