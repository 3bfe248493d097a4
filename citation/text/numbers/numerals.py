"""The values of numerals and number words: digits with separators, words, Chinese and Roman numerals."""

import re
import unicodedata
from functools import lru_cache
from math import prod

from ..memo import MAX_LENGTH, memoize
from ..normalize import APOSTROPHES
from ..words.word_lists import load_words, parse_values

FRACTION_SIGNS = "¼½¾⅓⅔⅕⅛⅜⅝⅞"
# Digits of any script; a fraction after a whole number; groups of three by space, apostrophe, comma or point; `3, 500`
# is a badly typeset `3,500`.
NUMERAL = (
    r"\d{1,3} [1-9]/[2-9](?![\d/])"
    r"|\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d+)?"
    r"|\d{1,3}, \d{3}(?![\d,.]\d|\d)"
    rf"|\d+(?:[.,．٫٬{APOSTROPHES}]\d+)*[{FRACTION_SIGNS}]?|(?<![\w.])\.\d+|[{FRACTION_SIGNS}]"
)
_SEPARATORS = re.compile(f"[\u00a0\u202f ٬{APOSTROPHES}]")
_FEET = re.compile(f"[{APOSTROPHES}]\\d{{1,2}}$")  # 6'2 is no 62
# Languages that write 1.234,5. The others here write 1,234.5.
DECIMAL_COMMA = frozenset({"de", "es", "fr", "it", "pt", "nl"})
_LONG_SCALE = frozenset({"de", "es", "fr", "it", "nl"})  # a billion has twelve zeros

_LISTS = load_words("number_words")
WORD_LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
_VALUES = {language: parse_values(_LISTS[language]) for language in WORD_LANGUAGES}
AMBIGUOUS = frozenset(_LISTS["ambiguous"])
# For a text of unknown language. Where two languages have the same word, the first counts.
_VALUES_OF_ANY = {
    word: value for values in reversed(_VALUES.values()) for word, value in values.items() if word not in AMBIGUOUS
}
WEAK = frozenset(_LISTS["weak"])
ONE = frozenset(_LISTS["one"])
JOINERS = frozenset(_LISTS["joiners"])
SCALES = {word: float(value) for word, value in parse_values(_LISTS["scales"]).items()}
STANDALONE_SCALES = frozenset(_LISTS["standalone_scales"])
ORDINALS = parse_values(_LISTS["ordinals"])
FRACTIONS = parse_values(_LISTS["fractions"])
FRACTIONS_ONLY = frozenset(_LISTS["fractions_only"])
HALVES = frozenset(_LISTS["halves"])
PART_OF = frozenset(_LISTS["part_of"])
CENTURIES = frozenset(load_words("number_modifiers")["century"])

_GERMAN_PARTS = {**_VALUES["de"], "ein": 1, "tausend": 1000}
_GERMAN_PART = re.compile("|".join(sorted([*_GERMAN_PARTS, "und"], key=len, reverse=True)))
_GERMAN_COMPOUND = re.compile(f"(?:{_GERMAN_PART.pattern})+")
_GERMAN_ORDINALS = {  # dreizehnte, zwanzigste, einundzwanzigster; lower ones are in the word list
    f"{f'{unit_word}und' if extra else ''}{tens}{'te' if value < 20 else 'ste'}{ending}": value + extra
    for tens, value in _VALUES["de"].items()
    for unit_word, extra in (("", 0), *(_GERMAN_PARTS.items() if value >= 20 else ()))
    for ending in ("", "m", "n", "r", "s")
    if 12 < value < 100 and extra < 10
}
ORDINALS.update(_GERMAN_ORDINALS)
_MIN_GERMAN_COMPOUND = 7  # letters: einhundert, zweizehn; shorter ones are in the word list
_GERMAN_TIMES = frozenset(f"{word}mal" for word in _VALUES["de"])  # zweimal
_MAY_BE_NUMBER = frozenset().union(
    _GERMAN_TIMES, ORDINALS, CENTURIES, STANDALONE_SCALES, ONE, HALVES, *_VALUES.values()
)


# ---------------------------------------------------------------------------------------------------- digits


def numeral_values(numeral: str, language: str | None) -> tuple[float, ...]:
    """Return what a numeral can stand for, the likelier value first.

    `1,500` is 1500 in English, 1.5 in German, and either where the language is not known. `2½` and `2 1/2` are 2.5.
    """
    if numeral[-1] in FRACTION_SIGNS:
        whole = numeral_values(numeral[:-1], language) if numeral[1:] else (0.0,)
        return tuple(value + unicodedata.numeric(numeral[-1]) for value in whole)
    return _memoized_values(numeral, language) if len(numeral) <= MAX_LENGTH else _numeral_values(numeral, language)


def _numeral_values(numeral: str, language: str | None) -> tuple[float, ...]:
    """Return the values of a numeral without a fraction sign, () if it is no number, as 1.2.3 is not."""
    text = _to_ascii(numeral)
    if "/" in text:
        whole, dividend, divisor = map(float, re.split("[ /]", text))
        return (whole + dividend / divisor,)
    if _FEET.search(text):
        return ()
    if text.startswith("."):
        return (float(text),)
    if ", " in text:
        first, second = text.split(", ")
        return (float(first + second), float(first), float(second))
    text = _SEPARATORS.sub("", text).replace("٫", ".")
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


_memoized_values = lru_cache(maxsize=4096)(_numeral_values)


def _to_ascii(text: str) -> str:
    """Return a numeral with ASCII digits for those of other scripts."""
    if text.isascii():
        return text
    text = text.replace("．", ".")
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text)


# ---------------------------------------------------------------------------------------------------- words


def may_be_number(folded: str) -> bool:
    """Return whether the word is a number, or part of one, in some language."""
    return folded in _MAY_BE_NUMBER or (
        len(folded) >= _MIN_GERMAN_COMPOUND and _GERMAN_COMPOUND.fullmatch(folded) is not None
    )


def word_value(folded: str, language: str) -> int | None:
    """Return the number that a word stands for: `zwolf`, `veinticinco`, `zweihundertfunfzig`."""
    value = _VALUES.get(language, _VALUES_OF_ANY).get(folded)
    if value is None and language == "de" and folded.endswith("mal"):
        value = _VALUES["de"].get(folded.removesuffix("mal"))
    if value is None and language == "de" and len(folded) >= _MIN_GERMAN_COMPOUND:
        return german_compound(folded)
    return value


@memoize(4096)
def german_compound(folded: str) -> int | None:
    """Return the value of `dreiundzwanzig` or `neunzehnhundertachtzig`, None for any other word."""
    position, values = 0, []
    while position < len(folded):
        part = _GERMAN_PART.match(folded, position)
        if not part:
            return None
        position = part.end()
        if part[0] != "und":
            values.append(_GERMAN_PARTS[part[0]])
    return int(combine(values)) if len(values) > 1 else None


def scale(folded: str, language: str | None) -> float | None:
    """Return the factor of a scale word. A German `Billion` is a thousand English `billion`."""
    if folded == "billion" and language in _LONG_SCALE:
        return 1e12
    return SCALES.get(folded)


def combine(values: list[int]) -> float:
    """Return the number that consecutive number words stand for.

    2, 100, 50, 1000 is 250,000; 19, 84 is the year 1984.
    """
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


# ---------------------------------------------------------------------------------------------------- Chinese, Roman

_HAN_DIGITS = {
    character: value
    for value, characters in enumerate(
        ["零〇", "一壹", "二两兩贰貳", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"]
    )
    for character in characters
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
_HAN_NUMERAL = "[零〇一二三四五六七八九十百千万亿兆两]"
# Characters that are counted, or follow a number. A single numeral without one of them is no number.
_HAN_COUNTERS = (
    "成个年月日天人名位次倍岁元米里吨公件条种座家所艘架辆台部本场届期世周季度分秒小点口把双匹朵滴堂趟遍顿集"
    "只头张枚支层楼区市县国大项步句室号匹つ階回册户批间杯瓶盒箱袋套份篇页封笔棵颗粒块盘幅栋幢斤亩"
)
# Ordinal sign, percent sign, numeral, numerator of a fraction, counter.
_ANY_HAN_NUMERAL = re.compile(_HAN_NUMERAL.replace("[", "[半"))
_FIRST_OF_HAN_NUMBER = re.compile(_HAN_NUMERAL.replace("[", "[第"))
HAN_NUMBER = re.compile(
    rf"(第)?(百分之)?({_HAN_NUMERAL}+(?:点[零〇一二三四五六七八九]++(?:[万亿]+|(?![十百千分刻])))?)"
    rf"(?:分之({_HAN_NUMERAL}+))?([{_HAN_COUNTERS}余多]?)"
)


def may_contain_han_number(text: str, start: int, end: int) -> bool:
    """Return whether the run between two offsets contains a Chinese numeral."""
    return _ANY_HAN_NUMERAL.search(text, start, end) is not None


def find_han_numbers(run: str) -> list[re.Match[str]]:
    """Return the matches of HAN_NUMBER in a run, in order.

    A search for a set of characters takes 5 ns per character, and HAN_NUMBER 50 ns, since it begins with options.
    """
    matches: list[re.Match[str]] = []
    position = 0
    while first := _FIRST_OF_HAN_NUMBER.search(run, position):
        match = HAN_NUMBER.match(run, first.start())
        if match:
            matches.append(match)
        position = match.end() if match else first.end()
    return matches


def han_value(text: str) -> float | None:
    """Return the value of `二〇二一` (2021) or `三萬二千` (32,000), None for what is no numeral."""
    whole, point, decimals = text.partition("点")
    if point:
        value = han_value(whole)
        digits = decimals.rstrip("万亿")
        scale = prod(HAN_SCALES[c] for c in decimals[len(digits) :])
        return None if value is None else (value + float("0." + "".join(str(_HAN_DIGITS[c]) for c in digits))) * scale
    if all(c in _HAN_DIGITS for c in text):
        return float("".join(str(_HAN_DIGITS[c]) for c in text))
    if text[-1] in _HAN_DIGITS and (last := {**_HAN_TENS, **HAN_SCALES}.get(text[-2], 0)) > 10:
        text, extra = text[:-1], _HAN_DIGITS[text[-1]] * last / 10  # 三万五, 一百二; not 一百零二
    else:
        extra = 0.0
    total, section, digit = 0.0, 0.0, 0.0
    for c in text:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
        elif c in _HAN_TENS:
            section += (digit or 1.0) * _HAN_TENS[c]
            digit = 0.0
        elif c in HAN_SCALES:
            if HAN_SCALES[c] > 1e4 and total:
                total = (total + section + digit) * HAN_SCALES[c]
            else:
                total += (section + digit or (total == 0)) * HAN_SCALES[c]  # 万分之五: 5 of 10,000
            section = digit = 0.0
        else:
            return None
    return total + section + digit + extra or None


_ROMAN = re.compile(r"(?=[IVXLC])C?(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.ASCII)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def roman_value(text: str) -> int | None:
    """Return the value of a Roman numeral (`XIX` is 19), None for any other text."""
    if not _ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_DIGITS[c] for c in text]
    return sum(-d if any(later > d for later in digits[i + 1 : i + 2]) else d for i, d in enumerate(digits))
