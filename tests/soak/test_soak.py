"""The parts of the soak test: every kind of request has the expected end, and growth is noticed."""

import asyncio
from itertools import product
from pathlib import Path
from random import Random

import aiohttp
import pytest

from tests.soak.client import APIS, FATES, PROVIDERS, Case, Outcome, ask, asked, judged
from tests.soak.measuring import Sample, faults, growth, table
from tests.soak.serving import config, indexed, process, served

AT_ONCE = 40
ASKED = 80  # requests, drawn from all combinations by the day's seed
NONCE = "nonce0123456789abcdef"


@pytest.mark.slow
def test_each_ends_as_it_should(tmp_path: Path) -> None:
    models = [f"{provider}/{name}" for provider, name in product(PROVIDERS, FATES)]
    every = [
        Case(api, model, source, stream, leaves)
        for api, model, source, stream, leaves in product(
            APIS, models, ("evidence", "retrieval", "none"), (True, False), (True, False)
        )
        if (stream or source != "none") and not (leaves and (not stream or FATES[model.partition("/")[2]] != "whole"))
    ]
    cases = Random(1).sample(every, ASKED)

    async def all_of_them(url: str) -> list[str]:
        waiting = asyncio.Semaphore(AT_ONCE)
        async with aiohttp.ClientSession() as session:

            async def one(case: Case) -> str:
                async with waiting:
                    return (await ask(session, url, case))[0]

            return await asyncio.gather(*map(one, cases))

    indexed(tmp_path)
    with (
        process(["-m", "tests.soak.upstream"], tmp_path / "upstream.log") as (_, upstream),
        served(tmp_path, config(upstream, tmp_path)) as (_, url),
    ):
        found = asyncio.run(all_of_them(url))
    assert [(case, fault) for case, fault in zip(cases, found, strict=True) if fault] == []


TEXT = f"Station {NONCE} sells 41 tickets a day. [1]"
JUDGED = {
    "a good answer is good": (Outcome("whole", TEXT, TEXT.encode()), ""),
    "another client's nonce is seen": (Outcome("whole", TEXT, TEXT.encode() + b"nonce" + b"0" * 16), "another"),
    "an end without an end is seen": (Outcome("broken", TEXT), "broken instead of whole"),
    "text that is missing is seen": (Outcome("whole", TEXT.replace(" [1]", "")), "text that arrived"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_what_must_not_happen_is_seen(name: str) -> None:
    outcome, fault = JUDGED[name]
    found = judged(Case("chat", "openai/good"), NONCE, outcome, ("whole",))
    assert found.startswith(fault)
    assert bool(found) == bool(fault)


def test_each_api_is_asked_with_the_nonce_of_its_own() -> None:
    for api in APIS:
        assert NONCE in str(asked(Case(api, "openai/good"), NONCE))


def samples(*memory: float) -> list[Sample]:
    return [Sample(float(at), value, int(value) // 10, at) for at, value in enumerate(memory)]


def test_what_grows_is_seen_and_what_is_full_is_not() -> None:
    full = samples(*range(50, 100), *[100] * 50)
    assert growth(full, lambda one: one.memory) == 0
    assert faults(full) == []
    growing = samples(*range(50, 250, 2))
    assert growth(growing, lambda one: one.memory) == pytest.approx(98)
    assert [fault.partition(" grew")[0] for fault in faults(growing)] == ["memory", "open files"]
    assert table(growing).splitlines()[-1].startswith("over the second half: memory +98")
