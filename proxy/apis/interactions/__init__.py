"""Gemini's Interactions API: `POST …/interactions`, streamed and not, and the paths below it."""

from .interaction_routes import cancel_interaction, create_interaction, delete_interaction, get_interaction
from .interactions_encoder import error_body

__all__ = ["cancel_interaction", "create_interaction", "delete_interaction", "error_body", "get_interaction"]
