"""Storage of the references of recent answers, and of conversations of the Responses API."""

from .recent_references import STORED_FIELDS, RecentReferences, ReferenceRecorder

__all__ = ["STORED_FIELDS", "RecentReferences", "ReferenceRecorder"]
