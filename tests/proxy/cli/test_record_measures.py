"""The quality measures, on small records whose counts are known."""

from typing import Any

import pytest

from citestream.proxy.cli.checking.record_measures import count, evaluate, interval, quality


def record(**changes: Any) -> dict[str, Any]:
    plain = {
        "id": "r",
        "dataset": "d",
        "sent_label": ["supported", "unsupported", "partial"],
        "gold": [[0, 1], [], [2]],
        "gold_alt": [None, None, None],
        "ignore": [[], [], []],
        "gold_level": "chunk",
    }
    return plain | changes


def test_pairs_and_decisions_are_counted() -> None:
    counts = count(record(), [[0, 2], [1], [2]])
    assert (counts.true, counts.false, counts.missed) == (1, 2, 1)
    assert (counts.cited_supported, counts.bad, counts.hit, counts.wrong) == (1, 1, 1, 0)


def test_ignored_pairs_are_neither_right_nor_wrong() -> None:
    counts = count(record(ignore=[[2], [], []]), [[0, 2], [], []])
    assert (counts.true, counts.false) == (1, 0)


def test_the_best_matching_gold_alternative_is_compared() -> None:
    counts = count(record(gold_alt=[[[0, 1], [3]], None, None]), [[3], [], []])
    assert (counts.true, counts.false, counts.missed) == (1, 0, 0)


def test_pairs_are_not_counted_if_only_the_set_of_evidence_was_judged() -> None:
    counts = count(record(gold_level="set"), [[0], [], []])
    assert (counts.true, counts.paired, counts.supported) == (0, 0, 1)


def test_quality_is_computed_from_the_counts() -> None:
    measured = quality(count(record(), [[0, 1], [], []]))
    assert (measured.precision, measured.recall, measured.f1) == (1, 1, 1)
    assert (measured.balanced, measured.bad) == (1, 0)


def test_overall_result_precedes_the_data_sets() -> None:
    records = [record(), record(id="s", dataset="c")]
    assert list(evaluate(records, {"r": [[0], [], []], "s": [[], [], []]})) == ["ALL", "c", "d"]


def test_an_interval_contains_the_value_and_is_reproducible() -> None:
    records = [record(id=str(n)) for n in range(20)]
    predictions = {str(n): [[0] if n % 2 else [], [], []] for n in range(20)}
    low, high = interval(records, predictions, lambda q: q.recall)
    assert low <= evaluate(records, predictions)["ALL"].recall <= high
    assert (low, high) == interval(records, predictions, lambda q: q.recall)


def test_a_record_without_prediction_is_an_error() -> None:
    with pytest.raises(KeyError):
        evaluate([record()], {})
