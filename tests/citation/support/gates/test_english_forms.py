"""English forms that state the same in other operators or numbers, each with a false claim in nearly the same words."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

OTHER = Evidence(2, "The botanical garden keeps alpine plants that flower from May until September.", "other")
# (evidence, true claim, false claim)
Pair = tuple[str, str, str]
PAIRS: dict[str, Pair] = {
    "what another clause denies": (
        "Orders must be placed in writing; a telephone call is not enough.",
        "Orders must be placed in writing.",
        "Orders can be placed by telephone call.",
    ),
    "what another clause avoids": (
        "The lynx hunts in open woodland and avoids villages.",
        "The lynx hunts in woodland.",
        "The lynx hunts in villages.",
    ),
    "until a year, in another clause": (
        "The heron is listed as safe; until 2012 it was listed as endangered.",
        "The heron is listed as safe.",
        "The heron is listed as endangered.",
    ),
    "an exception beside what is permitted": (
        "Cycling is permitted in the park but not in the arcade.",
        "Cycling in the arcade is not allowed.",
        "Cycling is not permitted in the park.",
    ),
    "an indirect question as the subject": (
        "Whether the tram depot moves to Arden will be decided in May.",
        "A decision about the tram depot is due in May.",
        "The tram depot moves to Arden in May.",
    ),
    "considered as a judgement": (
        "The beetle is listed as vulnerable in Norway.",
        "The beetle is considered vulnerable in Norway.",
        "The beetle is not listed as vulnerable in Norway.",
    ),
    "over a length of time": (
        "The fee may rise by at most 15 % within three years.",
        "Over three years the fee may rise by no more than 15 %.",
        "Over three years the fee may rise by more than 15 %.",
    ),
    "longer than": (
        "Report a fault that lasts longer than two hours.",
        "Faults that last more than two hours should be reported.",
        "Faults that last less than two hours should be reported.",
    ),
    "provided as a verb": (
        "The maker provided them with spare parts in 2019.",
        "The maker gave them spare parts in 2019.",
        "The maker did not give them spare parts in 2019.",
    ),
    "advised against": (
        "The lawyer advised her client against signing.",
        "The lawyer told her client not to sign.",
        "The lawyer advised her client to sign.",
    ),
    "kept from": (
        "A software error kept the satellite from reaching its orbit.",
        "The satellite did not reach its orbit.",
        "The satellite reached its orbit despite a software error.",
    ),
    "a verb with its particle behind the object": (
        "The senate turned the treaty down in May.",
        "The senate rejected the treaty in May.",
        "The senate approved the treaty in May.",
    ),
    "called off": (
        "The referee called the match off at noon.",
        "The match was cancelled at noon.",
        "The match was played at noon.",
    ),
    "not uncommon": (
        "The side effects are not uncommon in older patients.",
        "The side effects occur fairly often in older patients.",
        "The side effects are uncommon in older patients.",
    ),
    "not unlikely": (
        "It is not unlikely that the bridge will be closed in winter.",
        "The bridge may well be closed in winter.",
        "It is unlikely that the bridge will be closed in winter.",
    ),
    "nobody doubts": (
        "Nobody doubts that the bones are real.",
        "Everybody believes that the bones are real.",
        "Nobody believes that the bones are real.",
    ),
    "no … without": (
        "No runner finished without a medal.",
        "Every runner who finished got a medal.",
        "No runner who finished got a medal.",
    ),
    "no longer than a time": (
        "Delivery takes five working days at the latest.",
        "Delivery takes no longer than five working days.",
        "Delivery takes more than five working days.",
    ),
    "no higher than": (
        "The wall is no higher than two metres.",
        "The wall is at most two metres high.",
        "The wall is more than two metres high.",
    ),
    "a denial in the next sentence": (
        "The app was available for tablets. Since March this is no longer the case.",
        "Since March the app has not been available for tablets.",
        "Since March the app has been available for tablets.",
    ),
    "an opposite word in the next sentence": (
        "It was announced that the pool would reopen in May. It is still closed.",
        "The pool has not reopened.",
        "The pool has reopened.",
    ),
    "a denied word that another sentence has of something else": (
        "The gift shop is open every day. The café stays closed during the renovation.",
        "The café does not open during the renovation.",
        "The café opens every day during the renovation.",
    ),
    "a predicate behind a year and a comma": (
        "The firm, founded in 1975, celebrated its fiftieth anniversary in 2025.",
        "The firm turned fifty in 2025.",
        "The firm was founded in 2025.",
    ),
    "an opposite word of something else": (
        "Let the cake rise for 90 minutes. Bake it at 200 °C for a quarter of an hour, then lower the heat to 170 °C.",
        "The cake has to rise for an hour and a half, and baking starts at 200 degrees Celsius.",
        "The cake has to rise for an hour and a half, and baking starts at 170 degrees Fahrenheit.",
    ),
    "a belief at the end": (
        "Experts believe that the fresco dates from the 12th century.",
        "The fresco dates from the 12th century, experts believe.",
        "The fresco dates from the 12th century.",
    ),
    "so far": (
        "The chapel bell has yet to be repaired.",
        "The chapel bell has not been repaired so far.",
        "The chapel bell has been repaired.",
    ),
    "more than one first name": (
        "Harlow also wrote the screenplay for the film The Quiet Ferry.",
        "Anna Maria Harlow wrote the screenplay for The Quiet Ferry.",
        "Anna Maria Delgado wrote the screenplay for The Quiet Ferry.",
    ),
}
NUMBERS: dict[str, Pair] = {
    "a century later": (
        "The chapel was consecrated in 1742. It burned down exactly a century later.",
        "The chapel burned down in 1842.",
        "The chapel burned down in 1832.",
    ),
    "two decades later": (
        "The dam was built in 1931 and raised two decades later.",
        "The dam was raised in 1951.",
        "The dam was raised in 1933.",
    ),
    "turned fifty": (
        "The observatory turned fifty in 2016.",
        "The observatory dates from 1966.",
        "The observatory dates from 1956.",
    ),
    "half as much noise": (
        "The new turbine produces half as much noise as the old one.",
        "The old turbine is twice as noisy as the new one.",
        "The new turbine is twice as noisy as the old one.",
    ),
    "three times and a third": (
        "The barn is three times as large as the stable.",
        "The stable is a third as large as the barn.",
        "The stable is three times as large as the barn.",
    ),
    "a quarter of 800": (
        "Roughly a quarter of the 800 seats were empty.",
        "About 200 seats were empty.",
        "About 400 seats were empty.",
    ),
    "of 60, a third": ("Of the 60 sailors, a third fell ill.", "Twenty sailors fell ill.", "Thirty sailors fell ill."),
    "the rest of a total": (
        "Two of the five wells are contaminated.",
        "Three of the wells are not contaminated.",
        "All five wells are contaminated.",
    ),
    "rates of two years": (
        "The unemployment rate dropped from 9 % in 2012 to 6 % in 2018.",
        "Unemployment was lower in 2018 than in 2012.",
        "Unemployment was higher in 2018 than in 2012.",
    ),
    "an ordinal without its noun": (
        "Her first album came out in 2003. The second followed four years later, and the third in 2011.",
        "The second album was released in 2007.",
        "The second album was released in 2011.",
    ),
    "half of a rate": (
        "Travel time is charged at half the hourly rate of 140 euros.",
        "An hour of travel time is charged at 70 euros.",
        "An hour of travel time is charged at 280 euros.",
    ),
    "more than a number below": (
        "The plant employs 1,950 people.",
        "The plant employs more than 1,900 people.",
        "The plant employs more than 2,000 people.",
    ),
    "a denied bound": (
        "45 % of the members voted.",
        "More than 40 % of the members voted.",
        "Not more than 40 % of the members voted.",
    ),
    "a bound and what it excludes": (
        "Bids below 50,000 euros will not be considered.",
        "A bid must be at least 50,000 euros.",
        "Bids must be below 50,000 euros.",
    ),
    "within a time and more than it": (
        "Runners have to finish within four hours to qualify.",
        "A runner who needs more than four hours does not qualify.",
        "A runner who needs more than four hours qualifies.",
    ),
    "as much as": (
        "The tickets cost as much as they did last year.",
        "The price of the tickets has not changed since last year.",
        "The tickets cost more than they did last year.",
    ),
}


def gated(text: str, claim: str) -> bool:
    prepared = scorer("lexical").prepare([Evidence(1, text, "one"), OTHER])
    return refusal(Claim(claim), prepared) is not None


@pytest.mark.parametrize(("text", "true", "false"), (PAIRS | NUMBERS).values(), ids=PAIRS | NUMBERS)
def test_the_same_in_other_words(text: str, true: str, false: str) -> None:
    assert not gated(text, true)
    assert gated(text, false)
