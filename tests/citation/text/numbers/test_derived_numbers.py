"""Numbers that can be computed from the words of a passage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import agrees, analyze_text
from citestream.citation.text.numbers.derived import derived
from citestream.citation.text.numbers.derived.shifts import unnumbered
from citestream.citation.text.numbers.quantities import MONTH
from citestream.citation.text.words.word_lists import load_words

FOLLOWS = {
    "the difference of two prices": ("The pass went up from £60 to £75.", "£15"),
    "a half of the amount before": ("Trainers get 12 euros a day. Assistants get half of this.", "6 euros"),
    "a half alone": ("The ticket costs £24. Children pay half.", "£12"),
    "the used part of an amount": ("The fund had £500, and £120 of it is left.", "£380"),
    "the time between two dates": ("The start is on 28 May; the former date was 7 May.", "three weeks"),
    "the date that was planned": ("The shop opened on 20 March, six days later than planned.", "14 March"),
    "an article before a unit of time": ("Report leaks within a day.", "24 hours"),
    "half an hour": ("The walk takes half an hour.", "30 minutes"),
    "three quarters of an hour": ("It bakes for three quarters of an hour.", "45 minutes"),
    "German one and a half hours": ("Die Fahrt dauert anderthalb Stunden.", "90 Minuten"),
    "French quarters of an hour": ("La cuisson dure trois quarts d'heure.", "45 minutes"),
    "Spanish hours and a quarter": ("El viaje dura tres horas y cuarto.", "195 minutos"),
    "a tenth": ("Membership declined by a tenth.", "10 %"),
    "a part of a total": ("Of the 40 applicants, 10 were women.", "25 %"),
    "every third": ("Every third household owns a dog.", "33 %"),
    "every fifth in German": ("Jeder fünfte Schüler raucht.", "20 %"),
    "one of five in Chinese": ("每五个学生中有一个吸烟。", "20%"),
    "the end of a term": ("The lease runs for six years from 2018.", "2024"),
    "months later in another year": ("She joined in January 2016 and left eighteen months later.", "2017"),
    "an earlier event": ("The film was released in 2003, two years after the book.", "2001"),
    "an age in Spanish": ("Nació en 1930 y murió a los 70 años.", "2000"),
    "an age in French": ("Née en 1901, elle est morte à 80 ans.", "1981"),
    "the start from a length before the end": ("The line closed in 1994 after 62 years of service.", "1932"),
    "a German age": ("Sie kam 1902 zur Welt und wurde 91 Jahre alt.", "1993"),
    "a Chinese age": ("他生于1915年，终年八十八岁。", "2003"),
    "one guest in four": ("One guest in four ordered fish.", "25 %"),
    "one of four in French": ("Un habitant sur quatre possède un vélo.", "25 %"),
    "a quarter of a count": ("A quarter of the 800 seats were empty.", "200"),
    "the year in which an age was zero": ("The observatory turned fifty in 2016.", "1966"),
    "the year of a founding": ("The choir marked its 100th anniversary in 2019.", "1919"),
    "a century later": ("Built in 1742, it burned down exactly a century later.", "1842"),
    "decades earlier": ("The dam was raised in 1951; it had been built two decades earlier.", "1931"),
    "the difference of a change": ("The rent rose from 600 to 750 euros.", "150 euros"),
    "the share of a change in German": ("Die Miete stieg von 600 auf 750 Euro.", "25 %"),
    "the day after the end of a month": ("It was signed on 30 April and took effect the next day.", "1 May"),
    "a date in the month before": ("The premiere was on 14 June 1922, two weeks after his death.", "31 May 1922"),
    "the last day of a month": ("The licence ends on the last day of February 2024.", "29 February 2024"),
    "the day after the last day of a month": ("They meet on the last day of June and report the next day.", "1 July"),
    "a date in the next year": ("The ship left on 30 December 1999 and arrived three days later.", "2 January 2000"),
    "an earlier day": ("The hearing of 3 March was brought forward by four days.", "27 February"),
    "the day before in French": ("Le bal eut lieu le 3 mai et la répétition la veille.", "2 mai"),
    "a quarter": ("Exports grew by a quarter.", "25 %"),
    "the number of the leader": ("Norway has 24 points, five behind Denmark.", "29 points"),
    "the other number of a comparison": ("The hall is 65 metres long, 4 metres longer than the old one.", "61 metres"),
    "the height of the taller one": ("One is 61 metres high. The other is 4 metres taller.", "65 metres"),
    "a number that is half as large": ("It treated 5,200 patients, twice as many as before.", "2,600 patients"),
    "a number that is twice as large": ("Ada has 20 sheep. Ben has twice as many.", "40 sheep"),
    "a number that is a third": ("It cost 90 euros, three times as much as planned.", "30 euros"),
    "a German genitive": ("Unterschrieben am 30. April, in Kraft ab Beginn des folgenden Tages.", "1. Mai"),
    "a German genitive of a month": ("Die Frist beginnt am 3. April und endet am 3. des folgenden Monats.", "3. Mai"),
}
DOES_NOT_FOLLOW = {
    "a later date than that of the delay": ("The shop opened on 20 March, six days later than planned.", "26 March"),
    "a half of something else": ("The hall has 40 seats. Half of this is known.", "20 euros"),
    "a distance in the wrong direction": ("Norway has 24 points, five behind Denmark.", "19 points"),
    "a height in the wrong direction": ("One is 61 metres high. The other is 4 metres taller.", "57 metres"),
    "a difference in another unit": ("It is 61 metres high. The fee is 4 euros higher.", "65 metres"),
    "another length of time": ("Report leaks within a day.", "12 hours"),
    "a smaller part of a total": ("Of the 40 applicants, 10 were women.", "50 %"),
    "months later in the same year": ("She joined in January 2016 and left six months later.", "2017"),
    "the sum of a change": ("The rent rose from 600 to 750 euros.", "1350 euros"),
    "the double of a number that is compared with": ("The fee is 140 euros, twice the old fee.", "280 euros"),
    "an age and a year of distant sentences": (
        "The observatory turned fifty in 2016. A new telescope for visitors and schools was installed in 2020.",
        "1970",
    ),
    "a century after the first of two years": (
        "Built in 1742 and extended in 1790, it burned down a century later.",
        "1842",
    ),
    "the same share of another total": ("One guest in four ordered fish.", "20 %"),
    "a start after the end": ("The line closed in 1994 after 62 years of service.", "1962"),
    "an hour and a quarter of something else": ("It takes an hour.", "75 minutes"),
    "a date after the event for one before": ("The premiere was on 14 June, two weeks after his death.", "28 June"),
    "the last day of a month that does not exist": ("It ended on the last day of 2020-13-05.", "31 January 2021"),
    "a day that the month does not have": ("It was signed on 30 April and took effect the next day.", "31 April"),
    "a month after the event for one before": ("Built in October 1936, five months after the canal.", "March 1937"),
}


NOT_COMPUTED = {
    "a shift beyond the calendar": "It was built in 1930 and closed minus 10000 years later.",
    "a month that does not exist": "它于100000月2日开业，三年后关闭。",
}


def follows(text: str, claimed: str) -> bool:
    wanted = analyze_text(claimed, None).quantities
    dated = any(one.unit == MONTH for one in wanted)
    timed = any(one.unit == "time" for one in wanted)
    numbers = derived(text, analyze_text(text, None).quantities, dated=dated, timed=timed)
    return (all if dated else any)(any(agrees(one, number) for number in numbers) for one in wanted)


@pytest.mark.parametrize("case", FOLLOWS)
def test_a_number_follows_from_the_passage(case: str) -> None:
    assert follows(*FOLLOWS[case])


@pytest.mark.parametrize("case", DOES_NOT_FOLLOW)
def test_another_number_does_not_follow(case: str) -> None:
    assert not follows(*DOES_NOT_FOLLOW[case])


@pytest.mark.parametrize("case", NOT_COMPUTED)
def test_an_impossible_date_is_not_computed(case: str) -> None:
    assert not follows(NOT_COMPUTED[case], "3 May 1941")


def test_every_unit_of_the_calendar_has_a_length() -> None:
    for unit in load_words("time_shifts")["unit"]:
        (shift,) = unnumbered(f"at the end of the next {unit}")
        assert any(shift.step), unit


LISTS = ("time_shifts", "shares", "change_words", "duration_phrases", "months", "number_modifiers")
DATED = ["3 May 2019", "31.12.2999", "0/0", "13/13/2020", "100000月", "June", "-5", "10000", "1e9", "third", "30 %"]
WORDS = [word.replace("_", " ") for name in LISTS for words in load_words(name).values() for word in words]


@given(st.lists(st.sampled_from(DATED) | st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_offsets_are_valid_for_any_words(text: str) -> None:
    found = derived(text, analyze_text(text, None).quantities, denied=True, dated=True, timed=True)
    assert all(0 <= number.start <= number.end <= len(text) for number in found)
