"""Readers of LLM-AggreFact and RAGTruth, with small files in their formats."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from citestream.citation.evidence import FieldError
from citestream.proxy.cli.checking.eval_command import run
from citestream.proxy.cli.checking.labelled_records import read_records
from citestream.proxy.cli.checking.record_measures import Quality, detection, mean_balanced

BRIDGE = "The Harlan bridge was opened on 4 May 1932 by the mayor. It carries two lanes of traffic."
AGGREFACT: list[dict[str, Any]] = [
    {"dataset": "Wice", "doc": BRIDGE, "claim": "The Harlan bridge was opened on 4 May 1932.", "label": 1},
    {"dataset": "Wice", "doc": BRIDGE, "claim": "Penguins swim in Harlan.", "label": 0},
    {"dataset": "ExpertQA", "doc": BRIDGE, "claim": "The bridge carries two lanes.", "label": 1},
    {"dataset": "ExpertQA", "doc": BRIDGE, "claim": "The bridge carries two lanes of traffic.", "label": 0},
]
SOURCES: list[dict[str, Any]] = [
    {
        "source_id": "11",
        "task_type": "QA",
        "source": "MARCO",
        "source_info": {
            "question": "When was it opened?",
            "passages": f"passage 1:{BRIDGE}\n\npassage 2:Harlan has 64,000 inhabitants.\n\n",
        },
        "prompt": "…",
    },
    {"source_id": "12", "task_type": "Summary", "source": "CNN/DM", "source_info": BRIDGE, "prompt": "…"},
    {
        "source_id": "13",
        "task_type": "Data2txt",
        "source": "Yelp",
        "source_info": {"name": "Harlan Inn", "city": "Harlan", "review_info": [{"review_text": "Fine."}]},
        "prompt": "…",
    },
]
SUMMARY = "The Harlan bridge was opened on 4 May 1932. Penguins swim in Harlan. It carries two lanes."
WRONG = "Penguins swim in Harlan."
LABEL = {
    "start": SUMMARY.index(WRONG),
    "end": SUMMARY.index(WRONG) + len(WRONG),
    "text": WRONG,
    "meta": "…",
    "label_type": "Evident Baseless Info",
    "implicit_true": False,
    "due_to_null": False,
}


def response(source: str, text: str, labels: list[dict[str, Any]], split: str = "test") -> dict[str, Any]:
    of_model = {"model": "gpt-4-0613", "temperature": 0.7, "quality": "good"}
    return {"id": "0", "source_id": source, **of_model, "labels": labels, "split": split, "response": text}


RESPONSES = [
    response("11", "The Harlan bridge was opened on 4 May 1932.", []),
    response("12", SUMMARY, [LABEL]),
    response("12", "Penguins fly.", [], split="train"),
]


def write_lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    return file


def ragtruth(folder: Path, responses: list[dict[str, Any]] | None = None) -> Path:
    write_lines(folder / "source_info.jsonl", SOURCES)
    return write_lines(folder / "response.jsonl", responses or RESPONSES)


def test_a_claim_of_aggrefact_is_a_sentence_with_its_document(tmp_path: Path) -> None:
    records = [*read_records(write_lines(tmp_path / "test.jsonl", AGGREFACT))]
    assert [record["answer_sentences"] for record in records] == [[row["claim"]] for row in AGGREFACT]
    assert [record["evidence"][0]["text"] for record in records] == [BRIDGE] * 4
    assert [record["sent_label"] for record in records] == [["supported"], ["unsupported"]] * 2
    assert {record["gold_level"] for record in records} == {"set"}
    assert len({record["id"] for record in records}) == 4


def test_the_mean_of_the_data_sets_is_that_of_aggrefact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([write_lines(tmp_path / "test.jsonl", AGGREFACT)], "lexical", as_json=True, plot=None)
    measured = json.loads(capsys.readouterr().out)
    assert measured["quality"]["Wice"]["balanced"] == 1.0
    assert measured["quality"]["ExpertQA"]["balanced"] == 0.5, "the label of a sentence from the document is wrong"
    assert measured["mean_balanced"] == 0.75


def test_parquet_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "test.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(AGGREFACT), file)
    lines = [*read_records(write_lines(tmp_path / "test.jsonl", AGGREFACT))]
    rows = [*read_records(file)]
    assert [{**row, "id": ""} for row in rows] == [{**row, "id": ""} for row in lines]


def test_without_pyarrow_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(FieldError, match="pip install pyarrow"):
        next(read_records(tmp_path / "test.parquet"))


def test_a_sentence_of_ragtruth_with_a_labelled_span_is_unsupported(tmp_path: Path) -> None:
    of_question, summary = read_records(ragtruth(tmp_path))
    assert [one["text"] for one in of_question["evidence"]] == [BRIDGE, "Harlan has 64,000 inhabitants."]
    assert [one["text"] for one in summary["evidence"]] == [BRIDGE]
    assert summary["answer_sentences"] == [
        "The Harlan bridge was opened on 4 May 1932.",
        WRONG,
        "It carries two lanes.",
    ]
    assert summary["sent_label"] == ["supported", "unsupported", "supported"]


def test_a_span_across_two_sentences_marks_both(tmp_path: Path) -> None:
    start = SUMMARY.index("1932")
    label = {**LABEL, "start": start, "end": SUMMARY.index("swim"), "text": SUMMARY[start : SUMMARY.index("swim")]}
    (record,) = read_records(ragtruth(tmp_path, [response("12", SUMMARY, [label])]))
    assert record["sent_label"] == ["unsupported", "unsupported", "supported"]


def test_the_data_of_a_business_is_one_piece_of_evidence(tmp_path: Path) -> None:
    (record,) = read_records(ragtruth(tmp_path, [response("13", "The Harlan Inn is in Harlan.", [])]))
    (evidence,) = record["evidence"]
    assert json.loads(evidence["text"]) == SOURCES[2]["source_info"]


def test_only_the_test_split_of_ragtruth_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([ragtruth(tmp_path)], "lexical", as_json=True, plot=None)
    measured = json.loads(capsys.readouterr().out)
    quality = measured["quality"]["RAGTruth"]
    assert (quality["supported"], quality["unsupported"]) == (3, 1)
    assert measured["answers"] == {"unsupported": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_the_table_has_the_measures_of_whole_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([ragtruth(tmp_path)], "lexical", as_json=False, plot=None)
    shown = " ".join(capsys.readouterr().out.split())
    assert "answers with an unsupported sentence: 1; found with precision 1.000, recall 1.000, F1 1.000" in shown
    assert "mean of the balanced accuracies of the data sets: 1.000" in shown


# A file of RAGTruth or LLM-AggreFact that cannot be read, and a part of the error.
INVALID: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a source that does not exist": ([response("99", "It is red.", [])], "response.jsonl:1: source_id: is not in"),
    "a label that is neither 0 nor 1": ([{**AGGREFACT[0], "label": 2}], "response.jsonl:1: label: must be 0 or 1"),
}


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_row_is_named(case: str, tmp_path: Path) -> None:
    rows, message = INVALID[case]
    with pytest.raises(FieldError, match=message):
        list(read_records(ragtruth(tmp_path, rows)))


def test_a_file_of_ragtruth_without_its_sources_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"source_info\.jsonl"):
        list(read_records(write_lines(tmp_path / "response.jsonl", RESPONSES)))


def test_detection_counts_answers() -> None:
    labels = {"a": ["unsupported"], "b": ["supported", "unsupported"], "c": ["supported"], "d": ["unjudged"]}
    records = [{"id": name, "sent_label": of_sentences} for name, of_sentences in labels.items()]
    found = detection(records, {"a", "c", "d"})
    assert (found.unsupported, found.precision, found.recall, found.f1) == (2, 0.5, 0.5, 0.5)


def test_the_mean_does_not_contain_the_total() -> None:
    zero = (0.0,) * 6
    found = {
        name: Quality(1, 1, *zero[:3], balanced, *zero[:3]) for name, balanced in (("ALL", 0.9), ("a", 0.5), ("b", 1.0))
    }
    assert mean_balanced(found) == 0.75
