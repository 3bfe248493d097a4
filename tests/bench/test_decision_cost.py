"""`bench.decision_cost`: sentences of the rounds, and ratios of the costs of two source trees."""

import pytest

from bench.decision_cost import EXCERPTS, ROOT, SENTENCES, cases, lines, worker


@pytest.mark.parametrize("name", cases())
def test_rounds_have_different_excerpts_and_sentences(name: str) -> None:
    first, second = cases()[name](0), cases()[name](1)
    assert len(first.excerpts) == len(second.excerpts) == EXCERPTS
    assert len(first.sentences) == len(first.cited) == SENTENCES
    assert not set(first.excerpts) & set(second.excerpts)
    assert not set(first.sentences) & set(second.sentences)
    assert first.cited == second.cited


def test_ratios_compare_costs_of_the_same_round() -> None:
    rounds = [
        [
            {"prepare": 2.0 * speed, "score": 4.0 * speed, "decide": 2.0 * speed, "citations": 3},
            {"prepare": 1.0 * speed, "score": 4.0 * speed, "decide": 1.0 * speed, "citations": 2},
        ]
        for speed in (1.0, 5.0, 9.0)
    ]
    parts = {line.split()[0]: line.split()[1:] for line in lines(rounds)}
    assert parts["prepare"] == ["10.00", "5.00", "2.00", "2.00", "to", "2.00"]
    assert parts["score"][2] == "1.00"
    assert parts["all"] == ["40.00", "30.00", "1.33", "1.33", "to", "1.33"]
    assert parts["citations"] == ["9", "6"]


def test_worker_cites_most_sentences_of_documents() -> None:
    with worker(ROOT) as ask:
        cost = ask(cases()["English documents"](0))
    assert cost["citations"] >= SENTENCES // 2
    assert min(cost["prepare"], cost["score"], cost["decide"]) > 0
