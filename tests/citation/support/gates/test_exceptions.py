"""Exceptions, exclusions and conditions of rules, each with a true and a false claim in nearly the same words."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

OTHER = Evidence(2, "The botanical garden keeps alpine plants that flower from May until September.", "other")
# (evidence, true claim, false claim)
Pair = tuple[str, str, str]
PAIRS: dict[str, Pair] = {
    "a denial that both sides have, in different clauses": (
        "The inspection was completed by Ann Bell with three small remarks and no serious defects.",
        "No serious defects came out of the inspection.",
        "No inspection was completed by Ann Bell.",
    ),
    "what holds otherwise": (
        "A repair costs 60 euros if the lamp was dropped; otherwise it is free of charge.",
        "A repair is free of charge unless the lamp was dropped.",
        "A repair is free of charge if the lamp was dropped.",
    ),
    "an order in another part of the sentence": (
        "The old piano is to be sold; until it has been collected it may be played by the pupils.",
        "The old piano may be played by the pupils until it has been collected.",
        "The old piano may be played by the pupils after it has been collected.",
    ),
    "not until, and only after": (
        "The chicks hatch after 12 days but can swim only after 30.",
        "The chicks hatch after 12 days but cannot swim until day 30.",
        "The chicks hatch before day 12.",
    ),
    "what follows the sentence before": (
        "During the three-month trial either side may give two days' notice. Afterwards notice is five weeks.",
        "After the trial, notice is five weeks.",
        "After the trial, notice is not five weeks.",
    ),
    "two verbs with exchanged sides, one of them with a pronoun": (
        "Josef borrowed 90 crowns from his cousin Erik and rented a mill.",
        "Josef's cousin lent him 90 crowns.",
        "Josef lent his cousin 90 crowns.",
    ),
    "a subject of two parts behind a denial": (
        "Nobody was hurt, but all the sails and ropes were lost, apart from a rope that the guard had hidden.",
        "The sails were lost, but nobody was hurt.",
        "The sails were not lost.",
    ),
    "a degree that adds nothing": (
        "The choir has a waiting list, because only two teachers hold the licence.",
        "There is a waiting list for the choir because too few teachers hold the licence.",
        "There is a waiting list for the choir because all teachers hold the licence.",
    ),
    "what holds in an exception": (
        "The library closes at 6:30 pm, except on Thursday, when it stays open until 9 pm.",
        "On Thursday the library is open until 9 pm.",
        "On Thursday the library is not open until 9 pm.",
    ),
    "what holds in an exception, in French": (
        "Le musée ferme à 18 h, sauf le jeudi, où il reste ouvert jusqu'à 21 h.",
        "Le jeudi, le musée est ouvert jusqu'à 21 h.",
        "Le jeudi, le musée n'est pas ouvert jusqu'à 21 h.",
    ),
    "what holds in an exception, in German": (
        "Das Museum schließt um 18 Uhr, außer am Donnerstag, wenn es bis 21 Uhr geöffnet bleibt.",
        "Am Donnerstag ist das Museum bis 21 Uhr geöffnet.",
        "Am Donnerstag ist das Museum nicht bis 21 Uhr geöffnet.",
    ),
    "what holds in an exception, in Spanish": (
        "El museo cierra a las 18 h, excepto los jueves, cuando permanece abierto hasta las 21 h.",
        "Los jueves el museo está abierto hasta las 21 h.",
        "Los jueves el museo no está abierto hasta las 21 h.",
    ),
    "a duty that is lifted": (
        "Bicycles must be pushed in the park. Police bicycles are exempt.",
        "Police bicycles do not have to be pushed in the park.",
        "Police bicycles must be pushed in the park.",
    ),
    "two rows of a table": (
        "| | Basic | Plus |\n|---|---|---|\n| Help | e-mail | phone |\n| Answer (in hours) | 40 | 8 |",
        "With Basic, help comes by e-mail, and an answer in 40 hours.",
        "With Plus, help comes by phone, and an answer in 40 hours.",
    ),
    "a denial by another verb": (
        "The nurses do not recommend cold water for small burns.",
        "The nurses advise against cold water for small burns.",
        "The nurses advise cold water for small burns.",
    ),
    "a denial inside a relative clause": (
        "The warden who had refused the permit in April thanked the campers in July.",
        "The warden thanked the campers.",
        "The warden did not thank the campers.",
    ),
    "a bound inside a relative clause": (
        "Swimmers have to finish within two hours to receive a medal.",
        "A swimmer who needs more than two hours does not receive a medal.",
        "A swimmer who needs more than two hours receives a medal.",
    ),
    "a number outside the bound of a rule": (
        "Receipts are required for amounts above 20 euros.",
        "No receipt is required for an amount of 15 euros.",
        "A receipt is required for an amount of 15 euros.",
    ),
    "a number on the other side of the bound before": (
        "Orders up to 2,000 euros are signed by the team leader. Larger orders are signed by a director.",
        "An order of 3,000 euros is signed by a director.",
        "An order of 3,000 euros is signed by the team leader.",
    ),
    "an age": (
        "Guests under 16 need to leave the hall by 8 pm.",
        "A fifteen-year-old guest needs to leave the hall by 8 pm.",
        "An eighteen-year-old guest needs to leave the hall by 8 pm.",
    ),
    "all of a wider kind": (
        "The pool is closed for cleaning every Tuesday morning.",
        "The pool is closed for cleaning on Tuesday mornings.",
        "The pool is closed for cleaning every morning.",
    ),
    "one thing more than the only one": (
        "The discount is granted only to households with three or more children.",
        "Households with three or more children get the discount.",
        "A household with one child gets the discount, too.",
    ),
    "a length of time that is counted back": (
        "Leave has to be requested at least four weeks in advance.",
        "Leave has to be requested at the latest four weeks before.",
        "Leave has to be requested at most four weeks in advance.",
    ),
    "an exception that the passage does not have": (
        "Bicycles must not be left in the stairwell. They may be parked in the courtyard.",
        "Bicycles must not be left in the stairwell.",
        "Bicycles may be left in the stairwell but not in the courtyard.",
    ),
    "a cost that is denied": (
        "Members can bring a guest once a month at no cost.",
        "A guest of a member is free once a month.",
        "Members cannot bring a guest.",
    ),
    "advice of another sentence": (
        "Visitors must wear a helmet in the production hall. Safety shoes are recommended.",
        "Visitors must wear a helmet in the production hall.",
        "Visitors must wear safety shoes in the production hall.",
    ),
    "a restriction of another sentence": (
        "New employees receive a laptop on their first day. Telephones are issued only to employees in the field.",
        "New employees receive a laptop on their first day.",
        "New employees receive a laptop and a telephone on their first day.",
    ),
    "a kind that the next sentence excludes": (
        "Jewellery is insured up to 900 dollars. Wedding rings are excluded.",
        "Jewellery is insured up to 900 dollars.",
        "Wedding rings are insured up to 900 dollars.",
    ),
    "a prohibition without its verb": (
        "Dogs may be taken on the tram. Horses may not.",
        "Dogs are allowed to be taken on the tram.",
        "Horses are allowed to be taken on the tram.",
    ),
    "people who are not entitled to it": (
        "Trainers receive a parking space and a bonus of 90 euros. Volunteers are not entitled to a bonus.",
        "Trainers receive a bonus of 90 euros.",
        "Volunteers receive a bonus of 90 euros.",
    ),
    "a participle that denies nothing": (
        "Unopened parcels can be sent back to the shop.",
        "Parcels that are unopened can be sent back to the shop.",
        "No parcels can be sent back to the shop.",
    ),
    "free of charge": (
        "Members may park free of charge.",
        "Members may park for free.",
        "Members may not park free of charge.",
    ),
    "not a requirement": (
        "A car of one's own is useful but not a requirement for this job.",
        "A car of one's own is not necessary for this job.",
        "A car of one's own is required for this job.",
    ),
    "a reason before a denial": (
        "The glue contains solvents, so the toy is not suitable for infants.",
        "Because of the solvents in the glue, the toy is not suitable for infants.",
        "Because of the solvents in the glue, the toy is suitable for infants.",
    ),
    "an exception that holds": (
        "Do not enter the hall unless the lamp is green.",
        "When the lamp is green, the hall may be entered.",
        "When the lamp is green, the hall may not be entered unless a guide is present.",
    ),
    "a verb that denies on both sides": (
        "The club needs the permit of the town, which may withdraw it after an accident.",
        "The town may withdraw the permit after an accident.",
        "The club may withdraw the permit after an accident.",
    ),
    "agents of two verbs": (
        "Orders are placed by the clerk and checked by the buyer.",
        "Orders are checked by the buyer.",
        "Orders are placed by the buyer and checked by the clerk.",
    ),
    "the kind of a customer": (
        "Guests with a silver card get a newspaper in the morning. Guests with a gold card can also use the lounge.",
        "Guests with a gold card can use the lounge.",
        "Guests with a silver card can also use the lounge.",
    ),
    "the condition of another sentence": (
        "The fee is refunded in full if the course is cancelled. If the course is shortened, a voucher is issued.",
        "If the course is cancelled, the fee is refunded in full.",
        "The fee is refunded in full if the course is shortened.",
    ),
    "all, where the passage sets a limit": (
        "Invoices above 400 francs are checked by two people. They are kept for ten years.",
        "Invoices above 400 francs are checked by two people.",
        "Every invoice is checked by two people.",
    ),
    "only, where the passage restricts nothing": (
        "Keys are handed out at the gate or in the office.",
        "Keys can be had in the office or at the gate.",
        "Keys are handed out only in the office.",
    ),
    "a condition behind a preposition": (
        "In the case of a fire on the upper floor, the lifts are locked by the porter.",
        "The lifts are locked by the porter after a fire on the upper floor.",
        "The lifts are not locked by the porter after a fire on the upper floor.",
    ),
    "a denial in the same place": (
        "Smoking is prohibited in the library. Talking on the stairs is tolerated.",
        "Talking on the stairs is tolerated.",
        "Talking on the stairs is prohibited in the library.",
    ),
    "a condition of something that is denied": (
        "Suitcases are insured if they were locked. Cameras are excluded.",
        "Cameras are not insured.",
        "Cameras are insured.",
    ),
}


@pytest.mark.parametrize(("text", "true", "false"), PAIRS.values(), ids=PAIRS)
def test_an_exception_holds_for_what_it_names(text: str, true: str, false: str) -> None:
    prepared = scorer("lexical").prepare([Evidence(1, text, "document"), OTHER])
    assert refusal(Claim(true), prepared) is None
    assert refusal(Claim(false), prepared) is not None
