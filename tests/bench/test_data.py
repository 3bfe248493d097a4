"""Labelled records: loading, selection of records for fitting, and the weights of pairs."""

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.data.data_sets import source, sources
from bench.data.pairs import cached_pairs, claims_of, load, pairs
from bench.fit import PER_SET, Part, leave_out, sample, threshold_alone
from citestream.citation.support.decision import VERBATIM
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


def test_records_that_are_not_for_fitting_are_not_sampled() -> None:
    records = [record(n, data_set) for n in range(PER_SET) for data_set in ("begin", "qags", "halueval_sum")]
    chosen = sample(records)
    assert {one["dataset"] for one in chosen} == {"begin"}
    assert len(chosen) == PER_SET / 2  # each has two sentences


def parts(*data_sets: str) -> list[Part]:
    """Return records in which the model cites nothing, and records in which it cites the first excerpt."""
    records = [record(n, data_set) for n in range(40) for data_set in data_sets]
    cited = [{**one, "citations": [[0], [0]]} for one in records]
    return [
        Part("labelled", records, pairs(records, scorer("lexical")), 1.0),
        Part("natural", cited, pairs(cited, scorer("lexical")), 1.0),
    ]


def test_supported_pairs_rank_first_for_forests_that_have_not_seen_their_source() -> None:
    given = parts("begin", "fever", "summedits")
    held_out = leave_out(given)
    for part in given:
        found, table = held_out[part.name], part.table
        assert found[table.label].min() > found[~table.label & table.candidate].max()
    assert 0 < threshold_alone(given[0], held_out["labelled"], 0.3) < 1


def test_the_model_of_a_record_cites_from_its_first_citation_on() -> None:
    one = {**record(0), "citations": [[], [1]]}
    (_, first), (_, second) = claims_of(one)
    assert (first.cited, first.model_cites) == (frozenset(), False)
    assert (second.cited, second.model_cites) == (frozenset({2}), True)


def test_what_is_certain_does_not_depend_on_the_forests() -> None:
    table = pairs([record(0)], scorer("lexical"))
    decided = table.decided(np.full(len(table.label), 0.5))
    assert decided[table.verbatim].tolist() == [VERBATIM]
    assert not decided[~table.candidate].any()
    assert not replace(table, refused=np.ones_like(table.refused)).decided(decided).any()
