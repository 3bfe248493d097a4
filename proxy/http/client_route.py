"""The route of a client's request: the provider and model, and what the provider receives of the client."""

from dataclasses import replace

from aiohttp import web

from ..app import App
from ..model_routes import Route
from .middleware.auth import presented_key

# Headers of clients that servers of this API read.
PASSED_HEADERS = {"anthropic": ("anthropic-version", "anthropic-beta")}
# Headers that select one of the accounts of a key. They are passed on together with the client's own key only: with the
# operator's key, a client could select who pays.
ACCOUNT_HEADERS = {"openai": ("openai-organization", "openai-project")}
STABLE = "v1"  # the version of Gemini's API besides the beta, which is the default


def client_route(request: web.Request, app: App, model: str, api: str = "", *, fallback_of: str = "") -> Route:
    """Return the route of a model for this request, with the client's key if the provider gets it.

    The key belongs to the provider that the client asked. A fallback at another provider does not get it, nor the
    headers of its account. `api`: see `Routes.find`. `fallback_of`: the model that the client named, if this is a
    fallback. Raise RequestError for an unknown model.
    """
    route = app.routes.find(model, api)
    gets_key = route.passes_key and (not fallback_of or app.routes.find(fallback_of, api).name == route.name)
    key = presented_key(request) if gets_key else ""
    native = route.provider.native
    names = [*PASSED_HEADERS.get(native, ()), *(ACCOUNT_HEADERS.get(native, ()) if key else ())]
    headers = {name: value for name in names if (value := request.headers.get(name, "")) and value.isascii()}
    version = STABLE if native == "gemini" and request.path.startswith(f"/{STABLE}/") else ""
    return replace(route, key=key or None, headers=headers, version=version)
