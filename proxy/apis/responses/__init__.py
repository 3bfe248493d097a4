"""OpenAI Responses: `POST /v1/responses`, streamed and not."""

from .request import ResponsesApi

__all__ = ["ResponsesApi"]
