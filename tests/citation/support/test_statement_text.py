"""The words of a sentence that state something, without labels, addresses, tags and formulas."""

import pytest

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.support.claims import misses_information
from citestream.citation.support.statement_text import stated_text

STATED = {
    "the label of a step": ("Step 1: Unplug the pump.", "Unplug the pump."),
    "a label in bold": ("**Step 3:** Replace the filter after 500 hours.", "Replace the filter after 500 hours."),
    "a number in parentheses": ("(2) Drain the tank.", "Drain the tank."),
    "a number sign": ("#1: Unplug the pump.", "Unplug the pump."),
    "a keycap": ("1️⃣ Unplug the pump.", "Unplug the pump."),
    "the number of a section": ("1.1 Unplug the pump.", "Unplug the pump."),
    "a Chinese label": ("步骤1：拔掉插头。", "拔掉插头。"),
    "a number with a noun is no label": ("1.5 million people live there.", "1.5 million people live there."),
    "a unit after the number is no label": ("1.5 GB are free.", "1.5 GB are free."),
    "a name with a number is no label": ("Apollo 11: the first landing.", "Apollo 11: the first landing."),
    "the address of a link": ("It is [110 m](https://ex.org/2023/5_(a).html) tall.", "It is 110 m tall."),
    "an image": ("![a rocket](https://ex.org/99.png) It is tall.", "It is tall."),
    "an address": ("It is tall, see https://ex.org/99.", "It is tall, see"),
    "the attributes of a tag": ('<span style="font-size:14px">It is tall.</span>', "It is tall."),
    "a comparison is no tag": ("a < 5 and b > 3 hold.", "a < 5 and b > 3 hold."),
    "a formula": ("It weighs $6.5$ kg.", "It weighs 6.5 kg."),
    "a formula with a unit": ("It weighs $6.5\\ \\mathrm{kg}$.", "It weighs 6.5 kg."),
    "prices are no formula": ("It costs $5 and $10.", "It costs $5 and $10."),
    "one price is no formula": ("It costs $310.", "It costs $310."),
}


@pytest.mark.parametrize(("text", "stated"), STATED.values(), ids=STATED)
def test_a_sentence_states_its_words(text: str, stated: str) -> None:
    assert stated_text(text) == stated


NUMBERS = {
    "full-width digits and separators": ("価格は１２，０００円です。", "価格は12,000円です。"),
    "full-width separators only": ("价格为12，000元。", "价格为12,000元。"),
    "full-width numbers of the evidence": ("価格は12,000円です。", "価格は１２，０００円です。"),
}


@pytest.mark.parametrize(("text", "evidence"), NUMBERS.values(), ids=NUMBERS)
def test_full_width_numbers_equal_others(text: str, evidence: str) -> None:
    assert cite(text, [Evidence(1, evidence, "e1")]).supports[0]


def test_of_passages_with_the_same_text_one_is_cited_or_those_that_the_model_cites() -> None:
    text = "The bridge was opened in 1932 by the mayor."
    evidence = [Evidence(number, text, f"e{number}") for number in (1, 2, 3)]
    assert [one.number for one in cite(text, evidence).supports[0]] == [1]
    assert [one.number for one in cite(f"{text[:-1]} [2].", evidence).supports[0]] == [2]
    assert {one.number for one in cite(f"{text[:-1]} [2][3].", evidence).supports[0]} == {2, 3}


MISSING = {
    "I could not find information about the price in the provided documents.": True,
    "The documents do not mention the price of the pump.": True,
    "Unfortunately, the context does not specify when it flew.": True,
    "There is no information about the price.": True,
    "Die Auszüge nennen den Preis nicht.": True,
    "Les documents ne mentionnent pas le prix.": True,
    "Los documentos no mencionan el precio.": True,
    "资料没有提到价格。": True,
    "The pump does not need oil.": False,
    "The text of the contract was signed in 1932.": False,
    "Die Quellen des Flusses liegen im Norden.": False,
}


@pytest.mark.parametrize(("text", "misses"), MISSING.items(), ids=MISSING)
def test_a_sentence_about_missing_information_is_recognised(text: str, misses: bool) -> None:
    assert misses_information(text) is misses


def test_a_sentence_about_missing_information_is_never_cited() -> None:
    text = "The excerpts do not say how much the pump costs [1]."
    cited = cite(text, [Evidence(1, "The pump costs 99 euros.", "e1")])
    assert cited.text == "The excerpts do not say how much the pump costs."
    assert cited.fields["references"] == []
