"""Ollama's own API: `/api/chat` and `/api/generate`, embeddings, and the paths that describe models."""

from .ollama_encoder import error_body
from .ollama_request import CHAT, GENERATE
from .ollama_routes import embed, embeddings, show, tags, version

__all__ = ["CHAT", "GENERATE", "embed", "embeddings", "error_body", "show", "tags", "version"]
