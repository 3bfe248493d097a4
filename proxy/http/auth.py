"""Client keys: who may come in. Compared as hashes in constant time; a wrong key and none get the same answer."""

import hmac
import secrets
from collections.abc import Sequence

from aiohttp import web

from ..config import ClientKey, hash_key

# The page, which asks for a key itself; what the API is; what a load balancer asks.
OPEN_PATHS = frozenset({"/", "/healthz", "/openapi.yaml", "/readyz"})
PAGE_PREFIX = "/playground/"  # what the page loads
ANONYMOUS = ""  # the name of a client where no keys are asked for
KEY_BYTES = 32  # of chance in a key that we make: with these, a plain hash cannot be turned back
KEY_PREFIX = "ck-"  # tells a person, and whoever scans for leaked keys, what it is


class Keys:
    """The keys of the configuration, as hashes; without any, everyone may come in."""

    def __init__(self, keys: Sequence[ClientKey], *, passing: bool = False) -> None:
        """`passing`: whether providers are asked with clients' own keys. Raises ConfigError for an unreadable file."""
        self._passing = passing
        self._names = {key.digest(): key.name or f"key {number}" for number, key in enumerate(keys, 1)}

    def name_of(self, key: str) -> str | None:
        """Whose key this is; None: nobody's. Looks at all of them, so that the time taken tells nothing."""
        if not self._names:
            return ANONYMOUS
        digest = hash_key(key)
        found = None
        for known, name in self._names.items():
            if hmac.compare_digest(known, digest):
                found = name
        return found

    def tenant_of(self, key: str) -> str:
        """By what clients are kept apart: the key's hash, since names may be given twice; ANONYMOUS: they are not."""
        return hash_key(key) if key and (self._names or self._passing) else ANONYMOUS


def is_open(path: str) -> bool:
    """Whether everybody may have what is there: nothing of anybody's."""
    return path in OPEN_PATHS or path.startswith(PAGE_PREFIX)


def presented(request: web.Request) -> str:
    """The key a client sent, where OpenAI's, Ollama's and Google's clients put it."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return request.headers.get("x-goog-api-key") or request.headers.get("api-key") or ""


def new_key() -> str:
    """A key that nobody can guess."""
    return f"{KEY_PREFIX}{secrets.token_urlsafe(KEY_BYTES)}"
