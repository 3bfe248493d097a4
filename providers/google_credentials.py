"""AccessTokens: for Vertex AI without a key, the machine's own Google credentials, by google-auth."""

import asyncio
from importlib import import_module
from typing import Any

from .errors import Unreachable

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class AccessTokens:
    """The token of the application default credentials, renewed when it expires (after an hour)."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._credentials: Any = None
        self._renewing = asyncio.Lock()

    async def current(self) -> str:
        """A valid token. Raises Unreachable where the machine has no credentials."""
        async with self._renewing:
            if self._credentials is None or not self._credentials.valid:
                await asyncio.to_thread(self._renew)  # google-auth blocks: files, metadata server, token server
            return str(self._credentials.token)

    def _renew(self) -> None:
        auth: Any = import_module("google.auth")
        transport: Any = import_module("google.auth.transport.requests")
        errors: Any = import_module("google.auth.exceptions")
        try:
            if self._credentials is None:
                self._credentials, _ = auth.default(scopes=[SCOPE])
            self._credentials.refresh(transport.Request())
        except errors.GoogleAuthError:
            raise Unreachable(
                "There are no usable Google credentials for Vertex AI; set api_key or GOOGLE_APPLICATION_CREDENTIALS.",
                code="provider_credentials",
            ) from None
