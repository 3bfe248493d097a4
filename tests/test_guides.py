"""The guides for clients show code that `make test-clients` runs, and configurations that load."""

import re
from pathlib import Path

import pytest

from citestream.proxy.config import load
from tests.clients.guides import FOLDER, ROOT, guides, regions, tables, with_code

BLOCKS = re.compile(
    r"^(?:<!-- (?P<source>.*?) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)


def label(guide: Path) -> str:
    return guide.name


@pytest.mark.parametrize("guide", guides(), ids=label)
def test_code_in_guides_equals_the_code_of_the_scripts(guide: Path) -> None:
    assert guide.read_text("utf-8") == with_code(guide.read_text("utf-8"))


@pytest.mark.parametrize("guide", sorted(FOLDER.glob("*.md")), ids=label)
def test_every_code_block_names_its_source_and_is_not_empty(guide: Path) -> None:
    blocks = list(BLOCKS.finditer(guide.read_text("utf-8")))
    commands = [block for block in blocks if not block["language"]]  # tests/test_repo.py checks them
    assert [block["code"] for block in blocks if not block["code"].strip()] == []
    assert [block["code"] for block in blocks if block not in commands and not block["source"]] == []


def test_every_region_is_shown_in_some_guide() -> None:
    text = "".join(guide.read_text("utf-8") for guide in guides())
    shown = {
        (file, name) for file, names in re.findall(r"<!-- from (\S+): ([\w ]+) -->", text) for name in names.split()
    }
    scripts = [path for kind in ("*/*.py", "*/*.mjs") for path in (ROOT / "tests/clients").glob(kind)]
    marked = {(path.relative_to(ROOT).as_posix(), name) for path in scripts for name in regions(path)}
    assert marked == shown


def test_result_tables_are_the_same_in_all_guides() -> None:
    found = [(name, text) for guide in guides() for name, text in tables(guide.read_text("utf-8"))]
    assert {name for name, _ in found} == {"matrix", "clients", "on demand"}
    assert len(set(found)) == 3


@pytest.mark.parametrize("name", ["aliases.yaml", "retrieving.yaml", "litellm/behind.yaml"])
def test_the_configurations_of_the_client_tests_are_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_MASTER_KEY", "sk-1234")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    assert load(str(ROOT / "tests/clients" / name))


@pytest.mark.parametrize(("folder", "packages"), [("node", 40), ("mastra", 40), ("commands", 10)])
def test_npm_packages_are_pinned_and_name_no_registry(folder: str, packages: int) -> None:
    lock = (ROOT / "tests/clients" / folder / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    assert lock.count('"integrity"') > packages
    wanted = re.findall(r'": "([^"]*)"[,\n]', (ROOT / "tests/clients" / folder / "package.json").read_text("utf-8"))
    assert [version for version in wanted[2:] if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests/clients").glob("*/*.txt")), ids=label)
def test_pip_packages_are_pinned(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()[1:]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert len(lines) > 40
