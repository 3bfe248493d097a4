"""What the repository says about itself is true: the commands and files it names exist, the wheel is complete."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from citestream.proxy.cli.commands import main as cli

ROOT = Path(__file__).parent.parent
PACKAGES = ("citation", "providers", "proxy")
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
KINDS = r"\.(?:py|md|txt|yaml|yml|json|jsonl|toml|html|js|css|png|svg|sh)"


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def code(document: Path) -> Iterator[str]:
    """Lines of fenced blocks, and inline code."""
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
    given = {
        "b.md",
        "my.yaml",
        "tokenizer.json",
        "report.pdf",
        "answer.txt",
        "verbatim.py",
        "footnotes.py",
        "echo.py",
    }  # names that stand for the reader's own files
    missing = {
        path for path in (links | named) - given if not (document.parent / path).exists() and not (ROOT / path).exists()
    }
    assert missing == set()


def test_the_map_of_the_code_has_every_folder() -> None:
    listed = re.findall(r"^\| `([\w-]+)/` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    there = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and path.name not in {"build", "dist"} and re.fullmatch(r"[a-z]+", path.name)
    }
    assert set(listed) == there
    assert len(listed) == len(there)


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


def test_ci_is_make_test_and_the_clients() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-2:] == ["make test", "make test-clients"]


def test_the_licence_is_the_one_that_the_metadata_name() -> None:
    assert metadata()["license"] == "MIT"
    assert "Permission is hereby granted, free of charge" in (ROOT / "LICENSE").read_text()


def test_every_example_question_names_a_passage_of_its_document() -> None:
    for asked in yaml.safe_load((ROOT / "examples/questions.yaml").read_text("utf-8")):
        if asked["file"]:
            assert asked["passage"] in (ROOT / "examples/documents" / asked["file"]).read_text("utf-8"), asked


def test_every_example_document_is_accounted_for() -> None:
    listed = set(re.findall(r"`documents/([\w.-]+)`", (ROOT / "examples/README.md").read_text("utf-8")))
    assert listed == {path.name for path in (ROOT / "examples/documents").iterdir()}


def test_the_stages_that_a_profile_is_split_into_name_files_there_are() -> None:
    stages = (ROOT / "bench/proxy/split.py").read_text("utf-8")
    named = re.findall(r"\(((?:citation|providers|proxy)/[\w/.]*)", stages)
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    for package in PACKAGES:  # a copy, because a build in place picks up what an earlier one left
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for document in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / document, folder)
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(folder))
    return next(folder.glob("citestream-*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_the_three_packages_and_all_their_files(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert packed == wanted


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_wheel_installs_into_an_empty_environment_and_its_command_runs(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    pip("--python", str(tmp_path / "venv/bin/python"), "install", str(wheel))
    answer = subprocess.run(
        [str(tmp_path / "venv/bin/citestream"), "--help"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert set(cli.commands) <= set(answer.stdout.split())
    (tmp_path / "bridge.md").write_text("The Harlan bridge was opened on 4 May 1932.")
    cited = subprocess.run(
        [str(tmp_path / "venv/bin/citestream"), "cite", "The bridge was opened in 1932.", "--evidence", "bridge.md"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert cited.stdout.startswith("The bridge was opened in 1932. [1]\n")


@pytest.mark.slow
def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", *PACKAGES):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    subprocess.run([sys.executable, "-m", "build", "--sdist", "."], cwd=tmp_path, check=True, capture_output=True)
    pip("wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(next((tmp_path / "dist").glob("*.tar.gz"))))
    rebuilt = next(tmp_path.glob("citestream-*.whl"))
    assert set(zipfile.ZipFile(rebuilt).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


def metadata() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project
