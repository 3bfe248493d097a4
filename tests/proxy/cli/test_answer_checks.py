"""`citestream cite` for many answers: files, exit codes, reports, the GitHub Action and the pre-commit hook."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from citestream.proxy.cli.answer_checks.answer_files import answers_of

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/continuous-integration.md"
FACT, OTHER = "The Harlan bridge was opened on 4 May 1932.", "The Harlan bridge carries two lanes."
SUPPORTED = f"{FACT} [1] {OTHER}"
DENIAL = "🚀 The Harlan bridge does not carry two lanes."
DOUBTFUL = f"Hello!\n\n{FACT} [7]. It is made of green glass.\n\n{DENIAL}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with answers: good.md, doubtful.md, recorded.jsonl, each with its evidence."""
    answers = tmp_path / "answers"
    (answers / "doubtful.evidence").mkdir(parents=True)
    (answers / "good.md").write_text(SUPPORTED)
    (answers / "good.evidence.json").write_text(json.dumps([{"text": FACT}, {"text": OTHER}]))
    (answers / "doubtful.md").write_text(DOUBTFUL)
    (answers / "doubtful.evidence" / "a.md").write_text(FACT)
    (answers / "doubtful.evidence" / "b.txt").write_text(OTHER)
    records = [{"text": FACT, "evidence": [FACT]}, {"text": OTHER, "evidence": [{"text": FACT}], "question": "Lanes?"}]
    (answers / "recorded.jsonl").write_text("\n\n".join(map(json.dumps, records)) + "\n")
    return tmp_path


def cite(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "citestream", "cite", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_each_answer_is_checked_against_its_own_evidence(folder: Path) -> None:
    done = cite(folder, "answers", "--fail-under", "0.9")
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "FAIL answers/doubtful.md  1 of 3 claims supported",
        "     answers/doubtful.md:3:50: unsupported: It is made of green glass.",
        f"     answers/doubtful.md:5:1: contradicted: {DENIAL} (b.txt says: {OTHER})",
        "ok   answers/good.md  2 of 2 claims supported",
        "ok   answers/recorded.jsonl:1  1 of 1 claim supported",
        "FAIL answers/recorded.jsonl:3  0 of 1 claim supported",
        "     answers/recorded.jsonl:3: unsupported: The Harlan bridge carries two lanes.",
        "2 of 4 answers pass, 4 of 7 claims are supported",
    ]


EXIT_CODES: dict[str, tuple[list[str], int]] = {
    "all claims of an answer are supported": (["answers/good.md", "--fail-under", "1"], 0),
    "a third is supported, and a third is enough": (["answers/doubtful.md", "--fail-under", "0.33"], 0),
    "a third is supported, and more is required": (["answers/doubtful.md", "--fail-under", "0.34"], 1),
    "one of two answers fails": (["answers/good.md", "answers/doubtful.md", "--fail-under", "0.34"], 1),
    "nothing is required": (["answers"], 0),
    "a text fails": ([FACT, "--evidence", "answers/doubtful.evidence/b.txt", "--fail-under", "0.1"], 1),
    "a text passes": ([FACT, "--evidence", "answers/doubtful.evidence", "--fail-under", "1"], 0),
    "a share above 1": (["answers", "--fail-under", "90"], 2),
    "a text without evidence": (["It is red."], 2),
    "a file that does not exist": (["answers/none.md", "answers/good.md"], 1),
    "a report of another format": (["answers", "--report", "report.html"], 1),
}


@pytest.mark.parametrize(("arguments", "code"), EXIT_CODES.values(), ids=EXIT_CODES)
def test_the_exit_code(folder: Path, arguments: list[str], code: int) -> None:
    done = cite(folder, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_text_that_fails_lists_its_unsupported_sentences(folder: Path) -> None:
    text = f"{FACT} It is made of green glass."
    done = cite(folder, text, "--evidence", "answers/doubtful.evidence", "--fail-under", "1")
    assert "unsupported: It is made of green glass." in done.stdout
    assert done.stderr == "citestream: fewer than 1 of the claims are supported\n"


def test_common_evidence_is_for_answers_without_their_own(folder: Path) -> None:
    (folder / "answers" / "new.txt").write_text(OTHER)
    done = cite(folder, "answers/new.txt", "answers/good.md")
    assert done.returncode == 1
    assert "answers/new.txt: has no evidence" in done.stderr
    done = cite(folder, "answers/new.txt", "answers/good.md", "--evidence", "answers/doubtful.evidence/b.txt", "--json")
    answers = json.loads(done.stdout)["answers"]
    assert [(one["name"], one["claims"], one["supported"]) for one in answers] == [
        ("answers/new.txt", 1, 1),
        ("answers/good.md", 2, 2),
    ]


REFUSED: dict[str, tuple[str, str]] = {
    "a line that is no JSON": ("{", "answers/bad.jsonl:1: is not JSON"),
    "a record without a text": ('{"answer": "x"}', 'answers/bad.jsonl:1: must be an object with a "text"'),
    "evidence that is no list": ('{"text": "x", "evidence": "y"}', 'answers/bad.jsonl:1: "evidence" must be a list'),
}


@pytest.mark.parametrize(("line", "message"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_record_is_named(folder: Path, line: str, message: str) -> None:
    (folder / "answers" / "bad.jsonl").write_text(line)
    done = cite(folder, "answers/bad.jsonl")
    assert done.returncode == 1
    assert message in done.stderr


def test_files_that_are_no_answers_are_left_out(folder: Path) -> None:
    (folder / "answers" / ".hidden.md").write_text("Hidden.")
    (folder / "answers" / "picture.png").write_bytes(b"\x89PNG")
    names = [answer.name.removeprefix(f"{folder.as_posix()}/") for answer in answers_of([folder / "answers"])]
    assert names == ["answers/doubtful.md", "answers/good.md", "answers/recorded.jsonl:1", "answers/recorded.jsonl:3"]


def test_the_junit_report_has_a_test_case_for_each_answer(folder: Path) -> None:
    cite(folder, "answers", "--fail-under", "0.9", "--report", "reports/citations.xml")
    suite = ElementTree.parse(folder / "reports" / "citations.xml").getroot()[0]  # noqa: S314 - our own file
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    failures = {case.get("name"): case.find("failure") for case in suite}
    assert [name for name, failure in failures.items() if failure is not None] == [
        "answers/doubtful.md",
        "answers/recorded.jsonl:3",
    ]
    failure = failures["answers/doubtful.md"]
    assert failure is not None
    assert failure.get("message") == "1 of 3 claims supported, 0.9 required"
    assert "It is made of green glass." in (failure.text or "")


def test_the_sarif_report_locates_each_finding(folder: Path) -> None:
    cite(folder, "answers", "--report", "citations.sarif")
    (run,) = json.loads((folder / "citations.sarif").read_text("utf-8"))["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= rules
    located = [
        excerpt((folder / "answers/doubtful.md").read_text("utf-8"), place["region"])
        for result in run["results"]
        for place in [result["locations"][0]["physicalLocation"]]
        if place["artifactLocation"]["uri"] == "answers/doubtful.md"
    ]
    assert located == ["It is made of green glass.", DENIAL]


def excerpt(text: str, region: dict[str, int]) -> str:
    """Return the text of a region of SARIF, which ends on the line where it begins."""
    line = text.splitlines()[region["startLine"] - 1]
    assert region["endLine"] == region["startLine"]
    return line[region["startColumn"] - 1 : region["endColumn"] - 1]


def test_the_action_is_valid() -> None:
    check_schema("github-actions", ROOT / "action.yml")


def check_schema(name: str, file: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{name}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_of_the_action_checks_answers(folder: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    given = {"answers": "answers/good.md answers/doubtful.md", "fail-under": "0.9"}
    inputs = {name: given.get(name, value.get("default", "")) for name, value in action["inputs"].items()}
    variables = {name: inputs[re.findall(r"inputs\.([\w-]+)", value)[0]] for name, value in step["env"].items()}
    programs = folder / "programs"
    programs.mkdir()
    (programs / "citestream").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m citestream "$@"\n')
    (programs / "citestream").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **variables, "PATH": path, "PYTHONPATH": str(ROOT)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "1 of 2 answers pass" in done.stdout
    assert (folder / inputs["report"]).is_file()


def blocks() -> list[Any]:
    return [yaml.safe_load(code) for code in re.findall(r"```yml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)]


def test_the_workflow_of_the_page_is_valid(tmp_path: Path) -> None:
    workflow = re.findall(r"```yml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    (tmp_path / "workflow.yml").write_text(workflow)
    check_schema("github-workflows", tmp_path / "workflow.yml")
    steps = blocks()[0]["jobs"]["citations"]["steps"]
    (own,) = [step for step in steps if step["uses"].startswith("OWNER/citestream")]
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert own["with"].keys() <= action["inputs"].keys()
    assert "report" in action["outputs"]


def test_the_hook_checks_changed_answers(folder: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (configured,) = blocks()[1]["repos"][0]["hooks"]
    assert configured["id"] == hook["id"]
    (folder / "sources").mkdir()
    (folder / "sources" / "bridge.md").write_text(f"{FACT} {OTHER}")
    answers = ["answers/good.md", "answers/doubtful.md", "answers/good.evidence.json", "answers/doubtful.evidence/a.md"]
    changed = [name for name in answers if re.search(hook["files"], name) and not re.search(hook["exclude"], name)]
    assert changed == ["answers/good.md", "answers/doubtful.md"]
    program, command, *options = hook["entry"].split()
    assert (program, command) == ("citestream", "cite")
    assert cite(folder, *options, *configured["args"], changed[0]).returncode == 0
    assert cite(folder, *options, *configured["args"], *changed).returncode == 1
