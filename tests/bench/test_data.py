"""Labelled records: loading, selection of records for fitting, and the weights of pairs."""

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.data.data_sets import fitted, source, sources
from bench.data.pairs import cached_pairs, load, pairs
from bench.fit import MOST_BAD, choose, importance, leave_out
from citestream.citation.support.scorers import scorer

PLACES = ("Lisbon", "Turin", "Ghent", "Malmo", "Basel", "Porto", "Riga", "Cork")


def record(number: int, data_set: str = "begin", gold_level: str = "chunk") -> dict[str, Any]:
    place, other = PLACES[number % len(PLACES)], PLACES[(number + 3) % len(PLACES)]
    texts = [f"The archive of {place} keeps {number + 100} maps.", f"The market of {other} opens at dawn."]
    return {
        "id": f"{data_set}-{number}",
        "dataset": data_set,
        "lang": "en",
        "answer_sentences": [f"The archive of {place} keeps {number + 100} maps.", f"Nobody visits {other} in winter."],
        "evidence": [{"id": str(n), "title": "", "text": text} for n, text in enumerate(texts)],
        "gold": [[0], []],
        "gold_alt": [[], []],
        "ignore": [[], []],
        "sent_label": ["supported", "unsupported"],
        "gold_level": gold_level,
    }


def test_compressed_files_are_read_like_plain_ones(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(record(n)) for n in range(3))
    (tmp_path / "plain.jsonl").write_text(lines, "utf-8")
    (tmp_path / "packed.jsonl.xz").write_bytes(lzma.compress(lines.encode()))
    assert load([tmp_path / "plain.jsonl"]) == load([tmp_path / "packed.jsonl.xz"]) == [record(n) for n in range(3)]


def test_cached_pairs_equal_computed_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    records = [record(n) for n in range(4)]
    computed = pairs(records, scorer("lexical"))
    for _ in range(2):  # the first call writes the cache, the second reads it
        cached = cached_pairs(records, scorer("lexical"))
        assert cached.names == computed.names
        assert cached.place == computed.place
        assert np.array_equal(cached.features, computed.features)
        assert np.array_equal(cached.label, computed.label)


def test_supported_sentences_have_no_weight_if_only_the_set_of_evidence_was_judged() -> None:
    table = pairs([record(0, gold_level="set")], scorer("lexical"))
    assert table.weight[table.sentence == 0].tolist() == [0, 0]
    assert table.weight[table.sentence == 1].tolist() == [1, 1]


def test_data_sets_of_the_same_source_are_left_out_together() -> None:
    assert source("fm2_more") == source("fm2")
    assert sources([record(0, "fever_symmetric"), record(0, "begin")]).tolist() == ["fever", "begin"]


def test_records_that_are_not_for_fitting_have_no_weight() -> None:
    records = [record(n, data_set) for n in range(4) for data_set in ("begin", "qags")]
    table = pairs(records, scorer("lexical"))
    weight = importance(records, table)
    assert not weight[~fitted(records)[table.record]].any()
    assert weight[fitted(records)[table.record]].any()


def test_cross_validation_ranks_supported_pairs_first() -> None:
    records = [record(n, data_set) for n in range(40) for data_set in ("begin", "fever", "qags")]
    table = pairs(records, scorer("lexical"))
    probability = leave_out(records, table)
    assert probability[table.label].min() > probability[~table.label].max()
    thresholds = choose(records, table, probability, MOST_BAD["lexical"])
    assert thresholds["lenient"] > 0
    assert thresholds["strict"] >= thresholds["balanced"] >= thresholds["lenient"]


def test_disagreements_count_in_simple_pairs_only() -> None:
    table = pairs([record(0)], scorer("lexical"))
    count = len(table.label)
    table = replace(table, refusal=np.full(count, ""), kinds=("role/role",), agreement=np.zeros(count))
    for disagrees in (True, False):
        for simple in (True, False):
            marked = replace(
                table, disagreements=np.full((count, 1), disagrees), simple=np.full(count, simple, dtype=bool)
            )
            expected = 0.0 if disagrees and simple else 0.5
            assert marked.after_gates(np.full(count, 0.5)).tolist() == [expected] * count


def test_agreement_raises_the_probability_unless_a_gate_refuses() -> None:
    table = pairs([record(0)], scorer("lexical"))
    count = len(table.label)
    agreed = replace(table, disagreements=np.zeros((count, 0), dtype=bool), agreement=np.full(count, np.log(3.0)))
    assert np.allclose(replace(agreed, refusal=np.full(count, "")).after_gates(np.full(count, 0.5)), 0.75)
    assert replace(agreed, refusal=np.full(count, "unit")).after_gates(np.full(count, 0.5)).tolist() == [0.0] * count
