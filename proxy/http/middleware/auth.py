"""Client keys, compared as hashes in constant time. A wrong key and a missing key get the same answer."""

import hmac
import secrets
from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from citestream.providers.cache_owner import CACHE_OWNER

from ...config import ClientKey, Server, check_distinct, hash_key
from ...observability.logs import CLIENT, PASSAGE_PREFIX, TENANT
from ...pipeline.deciding.work_budget import CLIENT as CLIENT_OF_WORK
from ..error_responses import RequestError

# The playground page, which asks for a key itself; the description of the API; the health checks.
OPEN_PATHS = frozenset({"/", "/healthz", "/openapi.yaml", "/readyz"})
PAGE_PREFIX = "/playground/"  # the files of the playground page
COMPONENT_PREFIX = "/component/"  # the files of the web components
ANONYMOUS = ""  # the name of every client if no keys are configured
KEY_HEADERS = ("x-api-key", "x-goog-api-key", "api-key")  # besides Authorization
KEY_BYTES = 32  # random bytes of a generated key: enough that a plain hash cannot be inverted
KEY_PREFIX = "ck-"  # identifies a key to people and to scanners for leaked keys


class Keys:
    """The configured keys, as hashes. Without any, every client is admitted."""

    def __init__(self, keys: Sequence[ClientKey], *, passing: bool = False) -> None:
        """Raise ConfigError if a key is given twice or its file cannot be read.

        `passing`: clients' keys are forwarded to providers.
        """
        check_distinct(keys)
        self._passing = passing
        self._names = {key.digest(): key.name or f"key {number}" for number, key in enumerate(keys, 1)}

    def name_of(self, key: str) -> str | None:
        """Return the name of a key; None if it is unknown. All keys are compared: the duration reveals nothing."""
        if not self._names:
            return ANONYMOUS
        digest = hash_key(key)
        matched = None
        for key_hash, name in self._names.items():
            if hmac.compare_digest(key_hash, digest):
                matched = name
        return matched

    def tenant_of(self, key: str) -> str:
        """Return what separates clients: the hash of the key, since names may repeat, or ANONYMOUS."""
        return hash_key(key) if key and (self._names or self._passing) else ANONYMOUS


def tenants_of(server: Server) -> list[str]:
    """Return the tenants of the configured keys, each once."""
    return list(dict.fromkeys(key.digest() for key in server.keys))


def require_client_key(keys: Keys) -> Middleware:
    """Return the middleware that refuses requests without a valid client key, if any are configured."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = presented_key(request)
        name = keys.name_of(key)
        if name is None and not is_open(request.path):
            raise RequestError(401, "a valid client key is required", code="invalid_api_key")
        request[CLIENT] = name or ""
        request[TENANT] = keys.tenant_of(key)
        CLIENT_OF_WORK.set(request[TENANT])
        token = CACHE_OWNER.set(request[TENANT])
        try:
            return await handler(request)
        finally:
            CACHE_OWNER.reset(token)

    return check


def is_open(path: str) -> bool:
    """Return whether a path needs no key. The links to pages of passages are signed."""
    return path in OPEN_PATHS or path.startswith((PAGE_PREFIX, COMPONENT_PREFIX, PASSAGE_PREFIX))


def presented_key(request: web.Request) -> str:
    """Return the key of a request, from the headers of OpenAI's, Ollama's, Google's and Anthropic's clients."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return next((key for name in KEY_HEADERS if (key := request.headers.get(name))), "")


def new_key() -> str:
    """Return a new random key."""
    return f"{KEY_PREFIX}{secrets.token_urlsafe(KEY_BYTES)}"
