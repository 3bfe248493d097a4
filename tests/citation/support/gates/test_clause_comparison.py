"""Disagreements between a claim and a passage in the same words, and paraphrases that disagree on nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.gates import Reason, Refusal
from citestream.citation.support.gates.clause_comparison import compare
from citestream.citation.support.scorers import Claim, scorer
from citestream.citation.text import analyze_text
from citestream.citation.text.clauses import LANGUAGES, Statement, parse
from citestream.citation.text.clauses.vocabulary import vocabulary
from tests.citation.support.gates.refusals import refusal

TREES = ("Aster", "Birch", "Cedar", "Dahlia", "Elder", "Fern", "Ginkgo", "Hazel", "Iris", "Juniper")
VILLAGES = [f"{tree} {side}" for tree in TREES for side in ("North", "South", "East", "West", "Upper", "Lower", "Old")]
LONG_TABLE = "| Village | Houses | Residents |\n|---|---|---|\n" + "\n".join(
    f"| {village} | {10 + number} | {200 + number} |" for number, village in enumerate(VILLAGES)
)
GARDEN = "The botanical garden keeps alpine plants that flower from May until September."


def checked(text: str, claim: str) -> Refusal | None:
    prepared = scorer("lexical").prepare([Evidence(1, text, "a"), Evidence(2, GARDEN, "b")])
    return refusal(Claim(claim), prepared)


def parsed(text: str, language: str) -> Statement:
    return parse(text, language, analyze_text(text, language).quantities)


REFUSED: dict[str, tuple[Reason, str, str]] = {
    "after for already": (
        Reason.DIRECTION,
        "When the guests arrived, the cook had already cleared the tables.",
        "The cook cleared the tables after the guests arrived.",
    ),
    "the payer told as the payee": (
        Reason.NEGATION,
        "The guild paid the duke a yearly tax in silver.",
        "The guild received a yearly tax in silver from the duke.",
    ),
    "a name in place of another, behind another preposition": (
        Reason.UNKNOWN_NAME,
        "Judge Moreau wrote the opinion; Judge Sato agreed.",
        "The opinion was written by Judge Keller.",
    ),
    "a German person in place of another": (
        Reason.UNKNOWN_NAME,
        "Der Förderpreis der Stadt ging 2019 an die Malerin Ayla Sommer.",
        "Paula Richter erhielt 2019 den Förderpreis der Stadt.",
    ),
    "two roles in Spanish, in words that French has, too": (
        Reason.ROLE,
        "Robles le alquiló la finca a Marín en 1987.",
        "Marín le alquiló la finca a Robles en 1987.",
    ),
    "the subject behind a phrase with a preposition": (
        Reason.BINDING,
        "By contract the owner pays for repairs and the guest pays for water.",
        "By contract the owner pays for water.",
    ),
    "a denied predicate": (
        Reason.NEGATION,
        "The tram no longer stops at Victoria Square.",
        "The tram still stops at Victoria Square.",
    ),
    "an exception": (
        Reason.NEGATION,
        "Schools get 40 % off the plan Basic, but not off Premium.",
        "Schools get 40 % off the plan Premium.",
    ),
    "a verb that denies": (
        Reason.NEGATION,
        "The software lacks support for old scripts.",
        "The software offers support for old scripts.",
    ),
    "an opposite": (Reason.NEGATION, "The old bridge is open to trucks.", "The old bridge is closed to trucks."),
    "an opposite of a verb that denies": (
        Reason.NEGATION,
        "By nine votes to four, the committee rejected the amendment on data retention.",
        "By nine votes to four, the committee adopted the amendment on data retention.",
    ),
    "a concession of what is disputed": (
        Reason.NEGATION,
        "The insurer disputes that the fire began in the kitchen.",
        "The insurer concedes that the fire began in the kitchen.",
    ),
    "neither and nor, one denial": (
        Reason.NEGATION,
        "Neither the defendant nor her lawyer attended the hearing.",
        "The defendant and her lawyer attended the hearing.",
    ),
    "a condition that the passage lifts": (
        Reason.MODALITY,
        "The pension is paid even if the recipient moves abroad.",
        "The pension is paid only if the recipient moves abroad.",
    ),
    "every time, where the passage names a condition": (
        Reason.MODALITY,
        "In the event of a fire, the lifts stop on the ground floor.",
        "The lifts stop on the ground floor on every trip.",
    ),
    "advice that is a duty": (
        Reason.MODALITY,
        "Cyclists should wear a helmet on this route.",
        "Cyclists must wear a helmet on this route.",
    ),
    "a belief that is called certain": (
        Reason.MODALITY,
        "Some historians argue that the letter is a forgery.",
        "Historians have established that the letter is a forgery.",
    ),
    "a proposal that is told as a decision": (
        Reason.MODALITY,
        "Ms Ortiz proposed buying a second coffee machine. The item was put off to the next meeting.",
        "It was decided to buy a second coffee machine.",
    ),
    "a duty that is a permission": (
        Reason.MODALITY,
        "Applicants may attach a letter of recommendation.",
        "Applicants must attach a letter of recommendation.",
    ),
    "a plan that is told as done": (
        Reason.MODALITY,
        "The airline plans to open a base in Porto next spring.",
        "The airline has opened a base in Porto.",
    ),
    "a suspicion that is told as a fact": (
        Reason.MODALITY,
        "The treasurer is suspected of having stolen the donations.",
        "The treasurer was convicted of having stolen the donations.",
    ),
    "all instead of some": (
        Reason.QUANTIFIER,
        "Some of the samples contained traces of lead.",
        "All of the samples contained traces of lead.",
    ),
    "a bound turned round": (
        Reason.QUANTIFIER,
        "Applicants must have at least five years of experience.",
        "Applicants must have at most five years of experience.",
    ),
    "from and to exchanged": (
        Reason.DIRECTION,
        "The company moved its headquarters from Lyon to Turin.",
        "The company moved its headquarters from Turin to Lyon.",
    ),
    "another point in time": (
        Reason.DIRECTION,
        "Payment is due prior to delivery.",
        "Payment is due upon delivery.",
    ),
    "roles exchanged": (
        Reason.ROLE,
        "Orion Media acquired Halden Press in 2017.",
        "Halden Press acquired Orion Media in 2017.",
    ),
    "a comparison turned round": (
        Reason.ROLE,
        "Lead is heavier than tin.",
        "Tin is heavier than lead.",
    ),
    "a value of another name": (
        Reason.BINDING,
        "Copper is mined in Arden. Tin is mined in Borrow.",
        "Tin is mined in Arden.",
    ),
    "a predicate of another subject": (
        Reason.BINDING,
        "Anna Berg will leave the company in June. Karin Lund becomes head of purchasing.",
        "Karin Lund will leave the company in June.",
    ),
    "a cell of another row": (
        Reason.BINDING,
        "| Plan | Price | Users |\n|---|---|---|\n| Mini | 4 € | 2 |\n| Maxi | 9 € | 8 |",
        "The plan Maxi has a price of 4 €.",
    ),
    "a cell of another row, in a table without pipes at its ends": (
        Reason.BINDING,
        "Plan | Price | Users\n--- | --- | ---\nMini | 4 € | 2\nMaxi | 9 € | 8",
        "The plan Maxi has a price of 4 €.",
    ),
    "a cell of another column, far below the header": (
        Reason.BINDING,
        LONG_TABLE,
        "Juniper Lower has 78 residents.",
    ),
    "a cell of another column, below an empty header": (
        Reason.BINDING,
        "||2019|2020|\n|---|---|---|\n|Sales|5|6|\n|Costs|3|4|",
        "Sales in 2020 were 5.",
    ),
    "a cell of another row, in a table with a pipe in a cell": (
        Reason.BINDING,
        "| Name | Code | Weight |\n|---|---|---|\n| Alpha | `a\\|b` | 5 kg |\n| Beta | x | 7 kg |",
        "Alpha has a weight of 7 kg.",
    ),
    "a reason that is not given": (
        Reason.BINDING,
        "The bridge was closed to traffic on Tuesday.",
        "The bridge was closed to traffic on Tuesday because of high winds.",
    ),
    "the plot of a novel": (
        Reason.FRAMING,
        "In the novel, a virus wipes out the population of Lisbon.",
        "A virus wipes out the population of Lisbon.",
    ),
    "a question": (Reason.FRAMING, "Does green tea cure insomnia?", "Green tea cures insomnia."),
    "a sentence that the next one takes back": (
        Reason.FRAMING,
        "The manager presented the new office in Lyon. The board did not approve it.",
        "The manager presented the new office in Lyon to the board.",
    ),
    "a word that only a heading has": (
        Reason.FRAMING,
        "## Guaranteed delivery\n\nParcels arrive within three days.",
        "Delivery of parcels is guaranteed.",
    ),
    "a name that the passage replaces": (
        Reason.UNKNOWN_NAME,
        "German law applies to this contract.",
        "Swedish law applies to this contract.",
    ),
    "another unit of temperature": (
        Reason.UNIT,
        "The reactor runs at 20 degrees Celsius.",
        "The reactor runs at 20 degrees Fahrenheit.",
    ),
    "another unit of length": (Reason.UNIT, "The trail climbs 300 metres.", "The trail climbs 300 hours."),
    "a list item with the line that introduces it": (
        Reason.NEGATION,
        "The insurance does not cover:\n\n- damage by frost\n- theft of bicycles",
        "The insurance covers theft of bicycles.",
    ),
    "German: without an exception": (
        Reason.NEGATION,
        "Der Zug hält nicht mehr in Lenz.",
        "Der Zug hält in Lenz.",
    ),
    "German: roles exchanged": (
        Reason.ROLE,
        "Der Verlag verklagte den Autor wegen Vertragsbruchs.",
        "Der Autor verklagte den Verlag wegen Vertragsbruchs.",
    ),
    "French: a duty that is a permission": (
        Reason.MODALITY,
        "Les candidats peuvent joindre une lettre de recommandation.",
        "Les candidats doivent joindre une lettre de recommandation.",
    ),
    "Spanish: all instead of most": (
        Reason.QUANTIFIER,
        "La mayoría de los alumnos aprobó el examen de física.",
        "Todos los alumnos aprobaron el examen de física.",
    ),
    "German: a rejection that is told as an approval": (
        Reason.NEGATION,
        "Der Stadtrat lehnte den Antrag auf eine neue Brücke ab.",
        "Der Stadtrat genehmigte den Antrag auf eine neue Brücke.",
    ),
    "German: the opposite of a cut": (
        Reason.NEGATION,
        "Die Bank hat den Zinssatz im Mai gesenkt.",
        "Die Bank hat den Zinssatz im Mai angehoben.",
    ),
    "French: the opposite of tighter rules": (
        Reason.NEGATION,
        "Le conseil a durci les règles de stationnement.",
        "Le conseil a assoupli les règles de stationnement.",
    ),
    "French: the opposite of a dismissal": (
        Reason.NEGATION,
        "L'usine a licencié cent ouvriers en mars.",
        "L'usine a embauché cent ouvriers en mars.",
    ),
    "Spanish: consent that is told as a refusal": (
        Reason.NEGATION,
        "La jueza accedió a aplazar la vista del caso.",
        "La jueza se negó a aplazar la vista del caso.",
    ),
    "Spanish: the opposite of tighter rules": (
        Reason.NEGATION,
        "El gobierno endureció las normas de pesca.",
        "El gobierno flexibilizó las normas de pesca.",
    ),
    "Chinese: the opposite of looser terms": (
        Reason.NEGATION,
        "央行放宽了贷款条件。",
        "央行收紧了贷款条件。",
    ),
    "Chinese: a profit that was a loss": (
        Reason.NEGATION,
        "公司去年出现亏损。",
        "公司去年实现盈利。",
    ),
    "Chinese: roles exchanged": (
        Reason.ROLE,
        "红星队在决赛中击败了蓝鹰队。",
        "蓝鹰队在决赛中击败了红星队。",
    ),
}


@pytest.mark.parametrize(("reason", "text", "claim"), REFUSED.values(), ids=REFUSED.keys())
def test_a_disagreement_has_its_reason(reason: Reason, text: str, claim: str) -> None:
    refusal = checked(text, claim)
    assert refusal is not None
    assert refusal.reason is reason
    assert refusal.detail


PASSED = {
    "the end of a range of hours": (
        "The workshop is open from Tuesday to Friday between 8 am and 4 pm.",
        "On Fridays the workshop closes at 4 pm.",
    ),
    "a French afternoon": (
        "L'atelier a lieu le mardi matin au musée et le jeudi après-midi devant la mairie.",
        "Le jeudi, l'atelier a lieu l'après-midi devant la mairie.",
    ),
    "a loan seen from the other side, where the lender is a pronoun": (
        "He lent his neighbour the ladder for a week.",
        "For a week, his neighbour borrowed the ladder.",
    ),
    "the payment seen from the other side": (
        "The guild paid the duke a yearly tax in silver.",
        "The duke received a yearly tax in silver from the guild.",
    ),
    "less on one side, more on the other": (
        "The foam is less dense than water.",
        "Water has a higher density than the foam.",
    ),
    "less on one side, more on the other, in Spanish": (
        "La segunda torre es menos alta que la primera.",
        "La primera torre es más alta que la segunda.",
    ),
    "only above, not below": (
        "The sensor works only above freezing point.",
        "Below freezing point the sensor does not work.",
    ),
    "nobody but one, the one person": (
        "Nobody but the skipper was wearing a life jacket when the yacht capsized.",
        "The skipper was the one person wearing a life jacket when the yacht capsized.",
    ),
    "declined, turned down": (
        "Elena Brandt declined the medal that the academy had offered her.",
        "The academy's medal was turned down by Elena Brandt.",
    ),
    "the rest of a total, denied": (
        "The trial court convicted two of the five accused.",
        "Three of the five accused were not convicted by the trial court.",
    ),
    "an exception behind its word": (
        "Excluding the goalkeepers, the squad has an average age of 23.",
        "Goalkeepers aside, the squad has an average age of 23.",
    ),
    "passive voice": (
        "Orion Media acquired Halden Press in 2017.",
        "Halden Press was acquired by Orion Media in 2017.",
    ),
    "double negation": ("The report was not unfavourable to the mine.", "The report was favourable to the mine."),
    "two negations against one permission": (
        "Visitors are not allowed inside the building without an escort.",
        "Inside the building, visitors are allowed only with an escort.",
    ),
    "a comparison from the other side": ("Diesel is cheaper than petrol.", "Petrol is dearer than diesel."),
    "after for already": (
        "When the guests arrived, the cook had already cleared the tables.",
        "The guests arrived after the cook had cleared the tables.",
    ),
    "after for before": (
        "The alarm sounded before the doors were locked.",
        "The doors were locked after the alarm sounded.",
    ),
    "sold for bought": (
        "Beltran sold the press to Quiroga in 1998.",
        "Quiroga bought the press from Beltran in 1998.",
    ),
    "a fraction for a percentage": ("One in five pupils walks to school.", "20 percent of pupils walk to school."),
    "a Roman numeral": ("Louis XIV moved the court in 1682.", "Louis the Fourteenth moved the court in 1682."),
    "a date that follows": ("The school was founded in 1890 and closed 25 years later.", "The school closed in 1915."),
    "a converted temperature": ("The oven has to be heated to 180 °C.", "The oven has to be heated to 356 °F."),
    "a value of the second name": (
        "Men took 14 days on average to recover, women 11 days.",
        "Women took 11 days on average to recover.",
    ),
    "a negation by a verb": (
        "The minister denied having met the lobbyist.",
        "The minister said that he had not met the lobbyist.",
    ),
    "an intention": ("The airline plans to open a base in Porto.", "The airline intends to open a base in Porto."),
    "a cell of the row and column": (
        "| Plan | Price | Users |\n|---|---|---|\n| Mini | 4 € | 2 |\n| Maxi | 9 € | 8 |",
        "The plan Maxi has a price of 9 €.",
    ),
    "a cell far below the header": (LONG_TABLE, "Juniper Lower has 268 residents."),
    "a cell in a table without pipes at its ends": (
        "Plan | Price | Users\n--- | --- | ---\nMini | 4 € | 2\nMaxi | 9 € | 8",
        "The plan Maxi has a price of 9 €.",
    ),
    "a cell of a column, below an empty header": (
        "||2019|2020|\n|---|---|---|\n|Sales|5|6|\n|Costs|3|4|",
        "Sales in 2020 were 6.",
    ),
    "a cell in a table with a pipe in a cell": (
        "| Name | Code | Weight |\n|---|---|---|\n| Alpha | `a\\|b` | 5 kg |\n| Beta | x | 7 kg |",
        "Alpha has a weight of 5 kg.",
    ),
    "German: passive voice": (
        "Der Verlag verklagte den Autor wegen Vertragsbruchs.",
        "Der Autor wurde vom Verlag wegen Vertragsbruchs verklagt.",
    ),
    "French: a third": ("Un tiers des arbres a gelé.", "33 % des arbres ont gelé."),
    "Chinese: passive voice": ("牧羊犬赶走了狼。", "狼被牧羊犬赶走了。"),
}


@pytest.mark.parametrize(("text", "claim"), PASSED.values(), ids=PASSED.keys())
def test_a_paraphrase_disagrees_on_nothing(text: str, claim: str) -> None:
    assert checked(text, claim) is None


WORDS = st.sampled_from(
    [
        "the",
        "a",
        "not",
        "no",
        "may",
        "must",
        "all",
        "some",
        "before",
        "after",
        "Anna",
        "Berg",
        "Oslo",
        "sold",
        "bought",
        "opened",
        "closed",
        "12",
        "30",
        "%",
        "plans",
        "to",
        "from",
        "in",
        "and",
        "if",
        "unless",
        "without",
        "rises",
        "falls",
        ",",
        ".",
        "der",
        "nicht",
        "le",
        "pas",
        "el",
        "no",
        "不",
        "公司",
        "可以",
    ]
)


@given(st.lists(WORDS, min_size=1, max_size=25).map(" ".join), st.sampled_from(sorted(LANGUAGES)))
def test_a_sentence_does_not_disagree_with_itself(text: str, language: str) -> None:
    statement = parsed(text, language)
    found = list(compare(statement, [parsed(text, language)], set()))
    assert [one for one in found if one.reason is not Reason.FRAMING] == []


@given(st.text(max_size=120), st.text(max_size=120), st.sampled_from(sorted(LANGUAGES)))
def test_any_two_texts_can_be_compared(one: str, other: str, language: str) -> None:
    for found in compare(parsed(one, language), [parsed(other, language)], set()):
        assert found.rule
        assert found.detail


@st.composite
def claim_and_passages(draw: st.DrawFn) -> tuple[str, list[str], str]:
    """Draw a claim, one to three sentences that share words with it, and their language; many words are no content."""
    language = draw(st.sampled_from(sorted(LANGUAGES)))
    listed = sorted({word for words in vocabulary(language).roles.values() for word in words})
    known = draw(st.lists(st.one_of(st.sampled_from(listed), WORDS), min_size=1, max_size=8))
    sentence = st.lists(st.sampled_from(known), max_size=10).map(("" if language == "zh" else " ").join)
    return draw(sentence), draw(st.lists(sentence, min_size=1, max_size=3)), language


@given(claim_and_passages())
def test_sentences_without_content_can_be_compared(drawn: tuple[str, list[str], str]) -> None:
    claim, passages, language = drawn
    for found in compare(parsed(claim, language), [parsed(passage, language) for passage in passages], set()):
        assert found.detail


def test_a_chinese_passage_without_content_disagrees_on_nothing() -> None:
    assert list(compare(parsed("老师看书了的是在", "zh"), [parsed("了的是在", "zh")], set())) == []
