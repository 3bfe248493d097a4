"""`citestream eval` on a few labelled sentences."""

import json
from pathlib import Path
from typing import Any

import pytest

from citestream.citation.evidence import FieldError
from citestream.proxy.cli.checking.eval_command import run
from citestream.proxy.cli.checking.labelled_records import read_records
from citestream.proxy.config import Config, ProviderConfig, ScoringConfig

RECORD: dict[str, Any] = {
    "id": "r1",
    "dataset": "bridges",
    "answer_sentences": [
        "The Harlan bridge was opened on 4 May 1932.",
        "The Harlan bridge was opened on 4 May 1999.",
        "Bananas grow in the tropics.",
    ],
    "evidence": [
        {"id": "a", "text": "The Harlan bridge was opened on 4 May 1932 by the mayor."},
        {"id": "b", "text": "Bananas grow in the tropics, above all in Asia."},
    ],
    "gold": [[0], [], [1]],
    "sent_label": ["supported", "unsupported", "supported"],
}


def write_records(folder: Path, *records: object) -> Path:
    file = folder / "labelled.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    return file


@pytest.mark.parametrize("scorer", ["hybrid", "ragflow"])
def test_scorers_with_embeddings_are_measured(scorer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([write_records(tmp_path, RECORD)], scorer, as_json=True, plot=None)
    measured = json.loads(capsys.readouterr().out)
    assert measured["scorer"] == scorer
    quality = measured["quality"]["ALL"]
    assert quality["recall"] == 1.0
    assert quality["bad"] == (0.0 if scorer == "hybrid" else 1.0), "the rule of RAGFlow does not compare numbers"


def test_the_results_agree_with_the_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([write_records(tmp_path, RECORD)], "lexical", as_json=True, plot=None)
    quality = json.loads(capsys.readouterr().out)["quality"]["ALL"]
    assert (quality["precision"], quality["recall"], quality["bad"], quality["balanced"]) == (1.0, 1.0, 0.0, 1.0)
    assert (quality["supported"], quality["unsupported"]) == (2, 1)


VALID: dict[str, dict[str, object]] = {
    "no alternative evidence": {"gold_alt": [None, None, None]},
    "alternative evidence for one sentence": {"gold_alt": [[[0]], None, []]},
    "an empty passage": {"evidence": [*RECORD["evidence"], {"id": "c", "title": None, "text": ""}]},
    "no id": {"id": None},
    "a sentence without a judgement": {"sent_label": ["supported", "unsupported", "unjudged"]},
}


@pytest.mark.parametrize("case", VALID)
def test_values_of_real_data_sets_are_read(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {name: value for name, value in {**RECORD, **VALID[case]}.items() if name != "id" or value}
    run([write_records(tmp_path, record)], "lexical", as_json=True, plot=None)
    quality = json.loads(capsys.readouterr().out)["quality"]["ALL"]
    assert (quality["recall"], quality["bad"]) == (1.0, 0.0)


def test_the_table_has_a_row_per_data_set_and_intervals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(
        [write_records(tmp_path, RECORD, {**RECORD, "id": "r2", "dataset": "more"})],
        "lexical",
        as_json=False,
        plot=None,
    )
    output = capsys.readouterr().out
    for expected in ("ALL", "bridges", "more", "95 %: f1"):
        assert expected in output


def test_the_plot_is_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([write_records(tmp_path, RECORD)], "lexical", as_json=True, plot=tmp_path / "plot.png")
    assert capsys.readouterr().out
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


INVALID: dict[str, tuple[object, str]] = {
    "text instead of a record": ("a", "is not an object"),
    "a missing field": ({**RECORD, "gold": None}, r"gold: Input should be a valid list"),
    "evidence without a text": (
        {**RECORD, "evidence": [{"txt": "a"}, {"text": "b"}]},
        r"evidence\[0\]\.text: Field required",
    ),
    "an unknown label": (
        {**RECORD, "sent_label": ["supported", "no", "supported"]},
        r"sent_label\[1\]: .* 'supported'",
    ),
    "fewer labels than sentences": (
        {**RECORD, "sent_label": ["supported"]},
        "sent_label must have one entry per answer sentence",
    ),
    "an index without evidence": ({**RECORD, "gold": [[0], [], [2]]}, "gold contains an index without evidence"),
}


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_record_is_reported_with_its_line(case: str, tmp_path: Path) -> None:
    record, message = INVALID[case]
    with pytest.raises(FieldError, match=rf"labelled\.jsonl:2: {message}"):
        run([write_records(tmp_path, RECORD, record)], "lexical", as_json=True, plot=None)


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_bytes(b"\xff")
    with pytest.raises(FieldError, match=r"labelled\.jsonl: is not UTF-8 text"):
        run([file], "lexical", as_json=True, plot=None)


def test_a_record_contains_other_line_separators(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    record = {**RECORD, "question": "Which\u2028bridge?\x85"}
    file.write_text(json.dumps(record, ensure_ascii=False), "utf-8")
    assert [one["question"] for one in read_records(file)] == [record["question"]]


def test_records_scored_by_a_simpler_scorer_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unreachable = Config(
        providers={"gone": ProviderConfig(kind="openai", base_url="http://127.0.0.1:1/v1")},
        scoring=ScoringConfig(embedder="gone/model"),
    )
    file = write_records(tmp_path, RECORD)
    run([file], "hybrid", as_json=False, plot=None, config=unreachable)
    assert "1 of 1 records were scored without the model that this scorer needs." in capsys.readouterr().out
    run([file], "hybrid", as_json=True, plot=None, config=unreachable)
    assert json.loads(capsys.readouterr().out)["degraded"] == 1
    run([file], "lexical", as_json=True, plot=None)
    assert json.loads(capsys.readouterr().out)["degraded"] == 0
