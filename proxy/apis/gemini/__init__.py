"""Gemini's own API: `models/{model}:generateContent` and its siblings; streams as events or as a JSON array."""

from .endpoints import A_MODEL, generate, listed, one
from .responses import refusal

__all__ = ["A_MODEL", "generate", "listed", "one", "refusal"]
