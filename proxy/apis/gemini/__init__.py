"""Gemini's own API: `models/{model}:generateContent` and `:streamGenerateContent`, as events or as a JSON array."""

from .endpoints import generate, listed
from .responses import refusal

__all__ = ["generate", "listed", "refusal"]
