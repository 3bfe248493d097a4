"""Scoring of one request: external services may be late or wrong without an effect on the answer."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer
from citestream.citation.support.scorers.hybrid import HybridScorer
from citestream.citation.text.steps import Steps
from citestream.providers.embedding import Embedder, Limits
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring

EVIDENCE = [
    Evidence(1, "The harbour bridge was opened in 1932. It carries eight lanes of traffic.", "bridge"),
    Evidence(2, "The opera house was finished after many quarrels.", "opera"),
]
GERMAN = Claim("Die Brücke über den Hafen wurde 1932 freigegeben.")
TOPICS = {"bridge": 0, "Brücke": 0, "lanes": 1, "opera": 2}


class Topics:
    """A model that knows three topics by their words, and may be slow or broken."""

    name = "topics"
    limits = Limits(texts=100, characters=10_000, text_characters=500)

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.slow: set[str] = set()  # words it never comes to an end with
        self.fails = False
        self.closed = False

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        if self.fails:
            raise ConnectionRefusedError
        if any(word in text for word in self.slow for text in texts):
            await asyncio.Event().wait()
        return [np.eye(4)[next((t for word, t in TOPICS.items() if word in text), 3)].tolist() for text in texts]

    async def aclose(self) -> None:
        self.closed = True


def scoring(model: Topics | None, name: str = "hybrid", deadline: float = 5.0) -> Scoring:
    return Scoring(scorer(name), EVIDENCE, ExternalModels(deadline, Embedder(model) if model else None))


async def numbers(one: Scoring, claim: Claim) -> list[int]:
    return [support.number for support in (await one.decide([(claim, frozenset())], Options()))[0].supports]


async def test_sentences_are_decided_by_words_and_vectors() -> None:
    model = Topics()
    one = scoring(model)
    assert one.may_wait
    assert await numbers(one, GERMAN) == [1]
    assert not one.degraded
    assert [len(batch) for batch in model.batches] == [3, 1], "the evidence, then the sentence"


async def test_evidence_is_embedded_once_however_many_ask() -> None:
    model = Topics()
    one = scoring(model)
    await asyncio.gather(one.embed(), *[numbers(one, replace(GERMAN, text=f"{GERMAN.text}{n}")) for n in range(4)])
    assert sum("lanes" in text for batch in model.batches for text in batch) == 1


async def test_sentences_known_already_are_embedded_together() -> None:
    model = Topics()
    one = scoring(model)
    claims = [GERMAN, Claim("Es hat acht lanes.")]
    await one.embed(claims)
    for claim in claims:
        await one.score_all([claim])
    assert [len(batch) for batch in model.batches] == [3, 2]


FAILURES: dict[str, tuple[dict[str, object], float]] = {
    "the embedder is not there": ({"fails": True}, 5.0),
    "the evidence takes too long": ({"slow": {"lanes"}}, 0.01),
    "the sentence takes too long": ({"slow": {"Brücke"}}, 0.01),
}


@pytest.mark.parametrize("case", FAILURES)
async def test_words_alone_decide_where_vectors_fail(case: str) -> None:
    settings, deadline = FAILURES[case]
    model = Topics()
    for name, value in settings.items():
        setattr(model, name, value)
    one = scoring(model, deadline=deadline)
    claim = Claim("The harbour bridge was opened in 1932, said die Brücke.")
    (scores,) = await one.score_all([claim])
    assert one.degraded
    assert scores.features.tolist() == scorer("lexical").prepare(EVIDENCE).score(claim).features.tolist()


async def test_a_failure_is_not_for_good() -> None:
    model = Topics()
    model.fails = True
    one = scoring(model)
    assert (await one.score_all([GERMAN]))[0].degraded
    model.fails = False
    assert not (await one.score_all([GERMAN]))[0].degraded
    assert one.degraded, "one of the sentences was"


async def test_misses_do_not_add_up() -> None:
    model = Topics()
    model.slow = {"lanes"}
    one = scoring(model, deadline=0.2)
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(20):
        await one.score_all([GERMAN])
    assert loop.time() - began < 2.0, "twenty deadlines would be four seconds"


async def test_a_lexical_request_waits_for_nobody() -> None:
    model = Topics()
    one = scoring(model, "lexical")
    await one.score_all([GERMAN])
    assert not one.may_wait
    assert not one.degraded
    assert model.batches == []


async def test_without_an_embedder_the_report_says_so() -> None:
    one = scoring(None)
    await one.score_all([GERMAN])
    assert one.degraded
    assert not one.may_wait


async def test_without_a_model_that_reads_the_report_says_so_too() -> None:
    one = scoring(Topics(), "entailment")
    assert (await one.score_all([GERMAN]))[0].degraded
    assert one.degraded
    assert await numbers(one, GERMAN) == [1], "by words and vectors"


async def test_a_finished_text_waits_while_vectors_come_and_not_much_longer() -> None:
    class Halting(Topics):
        """Every other batch never comes to an end, until somebody loses patience and asks again."""

        limits = Limits(texts=1, characters=10_000, text_characters=500, requests=1)

        async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
            if len(self.batches) % 2:
                self.batches.append([])
                await asyncio.Event().wait()
            return await super().vectors(texts)

    claims = [replace(GERMAN, text=f"{GERMAN.text} {n}") for n in range(5)]
    halting = scoring(Halting(), deadline=5)
    await halting.embed(claims, max_stalled=1)
    for claim in claims:
        assert not (await halting.score_all([claim]))[0].degraded

    hanging = Topics()
    hanging.slow = {"lanes"}
    hung = scoring(hanging, deadline=0.05)
    await hung.embed(claims, max_stalled=1)
    assert (await hung.score_all([GERMAN]))[0].degraded


async def test_whoever_loses_patience_takes_the_evidence_from_nobody() -> None:
    released = threading.Event()

    class Held(HybridScorer):
        """Becomes ready on demand."""

        def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
            yield released.wait
            return (yield from super().prepare_in_steps(evidence))

    one = Scoring(Held(), EVIDENCE, ExternalModels(0.2, Embedder(Topics())))
    await one.embed(max_stalled=1)
    released.set()
    assert await numbers(one, GERMAN) == [1]
    assert not one.degraded
