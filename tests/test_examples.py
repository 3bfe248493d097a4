"""The examples: real documents, a real server, the official client and the embedded provider."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml
from openai import OpenAI

from examples.ask import EVIDENCE, closest, documents

ROOT = Path(__file__).parent.parent
QUESTIONS = {
    example["question"]: example for example in yaml.safe_load((ROOT / "examples/questions.yaml").read_text("utf-8"))
}


class Launch(Protocol):
    """Starts a server process; see tests/conftest.py."""

    def __call__(self, command: list[str], log: Path, **environment: str) -> AbstractContextManager[str]: ...


@pytest.fixture(scope="module")
def client(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    log = tmp_path_factory.mktemp("examples") / "server.log"
    with (
        launch([sys.executable, "-m", "citestream", "serve", "--port", "0"], log) as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as openai,
    ):
        yield openai


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_cites_the_expected_passage(client: OpenAI, question: str) -> None:
    evidence = closest(question, documents(), EVIDENCE)
    answer = client.chat.completions.create(
        model="extractive", messages=[{"role": "user", "content": question}], extra_body={"evidence": evidence}
    )
    references: list[dict[str, Any]] = (answer.model_extra or {})["references"]
    cited = [evidence[reference["evidence_number"] - 1] for reference in references]
    expected = QUESTIONS[question]
    assert any(item["file_name"] == expected["file"] and expected["passage"] in item["text"] for item in cited)
    assert expected["passage"] in (answer.choices[0].message.content or "")


SUPPORT = re.compile(r"support ([01]\.\d+)")
CONSOLE = [
    block
    for page in ("README.md", "docs/start.md")
    for block in re.findall(r"```console\n\$ (.*?)\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command[:15] for command, _ in CONSOLE])
def test_the_console_output_of_a_page_is_what_the_command_prints(command: str, shown: str) -> None:
    """The support changes a little whenever the scorer is fitted again."""
    words = shlex.split(command)
    target = [str(ROOT / "examples/ask.py")] if words == ["make", "demo"] else ["-m", "citestream", *words[1:]]
    run = subprocess.run([sys.executable, *target], cwd=ROOT, check=True, capture_output=True, text=True, timeout=100)
    assert SUPPORT.sub("support", run.stdout).strip() == SUPPORT.sub("support", shown).strip()
    assert supports(run.stdout) == pytest.approx(supports(shown), abs=0.05)


def supports(text: str) -> list[float]:
    return [float(found) for found in SUPPORT.findall(text)]


def test_the_python_code_of_the_readme_runs(client: OpenAI) -> None:
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    script = lines.replace("http://127.0.0.1:8787/v1", str(client.base_url))
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=100)
    answer, references = run.stdout.split("\n", 1)
    assert "110.6 metres" in answer
    assert "[1]" in answer
    assert "'file_name': 'moon.md'" in references
