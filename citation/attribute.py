"""Attribution: scores, hints and gates in; a decision per sentence out."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """`verified`: the model cited it and the backend agrees. `added`: the backend found it."""

    VERIFIED = "verified"
    ADDED = "added"


class Reason(StrEnum):
    """Why a citation of the model was taken out."""

    UNKNOWN_NUMBER = "unknown_number"
    NO_SUPPORT = "no_support"
    NUMBER_MISMATCH = "number_mismatch"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Support:
    """This evidence supports this sentence: calibrated probability, status, and the supporting passage's offsets."""

    number: int
    score: float
    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """The model cited this number, and the backend does not."""

    number: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided about one sentence: at most four supports, best first, and what was refused of the hints."""

    supports: tuple[Support, ...] = ()
    rejected: tuple[Rejection, ...] = ()
