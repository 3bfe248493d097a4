"""Units and months: what stands beside a number and must agree."""

import re

from ..normalize import fold, words

# dimension -> factor to the first unit -> words. Folded; CJK as they stand.
_UNITS: dict[str, dict[float, str]] = {
    "%": {1: "% ％ percent pct percentage prozent porcento pourcent procent "
    "percento 퍼센트 パーセント процент процента процентов"},
    "length": {
        1: "m meter meters metre metres metro metros metri 米 公尺 メートル 미터 метр метров",
        1e3: "km kilometer kilometers kilometre kilometres kilometro "
        "kilometros chilometri 公里 千米 キロメートル 킬로미터 км",
        1e-2: "cm centimeter centimeters centimetre centimetres zentimeter centimetro centimetros 厘米 公分",
        1e-3: "mm millimeter millimeters millimetre millimetres milimetros 毫米",
        1609.344: "mile miles mi meile meilen milla millas 英里",
        0.3048: "foot feet ft fuss pie pies 英尺",
        0.0254: "inch inches zoll pulgada pulgadas pouce pouces 英寸",
        0.9144: "yard yards 码",
    },
    "mass": {
        1: "kg kilo kilos kilogram kilograms kilogramm kilogramo "
        "kilogramos kilogramme kilogrammes 公斤 千克 キログラム",
        1e-3: "g gram grams gramm gramo gramos gramme grammes 克",
        1e-6: "mg milligram milligrams milligramm miligramos 毫克",
        1e3: "t ton tons tonne tonnes tonnen tonelada toneladas 吨 噸 トン",
        0.45359237: "lb lbs 磅",
    },
    "time": {
        1: "second seconds sekunde sekunden segundo segundos seconde secondes 秒 秒钟",
        60: "minute minutes min minuten minuto minutos 分钟 分鐘",
        3600: "hour hours hr hrs h stunde stunden hora horas heure heures 小时 小時 时间",
        86400: "day days tag tage tagen dia dias jour jours 天",
        604800: "week weeks woche wochen semana semanas semaine semaines 周 週 星期",
        2629800: "month months monat monate monaten mes meses mois 个月 個月",
        31557600: "year years yr yrs jahr jahre jahren ano anos an ans annee annees",
    },
    "celsius": {1: "°c ℃ celsius 摄氏度 攝氏度"},
    "fahrenheit": {1: "°f ℉ fahrenheit 华氏度"},
    "data": {
        1: "mb megabyte megabytes", 1e3: "gb gigabyte gigabytes", 1e6: "tb terabyte terabytes",
        1e-3: "kb kilobyte kilobytes",
    },
    "power": {
        1: "kw kilowatt kilowatts", 1e-3: "w watt watts", 1e3: "mw megawatt megawatts", 1e6: "gw gigawatt gigawatts",
    },
    "energy": {1: "kwh", 1e3: "mwh", 1e6: "gwh", 1e9: "twh"},
    "volume": {1: "l liter liters litre litres "
    "litro litros 升 公升", 1e-3: "ml milliliter milliliters millilitres 毫升", 3.785411784: "gallon gallons"},
    "area": {1: "ha hectare hectares hektar "
    "hectarea hectareas 公顷", 0.40468564: "acre acres", 100: "km2 km² 平方公里"},
    "usd": {1: "$ us$ usd dollar dollars dolar dolares 美元 美金 ドル 달러"},
    "eur": {1: "€ eur euro euros 欧元 歐元"},
    "gbp": {1: "£ gbp pound pounds pfund libra libras livre livres 英镑 英鎊"},
    "yen": {1: "yen jpy 日元 日圓 円"},
    "yuan": {1: "yuan rmb cny 人民币 人民幣"},
    "chf": {1: "chf franken"},
    "inr": {1: "₹ inr rupee rupees"},
}  # fmt: skip

UNITS: dict[str, tuple[str, float]] = {
    word: (dimension, factor)
    for dimension, factors in _UNITS.items()
    for factor, words in factors.items()
    for word in words.split()
}
CURRENCY_SIGNS = "$€£₹"
_HAN_UNITS = sorted((w for w in UNITS if not w.isascii() and w > "\u3000"), key=len, reverse=True)  # longest first
_HAN_UNIT = re.compile("|".join(map(re.escape, _HAN_UNITS)))


def han_unit(text: str) -> str:
    """The unit that begins a text without spaces, as behind a number; "" where none does."""
    found = _HAN_UNIT.match(text)
    return found[0] if found else ""


_MONTHS = """
january jan januar enero janvier gennaio janeiro januari января январь
february feb februar febrero fevrier febbraio fevereiro februari февраля февраль
march mar marz marzo mars maart marco марта март
april apr abril avril aprile апреля апрель
may mai mayo maggio maio mei мая май
june jun juni junio juin giugno junho июня июнь
july jul juli julio juillet luglio julho июля июль
august aug agosto aout augustus августа август
september sep sept septiembre septembre settembre setembro сентября сентябрь
october oct oktober octubre octobre ottobre outubro okt октября октябрь
november nov noviembre novembre novembro ноября ноябрь
december dec dezember diciembre decembre dicembre dezembro dez декабря декабрь
"""
MONTHS: dict[str, int] = {
    fold(word): number for number, line in enumerate(_MONTHS.strip().splitlines(), 1) for word in line.split()
}
# These are months only beside a number: "may", "march", "mar" are words of their own.
AMBIGUOUS_MONTHS = frozenset(words("may march mar mars jan jun dec sep sept mai dez oct nov feb apr aug jul mei"))
