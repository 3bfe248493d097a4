"""The recorded replies of a judge can be read, and belong to the natural answers and to the present prompt."""

import json

from bench.answers.records import answers
from bench.judge import RECORDED, recorded
from citestream.citation.support.judge_prompt import Excerpt, JudgeTemplate, Question, read_reply

REPLIES = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
SENTENCES = {
    (answer["id"], index): sentence
    for held_out in (False, True)
    for answer in answers(held_out=held_out)
    for index, sentence in enumerate(answer["sentences"])
}
RULES = 1_043  # characters of the rules with which the replies were recorded


def test_every_reply_can_be_read_and_is_about_a_labelled_sentence() -> None:
    assert len(REPLIES) >= 150
    for reply in REPLIES:
        assert SENTENCES[reply["answer"], reply["sentence"]]["label"] in {"supported", "unsupported"}
        assert read_reply(reply["reply"], len(reply["excerpts"])) is not None, reply["reply"]


def test_the_rules_of_the_prompt_are_those_with_which_the_replies_were_recorded() -> None:
    first = REPLIES[0]
    excerpts = tuple(Excerpt(**excerpt) for excerpt in first["excerpts"])
    system, _ = JudgeTemplate.for_model("m").messages(Question(first["claim"], excerpts))
    assert len(system["content"]) == RULES


def test_the_recorded_judge_is_as_good_as_documented() -> None:
    total = sum(recorded().values(), type(next(iter(recorded().values())))())
    assert (total["unsupported"], total["accepted"]) == (105, 1)
    assert (total["supported"], total["refused"], total["partly"]) == (105, 0, 5)
