"""`POST /mcp`: the Model Context Protocol over streamable HTTP. Each request is answered with one JSON object."""

from typing import Any, Final

from aiohttp import web

from ...app import App
from ...http.encoding import json_response, json_response_in_steps
from ...http.request_body import hold, read_json
from .protocol import (
    HANDSHAKE_VERSIONS,
    STATELESS_VERSIONS,
    VERSION_KEY,
    Code,
    McpProtocol,
    ProtocolError,
    is_stateless_request,
)

Fields = dict[str, Any]

VERSION_HEADER: Final = "MCP-Protocol-Version"
# Of the revision 2026-07-28, whose clients expect a status for each kind of error. Earlier ones expect 200.
_STATUS: Final = {Code.METHOD_NOT_FOUND: 404, Code.INTERNAL_ERROR: 200}
_ERRORS: Final = {"invalid_json": Code.PARSE_ERROR, "internal_error": Code.INTERNAL_ERROR}


async def receive(request: web.Request, app: App) -> web.Response:
    """Answer a message: 202 without a body to a notification."""
    message = await read_json(request)
    is_stateless = is_stateless_request(message.get("params"))
    try:
        _check_headers(request, message, is_stateless=is_stateless)
    except ProtocolError as error:
        return json_response({"jsonrpc": "2.0", "id": message.get("id"), "error": error.as_dict()}, 400)
    reply = await McpProtocol(app).reply(message)
    if reply is None:
        return web.Response(status=202)
    if failure := reply.get("error"):
        is_invalid = reply["id"] is None
        return json_response(reply, _STATUS.get(failure["code"], 400) if is_stateless or is_invalid else 200)
    hold(request, reply)
    return await json_response_in_steps(reply)


def error_body(error: Fields, status: int) -> Fields:
    """Return an error that is not about a message, such as a missing key, in the form of JSON-RPC."""
    details = error["error"]
    code = _ERRORS.get(details["code"], Code.INVALID_REQUEST if status < 500 else Code.INTERNAL_ERROR)
    return {"jsonrpc": "2.0", "id": None, "error": {"code": int(code), "message": details["message"]}}


def _check_headers(request: web.Request, message: Fields, *, is_stateless: bool) -> None:
    """Raise ProtocolError if a header contradicts the message: a proxy may decide by the header."""
    version = request.headers.get(VERSION_HEADER)
    if not is_stateless:
        if version is not None and version not in (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS):
            raise ProtocolError(Code.INVALID_REQUEST, f"{VERSION_HEADER} names an unknown revision")
        return
    params = message["params"]
    expected = {VERSION_HEADER: params["_meta"][VERSION_KEY], "Mcp-Method": message.get("method")}
    if message.get("method") == "tools/call" and params.get("name") is not None:
        expected["Mcp-Name"] = params["name"]
    for name, value in expected.items():
        if request.headers.getall(name, []) != [value]:
            raise ProtocolError(Code.HEADER_MISMATCH, f"the header {name} does not match the message")
