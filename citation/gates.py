"""Gates: what refuses a piece of evidence however alike it looks. Deterministic, and each names its reason."""

from dataclasses import dataclass
from enum import StrEnum

from .lexicon import lex
from .scoring import Claim
from .scoring.index import Index


class Reason(StrEnum):
    """Why a citation of the model was taken out."""

    UNKNOWN_NUMBER = "unknown_number"
    NO_SUPPORT = "no_support"
    NUMBER_MISMATCH = "number_mismatch"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Gate:
    """A refusal: the reason, and the words of the claim and the evidence that show it."""

    reason: Reason
    detail: str


def check(claim: Claim, index: Index, row: int, window: tuple[int, int]) -> Gate | None:
    """The first gate that refuses `window` (offsets) of the evidence in `row`, or None."""
    known = {value for quantity in index.lexed[row].quantities for value in quantity.values}
    for quantity in lex(claim.text).quantities:
        if not known.intersection(quantity.values):
            return Gate(Reason.NUMBER_MISMATCH, f"{claim.text[quantity.start : quantity.end]} is not in the evidence")
    return None
