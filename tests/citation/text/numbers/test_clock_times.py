"""Times of day in words and in other notations than 17:00."""

import pytest

from citestream.citation.text import Quantity, agrees, analyze_text
from citestream.citation.text.numbers.clock_times import clock_times, with_times
from citestream.citation.text.numbers.derived.shifted_dates import shifted_times
from citestream.citation.text.numbers.quantities import CLOCK, MONTH


def times_of(text: str) -> list[Quantity]:
    return clock_times(text, analyze_text(text, None).quantities)


def times(text: str) -> list[tuple[float, ...]]:
    """Return the times of day of a text, in minutes since midnight."""
    return [time.values for time in times_of(text)]


TIMES = {
    "at 7 am": (420,),
    "at 5.30 p.m.": (1050,),
    "at 9 in the evening": (1260,),
    "at 6 o'clock": (360, 1080),
    "at ten in the morning": (600,),
    "um sechs Uhr abends": (1080,),
    "until noon": (720,),
    "at midnight": (0,),
    "at a quarter to eight": (465, 1185),
    "at half past seven": (450, 1170),
    "um 17 Uhr": (1020,),
    "um 8 Uhr abends": (1200,),
    "um halb neun": (510, 1230),
    "à 6 h 50": (410, 1130),
    "à 8 heures et demie": (510, 1230),
    "a las nueve y media": (570, 1290),
    "a las 8 de la tarde": (1200,),
    "a las ocho y media de la tarde": (1230,),
    "um halb sieben abends": (1110,),
    "à deux heures et demie de l'après-midi": (870,),
    "um Viertel nach acht": (495, 1215),
    "下午3点半": (930,),
    "下午三点半": (930,),
    "晚上九点一刻": (1275,),
    "上午9点20分": (560,),
    "上午八点零五分": (485,),
    "晚上八点五分": (1205,),
    "八点十五": (495, 1215),
}
NO_TIMES = (
    *("得了三点", "三点五元", "十二点五万册", "三点一四", "3小时"),
    *("a walk of 6 hours", "5 amplifiers", "Room 7", "half of the 8 guests"),
)


@pytest.mark.parametrize("text", TIMES)
def test_a_time_of_day_is_found(text: str) -> None:
    assert TIMES[text] in times(text)


@pytest.mark.parametrize("text", NO_TIMES)
def test_another_number_is_not_a_time_of_day(text: str) -> None:
    assert not times(text)


def test_a_delayed_time_is_computed() -> None:
    text = "It should have started at 7 pm but was delayed by 45 minutes."
    quantities = analyze_text(text, None).quantities
    assert [time.values for time in shifted_times(text, clock_times(text, quantities), quantities)] == [(1185,)]


def test_a_time_of_day_replaces_its_parts() -> None:
    text = "Le 3 mai, les 12 invités ont attendu 2 heures et sont partis à 17 h 30."
    units = [(q.unit, q.values) for q in with_times(text, analyze_text(text, "fr").quantities)]
    assert units == [("", (3.0,)), (MONTH, (5.0,)), ("", (12.0,)), ("time", (2.0,)), (CLOCK, (1050.0,))]


def test_a_plain_number_can_be_the_hour_of_a_time_of_day() -> None:
    (five_pm,) = times_of("at 5 pm")
    assert [agrees(five_pm, number) for number in analyze_text("from 9 to 5").quantities] == [False, True]
