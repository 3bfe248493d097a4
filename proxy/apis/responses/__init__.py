"""OpenAI's Responses API: `POST /v1/responses`, streamed and not."""

from .responses_request import ResponsesApi

__all__ = ["ResponsesApi"]
