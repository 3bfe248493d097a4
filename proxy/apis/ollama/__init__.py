"""Ollama's own API: `/api/chat` and `/api/generate`, embeddings, and the paths that describe models."""

from .ollama_encoder import error_body
from .ollama_models import running, tags
from .ollama_request import CHAT, GENERATE
from .ollama_routes import embed, embeddings, show, version

__all__ = ["CHAT", "GENERATE", "embed", "embeddings", "error_body", "running", "show", "tags", "version"]
