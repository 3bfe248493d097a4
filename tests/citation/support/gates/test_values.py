"""Numbers that the passage states about something else, and numbers within a bound of the passage."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

INVOICES = "Invoice 31 of 8 August is for 640 euros. Invoice 29 of 11 July is for 1,115 euros."
MINUTES = "Minutes of 6 June. The treasurer presented the accounts. The next meeting takes place on 4 July."
PRICES = "Annual pass: 320 euros for adults, 210 euros for students, 150 euros for pensioners."
TURNOUT = "Turnout fell from 9 % in 2012 to 6 % in 2016."
SYRUP = "Children under 20 kg take 5 ml, children from 20 to 40 kg take 10 ml, and heavier ones take 15 ml."
OPENING = "The bakery opens at 7 am and closes at 5 pm. On Sundays it stays open until noon."

TOWERS = "The church tower is 61 metres high. The water tower is four metres taller."
POINTS = "Norway finished second with 24 points, five behind Denmark."
SALES = "Ticket sales brought in 8,400 euros, 1,200 euros more than in 2022."

LENS = "The lighthouse was lit on 2 May 1907. Three weeks later a storm broke the lens."
MILL = "In 1912, two years after the brothers had divided the estate, the mill was sold."
KILN = "Der Ofen wurde am 4. März angezündet, und am Tag darauf riss die Kuppel."
BRIDGE = "Le pont a été fermé en mai 2004. L'année suivante, un bac a été mis en service."

SURGERY = "The surgery is open from 8 am to noon on weekdays and from 10 am to 1 pm on Saturdays."
DUMP = "La déchetterie ouvre le mardi matin et, le vendredi, de 15 h à 19 h."
VOUCHERS = "Vouchers bought before noon are sent the same day. The exhibition runs from 28 February to 4 March."
TALK = "Auf dem Plakat stand 18 Uhr. Der Vortrag begann dann erst um 19:30 Uhr."

ANOTHER = {
    "the hours of another day": (SURGERY, "On Fridays the surgery is open until 1 pm."),
    "a time outside a limit": (VOUCHERS, "A voucher bought at two in the afternoon is sent the same day."),
    "a day outside a range": (VOUCHERS, "The exhibition can be seen on 6 March."),
    "a time of day of another sentence, in words": (TALK, "Der Vortrag begann um sechs Uhr abends."),
    "the value of the leader": (POINTS, "Norway finished with 29 points."),
    "the value of another sentence": (INVOICES, "The invoice of 8 August is for 1,115 euros."),
    "the date of the document": (MINUTES, "The next meeting takes place on 6 June."),
    "the value of another member of a series": (PRICES, "An annual pass for pensioners costs 210 euros."),
    "the value of another year": (TURNOUT, "Turnout was 6 % in 2012."),
    "a number outside all bounds": (SYRUP, "A child of 45 kg takes 5 ml."),
    "a number within another bound": (SYRUP, "A child of 30 kg takes 5 ml."),
    "a number above the stated maximum": ("The club has 1,950 members.", "The club has no more than 1,900 members."),
    "the other half of the day": (OPENING, "The bakery closes at 5 am."),
}
SAME = {
    "the hours of the day": (SURGERY, "On Saturdays the surgery is open until 1 pm."),
    "the hours of the day in French": (DUMP, "Le vendredi, la déchetterie ouvre de 15 h à 19 h."),
    "a time inside a limit": (VOUCHERS, "A voucher bought at ten in the morning is sent the same day."),
    "a day inside a range": (VOUCHERS, "The exhibition can be seen on 2 March."),
    "the year of a computed date": (LENS, "A storm broke the lens in 1907."),
    "the date of the first event": (LENS, "The lighthouse was lit on 2 May 1907."),
    "a computed date": (LENS, "A storm broke the lens on 23 May 1907."),
    "the stated year": (MILL, "The mill was sold in 1912."),
    "a computed year of an earlier event": (MILL, "The brothers divided the estate in 1910."),
    "the stated date of a German event": (KILN, "Der Ofen wurde am 4. März angezündet."),
    "the following year in French": (BRIDGE, "Un bac a été mis en service en 2005."),
    "a Roman numeral after a name": (
        "Oskar II was the third son of Oskar I.",
        "Oskar the Second was a son of Oskar I.",
    ),
    "a computed value": (TOWERS, "The water tower is 65 metres high."),
    "the computed value of the leader": (POINTS, "Denmark finished with 29 points."),
    "the computed value of another year": (SALES, "In 2022, ticket sales brought in 7,200 euros."),
    "the stated value of a comparison": (SALES, "Ticket sales brought in 8,400 euros."),
    "the value of its sentence": (INVOICES, "The invoice of 8 August is for 640 euros."),
    "the date of the event": (MINUTES, "The next meeting takes place on 4 July."),
    "the value of its member of a series": (PRICES, "An annual pass for pensioners costs 150 euros."),
    "the value of the year": (TURNOUT, "Turnout was 9 % in 2012."),
    "both values with their years": (TURNOUT, "Turnout dropped from 9 % in 2012 to 6 % in 2016."),
    "a number within a bound": (SYRUP, "A child of 15 kg takes 5 ml."),
    "a number within a range": (SYRUP, "A child of 30 kg takes 10 ml."),
    "a month in a range": ("From April to October the ferry runs daily.", "In August the ferry runs daily."),
    "a subject of the previous sentence": (
        "The museum opened in 1950. It was closed in 2001.",
        "The museum was closed in 2001.",
    ),
    "another notation of a time of day": (OPENING, "The bakery closes at 17:00."),
    "a time of day in words": (OPENING, "On Sundays the bakery stays open until 12 o'clock."),
    "a denied bound of something else": (
        "The syrup is given to children at night. Do not give the syrup more than 3 times a day.",
        "Children are given the syrup at night.",
    ),
}


def is_refused(evidence: str, claim: str) -> bool:
    return refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, evidence, "e1")])) is not None


@pytest.mark.parametrize("case", ANOTHER)
def test_a_number_of_something_else_is_refused(case: str) -> None:
    assert is_refused(*ANOTHER[case])


@pytest.mark.parametrize("case", SAME)
def test_a_number_of_the_same_thing_is_accepted(case: str) -> None:
    assert not is_refused(*SAME[case])
