"""Units, months, and other words that belong to a number next to them."""

from ..normalize import fold
from ..words.word_lists import load_words
from .numerals import CENTURIES, SCALES

# word -> dimension and factor to the first unit of the dimension. Words are folded; CJK as written.
UNITS: dict[str, tuple[str, float]] = {}
for _entry, _words in load_words("units").items():
    _dimension, _factor = _entry.split()
    UNITS.update(dict.fromkeys(_words, (_dimension, float(_factor))))
CURRENCY_SIGNS = frozenset("$€£₹")
HAN_MORE = ("余", "多")  # 3万多: more than 30,000
_HAN_UNITS: dict[str, list[str]] = {}  # by their first character, the longest first
for _word in sorted((word for word in UNITS if word > "\u3000"), key=len, reverse=True):
    _HAN_UNITS.setdefault(_word[0], []).append(_word)

_MONTH_LISTS = load_words("months")
MONTHS = {fold(word): number for number in range(1, 13) for word in _MONTH_LISTS[str(number)]}
AMBIGUOUS_MONTHS = frozenset(_MONTH_LISTS["ambiguous"])

_MODIFIERS = {name: frozenset(words) for name, words in load_words("number_modifiers").items()}
APPROXIMATE = _MODIFIERS["approximate"]
DECADE_ENDINGS = _MODIFIERS["decade_endings"]  # 1990s, 90er
DECADE_WORDS = _MODIFIERS["decade_words"]  # años 90
ORDINAL_ENDINGS = _MODIFIERS["ordinal_endings"]
ENDINGS = DECADE_ENDINGS | ORDINAL_ENDINGS | CENTURIES
VERSION_WORDS = _MODIFIERS["version"]
ONLY_FRENCH = _MODIFIERS["only_french"]
NEGATIVE = _MODIFIERS["negative"]  # minus 20
BEFORE_LEAST = _MODIFIERS["before_least"]  # before "menos" and "moins" that mean "least"
DEGREES = _MODIFIERS["degree"]  # degrees Celsius
PER = _MODIFIERS["per"]  # por ciento
PERCENT_AFTER_PER = _MODIFIERS["percent_after_per"]
PERCENT = "prozent"  # also begins Prozentpunkte
OF_UNIT = "de"  # millones de euros
OF_MONTH = _MODIFIERS["of_month"]  # 3 de mayo
BEFORE_MONTH = _MODIFIERS["before_month"]
MONEY_SCALES = {"m": 1e6, "b": 1e9}  # only with a currency: $5m

# Words that make an area or a volume of a length: "square metres", "metros cuadrados". The volume is in litres.
_POWERS = {
    **dict.fromkeys(("square", "sq", "cuadrado", "cuadrados", "carre", "carres"), ("area", 2, 1e-4)),
    **dict.fromkeys(("cubic", "cubico", "cubicos", "cube", "cubes"), ("volume", 3, 1e3)),
}

_NUMBER_MODIFIERS = frozenset().union(
    APPROXIMATE,
    NEGATIVE,
    DECADE_WORDS,
    ENDINGS,
    VERSION_WORDS,
    MONEY_SCALES,
    PER,
    DEGREES,
    {OF_UNIT},
    SCALES,
    UNITS,
    _POWERS,
)


def power_unit(word: str, following: str) -> tuple[str, float] | None:
    """Return dimension and factor of two words that denote an area or a volume, or None."""
    for power, unit in ((word, following), (following, word)):
        if power in _POWERS and UNITS.get(unit, ("",))[0] == "length":
            dimension, exponent, scale = _POWERS[power]
            return dimension, UNITS[unit][1] ** exponent * scale
    return None


def modifies_number(folded: str) -> bool:
    """Return whether the word may belong to a number next to it, so that both are parsed together."""
    return folded in _NUMBER_MODIFIERS or folded.startswith(PERCENT)


def han_unit(text: str) -> str:
    """Return the unit that an unspaced text begins with, as after a number, or ""."""
    return next((unit for unit in _HAN_UNITS.get(text[:1], ()) if text.startswith(unit)), "")
