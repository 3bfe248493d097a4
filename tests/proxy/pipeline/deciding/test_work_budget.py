"""The budget of work for one answer: past it, decisions become cheaper and say so, and never wait."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.citation.evidence import Evidence
from citestream.citation.support.calibration import calibrate
from citestream.citation.support.scorers import Claim, scorer
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.deciding.best_evidence import BEST, is_unscored, unscored, with_best_evidence
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.deciding.work_budget import (
    CLIENT,
    MS_PER_CLAIM,
    SENTENCES_PER_MS,
    Precision,
    WorkBudget,
    WorkBudgets,
)

CLAIMS = [f"Pump {n} of the harbour failed in March {1900 + n}." for n in range(40)]
EVIDENCE = [{"text": f"Pump {n} of the harbour failed in March {1900 + n}. It was repaired."} for n in range(20)]


@asynccontextmanager
async def server(**scoring: Any) -> AsyncIterator[TestClient[Any, Any]]:
    config = parse({"citations": {"scorer": "lexical"}, "scoring": scoring, "providers": {"extractive": {}}})
    async with TestClient(TestServer(make_app(config))) as client:
        yield client


async def cite(client: TestClient[Any, Any], **body: Any) -> dict[str, Any]:
    async with client.post("/v1/cite", json={"sentences": CLAIMS, "evidence": EVIDENCE, **body}) as answer:
        assert answer.status == 200
        cited: dict[str, Any] = await answer.json()
        return cited


def cited_claims(cited: dict[str, Any]) -> list[list[int]]:
    return [[support["evidence_number"] for support in supports] for supports in cited["supports"]]


async def test_an_answer_within_the_budget_is_not_degraded() -> None:
    async with server() as client:
        cited = await cite(client)
    assert not cited["grounding"]["degraded"]
    assert cited_claims(cited) == [[n + 1] for n in range(20)] + [[]] * 20


async def test_past_the_budget_the_answer_says_that_it_is_degraded_and_cites_the_best_evidence() -> None:
    async with server(work_milliseconds=20) as client:
        cited = await cite(client)
        assert cited == await cite(client) | {"grounding": cited["grounding"]}
    assert cited["grounding"]["degraded"]
    numbers = cited_claims(cited)
    assert numbers[0] == [1]
    for position, found in enumerate(numbers):
        assert found in ([], [position + 1]), position
    assert numbers[-1] == []


async def test_past_twice_the_budget_nothing_is_cited() -> None:
    async with server(work_milliseconds=1) as client:
        cited = await cite(client, sentences=[CLAIMS[0]] * 40)
    assert cited["grounding"]["degraded"]
    assert cited_claims(cited)[-1] == []


async def test_claims_that_are_not_scored_have_no_citations_even_if_the_model_cited() -> None:
    evidence = [{"text": "It rose. " * 20_000}, *EVIDENCE]
    async with server(work_milliseconds=1) as client:
        cited = await cite(client, evidence=evidence, sentences=[f"{claim[:-1]} [2]." for claim in CLAIMS])
    assert cited["grounding"]["degraded"]
    assert cited_claims(cited)[-1] == []
    assert "[2]" not in cited["text"].rpartition("Pump 39")[2]


def test_only_the_best_evidence_and_the_best_cited_evidence_stay() -> None:
    evidence = [Evidence(n, one["text"], f"e{n}") for n, one in enumerate(EVIDENCE, 1)]
    prepared = scorer("lexical").prepare(evidence)
    scores = prepared.score(Claim(CLAIMS[4]))
    best, hints = with_best_evidence(scores, frozenset(range(7, 21)), evidence)
    probability = calibrate(best).probability
    assert np.count_nonzero(probability) <= 2 * BEST
    assert probability[4] == calibrate(scores).probability[4] > 0
    assert len(hints) == BEST


def test_a_claim_that_was_not_scored_is_recognised() -> None:
    prepared = scorer("lexical").prepare([Evidence(1, EVIDENCE[0]["text"], "e1")])
    scores = prepared.score(Claim(CLAIMS[0]))
    assert not is_unscored(scores)
    assert is_unscored(unscored(scores))


async def test_claims_past_the_budget_share_one_object() -> None:
    models = ExternalModels(deadline=0, budget=WorkBudget(0.001))
    scoring = Scoring(scorer("lexical"), [Evidence(1, EVIDENCE[0]["text"], "e1")], models)
    await scoring.score_all([Claim(CLAIMS[0])])
    found = [score for _ in range(3) for score in await scoring.score_all([Claim(claim) for claim in CLAIMS])]
    assert len(found) == 3 * len(CLAIMS)
    assert all(score is found[0] and is_unscored(score) for score in found)


def test_precision_falls_with_the_work() -> None:
    budget = WorkBudget(10)
    found = []
    for _ in range(4):
        found.append(budget.precision)
        budget.add_comparisons(1, "x" * 200, 0)
    assert found == [Precision.COMPLETE, Precision.REDUCED, Precision.NONE, Precision.NONE]


@pytest.mark.parametrize(("several", "tenant", "expected"), [(True, "a", 10 / 20), (False, "a", 1), (True, "", 1)])
def test_the_answers_of_one_client_share_a_limit(several: bool, tenant: str, expected: float) -> None:
    budgets = WorkBudgets(1_000, several_clients=several)
    token = CLIENT.set(tenant)
    running = [budgets.open() for _ in range(20)]
    CLIENT.reset(token)
    sentences = SENTENCES_PER_MS * (1_000 * expected - MS_PER_CLAIM)
    running[0].add_scoring(1, sentences - 1)
    assert running[0].may_score
    running[0].add_scoring(1, 1)
    assert not running[0].may_score
    for other in running[1:]:
        other.close()
    assert running[0].may_score == (expected < 1)
