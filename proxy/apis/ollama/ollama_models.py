"""`GET /api/tags` and `GET /api/ps`: models with all fields that Ollama's API documents.

Strict clients require each of them. The values of an Ollama provider are passed on. Other providers do not report a
size, date or format, so these are 0, the epoch and empty. Their digest is the hash of the name, which is unique and
stays the same.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

from aiohttp import web

from citestream.providers.errors import ProviderError
from citestream.providers.events import RelayRequest
from citestream.providers.streaming.relay import read_json

from ...app import App
from ...http.encoding import json_response
from ...model_routes import Route
from ..models_endpoint import LIST_SECONDS, provider_models

Fields = dict[str, Any]

EPOCH = "1970-01-01T00:00:00Z"


async def tags(_request: web.Request, app: App) -> web.Response:
    """`GET /api/tags`: the aliases, then every model of every provider that can be reached."""
    lists = await asyncio.gather(*(_provider_entries(app, name) for name in app.config.providers))
    entries = {entry["name"]: entry for entry in chain.from_iterable(lists)}
    aliases = [_described_as(name, entries, app.routes.find(name)) for name in app.config.models]
    return json_response({"models": [*aliases, *entries.values()]})


async def running(_request: web.Request, app: App) -> web.Response:
    """`GET /api/ps`: the models that Ollama providers have loaded. Other providers have no such list."""
    lists = await asyncio.gather(*(_ollama_list(app, name, "/api/ps") for name in app.config.providers))
    return json_response({"models": list(chain.from_iterable(lists))})


def details(family: str) -> Fields:
    """Return the `details` of a model about which only its provider is known."""
    return {
        "parent_model": "",
        "format": "",
        "family": family,
        "families": [family],
        "parameter_size": "",
        "quantization_level": "",
    }


async def _provider_entries(app: App, name: str) -> list[Fields]:
    """Return the entries of a provider's models: those in the configuration, or those that it reports."""
    described = await _ollama_list(app, name, "/api/tags")
    if app.routes.provider(name).native == "ollama" and not app.config.providers[name].models:
        return sorted(described, key=itemgetter("name"))
    entries = {entry["name"]: entry for entry in described}
    return [_described_as(model, entries, app.routes.find(model)) for model in await provider_models(app, name)]


def _described_as(name: str, entries: Mapping[str, Fields], route: Route) -> Fields:
    """Return the entry of a route's model under this name. As in Ollama, a missing tag means `latest`."""
    model = f"{route.name}/{route.model}"
    entry = entries.get(model) or entries.get(f"{model}:latest") or _minimal_entry(name, route.name)
    return {**entry, "name": name, "model": name}


def _minimal_entry(name: str, provider: str) -> Fields:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return {
        "name": name,
        "model": name,
        "modified_at": EPOCH,
        "size": 0,
        "digest": digest,
        "details": details(provider),
    }


async def _ollama_list(app: App, name: str, path: str) -> list[Fields]:
    """Return the models that an Ollama provider lists at this path, with the provider's name before theirs.

    Return nothing for other providers, and if the provider fails or is slow.
    """
    provider = app.routes.provider(name)
    if provider.native != "ollama":
        return []
    try:
        async with asyncio.timeout(LIST_SECONDS):
            body = await read_json(await provider.relay(RelayRequest(b"", path)))
    except (ProviderError, TimeoutError):
        return []
    models = body.get("models")
    listed = [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []
    return [_complete(model, name) for model in listed if isinstance(model.get("name") or model.get("model"), str)]


def _complete(model: Mapping[str, Any], provider: str) -> Fields:
    """Return a model of an Ollama provider as clients address it here. Fields that it lacks get their defaults."""
    name = f"{provider}/{model.get('name') or model['model']}"
    reported = model.get("details")
    stated = {key: value for key, value in model.items() if value is not None}
    described = {"details": {**details(provider), **(reported if isinstance(reported, dict) else {})}}
    return {**_minimal_entry(name, provider), **stated, **described, "name": name, "model": name}
