"""Claims as the lexicon reads them, before they are compared with evidence."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..text import Analysis, analyze_sentence
from .index import Index
from .passages import language_of
from .query_terms import Units, units
from .scorers import Claim

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AnalyzedClaim:
    """What one claim says."""

    text: str
    before: str  # the sentence before
    lexed: Analysis
    terms: list[str]  # without repeats
    context: list[str]  # those of the sentence before
    units: Units  # the last of them are its terms
    foreign: Bools | None  # (N,) which evidence is in another language; None where none is

    @classmethod
    def of(cls, claim: Claim, index: Index) -> "AnalyzedClaim":
        """Read it, and the sentence before. `index`: of the evidence it will be compared with."""
        lexed = analyze_sentence(claim.text)
        context = analyze_sentence(claim.context) if claim.context else None
        language = language_of(lexed) or (language_of(context) if context else None)
        return cls(
            text=claim.text,
            before=claim.context,
            lexed=lexed,
            terms=list(dict.fromkeys(lexed.terms)),
            context=list(dict.fromkeys(context.terms)) if context else [],
            units=units(claim.text, lexed),
            foreign=index.foreign_to(language),
        )

    @property
    def numbers(self) -> int:
        """How many it surely has."""
        return sum(1 for quantity in self.lexed.quantities if quantity.strict and quantity.values)
