"""How numbers are written: digits with separators, words of several languages, CJK numerals, Roman ones."""

import re
import unicodedata
from functools import lru_cache

from ..memo import MAX_LENGTH, memoize
from ..normalize import words

# Digits of any script; groups of three by space, apostrophe, comma or point; `3, 500` is a badly set `3,500`.
NUMERAL = (
    r"\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d+)?"
    r"|\d{1,3}, \d{3}(?![\d,.]\d|\d)"
    r"|\d+(?:[.,'’٫٬]\d+)*|(?<![\w.])\.\d+"
)

# Languages that write 1.234,5; the others here write 1,234.5.
DECIMAL_COMMA = frozenset({"de", "es", "fr", "it", "pt", "nl"})


def readings(numeral: str, language: str | None) -> tuple[float, ...]:
    """What a numeral can stand for, the likelier first: `1,500` is 1500 in English, 1.5 in German, either elsewhere."""
    return _known_readings(numeral, language) if len(numeral) <= MAX_LENGTH else _readings(numeral, language)


def _readings(numeral: str, language: str | None) -> tuple[float, ...]:
    text = _ascii(numeral)
    if text.startswith("."):
        return (float(text),)
    if ", " in text:
        first, second = text.split(", ")
        return (float(first + second), float(first), float(second))
    text = re.sub(r"[\u00a0\u202f '’٬]", "", text).replace("٫", ".")
    parts = re.split("[.,]", text)
    if len(parts) == 1:
        return (float(text),)
    grouped = all(len(part) == 3 for part in parts[1:]) and 0 < len(parts[0]) <= 3
    if "." in text and "," in text:
        return (float("".join(parts[:-1]) + "." + parts[-1]),)
    if len(parts) > 2:
        return (float("".join(parts)),) if grouped else ()
    decimal, whole = float(".".join(parts)), float("".join(parts))
    if not grouped or parts[0] == "0":
        return (decimal,)
    if language is None:
        return (whole, decimal) if "," in text else (decimal, whole)
    return (decimal,) if ("," in text) == (language in DECIMAL_COMMA) else (whole,)


_known_readings = lru_cache(maxsize=4096)(_readings)


def _ascii(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text)


# ---------------------------------------------------------------------------------------------------- words

_UNITS = {
    "en": "zero one two three four five six seven eight nine ten eleven "
    "twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf "
    "zwolf dreizehn vierzehn funfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once "
    "doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "pt": "zero um dois tres quatro cinco seis sete oito nove dez onze doze "
    "treze catorze quinze dezesseis dezessete dezoito "
    "dezenove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf "
    "twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "vingt trente quarante cinquante soixante septante huitante nonante",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_MORE = {
    "en": {"hundred": 100, "dozen": 12, "twice": 2, "thrice": 3},
    "de": {"hundert": 100, "zwo": 2, "dutzend": 12},
    "es": {
        "cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300,
        "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600,
        "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800,
        "novecientos": 900, "novecientas": 900, "veintiuno": 21, "veintiun": 21, "veintiuna": 21, "veintidos": 22,
        "veintitres": 23, "veinticuatro": 24, "veinticinco": 25, "veintiseis": 26, "veintisiete": 27, "veintiocho": 28,
        "veintinueve": 29, "docena": 12,
    },
    "fr": {"cent": 100, "cents": 100, "vingts": 20, "octante": 80, "douzaine": 12},
    "it": {"cento": 100, "dozzina": 12},
    "pt": {"cem": 100, "cento": 100, "duas": 2, "duzentos": 200, "trezentos": 300, "quinhentos": 500, "duzia": 12},
    "nl": {"honderd": 100, "dozijn": 12},
}  # fmt: skip

# Articles, or words that mostly mean something else in that language.
_NOT_NUMBERS = {
    "de": {"null", "acht"} - {"acht"},
    "es": {"uno"},
    "fr": {"un", "neuf"} - {"neuf"},
    "it": {"uno"},
    "pt": {"um"},
    "nl": {"een"},
}

_SCALES = {
    1e3: "thousand thousands k tsd tausend mil mille mila duizend тыс тысяч тысячи millier milliers",
    1e5: "lakh lakhs",
    1e6: "million millions mn mln mio millionen millon millones milione milioni milhao milhoes miljoen млн "
    "миллион миллиона миллионов",
    1e7: "crore crores",
    1e9: "bn bln milliarde milliarden mrd milliard milliards mds md miliardo miliardi bilhao bilhoes miljard "
    "млрд миллиард миллиарда миллиардов billion billions",
    1e12: "trillion trillions billionen billones billon",
}
SCALES = {word: factor for factor, spelled in _SCALES.items() for word in words(spelled)}
_LONG_SCALE = frozenset({"de", "es", "fr", "it", "nl"})


def scale(folded: str, language: str | None) -> float | None:
    """The factor of a scale word: a `Billion` is a thousand times more in German than a `billion` in English."""
    if folded == "billion" and language in _LONG_SCALE:
        return 1e12
    return SCALES.get(folded)


def _word_values() -> dict[str, dict[str, int]]:
    tables = {}
    for language, units in _UNITS.items():
        table = {word: n for n, word in enumerate(units.split())}
        table |= {word: 10 * n for n, word in enumerate(_TENS[language].split(), 2)}
        table |= _MORE[language]
        tables[language] = {w: v for w, v in table.items() if w not in _NOT_NUMBERS.get(language, ())}
    return tables


_VALUES = _word_values()
WORD_LANGUAGES = tuple(_VALUES)
# What a text of unknown language may mean: words that are numbers in one language and something else in none.
AMBIGUOUS = frozenset(words("once dos sept cent cents elf null sei due on"))
_ANY = {w: v for table in reversed(_VALUES.values()) for w, v in table.items() if w not in AMBIGUOUS}
_GERMAN_PARTS = {
    **_VALUES["de"], "ein": 1, "tausend": 1000,
}  # fmt: skip
_GERMAN = re.compile("|".join(sorted([*_GERMAN_PARTS, "und"], key=len, reverse=True)))
_GERMAN_COMPOUND = re.compile(f"(?:{_GERMAN.pattern})+")
JOINERS = frozenset({"and", "y", "et", "e", "en", "und"})


def may_be_number(folded: str) -> bool:
    """Whether some language counts with this word."""
    return folded in _COUNTING or (len(folded) > 6 and _GERMAN_COMPOUND.fullmatch(folded) is not None)


def word_value(folded: str, language: str) -> int | None:
    """The number a word stands for: `zwolf`, `veinticinco`, `zweihundertfunfzig`."""
    value = _VALUES.get(language, _ANY).get(folded)
    if value is None and language == "de" and folded.endswith("mal"):
        value = _VALUES["de"].get(folded.removesuffix("mal"))  # zweimal
    if value is None and language == "de" and len(folded) > 6:
        return german_compound(folded)
    return value


@memoize(4096)
def german_compound(folded: str) -> int | None:
    """`dreiundzwanzig`, `neunzehnhundertachtzig`; None for any other word."""
    at, values = 0, []
    while at < len(folded):
        part = _GERMAN.match(folded, at)
        if not part:
            return None
        at = part.end()
        if part[0] != "und":
            values.append(_GERMAN_PARTS[part[0]])
    return int(combine(values)) if len(values) > 1 else None


def combine(values: list[int]) -> float:
    """Number words in order to a number: 2, 100, 50, 1000 is 250,000; 19, 84 is the year 1984."""
    total, current, last = 0.0, 0.0, float("inf")
    for value in values:
        if value >= 1000:
            if total and value > last:
                total = (total + current) * value
            else:
                total += max(1.0, current) * value
            current, last = 0.0, value
        elif value == 100:
            current = max(1.0, current) * 100
        elif value == 20 and current == 4:
            current = 80  # quatre-vingt
        elif value >= 10 and 10 <= current <= 20 and value != 10:
            current = current * 100 + value  # nineteen eighty
        else:
            current += value
    return total + current


# ---------------------------------------------------------------------------------------------------- ordinals

_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth "
    "eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth",
    "de": "erst zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft",
    "es": "primer segund tercer cuart quint sext septim octav noven decim",
    "fr": "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme onzieme douzieme",
}


def _ordinal_values() -> dict[str, int]:
    values = {word: n for n, word in enumerate(_ORDINALS["en"].split(), 1)}
    for n, base in enumerate(_ORDINALS["de"].split(), 1):
        values |= {base + ending: n for ending in ("e", "er", "en", "es", "em")}
    for n, base in enumerate(_ORDINALS["es"].split(), 1):
        values |= {base + ending: n for ending in ("o", "a", "os", "as")}
    values |= {"tercer": 3, "primer": 1, "premiere": 1, "seconde": 2, "uno": 1}
    values |= {word: n for n, word in enumerate(_ORDINALS["fr"].split(), 1)}
    del values["uno"], values["achten"]
    return values


ORDINALS = _ordinal_values()

CENTURIES = frozenset(
    words("century centuries jahrhundert jahrhunderts siglo siglos siecle siecles secolo seculo eeuw века век")
)
# Numbers by themselves; the other scales follow one.
THOUSAND = frozenset({"mil", "mille", "tausend"})
_FRACTIONABLE = frozenset(words("a un une uno una ein eine einem einen"))
_TIMES = frozenset(f"{word}mal" for word in _VALUES["de"])
_COUNTING = frozenset().union(_TIMES, ORDINALS, CENTURIES, THOUSAND, _FRACTIONABLE, *_VALUES.values())

# ---------------------------------------------------------------------------------------------------- CJK, Roman

_HAN_DIGITS = {
    c: n
    for n, cs in enumerate(["零〇", "一壹", "二两兩贰貳", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"])
    for c in cs
}
_HAN_TENS = {"十": 10, "拾": 10, "百": 100, "千": 1000}
HAN_SCALES = {
    "万": 1e4,
    "만": 1e4,
    "亿": 1e8,
    "억": 1e8,
    "兆": 1e12,
    "千": 1e3,
    "百": 1e2,
    "천": 1e3,
    "百万": 1e6,
    "千万": 1e7,
}
HAN_NUMERAL = "[零〇一二三四五六七八九十百千万亿兆两]"


def han_value(text: str) -> float | None:
    """`二〇二一` is 2021, `一千五百` 1500, `三萬二千` 32000; None for what is no number."""
    whole, point, decimals = text.partition("点")
    if point:
        value = han_value(whole)
        return None if value is None else value + float("0." + "".join(str(_HAN_DIGITS[c]) for c in decimals))
    if all(c in _HAN_DIGITS for c in text):
        return float("".join(str(_HAN_DIGITS[c]) for c in text))
    total, section, digit = 0.0, 0.0, 0.0
    for c in text:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
        elif c in _HAN_TENS:
            section += (digit or 1.0) * _HAN_TENS[c]
            digit = 0.0
        elif c in HAN_SCALES:
            total = (
                (total + section + digit) * HAN_SCALES[c]
                if HAN_SCALES[c] > 1e4 and total
                else total + (section + digit) * HAN_SCALES[c]
            )
            section = digit = 0.0
        else:
            return None
    return total + section + digit or None


ROMAN = re.compile(r"(?=[IVXLC])C?(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.ASCII)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def roman_value(text: str) -> int | None:
    """`XIX` is 19; None for what is no Roman numeral."""
    if not ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_DIGITS[c] for c in text]
    return sum(-d if any(later > d for later in digits[i + 1 : i + 2]) else d for i, d in enumerate(digits))
