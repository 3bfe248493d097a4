"""Client keys: who may come in. Compared as hashes in constant time; a wrong key and none get the same answer."""

import hashlib
import hmac
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from .config import ClientKey, ConfigError

OPEN_PATHS = frozenset({"/healthz", "/readyz"})  # what a load balancer asks without a key


class Keys:
    """The keys of the configuration, as hashes; without any, everyone may come in."""

    def __init__(self, keys: Sequence[ClientKey]) -> None:
        """Raises ConfigError for a file that cannot be read."""
        self._names = {_digest_of(key): key.name or f"key {number}" for number, key in enumerate(keys, 1)}

    def admits(self, request: web.Request) -> bool:
        """Whether this request may be answered."""
        return not self._names or request.path in OPEN_PATHS or self.name_of(presented(request)) is not None

    def name_of(self, key: str) -> str | None:
        """Whose key this is. Looks at all of them, so that the time taken tells nothing."""
        digest = _sha256(key)
        found = None
        for known, name in self._names.items():
            if hmac.compare_digest(known, digest):
                found = name
        return found


def presented(request: web.Request) -> str:
    """The key a client sent, where OpenAI's, Ollama's and Google's clients put it."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return request.headers.get("x-goog-api-key") or request.headers.get("api-key") or ""


def _digest_of(key: ClientKey) -> str:
    if key.sha256:
        return key.sha256.strip().lower()
    if not key.file:
        return _sha256(key.key)
    try:
        return _sha256(Path(key.file).read_text(encoding="utf-8").strip())
    except OSError as error:
        raise ConfigError(f"server.keys: {key.file}: {error.strerror}") from None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
