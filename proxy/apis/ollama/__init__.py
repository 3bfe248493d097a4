"""Ollama's own API: `/api/chat` and `/api/generate`, newline-delimited JSON; embeddings; and what lists its models."""

from .embed import embed, embeddings
from .endpoints import show, tags, version
from .lines import refusal
from .request import CHAT, GENERATE

__all__ = ["CHAT", "GENERATE", "embed", "embeddings", "refusal", "show", "tags", "version"]
