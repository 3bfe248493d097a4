"""`citestream judge-check`: quality, latency and cost of a judge."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from citestream.proxy.cli.judge_check_command import labelled, near_misses
from tests.proxy.test_judges import running_provider

ROOT = Path(__file__).parents[3]
RECORD = {
    "id": "r1",
    "dataset": "bridges",
    "answer_sentences": ["The ferry carries 22 cars.", "It is blue.", "It is slow."],
    "evidence": [{"text": "The ferry carries 22 cars."}, {"text": "Bread is baked at night.", "title": "Bread"}],
    "gold": [[0], [], []],
    "sent_label": ["supported", "unsupported", "unjudged"],
}


def judge_check(*arguments: str, url: str = "http://127.0.0.1:9/v1") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}
    command = [sys.executable, "-m", "citestream", "judge-check", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_judge_that_always_says_yes_accepts_every_false_claim() -> None:
    with running_provider("Yes") as (url, _):
        done = judge_check("openai/judge", "--sample", "30", "--price", "1", "--json", url=url)
    report = json.loads(done.stdout)
    tallies = report["pairs"].values()
    assert sum(tally["true"] + tally["false"] for tally in tallies) == 30
    assert all(tally["judge_accepted"] == tally["false"] and tally["judge_refused"] == 0 for tally in tallies)
    assert all(tally["product_accepted"] <= tally["false"] for tally in tallies)
    assert report["cost"] == pytest.approx(report["tokens"] / 1e6)


@pytest.mark.parametrize("pairs", ["1", "12"])
def test_the_table_names_quality_latency_and_cost(pairs: str) -> None:
    with running_provider("No") as (url, _):
        done = judge_check("openai/judge", "--sample", pairs, "--price", "1", url=url)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("accepted", "refused", "latency: median", "tokens:", "cost:"))


def test_labelled_files_give_a_pair_per_gold_passage_and_per_passage_of_a_false_claim(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps(RECORD))
    pairs = [(pair.kind, pair.claim, pair.context, pair.title, pair.supported) for pair in labelled([file])]
    first, second, _ = RECORD["answer_sentences"]
    assert pairs == [
        ("bridges", first, "", "", True),
        ("bridges", second, first, "", False),
        ("bridges", second, first, "Bread", False),
    ]


def test_the_near_misses_are_balanced() -> None:
    pairs = near_misses()
    assert len(pairs) > 1_000
    assert sum(pair.supported for pair in pairs) * 2 == len(pairs)


REFUSED = {
    "a folder without a model": (["onnx:/nowhere"], "lacks model.onnx"),
    "a server that cannot be reached": (["openai/judge", "--sample", "8"], "reach"),
    "a file that is not labelled": (["openai/judge", "README.md"], "README.md:1: is not JSON"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_an_error_is_one_line(arguments: list[str], message: str) -> None:
    done = judge_check(*arguments)
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]
