"""Questions that refer to the previous question, and questions about other topics."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.queries.follow_ups import refers_back

PAIRS = Path(__file__).parents[4] / "bench" / "retrieval" / "questions" / "follow_ups.jsonl"
SATURN = "How tall was the Saturn V?"

FOLLOW_UPS = {
    "a pronoun": (SATURN, "How often has it flown?"),
    "a pronoun for a person": ("Who leads the sales team?", "How long has she been there?"),
    "a possessive pronoun": ("Who was Ada Lovelace?", "Who was her father?"),
    "a demonstrative": ("What is the refund policy?", "Does this apply to software?"),
    "a demonstrative after another noun": ("What did the auditors find?", "How did the board react to these findings?"),
    "an ellipsis": ("Who won the 2019 election?", "And in 2023?"),
    "an ellipsis with a name": (SATURN, "And the Empire State Building?"),
    "an opener with a name": (SATURN, "What about the Titanic?"),
    "a question word alone": (SATURN, "Why?"),
    "no content": (SATURN, "Can you explain that in more detail, please?"),
    "a noun of the previous question": ("Who designed the Harlan bridge?", "When was the bridge opened?"),
    "a name after the pronoun": ("Which laptop is the lightest?", "Does it run Linux?"),
    "courtesy before the question": (SATURN, "Thanks! And how heavy was it?"),
    "German": ("Wie hoch war die Saturn V?", "Wie oft ist sie geflogen?"),
    "French": ("Quelle était la hauteur de la Saturn V ?", "Combien de fois a-t-elle volé ?"),
    "Spanish without a subject": ("¿Qué altura tenía el Saturno V?", "¿Cuántas veces ha volado?"),
    "Chinese": ("土星五号有多高？", "它飞过几次？"),
    "Chinese without a subject": ("哈兰大桥是谁设计的？", "什么时候建成的？"),
    "traditional characters": ("挪威的人口是多少？", "這些人住在什麼地方？"),
}
OTHER_TOPICS = {
    "another name": (SATURN, "How tall was the Eiffel Tower?"),
    "another name after a conjunction": (SATURN, "And who painted the Mona Lisa?"),
    "an expletive pronoun": (SATURN, "How long does it take to boil an egg?"),
    "the time": (SATURN, "What time is it in Tokyo?"),
    "a clause with that": (SATURN, "Is it true that the Great Wall is visible from the Moon?"),
    "a pronoun for a name of the same question": (SATURN, "When did Marie Curie discover radium and what was her job?"),
    "a pronoun for a noun of the same question": (SATURN, "What does the contract say about its termination?"),
    "a plural noun with its pronoun": (SATURN, "How do plants store their energy?"),
    "there is": (SATURN, "Are there any open invoices of Miller Ltd?"),
    "thanks": (SATURN, "Thanks, that was helpful!"),
    "a greeting": (SATURN, "Hello"),
    "a task": (SATURN, "Write a function that reverses a list."),
    "the German form of address": ("Wer war Ada Lovelace?", "Können Sie mir sagen, wann der Kölner Dom gebaut wurde?"),
    "a French inversion": ("Qui était Ada Lovelace ?", "Quand le pont de Brooklyn a-t-il été construit ?"),
    "a Spanish question with a subject": ("¿Quién fue Ada Lovelace?", "¿Dónde viven los pingüinos?"),
    "a Chinese clause before the pronoun": ("土星五号有多高？", "居里夫人什么时候发现了镭，她在哪里学习？"),
    "a Chinese compound": ("土星五号有多高？", "其他国家的首都是哪里？"),
    "another script": (SATURN, "Как высока Эйфелева башня?"),
    "a long text": (SATURN, "Why does it fail? " + "The log is below. " * 30),
    "no previous question": ("", "How often has it flown?"),
    "no question": (SATURN, ""),
}


@pytest.mark.parametrize(("before", "question"), FOLLOW_UPS.values(), ids=FOLLOW_UPS)
def test_a_follow_up_question_refers_back(before: str, question: str) -> None:
    assert refers_back(question, before)


@pytest.mark.parametrize(("before", "question"), OTHER_TOPICS.values(), ids=OTHER_TOPICS)
def test_a_question_about_another_topic_does_not_refer_back(before: str, question: str) -> None:
    assert not refers_back(question, before)


def test_the_pairs_of_the_benchmark_are_decided_correctly() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    wrong = [
        pair["question"]
        for pair in pairs
        if refers_back(pair["question"], pair["before"]) != (pair["kind"] == "follow_up")
    ]
    assert len(pairs) > 100
    assert wrong == []


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_can_be_a_question(question: str, before: str) -> None:
    refers_back(question, before)
