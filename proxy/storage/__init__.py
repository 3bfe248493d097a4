"""Storage of the references of recent answers, and of conversations of the Responses API."""

from .known_ids import KnownIds
from .recent_references import OwnedReferences, RecentReferences, decoded
from .reference_recorder import STORED_FIELDS, ReferenceRecorder

__all__ = ["STORED_FIELDS", "KnownIds", "OwnedReferences", "RecentReferences", "ReferenceRecorder", "decoded"]
