"""Check what a configuration needs besides its file: packages, models, certificates, folders. Nothing is connected."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from citestream.providers.errors import ProviderError
from citestream.providers.transport import Transport

from .app import load_templates
from .config import Config, ConfigError
from .embedders import Embedders
from .http.application import import_tracing
from .http.serving.server import tls_context
from .judges import make_judge
from .model_routes import Routes
from .retrievers import Retrievers
from .scorers import Scorers
from .storage import RecentReferences


async def check_requirements(config: Config) -> dict[str, str]:
    """Return why retrievers cannot be used yet, by their path: the server starts without them.

    Raise ConfigError with one line for each requirement without which the server does not start, a provider fails at
    every request, or a scorer is replaced by another one. Nothing is connected, and no file is created.
    """
    errors = [message async for message in _errors(config)]
    if errors:
        raise ConfigError("\n".join(errors))
    embedders, routes = Embedders(config), Routes(config)
    retrievers = Retrievers(config, embedders, routes)
    try:
        return {f"retrievers.{name}": reason for name, reason in retrievers.open_all().items()}
    finally:
        await retrievers.aclose()
        await embedders.aclose()
        await routes.aclose()


async def _errors(config: Config) -> AsyncIterator[str]:
    """Yield a line for each requirement that is not met."""
    for check in (_check_templates, _check_tls, _check_traces, _check_references_file):
        try:
            check(config)
        except ConfigError as error:
            yield str(error)
    for path, ca_file in _ca_files(config):
        try:
            Transport().trust(ca_file)
        except ProviderError:
            yield f"{path}: {ca_file} is not a readable PEM file with certificates"
    for check_models in (_check_scorers, _check_store):
        try:
            await check_models(config)
        except ConfigError as error:
            yield str(error)


def _check_templates(config: Config) -> None:
    load_templates(config.evidence.prompt_files)


def _check_tls(config: Config) -> None:
    tls_context(config.server.tls)


def _check_traces(config: Config) -> None:
    if config.traces.endpoint:
        import_tracing()


def _check_references_file(config: Config) -> None:
    file = config.references.file
    if file and not os.access(Path(file).parent, os.W_OK):
        raise ConfigError(f"references.file: {Path(file).parent} is not a folder in which files can be created")


def _ca_files(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the files with certificate authorities, by their path in the configuration."""
    sections = {f"providers.{name}": section.ca_file for name, section in config.providers.items()}
    sections |= {f"retrievers.{name}": section.ca_file for name, section in config.retrievers.items()}
    sections["store"] = config.store.ca_file
    yield from ((f"{name}.ca_file", ca_file) for name, ca_file in sections.items() if ca_file)


async def _check_scorers(config: Config) -> None:
    routes = Routes(config)
    try:
        scorers = Scorers(config, judge=make_judge(config.scoring, routes))
        try:
            scorers.require_all()
        finally:
            await scorers.aclose()
    finally:
        await routes.aclose()


async def _check_store(config: Config) -> None:
    if not config.references.file:  # SQLite would create the file
        await RecentReferences(config.references, store=config.store).aclose()
