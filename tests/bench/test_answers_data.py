"""The natural answers in the repository are valid, and their README describes them."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.answers.composition import table, wrong_citations, wrong_sentences
from bench.answers.records import answers

FITTED, HELD_OUT = answers(), answers(held_out=True)
ALL = FITTED + HELD_OUT
EARLIER = {"aspen", "delta", "ember", "fjord"}  # the four authors whose answers came first
README = (Path(__file__).parents[2] / "bench" / "answers" / "README.md").read_text("utf-8")
ERRORS = set(re.findall(r"`(\w+)`", README.split("- `error` is one of:")[1].split("\n")[0]))
LABELS = {"supported", "unsupported", "partial", "no_claim"}
NOT_EXISTING = "delta"  # this author's model also cites numbers that do not exist
# A marker, except as a word of the sentence: "According to [1], …".
MARKER = re.compile(r"(?<!According to )(?<!Laut )(?<!document )(?<!Según )[\[【]\d+(?:, ?\d+)*[\]】]")


def problems(answer: dict[str, Any], sentence: dict[str, Any]) -> list[str]:
    """Return what is wrong with a sentence."""
    numbers = set(range(1, len(answer["evidence"]) + 1))
    gold = {number for alternative in sentence["gold"] for number in alternative}
    existing = numbers if answer["author"] != NOT_EXISTING else set(range(1, 10))
    wrong = sentence["label"] in {"unsupported", "partial"}
    found = {
        "the label is unknown": sentence["label"] not in LABELS,
        "only supported sentences have gold": (sentence["label"] == "supported") != bool(sentence["gold"]),
        "an alternative is empty": not all(sentence["gold"]),
        "an excerpt of gold or also does not exist": not gold | set(sentence["also"]) <= numbers,
        "an excerpt is in gold and in also": bool(gold & set(sentence["also"])),
        "the model cites a number that does not exist": not set(sentence["model_cites"]) <= existing,
        "the model cites a number twice": len(set(sentence["model_cites"])) < len(sentence["model_cites"]),
        "the text has markers": bool(MARKER.search(sentence["text"])),
        "the text is empty or ends in white space": sentence["text"] != sentence["text"].rstrip()
        or not sentence["text"],
        "sep is not white space": bool(sentence["sep"].strip()),
        "the class of the error is missing or unknown": bool(sentence["error"]) != wrong
        or (wrong and sentence["error"] not in ERRORS),
        "the reason is missing": wrong and not sentence["why"],
    }
    return [problem for problem, present in found.items() if present]


@pytest.mark.parametrize("author", sorted({answer["author"] for answer in ALL}))
def test_sentences_are_valid(author: str) -> None:
    found = [
        f"{answer['id']} sentence {number}: {problem}"
        for answer in ALL
        if answer["author"] == author
        for number, sentence in enumerate(answer["sentences"], 1)
        for problem in problems(answer, sentence)
    ]
    assert found == []


INVALID: dict[str, dict[str, Any]] = {
    "the label is unknown": {"label": "perhaps", "gold": []},
    "only supported sentences have gold": {"gold": []},
    "an alternative is empty": {"gold": [[1], []]},
    "an excerpt of gold or also does not exist": {"gold": [[3]]},
    "an excerpt is in gold and in also": {"also": [1]},
    "the model cites a number that does not exist": {"model_cites": [3]},
    "the model cites a number twice": {"model_cites": [2, 2]},
    "the text has markers": {"text": "It is red [1]."},
    "the text is empty or ends in white space": {"text": "It is red. "},
    "sep is not white space": {"sep": "."},
    "the class of the error is missing or unknown": {"error": "negation"},
    "the reason is missing": {"label": "partial", "gold": [], "error": "negation"},
}


@pytest.mark.parametrize("problem", INVALID)
def test_invalid_sentences_are_found(problem: str) -> None:
    valid = {"text": "It is red.", "sep": "", "label": "supported", "gold": [[1]], "also": [], "model_cites": [1]}
    answer = {"author": "test", "evidence": [{}, {}]}
    assert problems(answer, {**valid, "error": "", "why": ""}) == []
    assert problems(answer, {**valid, "error": "", "why": "", **INVALID[problem]}) == [problem]


def test_ids_are_unique() -> None:
    assert max(Counter(answer["id"] for answer in ALL).values()) == 1


def test_the_later_authors_are_eight_with_240_answers_of_which_30_percent_are_not_english() -> None:
    later = [answer for answer in ALL if answer["author"] not in EARLIER]
    languages = Counter(answer["lang"] for answer in later)
    assert len({answer["author"] for answer in later}) >= 8
    assert len(later) >= 240
    assert languages["en"] <= 0.7 * len(later)
    assert {"it", "pt", "nl", "ja", "ko"} <= languages.keys()


def test_whole_authors_are_held_out() -> None:
    held_out = {answer["author"] for answer in HELD_OUT}
    assert len(held_out) >= 3
    assert held_out.isdisjoint(answer["author"] for answer in FITTED)


@pytest.mark.parametrize("part", [FITTED, HELD_OUT], ids=["authors to fit to", "held-out authors"])
def test_the_readme_has_the_composition(part: list[dict[str, Any]]) -> None:
    assert "\n".join(table(part)) in README


def test_the_readme_has_the_number_of_markers_that_are_words() -> None:
    marked = [answer for answer in ALL if any("[1]" in s["text"] or "[3]" in s["text"] for s in answer["sentences"])]
    assert {answer["author"] for answer in marked} == {"delta"}
    assert len(marked) == 8
    assert "Eight answers of `delta`" in README


def test_the_readme_has_the_numbers_of_answers_and_languages() -> None:
    assert f"\n{len(ALL)} answers in ten languages" in README
    assert len({answer["lang"] for answer in ALL}) == 10


def test_error_rates_count_statements_and_citations() -> None:
    labels = ("supported", "supported", "unsupported", "partial", "no_claim")
    cited: tuple[list[int], ...] = ([1, 2], [2], [1], [1], [])
    golds: list[list[list[int]]] = [[[1]], [[1]], [], [], []]
    sentences = [
        {"label": label, "model_cites": numbers, "gold": gold, "also": []}
        for label, numbers, gold in zip(labels, cited, golds, strict=True)
    ]
    assert wrong_sentences([{"sentences": sentences}]) == 0.5
    assert wrong_citations([{"sentences": sentences}]) == 0.75
