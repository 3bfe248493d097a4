"""Evidence: its validation, and its extraction from tool results and prompts."""

from .evidence import (
    LABELS,
    MAX_CHARACTERS,
    MAX_EVIDENCE,
    Evidence,
    EvidenceLimits,
    FieldError,
    check_count,
    label,
    parse_evidence,
    parse_sources,
)

__all__ = [
    "LABELS",
    "MAX_CHARACTERS",
    "MAX_EVIDENCE",
    "Evidence",
    "EvidenceLimits",
    "FieldError",
    "check_count",
    "label",
    "parse_evidence",
    "parse_sources",
]
