"""Gemini's own API: `models/{model}:generateContent` and related methods."""

from .gemini_encoder import error_body
from .gemini_routes import MODEL_PATTERN, generate, get_model, list_models

__all__ = ["MODEL_PATTERN", "error_body", "generate", "get_model", "list_models"]
