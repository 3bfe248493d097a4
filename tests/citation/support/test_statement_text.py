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
    "a label with a dash": ("Step 2 - Drain the tank.", "Drain the tank."),
    "a label in bold before its colon": ("**Tip #2**: Drain the tank.", "Drain the tank."),
    "a label in bold without a colon": ("**Step 2** Drain the tank.", "Drain the tank."),
    "a label in brackets": ("[Step 1] Unplug the pump.", "Unplug the pump."),
    "a label with a total": ("Step 1 of 3: Unplug the pump.", "Unplug the pump."),
    "a number sign without a colon": ("#2 Drain the tank.", "Drain the tank."),
    "a number with a colon": ("2: Drain the tank.", "Drain the tank."),
    "a label of two words": ("Key takeaway 3: It is heavy.", "It is heavy."),
    "a figure": ("Figure 4: The pump weighs 6.5 kg.", "The pump weighs 6.5 kg."),
    "a remark that names a part of the document": ("It weighs 6.5 kg (see table 2).", "It weighs 6.5 kg."),
    "a label in German": ("Schritt 2: Den Tank entleeren.", "Den Tank entleeren."),
    "a label in French": ("Étape 2 : Videz le réservoir.", "Videz le réservoir."),
    "a Chinese enumerator": ("2、排空水箱。", "排空水箱。"),
    "a Chinese step": ("第2步：排空水箱。", "排空水箱。"),
    "a source as label": ("Source 1: It is heavy.", "It is heavy."),
    "a number in parentheses is a claim": ("It has pumps (3).", "It has pumps (3)."),
    "a time is no label": ("10:30 is the start.", "10:30 is the start."),
    "a law is no label": ("Section 230: Hosts are not liable.", "Section 230: Hosts are not liable."),
    "a version is no label": ("Version 2: It is heavy.", "Version 2: It is heavy."),
    "a Chinese label": ("步骤1：拔掉插头。", "拔掉插头。"),
    "a number with a noun is no label": ("1.5 million people live there.", "1.5 million people live there."),
    "a unit after the number is no label": ("1.5 GB are free.", "1.5 GB are free."),
    "a name with a number is no label": ("Apollo 11: the first landing.", "Apollo 11: the first landing."),
    "the address of a link": ("It is [110 m](https://ex.org/2023/5_(a).html) tall.", "It is 110 m tall."),
    "an image": ("![a rocket](https://ex.org/99.png) It is tall.", "It is tall."),
    "an address without a protocol": ("It is tall (www.ex.org/2024/9).", "It is tall ( )."),
    "a page of a domain": ("It is tall, see ex.org/2023/page.html", "It is tall, see"),
    "a fraction is no address": ("It takes 1/2 hour and km/h.", "It takes 1/2 hour and km/h."),
    "a link with a reference": ("The [pump][3] is heavy.", "The pump is heavy."),
    "an address": ("It is tall, see https://ex.org/99.", "It is tall, see"),
    "the attributes of a tag": ('<span style="font-size:14px">It is tall.</span>', "It is tall."),
    "a comparison is no tag": ("a < 5 and b > 3 hold.", "a < 5 and b > 3 hold."),
    "a formula": ("It weighs $6.5$ kg.", "It weighs 6.5 kg."),
    "a formula with a unit": ("It weighs $6.5\\ \\mathrm{kg}$.", "It weighs 6.5 kg."),
    "a formula between two signs": ("It weighs $$6.5$$ kg.", "It weighs 6.5 kg."),
    "a decimal point in braces": ("It weighs $6{.}5$ kg.", "It weighs 6.5 kg."),
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
