"""The commands as a person types them: real processes, real files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def citestream(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proxy", *arguments]
    return subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, check=False)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    (tmp_path / "bridge.md").write_text("# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.\n")
    (tmp_path / "fruit.txt").write_text("Bananas grow in the tropics.\n")
    return tmp_path


def test_help_teaches() -> None:
    said = citestream("--help").stdout
    for word in ("serve", "ask", "cite", "check-config", "Exit codes"):
        assert word in said


def test_ask_answers_from_a_folder(evidence: Path) -> None:
    done = citestream("ask", "When was the Harlan bridge opened?", "--evidence", str(evidence))
    assert done.returncode == 0, done.stderr
    assert "opened on 4 May 1932 by the mayor. [1]" in done.stdout
    assert "[1] Bridge" in done.stdout


def test_ask_as_json_is_a_completion(evidence: Path) -> None:
    done = citestream("ask", "When was the Harlan bridge opened?", "--evidence", str(evidence), "--json")
    body = json.loads(done.stdout)
    assert body["object"] == "chat.completion"
    assert body["references"][0]["file_name"] == "bridge.md"


def test_cite_takes_a_text_a_file_or_a_pipe(evidence: Path, tmp_path: Path) -> None:
    text = "The Harlan bridge was opened on 4 May 1932."
    file = tmp_path / "answer.out"
    file.write_text(text)
    for done in (
        citestream("cite", text, "--evidence", str(evidence)),
        citestream("cite", str(file), "--evidence", str(evidence)),
        citestream("cite", "--evidence", str(evidence), given=text),
    ):
        assert done.returncode == 0, done.stderr
        assert f"{text} [1]" in done.stdout


def test_cite_as_json_has_the_references(evidence: Path) -> None:
    done = citestream("cite", "Bananas grow in the tropics.", "--evidence", str(evidence), "--json")
    assert json.loads(done.stdout)["references"][0]["file_name"] == "fruit.txt"


def test_evidence_may_be_json_or_jsonl(tmp_path: Path) -> None:
    for name, content in (("e.json", '[{"text": "It is red."}]'), ("e.jsonl", '{"text": "It is red."}\n')):
        (tmp_path / name).write_text(content)
        done = citestream("cite", "It is red.", "--evidence", str(tmp_path / name))
        assert done.returncode == 0, done.stderr


WRONG = {
    "no such evidence": (("ask", "q", "--evidence", "nowhere"), 1, "nowhere does not exist"),
    "no such model": (("ask", "q", "--evidence", "README.md", "--model", "nobody/x"), 1, "does not exist"),
    "no such configuration": (("serve", "--config", "nowhere.yaml"), 2, "nowhere.yaml"),
    "no evidence at all": (("cite", "text"), 2, "--evidence"),
    "a provider that is down": (
        ("ask", "q", "--evidence", "README.md", "--model", "ollama/x"),
        1,
        "citestream: ",
    ),
}


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG.values(), ids=WRONG)
def test_an_error_is_one_sentence_and_an_exit_code(
    arguments: tuple[str, ...], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    done = citestream(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_check_config_names_every_unknown_key(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {prot: 1}\nciations: {}\n")
    done = citestream("check-config", str(file))
    assert done.returncode == 2
    assert "did you mean port?" in done.stderr
    assert "did you mean citations?" in done.stderr
    assert citestream("check-config", "config.example.yaml").returncode == 0
