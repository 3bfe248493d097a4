"""The near-misses are well formed: one supported and one unsupported claim per pair, split by the pair's number."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "bench" / "data" / "near_misses"
DEVELOPMENT = sorted(FOLDER.glob("*.jsonl"))
HELD_OUT = sorted((FOLDER / "held_out").glob("*.jsonl"))
FILES = [*DEVELOPMENT, *HELD_OUT]
TYPES = {"pair": int, "class": str, "lang": str, "evidence": str, "claim": str, "supported": bool}

Record = dict[str, Any]


def label(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


@cache
def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def pairs(path: Path) -> list[list[Record]]:
    grouped: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records(path):
        grouped[record["pair"]].append(record)
    return list(grouped.values())


def classes(paths: list[Path]) -> set[str]:
    return {record["class"] for path in paths for record in records(path)}


def documented_classes() -> set[str]:
    """Return the first column of the README's table of classes, without its header and its sum."""
    table = (FOLDER / "README.md").read_text("utf-8").split("## Classes")[1]
    cells = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    return {cell for cell in cells if cell not in ("class", "---", "all")}


def has_the_keys_of_the_format(record: Record) -> bool:
    return {key: type(value) for key, value in record.items()} == TYPES


def has_text_without_blanks_at_its_ends(record: Record) -> bool:
    return all(text and text == text.strip() for text in (record["evidence"], record["claim"]))


def has_a_claim_that_is_not_the_evidence(record: Record) -> bool:
    return bool(record["evidence"] != record["claim"])


RECORD_RULES = [has_the_keys_of_the_format, has_text_without_blanks_at_its_ends, has_a_claim_that_is_not_the_evidence]


def has_one_supported_and_one_unsupported_claim(pair: list[Record]) -> bool:
    return sorted(record["supported"] for record in pair) == [False, True]


def has_one_evidence_and_one_class(pair: list[Record]) -> bool:
    return len({(record["evidence"], record["class"]) for record in pair}) == 1


PAIR_RULES = [has_one_supported_and_one_unsupported_claim, has_one_evidence_and_one_class]


@pytest.mark.parametrize("path", FILES, ids=label)
@pytest.mark.parametrize("rule", RECORD_RULES, ids=lambda rule: rule.__name__)
def test_each_record_follows_the_rules(rule: Callable[[Record], bool], path: Path) -> None:
    assert [record for record in records(path) if not rule(record)] == []


@pytest.mark.parametrize("path", FILES, ids=label)
@pytest.mark.parametrize("rule", PAIR_RULES, ids=lambda rule: rule.__name__)
def test_each_pair_follows_the_rules(rule: Callable[[list[Record]], bool], path: Path) -> None:
    assert [pair for pair in pairs(path) if not rule(pair)] == []


@pytest.mark.parametrize("path", FILES, ids=label)
def test_the_file_is_named_after_its_language(path: Path) -> None:
    assert {record["lang"] for record in records(path)} == {path.stem}


@pytest.mark.parametrize("path", FILES, ids=label)
def test_every_third_pair_is_held_out(path: Path) -> None:
    held_out = path in HELD_OUT
    assert [record["pair"] for record in records(path) if (record["pair"] % 3 == 2) is not held_out] == []


def test_every_language_has_both_parts() -> None:
    names = [path.name for path in DEVELOPMENT]
    assert "en.jsonl" in names
    assert names == [path.name for path in HELD_OUT]


@pytest.mark.parametrize("part", [DEVELOPMENT, HELD_OUT], ids=["development", "held out"])
def test_every_documented_class_is_in_both_parts_and_no_other(part: list[Path]) -> None:
    assert classes(part) == documented_classes()
    assert classes([path for path in part if path.stem == "en"]) == documented_classes()


def test_no_evidence_and_no_claim_is_repeated() -> None:
    texts: Counter[str] = Counter()
    for path in FILES:
        texts.update(record["claim"] for record in records(path))
        texts.update({record["evidence"] for record in records(path)})
    assert [text for text, times in texts.items() if times > 1] == []
