"""The Model Context Protocol: tools that cite, verify, search and fetch, for agents and their hosts.

    message ─► protocol (versions, methods) ─► tools (arguments, results) ─► citing, documents

`POST /mcp` (endpoint.py) and `citestream mcp` (cli/mcp_server.py) carry the messages. The protocol is JSON-RPC with
requests that do not depend on each other, so that no SDK is necessary: the official one brings Starlette, Uvicorn and
a JWT library. The tests use its client.
"""

from .endpoint import error_body, receive
from .protocol import McpProtocol

__all__ = ["McpProtocol", "error_body", "receive"]
