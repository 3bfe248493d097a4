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
    rule: str = ""  # name of the comparison that found it

    @property
    def kind(self) -> str:
        """The name under which disagreements are counted: reason and rule."""
        return f"{self.reason.value}/{self.rule}"
