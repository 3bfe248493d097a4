"""The commands, files and folders that the documents name exist."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from citestream.proxy.cli.commands import main as cli

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
KINDS = r"\.(?:py|md|txt|yaml|yml|json|jsonl|toml|html|js|css|gif|png|svg|sh)"


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def code(document: Path) -> Iterator[str]:
    """Yield the lines of fenced blocks, and inline code."""
    for number, part in enumerate(re.split(r"^ *```", document.read_text("utf-8"), flags=re.MULTILINE)):
        yield from part.splitlines()[1:] if number % 2 else re.findall(r"`([^`\n]+)`", part)


def label(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_every_make_target_in_the_documents_exists(document: Path) -> None:
    named = {found for line in code(document) for found in re.findall(r"(?:^|[;&$] ?)make ([a-z][a-z-]*)", line)}
    assert named - targets() == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_every_command_in_the_documents_exists(document: Path) -> None:
    named = {found for line in code(document) for found in re.findall(r"(?:^|[;&$/] ?)citestream ([a-z][a-z-]*)", line)}
    assert named - set(cli.commands) == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_every_file_that_the_documents_name_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    links = {link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link}
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^ *```.*?^ *```", "", text))
    named = {span for span in inline if re.fullmatch(rf"[\w.-]+(?:/[\w.-]*)*(?:{KINDS}|/)", span)}
    readers_files = {
        "b.md",
        "my.yaml",
        "checker.json",
        "config.json",
        "tokenizer.json",
        "report.pdf",
        "answer.txt",
        "answers/tides.md",
        "answers/tides.evidence.md",
        "answers/tides.evidence/",
        "verbatim.py",
        "footnotes.py",
        "echo.py",
        "credentials.json",
        "key.txt",
    }  # examples of the reader's own files
    missing = {
        path
        for path in (links | named) - readers_files
        if not (document.parent / path).exists() and not (ROOT / path).exists()
    }
    assert missing == set()


def test_the_layout_table_lists_every_folder() -> None:
    listed = re.findall(r"^\| `([\w-]+)/` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    existing = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and path.name not in {"build", "dist"} and re.fullmatch(r"[a-z]+", path.name)
    }
    assert set(listed) == existing
    assert len(listed) == len(existing)


def test_the_readme_has_at_most_1200_words() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 1200


def test_every_phony_target_is_explained_by_help() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())
    assert phony == set(re.findall(r"^([a-z][a-z-]*):.*## ", makefile, re.MULTILINE))


def test_every_program_that_make_runs_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    modules = set(re.findall(r"-m ((?:bench|tests)[\w.]*)", makefile))
    programs = [ROOT / module.replace(".", "/") for module in modules]
    scripts = [ROOT / script for script in re.findall(r"examples/\w+\.py", makefile)]
    wanted = [path / "__main__.py" if path.is_dir() else path.with_suffix(".py") for path in programs + scripts]
    assert [str(path) for path in wanted if not path.exists()] == []


def test_ci_runs_make_test_and_the_client_tests() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-2:] == ["make test", "make test-clients"]


def test_make_docs_fails_at_a_warning() -> None:
    """`make test` builds the site in tests/browser/test_site.py, in the same way."""
    planned = subprocess.run(["make", "-n", "docs"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert re.search(r"-m sphinx .*-W .*docs docs/_build", planned)


def test_the_licence_file_agrees_with_the_metadata() -> None:
    assert metadata()["license"] == "MIT"
    assert "Permission is hereby granted, free of charge" in (ROOT / "LICENSE").read_text()


def test_every_example_question_names_a_passage_of_its_document() -> None:
    for example in yaml.safe_load((ROOT / "examples/questions.yaml").read_text("utf-8")):
        if example["file"]:
            assert example["passage"] in (ROOT / "examples/documents" / example["file"]).read_text("utf-8"), example


def test_the_readme_of_the_examples_lists_every_document() -> None:
    listed = set(re.findall(r"`documents/([\w.-]+)`", (ROOT / "examples/README.md").read_text("utf-8")))
    assert listed == {path.name for path in (ROOT / "examples/documents").iterdir()}


def test_the_stages_of_the_profile_name_existing_files() -> None:
    stages = (ROOT / "bench/proxy/cpu_profile.py").read_text("utf-8")
    named = re.findall(r"\(((?:citation|providers|proxy)/[\w/.]*)", stages)
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def metadata() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project
