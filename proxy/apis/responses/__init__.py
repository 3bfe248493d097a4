"""OpenAI's Responses API: `POST /v1/responses`, streamed and not, and the paths below it."""

from .responses_request import ResponsesApi
from .responses_routes import (
    cancel_response,
    compact,
    delete_response,
    get_response,
    input_items,
    input_tokens,
    respond,
)
from .responses_socket import Sockets

__all__ = [
    "ResponsesApi",
    "Sockets",
    "cancel_response",
    "compact",
    "delete_response",
    "get_response",
    "input_items",
    "input_tokens",
    "respond",
]
