"""AccessTokens: the Google credentials of this machine, for Vertex AI without a key."""

import asyncio
from importlib import import_module
from typing import Any

from .errors import Unreachable

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class AccessTokens:
    """The token of the application default credentials. It is renewed when it expires, after an hour."""

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._credentials: Any = None
        self._renewing = asyncio.Lock()

    async def current(self) -> str:
        """Return a valid token. Raises Unreachable if the machine has no credentials."""
        async with self._renewing:
            if self._credentials is None or not self._credentials.valid:
                await asyncio.to_thread(self._renew)  # google-auth blocks on files and on servers
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
