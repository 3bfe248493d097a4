"""Quantities in many notations, and their agreement."""

from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import agrees, analyze_text
from citestream.citation.text.numbers.derived import derived
from citestream.citation.text.numbers.number_words import _match_number_words, match_number_words
from citestream.citation.text.numbers.quantity_parser import QuantityParser
from citestream.citation.text.tokens import tokenize

SAME = {
    "hours and minutes": ("The ferry takes 2 h 40 min.", "The ferry takes 160 minutes."),
    "hours and minutes in words": ("It lasts one hour and twenty minutes.", "It lasts 80 minutes."),
    "a mass in two units": ("It weighs 3 kg 200 g.", "It weighs 3.2 kg."),
    "an English hour and a half": ("The tour takes an hour and a half.", "The tour takes 90 minutes."),
    "hours and a half": ("The tour takes three and a half hours.", "The tour takes 210 minutes."),
    "fraction characters": ("Add 2½ litres and ¾ kg.", "Add 2.5 litres and 0.75 kg."),
    "separators": ("It employs 1,500 people.", "It employs 1500 people."),
    "thousands with a k": ("It employs 1.5k people.", "It employs 1,500 people."),
    "German separators": ("Es sind 1.500 Leute in der Stadt.", "It is 1500 people."),
    "millions, two languages": ("Der Preis ist 2 Mio. Euro.", "The price is 2 million euros."),
    "milliards": ("Le coût est de 3 milliards d'euros.", "The cost is 3 billion euros."),
    "long scale": ("Der Wert ist zwei Billionen.", "The value is two trillion."),
    "Chinese scale": ("人口是三万。", "The population is 30,000."),
    "Chinese digits": ("二〇二一年", "In 2021"),
    "added Chinese scales": ("1亿2000万元", "1.2亿元"),
    "a year before its century": ("It opened in 1901.", "En 1901, siglo XX, se abrió."),
    "a century after a year": ("It is of the 20th century.", "En 1901, siglo XX, se abrió."),
    "a number before an ordinal": ("Nine are left.", "Of the nine, third parties own two."),
    "percent words": ("It rose 3 percent.", "Es stieg um 3 Prozent."),
    "percent in characters": ("百分之三", "3 %"),
    "a decimal and a scale in characters": ("销售十二点五万辆", "12.5万辆"),
    "a decimal in characters": ("百分之六点三", "6.3 %"),
    "a compound ordinal": ("It was the twenty-third session.", "It was the 23rd session."),
    "a compound ordinal without a hyphen": ("They met at the eighty sixth session.", "It was the 86th session."),
    "the plural of percent": ("It rose by forty percents.", "It rose 40 %."),
    "a compound ordinal and a century": (
        "It was built in the twenty-first century.",
        "It was built in the 21st century.",
    ),
    "number words": ("There are twenty-five schools.", "There are 25 schools."),
    "German compounds": ("Es sind fünfundzwanzig.", "25"),
    "Spanish at least, not minus": ("Hacen falta al menos 50 puntos.", "50 puntos"),
    "French at least, not minus": ("Il faut au moins 50 points.", "50 points"),
    "a French seven, not September": ("Dans la ville, le jury est de sept membres.", "7 membres"),
    "French twenties": ("Il y en a quatre-vingt-dix-sept.", "97"),
    "Spanish": ("Son treinta y dos parques.", "32"),
    "Arabic digits": ("العدد ١٢٣", "123"),
    "ordinals": ("She came third.", "She came 3rd."),
    "a year in a decade": ("It began in the 1990s.", "It began in 1994."),
    "a century in Roman numerals": ("Es del siglo XIX.", "It is from the 19th century."),
    "metres and kilometres": ("It is 5,000 metres long.", "It is 5 km long."),
    "rounded millions": ("It has 1.2 million members.", "It has 1,234,567 members."),
    "full-width digits": ("It employs １５００ people.", "It employs 1,500 people."),
    "a full-width decimal": ("It rose ３．５ percent.", "It rose 3.5 percent."),
    "another apostrophe": ("It has 1’500 members.", "It has 1＇500 members."),
    "a decade with another apostrophe": ("In the 1990’s it grew.", "In the 1990's it grew."),
    "fractions": ("Dos tercios de la población", "三分之二"),
    "a version": ("It needs version 3.10.", "It needs version 3.10."),
    "a time of day": ("at 2:30 p.m.", "at 14:30"),
    "square metres": ("It covers 30,000 square metres.", "It covers 3 hectares."),
    "square metres in Spanish": ("Mide 30.000 metros cuadrados.", "Mide 3 hectáreas."),
    "cubic metres": ("The tank holds 1.5 cubic metres.", "The tank holds 1,500 litres."),
    "volts": ("The voltage is 400 volts.", "The voltage is 0.4 kilovolts."),
    "a fortnight": ("It lasts 2 fortnights.", "It lasts 28 days."),
    "a currency before and after the number": ("It cost $120m.", "It cost 120 million dollars."),
    "minus": ("Store it at minus 20 degrees Celsius.", "Store it at -20 °C."),
    "minus before a number word": ("Es sind minus acht Grad.", "Es sind -8 Grad."),
    "a date with the day first": ("El curso empieza el 12/09/2025.", "Empieza el 12 de septiembre de 2025."),
    "a German decade in words": ("Sie wurde in den neunziger Jahren geboren.", "It was in the 1990s."),
    "a German decade as one word": ("Das Haus ist aus den Sechzigerjahren.", "Das Haus ist aus dem Jahr 1964."),
    "German ordinals": ("Es war die einundzwanzigste Sitzung.", "Es war die 21. Sitzung."),
    "a French compound ordinal": ("L'église est du dix-huitième siècle.", "L'église est du XVIIIe siècle."),
    "a Spanish century in words": ("La torre es del siglo quince.", "La torre es del siglo XV."),
    "euros and cents": ("Le pain est à 3 euros 60.", "Le pain est à 3,60 €."),
    "millions with a letter": ("Le budget est de 45 M€.", "Le budget est de 45 millions d'euros."),
    "millions of cubic metres": ("Son 1,2 millones de metros cúbicos.", "Son 1.200.000 metros cúbicos."),
    "about twenty": ("Il y a une vingtaine de places.", "Il y a 20 places."),
    "half an hour": ("Le trajet dure une demi-heure.", "Le trajet dure 30 minutes."),
    "an hour and a half": ("La visita dura una hora y media.", "La visita dura 90 minutos."),
    "a fraction after a whole number": ("Add 1 1/2 litres.", "Add 1.5 litres."),
    "a season over two years": ("It was the best season of 2018/19.", "It was the season 2018–19."),
    "per mille": ("The rate is 0.5‰.", "The rate is 0.05 %."),
    "parts of ten thousand in characters": ("比例为万分之五", "比例为1/2000"),
    "an ordinal above a hundred": ("It is the one hundred and twenty-third session.", "It is the 123rd session."),
    "half a million": ("It cost half a million euros.", "It cost 500,000 euros."),
    "half a dozen": ("Es media docena de huevos.", "Son 6 huevos."),
    "half hours in Chinese": ("手术做了一个半小时", "手术做了90分钟"),
    "half years in Chinese": ("工期为两年半", "工期为30个月"),
    "tenths in Chinese": ("占六成八", "占68%"),
    "a short form in Chinese": ("三万五", "35,000"),
    "quarters of an hour in Chinese": ("三刻钟", "45分钟"),
    "below zero in Chinese": ("气温为零下五度", "气温为零下5度"),
    "degrees of a scale": ("Der Ofen hat 200 Grad Celsius.", "The oven has 200 °C."),
}
DIFFERENT = {
    "months of another length of time": ("Six after five years and nine months after eight.", "It takes 69 months."),
    "another number": ("1,500", "1,800"),
    "another scale": ("2.4 million", "2.4 billion"),
    "another unit": ("5 km", "5 miles"),
    "percent or not": ("It rose 5 %.", "It rose 5."),
    "square kilometres for hectares": ("3 square kilometres", "3 hectares"),
    "kilovolts for volts": ("5 kilovolts", "5 volts"),
    "a number without its half": ("Add 2 litres.", "Add 2½ litres."),
    "another currency": ("$5", "€5"),
    "the month first": ("La fête est le 03/01/2026.", "La fête est le 1er mars 2026."),
    "another decade in words": ("Er kam in den achtziger Jahren.", "Er kam in den 1990er Jahren."),
    "one kilometre": ("一公里", "三公里"),
    "another count of chairs": ("五把椅子", "十五把椅子"),
    "above zero": ("气温为五度", "气温为零下五度"),
    "another month": ("3 March 2020", "3 April 2020"),
    "another version": ("version 3.10", "version 3.1"),
    "another patch": ("v1.2.3", "v1.2.4"),
    "below zero": ("-5 °C", "5 °C"),
    "days for months": ("十个月", "十天"),
    "more exact than the evidence": ("1,234,567", "1.2 million"),
    "below zero or above": ("minus 20 °C", "20 °C"),
}


def confirmed(claim: str, evidence: str) -> bool:
    """Return whether every number of the claim agrees with one of the evidence."""
    known = analyze_text(evidence).quantities
    numbers = analyze_text(claim).quantities
    assert numbers
    return all(any(agrees(number, other) for other in known) for number in numbers)


@pytest.mark.parametrize("name", SAME)
def test_equal_numbers_agree(name: str) -> None:
    assert confirmed(*SAME[name])


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_numbers_do_not_agree(name: str) -> None:
    assert not confirmed(*DIFFERENT[name])


@pytest.mark.parametrize(
    "text",
    [
        "It may rain.",
        "They march on.",
        "一个人的统一",
        "Once upon a time",
        "No quarter was given.",
        "万一下雨",
        "La loi est très stricte.",
        "They seize power.",
    ],
)
def test_words_that_look_like_numbers_need_no_confirmation(text: str) -> None:
    assert not [q for q in analyze_text(text).quantities if q.strict]


def test_units_depend_on_the_language() -> None:
    assert not analyze_text("Das Werk ging 1962 ans Netz.", "de").quantities[0].unit
    assert analyze_text("Il a habité ici 12 ans et demi.", "fr").quantities[0].unit == "time"


GERMAN_WORDS = {
    "hours": ("eine zweistündige Sitzung", "zwei Stunden"),
    "years, as a noun": ("der 42-Jährige", "42 Jahre"),
    "days": ("die vierzehntägige Frist", "14 Tage"),
    "percent": ("ein zehnprozentiger Anteil", "10 %"),
    "a fraction of a litre": ("ein Viertelliter Milch", "250 ml"),
    "three quarters of an hour": ("eine Dreiviertelstunde", "45 Minuten"),
    "the first part of a compound": ("im Viertelstundentakt", "15 Minuten"),
}


@pytest.mark.parametrize(("word", "length"), GERMAN_WORDS.values(), ids=GERMAN_WORDS)
def test_german_words_can_contain_a_number_and_a_unit(word: str, length: str) -> None:
    mine, theirs = (analyze_text(text, "de").quantities[0] for text in (word, length))
    assert agrees(mine, theirs)


@pytest.mark.parametrize("word", ["halbjährlich", "Halbinsel", "Viertelfinale", "Zweig", "Einzelhandel"])
def test_other_german_words_contain_no_number(word: str) -> None:
    assert not analyze_text(word, "de").quantities


NINES = "9" * 5000


@pytest.mark.parametrize(
    "number",
    [
        *(NINES, f"-{NINES}", f"3:{NINES}", f"{NINES}/{NINES}", f"2020-{NINES}-1", f"0.{'0' * 400}1"),
        *(f"1 {'million ' * 60}", f"{'hundred ' * 400}", f"一{'亿' * 60}元", f"{NINES} °C", f"10 % of {NINES}"),
    ],
    ids=lambda number: number[:12],
)
def test_an_extreme_number_agrees_only_with_itself(number: str) -> None:
    quantities = analyze_text(f"It is {number}.", "en").quantities
    assert all(agrees(one, one) for one in quantities)
    assert not any(agrees(one, other) for one in quantities for other in analyze_text("It is 8.", "en").quantities)
    assert all(isfinite(value) for one in derived(number, quantities) for value in one.values)


@pytest.mark.parametrize("text", ["零分之一", "〇分之三", "百分之零", "1/0", "3:0"])
def test_a_division_by_zero_has_no_ratio(text: str) -> None:
    assert all(isfinite(value) for one in analyze_text(f"比例是{text}。").quantities for value in one.values)


def test_offsets_index_the_number() -> None:
    text = "Sie zahlten 3,5 Mio. Euro im März."
    quantity = analyze_text(text).quantities[0]
    assert text[quantity.start : quantity.end].startswith("3,5 Mio")


NEIGHBOURS = (
    *("12", "1969", "3.10", "1,500", "2", "1 000", "5:30", "one", "two", "hundred", "zwei", "dos", "half", "third"),
    *("million", "km", "%", "°C", "€", "$", "about", "version", "Python", "de", "por", "ciento", "prozent", "s", "th"),
    *("century", "años", "and", "und", "a", "the", "river", "March", "约", "万", "年", "余"),
    *("-", "−", "–", ".", ",", "(", ")", " ", " ", " ", " ", "\n", "\u00a0", "'", "'s"),
)
LANGUAGES = ("en", "de", "es", "pl", None)


class ThoroughParser(QuantityParser):
    """Looks for scales and units next to every number, without the fast path."""

    def _has_no_modifier(self, first: int, after: int) -> bool:
        return False


@given(st.lists(st.sampled_from(NEIGHBOURS), max_size=14).map("".join), st.sampled_from(LANGUAGES))
def test_fast_path_for_numbers_without_modifiers_returns_the_same_quantities(text: str, language: str | None) -> None:
    tokens = tokenize(text)
    assert QuantityParser(tokens, language).parse() == ThoroughParser(tokens, language).parse()


@given(st.lists(st.sampled_from(NEIGHBOURS), max_size=14).map(" ".join), st.sampled_from(LANGUAGES))
def test_fast_path_for_single_number_words_returns_the_same_numbers(text: str, language: str | None) -> None:
    tokens = tokenize(text)
    for i in tokens.quantity_indexes:
        if tokens.kind(i) == "word":
            assert match_number_words(tokens, i, language) == _match_number_words(tokens, i, language)
