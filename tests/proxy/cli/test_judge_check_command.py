"""`citestream judge-check`: what a judge changes on natural answers, and its time and cost."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from citestream.citation.grounding import JudgeReport
from citestream.proxy.cli.checking.judge_check import Results, recommendation
from citestream.proxy.cli.checking.natural_answers import built_in
from tests.proxy.test_judges import running_provider

ROOT = Path(__file__).parents[3]
ANSWERS = [
    answer
    for file in sorted((ROOT / "bench" / "answers" / "data").rglob("*.jsonl"))
    if file.parent.name != "second_annotation"
    for answer in map(json.loads, file.read_text("utf-8").splitlines())
]

SENTENCE_FIELDS = ("text", "sep", "model_cites", "label", "gold", "also")


def judge_check(*arguments: str, url: str = "http://127.0.0.1:9/v1") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}
    command = [sys.executable, "-m", "citestream", "judge-check", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_judge_that_refuses_everything_removes_all_citations_but_copies() -> None:
    with running_provider("none") as (url, _):
        done = judge_check("openai/judge", "--sample", "3", "--price", "1", "--json", url=url)
    report = json.loads(done.stdout)
    assert report["answers"] == 3
    assert report["with_judge"]["removed"] == 1.0
    assert report["with_judge"]["kept"] < 0.2 < 0.8 < report["without_judge"]["kept"]
    assert report["judge"]["calls"] > 0
    assert report["cost_per_answer"] == pytest.approx(report["judge"]["tokens"] / 3 / 1e6)
    assert report["recommendation"].startswith("Do not use it")


def test_the_table_names_quality_time_and_cost() -> None:
    with running_provider("Excerpt 1") as (url, _):
        done = judge_check("openai/judge", "--sample", "1", "--price", "1", url=url)
    assert done.returncode == 0, done.stderr
    words = ("of the models", "without the judge", "with the judge", "kept", "removed", "per answer:", "cost:")
    assert [word for word in words if word not in done.stdout] == []


def test_the_answers_of_the_package_are_some_of_each_author() -> None:
    packaged = built_in()
    complete = {answer["id"]: as_packaged(answer) for answer in ANSWERS}
    assert [answer for answer in packaged if complete.get(answer["id"]) != answer] == []
    assert set(Counter(answer["author"] for answer in packaged).values()) == {4}
    assert {answer["author"] for answer in packaged} == {answer["author"] for answer in ANSWERS}


def as_packaged(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the fields that the commands read."""
    sentences = [{name: sentence[name] for name in SENTENCE_FIELDS} for sentence in answer["sentences"]]
    return {**{name: answer[name] for name in ("id", "author", "question", "evidence")}, "sentences": sentences}


def results(kept: int, removed: int, *, unreadable: int = 0) -> Results:
    """Return results of 100 right and 100 wrong citations, of which the scorer keeps 90 and removes 20."""

    def counts(kept: int, removed: int) -> Counter[str]:
        shown = kept + 100 - removed
        right = {"right": kept, "cited": shown, "recalled": kept, "supported": 100, "kept": kept, "model right": 100}
        return Counter({**right, "removed": removed, "model wrong": 100})

    report = JudgeReport(calls=100, unreadable=unreadable)
    return Results(counts(100, 0), counts(90, 20), counts(kept, removed), report)


RECOMMENDATIONS = {
    "it removes more and keeps more": (results(97, 97), "Use it: it removes 97% instead of 20%"),
    "it refuses right ones": (results(40, 100), "Do not use it"),
    "it changes nothing": (results(90, 20), "It changes little"),
    "its replies cannot be read": (results(90, 20, unreadable=50), "Not usable as it is: 50 of 100 calls"),
}


@pytest.mark.parametrize(("found", "beginning"), RECOMMENDATIONS.values(), ids=RECOMMENDATIONS)
def test_the_recommendation_says_whether_the_judge_is_worth_it(found: Results, beginning: str) -> None:
    assert recommendation(found).startswith(beginning)


REFUSED = {
    "a folder without a model": (["onnx:/nowhere"], "lacks model.onnx"),
    "a server that cannot be reached": (["openai/judge", "--sample", "8"], "reach"),
    "a file that is not JSON": (["openai/judge", "README.md"], "README.md:1: is not JSON"),
    "a file of another kind": (["openai/judge", "bench/data/near_misses/en.jsonl"], "is no natural answer"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_an_error_is_one_line(arguments: list[str], message: str) -> None:
    done = judge_check(*arguments)
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]
