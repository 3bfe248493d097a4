"""ExtractiveProvider quotes and cites sentences that answer the question, or states that there are none."""

import json
import re
from typing import Any

import pytest

from citestream.citation.support.claims import makes_claim
from citestream.citation.text import split_sentences
from citestream.citation.text.segmentation import Kind
from citestream.providers.events import ChatRequest
from citestream.providers.extractive import COUNTED_CHARACTERS, MAX_QUESTION_CHARACTERS, ExtractiveProvider, shortened
from citestream.providers.extractive.compose import compose
from citestream.providers.extractive.messages import NO_EVIDENCE, all_messages, nothing_found
from citestream.providers.extractive.quotable_passages import passages
from tests.providers.recorded_answer import Answer, ask

NOTHING_FOUND = nothing_found("Who is it?")
MOON = {
    1: "# Landings\n\nApollo 11 landed on 20 July 1969. Neil Armstrong was the first to step onto the surface.",
    2: "Luna 2 reached it in 1959.\n\n- Luna 16 returned 101 grams of soil.\n- Luna 17 was a rover.",
    5: "Die Gezeiten entstehen durch den Mond. Der Tidenhub beträgt an der Küste etwa 3 Meter.",
    7: "万里の長城は中国にある。全長は約21196キロメートルである。",
    8: "Le pont mesure 343 mètres de haut. Il a été inauguré en 2004.",
}

QUESTIONS = {
    "When did Apollo 11 land?": "Apollo 11 landed on 20 July 1969. [1]",
    "Who was the first to step onto the surface?": "Neil Armstrong was the first to step onto the surface. [1]",
    "How many grams of soil did Luna 16 return?": "Luna 16 returned 101 grams of soil. [2]",
    "Wie hoch ist der Tidenhub an der Küste?": "Der Tidenhub beträgt an der Küste etwa 3 Meter. [5]",
    "万里の長城はどこにありますか": "万里の長城は中国にある。 [7]",
    "万里の長城の全長は？": "全長は約21196キロメートルである。 [7]",
    "Combien de mètres mesure le pont ?": "Le pont mesure 343 mètres de haut. [8]",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answering_sentence_is_cited(question: str) -> None:
    assert QUESTIONS[question] in compose(question, MOON)


@pytest.mark.parametrize("question", ["What is the capital of France?", "Who wrote Faust?", "Wie heißt der Papst?"])
def test_without_a_matching_sentence_the_answer_states_this(question: str) -> None:
    assert compose(question, MOON) == nothing_found(question)


NOT_FOUND = {
    "What is the capital of France?": "I found no sentence about this.",
    "Wie heißt der Papst?": "Ich habe keinen Satz dazu gefunden.",
    "Quelle est la capitale de la France ?": "Je n'ai trouvé aucune phrase à ce sujet.",
    "¿Cuál es la capital de Francia?": "No he encontrado ninguna frase sobre esto.",
    "Qual è la capitale della Francia?": "Non ho trovato nessuna frase al riguardo.",
    "Qual é a capital da França e onde fica?": "Não encontrei nenhuma frase sobre isto.",
    "Wat is de hoofdstad van Frankrijk?": "Ik heb hierover geen zin gevonden.",
    "法国的首都是哪里？": "我没有找到相关的句子。",
    "フランスの首都はどこですか": "該当する文は見つかりませんでした。",
}


@pytest.mark.parametrize("question", NOT_FOUND)
def test_the_answer_without_a_sentence_is_in_the_language_of_the_question(question: str) -> None:
    assert compose(question, {1: "Water boils at 100 degrees."}).startswith(NOT_FOUND[question])


ACRONYMS = {
    "Who is the CEO of Acme?": "Jane Doe has been the chief executive officer of Acme since 2015. [1]",
    "Where is the headquarters of the WHO?": "The World Health Organization has its headquarters in Geneva. [2]",
    "What does the DOT pay for?": "The Department of Transport pays for the bridge. [3]",
}
LEADERS = {
    1: "Acme was founded in 1990. Jane Doe has been the chief executive officer of Acme since 2015.",
    2: "The World Health Organization has its headquarters in Geneva.",
    3: "The Department of Transport pays for the bridge. The chief officer is on holiday.",
}


@pytest.mark.parametrize("question", ACRONYMS)
def test_an_acronym_matches_the_words_that_it_abbreviates(question: str) -> None:
    assert compose(question, LEADERS) == ACRONYMS[question]


def test_another_acronym_is_not_expanded() -> None:
    assert compose("Who is the CFO?", LEADERS) == NOTHING_FOUND
    assert compose("WHO IS THE CEO?", LEADERS) == NOTHING_FOUND  # all words are in capitals


OFFICES = """# Offices

| City | Address | Phone |
|---|---|---|
| Bremen | Konsul-Smidt-Str. 8a, 28217 Bremen | +49 421 1234 |
| Lyon | 12 Rue Mercière | +33 4 1234 |

## Plans

| Plan | Price per month | Seats |
|---|---|---|
| Starter | 19 € | 5 |
| Business | 49 € | 50 |

The CEO visits every office once a year. Salaries are paid on the 25th.

Is there a free plan? No, but every plan can be tested for 14 days.
"""
ROWS = "Plan: Starter; Price: 19 €; Support: e-mail.\nPlan: Business; Price: 49 €; Support: phone, Konsul-Smidt-Str. 8."
TABLES = {
    "a price": (OFFICES, "What does the Business plan cost?", "Plan: Business; Price per month: 49 €; Seats: 50. [1]"),
    "a table without outer pipes": (
        "Plan | Price\n--- | ---\nStarter | 19 €\nBusiness | 49 €\n\nPrices include tax.",
        "What does the Business plan cost?",
        "Plan: Business; Price: 49 €. [1]",
    ),
    "a cell with an abbreviation": (
        OFFICES,
        "What is the address of the Bremen office?",
        "City: Bremen; Address: Konsul-Smidt-Str. 8a, 28217 Bremen; Phone: +49 421 1234. [1]",
    ),
    "a phone number": (
        OFFICES,
        "What is the phone number in Lyon?",
        "City: Lyon; Address: 12 Rue Mercière; Phone: +33 4 1234. [1]",
    ),
    "a row of a file": (
        ROWS,
        "What does the Business plan cost?",
        "Plan: Business; Price: 49 €; Support: phone, Konsul-Smidt-Str. 8. [1]",
    ),
    "a table whose first column has no name": (
        "| | measured | bound |\n|---|---|---|\n| memory of 500 streams | 259 MB | 300 MB |",
        "How much memory do 500 streams need?",
        "memory of 500 streams; measured: 259 MB; bound: 300 MB. [1]",
    ),
    "two rows that are compared": (
        OFFICES,
        "Compare the Starter and the Business plan.",
        (
            "- Plan: Starter; Price per month: 19 €; Seats: 5. [1]\n"
            "- Plan: Business; Price per month: 49 €; Seats: 50. [1]"
        ),
    ),
    "a word that occurs only in the name of a column": (
        "| mission | landing |\n|---|---|\n| Apollo 14 | February 1971 |\n\nApollo 12 was struck by lightning twice.",
        "Which mission was struck by lightning?",
        "Apollo 12 was struck by lightning twice. [1]",
    ),
    "a number of something else": (OFFICES, "How many employees visit a city every month?", NOTHING_FOUND),
    "an attribute that no document has": (OFFICES, "What is the CEO's salary?", NOTHING_FOUND),
    "a question that a document asks": (
        OFFICES,
        "Is there a free plan?",
        "No, but every plan can be tested for 14 days. [1]",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_answers_from_tables_and_the_text_around_them(case: str) -> None:
    text, question, answer = TABLES[case]
    assert compose(question, {1: text}) == answer


LEAVE = """A certificate is required from the fourth day of illness. The company was founded in 2009 in Bremen.

When the limit of a plan is exceeded, new documents are refused. The limit was set on 3 May 2021. Details are here:
"""
KINDS = {
    "When do I need a certificate?": "A certificate is required from the fourth day of illness. [1]",
    "What happens when the limit of a plan is exceeded?": (
        "When the limit of a plan is exceeded, new documents are refused. [1]"
    ),
    "When was the limit set?": "The limit was set on 3 May 2021. [1]",
    "What is the address of the company in Bremen?": NOTHING_FOUND,
}


@pytest.mark.parametrize("question", KINDS)
def test_the_answer_has_the_kind_that_the_question_asks_for(question: str) -> None:
    assert compose(question, {1: LEAVE}) == KINDS[question]


def test_the_title_of_an_excerpt_is_used_as_context() -> None:
    excerpts = {1: "Country: France; Full day: 53 €.\nCountry: Italy; Full day: 40 €.", 2: "It rains in France."}
    titles = {1: "Travel › Daily allowance", 2: "Weather"}
    question = "What is the daily allowance in France?"
    assert compose(question, excerpts, titles=titles) == "Country: France; Full day: 53 €. [1]"


def test_a_summary_begins_with_the_excerpts_about_its_topic() -> None:
    excerpts = {
        1: "Leave is requested in advance.",
        2: "Trips are booked early. They are short.",
        3: "Hotels cost 140 €.",
    }
    titles = {1: "Leave policy", 2: "Travel policy", 3: "Travel policy › Hotels"}
    answer = compose("Summarise the travel policy.", excerpts, titles=titles)
    assert answer == "Trips are booked early. [2] Hotels cost 140 €. [3]"


def test_rows_and_list_items_become_a_list_even_next_to_sentences() -> None:
    excerpts = {1: "Harlan bridge has eight lanes.\n\n- Merton bridge: four lanes"}
    answer = compose("How many lanes have Harlan bridge and Merton bridge?", excerpts)
    assert answer == "- Harlan bridge has eight lanes. [1]\n- Merton bridge: four lanes [1]"


def test_a_search_without_results_finds_no_sentence() -> None:
    assert compose("Who wrote Faust?", {}, searched=True) == NOTHING_FOUND


def test_without_evidence_the_answer_explains_the_provider() -> None:
    assert compose("Who wrote Faust?", {}) == NO_EVIDENCE


def test_a_question_with_two_parts_gets_a_sentence_for_each() -> None:
    answer = compose("When did Apollo 11 land, and how many grams of soil did Luna 16 return?", MOON)
    assert "[1]" in answer
    assert "[2]" in answer


def test_only_the_parts_of_a_question_that_can_be_answered_are_answered() -> None:
    question = "How many grams of soil did Luna 16 return, who wrote Faust, und wie hoch ist der Tidenhub an der Küste?"
    assert compose(question, MOON) == (
        "Luna 16 returned 101 grams of soil. [2] Der Tidenhub beträgt an der Küste etwa 3 Meter. [5]"
    )


def test_a_request_without_a_topic_gets_the_beginnings_of_the_excerpts() -> None:
    assert re.findall(r"\[(\d+)\]", compose("Summarise this, please.", MOON)) == ["1", "2", "5"]


def test_a_sentence_of_two_excerpts_is_quoted_once() -> None:
    both = {1: "Water boils at 100 degrees.", 2: "Water boils at 100 degrees."}
    assert compose("When does water boil?", both) == "Water boils at 100 degrees. [1]"


@pytest.mark.parametrize("number", [1, 2, 5, 7, 8])
def test_every_sentence_is_quoted_from_its_excerpt(number: int) -> None:
    flat = " ".join(MOON[number].split())
    assert all(passage.text in flat for passage in passages(number, MOON[number]))


SENTENCES = {
    "Dr. Smith met J. R. Hall at 3 p.m. yesterday. They talked.": [
        "Dr. Smith met J. R. Hall at 3 p.m. yesterday.",
        "They talked.",
    ],
    "See Fig. 3 for details. Version 1.2.3 is out.": ["See Fig. 3 for details.", "Version 1.2.3 is out."],
    "# Title\n\nOne line\nwrapped here. Two.": ["One line wrapped here.", "Two."],
    "Title\n\nText follows here.": ["Text follows here."],
    "Only a title": ["Only a title"],
    "- **Bold** point[3]\n- Other point": ["Bold point", "Other point"],
    'He left ("Go!") at once. "Stay." She stayed.': ['He left ("Go!") at once.', '"Stay."', "She stayed."],
    "水は沸騰する。100度だ！": ["水は沸騰する。", "100度だ！"],
    "Der 4. Juli ist frei. Am 5. nicht.": ["Der 4. Juli ist frei.", "Am 5. nicht."],
    "It was in September 1959. It landed.": ["It was in September 1959.", "It landed."],
    "": [],
}


@pytest.mark.parametrize("text", SENTENCES)
def test_excerpts_are_split_into_sentences(text: str) -> None:
    assert [passage.text for passage in passages(1, text)] == SENTENCES[text]


async def answer_to(question: str = "When did Apollo 11 land?", **params: Any) -> Answer:
    message = {"role": "user", "content": [{"type": "text", "text": question}]}
    return await ask(ExtractiveProvider(), params, model="extractive", messages=[message], excerpts=MOON)


async def test_the_answer_is_streamed_word_by_word_and_labelled() -> None:
    answer = await answer_to()
    assert answer.kinds == ["OtherDelta", *["TextDelta"] * 8, "Finish", "Usage"]
    assert answer.text() == "Apollo 11 landed on 20 July 1969. [1]"
    assert answer.reasons == {0: "stop"}
    assert answer.usage
    assert answer.usage["completion_tokens"] == 8
    first = answer.events[0]
    assert not isinstance(first, str)
    assert getattr(first, "chunk", {})["system_fingerprint"] == "extractive"


async def test_max_tokens_and_stop_are_applied() -> None:
    assert ((cut := await answer_to(max_tokens=2)).text(), cut.reasons) == ("Apollo 11", {0: "length"})
    assert ((cut := await answer_to(stop=[" on"])).text(), cut.reasons) == ("Apollo 11 landed", {0: "stop"})


async def test_a_json_response_format_gives_json() -> None:
    answer = await answer_to(response_format={"type": "json_object"})
    assert json.loads(answer.text()) == {"answer": "Apollo 11 landed on 20 July 1969. [1]"}


async def test_the_question_of_the_request_replaces_the_last_message() -> None:
    messages = [{"role": "user", "content": "[1] Luna 16 Luna 16 ...\n\nquestion"}]
    question = "When did Apollo 11 land?"
    answer = await ask(ExtractiveProvider(), messages=messages, excerpts=MOON, question=question)
    assert answer.text().startswith("Apollo 11 landed")


async def test_there_is_one_model() -> None:
    assert await ExtractiveProvider().models() == ["extractive"]
    assert ChatRequest("extractive", []).excerpts == {}


@pytest.mark.parametrize("answer", all_messages())
def test_an_answer_without_evidence_makes_no_claim(answer: str) -> None:
    assert not any(makes_claim(answer[start:end], Kind.PROSE) for start, end in split_sentences(answer))


async def test_the_start_and_the_end_of_a_long_question_count() -> None:
    asked = {
        "at the start": f"When did Apollo 11 land?{' word' * MAX_QUESTION_CHARACTERS}",
        "at the end": f"{'word ' * MAX_QUESTION_CHARACTERS}When did Apollo 11 land?",
    }
    for place, question in asked.items():
        assert "20 July 1969. [1]" in compose(shortened(question), MOON), place
        assert len(shortened(question)) <= MAX_QUESTION_CHARACTERS + 1, place


async def test_the_tokens_of_a_long_prompt_are_counted_exactly() -> None:
    word = "a" * (COUNTED_CHARACTERS // 2)
    messages = [{"role": "user", "content": f"{word} {word}, {word}."}, {"role": "user", "content": "Is it? Yes."}]
    answer = await ask(ExtractiveProvider(), messages=messages)
    assert answer.usage
    assert answer.usage["prompt_tokens"] == 10
