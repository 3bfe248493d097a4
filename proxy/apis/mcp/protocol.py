"""The messages of the Model Context Protocol, independent of their transport.

Clients of the revisions up to 2025-11-25 begin with `initialize`. Those of 2026-07-28 name the revision in each
request, and ask `server/discover` for what the server offers. No request depends on an earlier one in either case.
https://modelcontextprotocol.io/specification/2026-07-28
"""

from collections.abc import Mapping
from enum import IntEnum
from importlib.metadata import version
from typing import Any, Final

from ...app import App
from .tools import UnknownToolError, call_tool, tool_list

Fields = dict[str, Any]

HANDSHAKE_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS_VERSIONS: Final = ("2026-07-28",)
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

INSTRUCTIONS: Final = (
    "Call verify_citations before you show an answer that rests on documents: it says for each sentence whether the "
    "documents support it, and quotes the passage that says otherwise. cite adds numbered citations to a "
    "finished text. Both take passages, or search the indexed documents if none are given."
)


class Code(IntEnum):
    """Error codes of JSON-RPC and of the protocol."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    HEADER_MISMATCH = -32020
    UNSUPPORTED_VERSION = -32022


class ProtocolError(Exception):
    """A message that cannot be answered with a result."""

    def __init__(self, code: Code, message: str, data: Fields | None = None) -> None:
        """Create an error. `data`: its further fields."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_dict(self) -> Fields:
        """Return the error object of the reply."""
        return {"code": int(self.code), "message": self.message, **({"data": self.data} if self.data else {})}


class McpProtocol:
    """Replies to the messages of clients."""

    def __init__(self, app: App) -> None:
        """Use the retrievers and scorers of `app`."""
        self._app = app
        self._server = {"name": "citestream", "title": "Citestream", "version": version("citestream")}

    async def reply(self, message: object) -> Fields | None:
        """Return the reply to a message, None to a notification."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not _is_call(message):
            error = ProtocolError(Code.INVALID_REQUEST, "the message must be one JSON-RPC 2.0 request or notification")
            return {"jsonrpc": "2.0", "id": None, "error": error.as_dict()}
        if "id" not in message:
            return None
        reply: Fields = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            return reply | {"result": await self._result(message["method"], message.get("params"))}
        except ProtocolError as error:
            return reply | {"error": error.as_dict()}

    async def _result(self, method: str, params: object) -> Fields:
        if not isinstance(params, dict | None):
            raise ProtocolError(Code.INVALID_PARAMS, "params must be an object")
        params = params or {}
        is_stateless = is_stateless_request(params)
        if is_stateless:
            _check_envelope(params["_meta"])
        match method:
            case "server/discover":
                result = self._discovered()
            case "initialize" if not is_stateless:
                result = self._initialized(params)
            case "ping" if not is_stateless:
                result = {}
            case "tools/list":
                result = {"tools": tool_list(self._app)}
            case "tools/call":
                result = await self._called(params)
            case _:
                raise ProtocolError(Code.METHOD_NOT_FOUND, f"there is no method {method[:100]!r}")
        return self._stateless_result(method, result) if is_stateless else result

    def _initialized(self, params: Fields) -> Fields:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": self._server,
            "instructions": INSTRUCTIONS,
        }

    def _discovered(self) -> Fields:
        versions = [*STATELESS_VERSIONS, *HANDSHAKE_VERSIONS]
        return {"supportedVersions": versions, "capabilities": {"tools": {}}, "instructions": INSTRUCTIONS}

    async def _called(self, params: Fields) -> Fields:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            raise ProtocolError(Code.INVALID_PARAMS, "tools/call needs a name, and arguments that are an object")
        try:
            return await call_tool(self._app, name, arguments or {})
        except UnknownToolError as error:
            raise ProtocolError(Code.INVALID_PARAMS, str(error)) from None

    def _stateless_result(self, method: str, result: Fields) -> Fields:
        """Return a result in the form of 2026-07-28. Only a restart changes the tools."""
        cache = {} if method == "tools/call" else {"ttlMs": 60_000, "cacheScope": "private"}
        return {"resultType": "complete", **result, **cache, "_meta": {SERVER_KEY: self._server}}


def is_stateless_request(params: object) -> bool:
    """Return whether a request names its revision, as those of 2026-07-28 do."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def _is_call(message: Mapping[str, Any]) -> bool:
    valid_id = "id" not in message or (isinstance(message["id"], str | int) and not isinstance(message["id"], bool))
    return isinstance(message.get("method"), str) and valid_id


def _check_envelope(meta: Mapping[str, Any]) -> None:
    """Raise ProtocolError for another revision, or without the capabilities of the client."""
    requested = meta[VERSION_KEY]
    if not isinstance(requested, str):
        raise ProtocolError(Code.INVALID_PARAMS, f"_meta.{VERSION_KEY} must be a string")
    if requested not in STATELESS_VERSIONS:
        data = {"supported": [*STATELESS_VERSIONS, *HANDSHAKE_VERSIONS], "requested": requested}
        raise ProtocolError(Code.UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if CAPABILITIES_KEY not in meta:
        raise ProtocolError(Code.INVALID_PARAMS, f"_meta.{CAPABILITIES_KEY} is missing")
