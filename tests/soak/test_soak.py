"""The parts of the endurance test: every kind of request has the expected end, and growth is reported."""

import asyncio
from itertools import product
from pathlib import Path
from random import Random

import aiohttp
import pytest

from tests.soak.client import APIS, ENDS, PROVIDERS, Case, Outcome, ask, check, request
from tests.soak.measuring import Sample, faults, growth, table
from tests.soak.serving import config, indexed, process, served

CONCURRENT = 40
REQUESTS = 80  # a random sample of all combinations
NONCE = "nonce0123456789abcdef"


@pytest.mark.slow
def test_every_kind_of_request_has_the_expected_end(tmp_path: Path) -> None:
    models = [f"{provider}/{name}" for provider, name in product(PROVIDERS, ENDS)]
    combinations = [
        Case(api, model, source, stream, cancels)
        for api, model, source, stream, cancels in product(
            APIS, models, ("evidence", "retrieval", "none"), (True, False), (True, False)
        )
        if (stream or source != "none")
        and not (cancels and (not stream or ENDS[model.partition("/")[2]] != "complete"))
    ]
    cases = Random(1).sample(combinations, REQUESTS)

    async def send_all(url: str) -> list[str]:
        semaphore = asyncio.Semaphore(CONCURRENT)
        async with aiohttp.ClientSession() as session:

            async def send(case: Case) -> str:
                async with semaphore:
                    return (await ask(session, url, case))[0]

            return await asyncio.gather(*map(send, cases))

    indexed(tmp_path)
    with (
        process(["-m", "tests.soak.upstream"], tmp_path / "upstream.log") as (_, upstream),
        served(tmp_path, config(upstream, tmp_path)) as (_, url),
    ):
        faults_found = asyncio.run(send_all(url))
    assert [(case, fault) for case, fault in zip(cases, faults_found, strict=True) if fault] == []


TEXT = f"Station {NONCE} sells 41 tickets a day. [1]"
OUTCOMES = {
    "a good answer has no fault": (Outcome("complete", TEXT, TEXT.encode()), ""),
    "a nonce of another client is detected": (
        Outcome("complete", TEXT, TEXT.encode() + b"nonce" + b"0" * 16),
        "a nonce",
    ),
    "an end that is not allowed is detected": (Outcome("broken", TEXT), "broken instead of complete"),
    "a missing citation is detected": (Outcome("complete", TEXT.replace(" [1]", "")), "the first sentence"),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_check_detects_faults(name: str) -> None:
    outcome, fault = OUTCOMES[name]
    faults_found = check(Case("chat", "openai/good"), NONCE, outcome, ("complete",))
    assert faults_found.startswith(fault)
    assert bool(faults_found) == bool(fault)


def test_the_request_of_each_api_contains_the_nonce() -> None:
    for api in APIS:
        assert NONCE in str(request(Case(api, "openai/good"), NONCE))


def samples(*memory: float) -> list[Sample]:
    return [Sample(float(at), value, int(value) // 10, at) for at, value in enumerate(memory)]


def test_growth_is_reported_and_a_constant_size_is_not() -> None:
    full = samples(*range(50, 100), *[100] * 50)
    assert growth(full, lambda one: one.memory) == 0
    assert faults(full) == []
    growing = samples(*range(50, 250, 2))
    assert growth(growing, lambda one: one.memory) == pytest.approx(98)
    assert [fault.partition(" grew")[0] for fault in faults(growing)] == ["memory", "open files"]
    assert table(growing).splitlines()[-1].startswith("over the second half: memory +98")
