"""Ollama's own API: `/api/chat` and `/api/generate`, newline-delimited JSON; and what lists its models."""

from .endpoints import show, tags, version
from .lines import refusal
from .request import CHAT, GENERATE

__all__ = ["CHAT", "GENERATE", "refusal", "show", "tags", "version"]
