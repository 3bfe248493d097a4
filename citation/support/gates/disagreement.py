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


# A negation on one side only, another member of a class, such as Tuesday for Monday, another cell of a table, "only"
# that the claim adds, a statement that is missing, and another agent than the one after "by". Of the natural claims
# that these refuse, three of four (an added denial), four of five (negation, "only", missing) to nine of ten (class)
# are false. The agent is rare there: of 5,600 pairs, one true and one false one. It refuses 3 of 179 false statements
# about documents.
_CERTAIN_REASON = Reason.NEGATION
_CERTAIN_RULES = frozenset({"class", "row", "column", "exclusive", "missing", "by", "whole"})


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One disagreement between claim and passage: the reason, and a description for people."""

    reason: Reason
    detail: str
    rule: str = ""  # name of the comparison that found it

    @property
    def certain(self) -> bool:
        """Whether the disagreement refuses a citation in complex pairs, too (`GateChecks.is_simple`)."""
        return self.reason is _CERTAIN_REASON or self.rule in _CERTAIN_RULES

    @property
    def kind(self) -> str:
        """The name under which disagreements are counted: reason and rule."""
        return f"{self.reason.value}/{self.rule}"
