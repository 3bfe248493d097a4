"""Words that say something of the number they stand beside."""

from ..normalize import words
from .numerals import CENTURIES, SCALES
from .units import UNITS

ABOUT = frozenset(
    words(
        """about around approximately approx roughly nearly almost over under exceeding circa ca some rund etwa ungefahr
        knapp fast gut uber environ presque pres alrededor aproximadamente casi unos unas cerca quasi okolo около"""
    )
)
DECADE_ENDINGS = frozenset({"s", "er", "ern"})
YEARS_OF = frozenset(words("annees anos decada decade anni"))
ORDINAL_ENDINGS = frozenset(words("st nd rd th er ere re e eme o a"))
ENDINGS = DECADE_ENDINGS | ORDINAL_ENDINGS | CENTURIES
VERSION_WORDS = frozenset(words("v version versions versao versione release build ver versie"))
MONEY_SCALES = {"m": 1e6, "b": 1e9}  # only beside a currency: $5m
PER = frozenset(words("por per pour"))  # per cent
PERCENT = "prozent"  # begins Prozent, Prozentpunkte
OF = "de"  # millones de euros

_ALL = frozenset().union(ABOUT, YEARS_OF, ENDINGS, VERSION_WORDS, MONEY_SCALES, PER, {OF}, SCALES, UNITS)


def modifies_number(folded: str) -> bool:
    """Whether the word may belong to a number beside it, so that the two have to be read together."""
    return folded in _ALL or folded.startswith(PERCENT)
