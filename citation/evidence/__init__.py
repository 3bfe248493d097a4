"""Evidence: its validation, its extraction from tool results, and the prompt that presents it."""

from .evidence import (
    LABELS,
    MAX_CHARACTERS,
    MAX_EVIDENCE,
    Evidence,
    FieldError,
    check_count,
    label,
    parse_documents,
    parse_evidence,
    parse_sources,
)

__all__ = [
    "LABELS",
    "MAX_CHARACTERS",
    "MAX_EVIDENCE",
    "Evidence",
    "FieldError",
    "check_count",
    "label",
    "parse_documents",
    "parse_evidence",
    "parse_sources",
]
