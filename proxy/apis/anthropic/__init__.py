"""Anthropic's own API: `/v1/messages` and `/v1/messages/count_tokens`, with its citations."""

from .anthropic_encoder import error_body
from .anthropic_routes import READER, count_tokens, get_model, list_models, messages
from .document_reader import DocumentReader

__all__ = ["READER", "DocumentReader", "count_tokens", "error_body", "get_model", "list_models", "messages"]
