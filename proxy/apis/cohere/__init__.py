"""Cohere's own chat API, version 2: `POST /v2/chat`."""

from .cohere_encoder import error_body
from .cohere_request import CohereApi

__all__ = ["CohereApi", "error_body"]
