"""Disagreements between a claim and a passage that use the same words."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a citation of the model was removed."""

    UNKNOWN_NUMBER = "unknown_number"
    NO_SUPPORT = "no_support"
    NUMBER_MISMATCH = "number_mismatch"
    NEGATION = "negation"
    MODALITY = "modality"
    QUANTIFIER = "quantifier"
    DIRECTION = "direction"
    ROLE = "role"
    BINDING = "binding"
    FRAMING = "framing"
    UNIT = "unit"
    UNKNOWN_NAME = "unknown_name"
    JUDGE = "judge"  # the language model that reads claim and passage refused


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One disagreement between claim and passage: the reason, and a description for people."""

    reason: Reason
    detail: str
    strength: float = 1.0  # 0..1, confidence; at least `REFUSES` refuses the citation
    rule: str = ""  # name of the comparison that found it


REFUSES = 0.5
