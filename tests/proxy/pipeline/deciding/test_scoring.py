"""Scoring of one request: if an external service is late or fails, the lexical scorer decides."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer
from citestream.citation.support.scorers.checker import CheckerScorer, CheckerWeights
from citestream.citation.support.scorers.hybrid import HybridScorer
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text.steps import Steps
from citestream.providers.embedding import Embedder, Limits
from citestream.providers.judging.cross_encoder import EntailmentModel
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from tests.clock import Clock
from tests.upstreams.onnx_models import labels_model, write_folder

EVIDENCE = [
    Evidence(1, "The harbour bridge was opened in 1932. It carries eight lanes of traffic.", "bridge"),
    Evidence(2, "The opera house was finished after many quarrels.", "opera"),
]
GERMAN = Claim("Die Brücke über den Hafen wurde 1932 freigegeben.")
DEADLINE = 5.0
TOPICS = {"bridge": 0, "Brücke": 0, "lanes": 1, "opera": 2}


class Topics:
    """An embedding model with three topics, which it recognises by words. It can stall or fail."""

    name = "topics"
    limits = Limits(texts=100, characters=10_000, text_characters=500)

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.slow: set[str] = set()  # a text with one of these words never gets a vector
        self.called = asyncio.Event()
        self.on_stall: Callable[[], None] = lambda: None  # called before a call that never ends
        self.fails = False
        self.closed = False

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        self.called.set()
        if self.fails:
            raise ConnectionRefusedError
        if any(word in text for word in self.slow for text in texts):
            self.on_stall()
            await asyncio.Event().wait()
        return [np.eye(4)[next((t for word, t in TOPICS.items() if word in text), 3)].tolist() for text in texts]

    async def aclose(self) -> None:
        self.closed = True


def make_scoring(model: Topics | None, name: str = "hybrid", deadline: float = DEADLINE) -> Scoring:
    return Scoring(scorer(name), EVIDENCE, ExternalModels(deadline, Embedder(model) if model else None))


async def numbers(scoring: Scoring, claim: Claim) -> list[int]:
    return [support.number for support in (await scoring.decide([claim], Options()))[0].supports]


async def test_sentences_are_decided_by_words_and_vectors() -> None:
    model = Topics()
    scoring = make_scoring(model)
    assert scoring.may_wait
    assert await numbers(scoring, GERMAN) == [1]
    assert not scoring.degraded
    assert [len(batch) for batch in model.batches] == [3, 1], "the evidence, then the sentence"


async def test_concurrent_callers_embed_the_evidence_once() -> None:
    model = Topics()
    scoring = make_scoring(model)
    await asyncio.gather(
        scoring.embed(), *[numbers(scoring, replace(GERMAN, text=f"{GERMAN.text}{n}")) for n in range(4)]
    )
    assert sum("lanes" in text for batch in model.batches for text in batch) == 1


async def test_sentences_that_are_known_in_advance_are_embedded_together() -> None:
    model = Topics()
    scoring = make_scoring(model)
    claims = [GERMAN, Claim("Es hat acht lanes.")]
    await scoring.embed(claims)
    for claim in claims:
        await scoring.score_all([claim])
    assert [len(batch) for batch in model.batches] == [3, 2]


FAILURES: dict[str, tuple[dict[str, object], float]] = {
    "the embedder fails": ({"fails": True}, DEADLINE),
    "no vectors of the evidence arrive": ({"slow": {"lanes"}}, 0.01),
    "no vector of the sentence arrives": ({"slow": {"Brücke"}}, 0.01),
}


@pytest.mark.parametrize("case", FAILURES)
async def test_without_vectors_the_words_decide(case: str) -> None:
    settings, deadline = FAILURES[case]
    model = Topics()
    for name, value in settings.items():
        setattr(model, name, value)
    scoring = make_scoring(model, deadline=deadline)
    claim = Claim("The harbour bridge was opened in 1932, said die Brücke.")
    (scores,) = await scoring.score_all([claim])
    assert scoring.degraded
    assert scores.features.tolist() == scorer("lexical").prepare(EVIDENCE).score(claim).features.tolist()


async def test_a_failed_embedder_is_tried_again() -> None:
    model = Topics()
    model.fails = True
    scoring = make_scoring(model)
    assert (await scoring.score_all([GERMAN]))[0].degraded
    model.fails = False
    assert not (await scoring.score_all([GERMAN]))[0].degraded
    assert scoring.degraded, "one of the sentences is degraded"


async def test_the_timeouts_of_a_request_add_up_to_less_than_two_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    timeouts: list[float | None] = []
    timeout = asyncio.timeout

    def expired(seconds: float | None) -> asyncio.Timeout:
        timeouts.append(seconds)
        return timeout(0)

    monkeypatch.setattr(asyncio, "timeout", expired)
    scoring = make_scoring(Topics(), deadline=DEADLINE)
    for _ in range(20):
        await scoring.score_all([GERMAN])
    of_scoring = [seconds for seconds in timeouts if seconds and seconds != Topics.limits.seconds]
    assert len(of_scoring) == 20
    assert sum(of_scoring) < 2 * DEADLINE


async def test_the_lexical_scorer_does_not_use_the_embedder() -> None:
    model = Topics()
    scoring = make_scoring(model, "lexical")
    await scoring.score_all([GERMAN])
    assert not scoring.may_wait
    assert not scoring.degraded
    assert model.batches == []


async def test_without_an_embedder_scoring_is_degraded() -> None:
    scoring = make_scoring(None)
    await scoring.score_all([GERMAN])
    assert scoring.degraded
    assert not scoring.may_wait


async def test_without_a_cross_encoder_scoring_is_degraded() -> None:
    scoring = make_scoring(Topics(), "checker")
    assert (await scoring.score_all([GERMAN]))[0].degraded
    assert scoring.degraded
    assert await numbers(scoring, GERMAN) == [1], "words and vectors decide"


class CountingChecker(EntailmentModel):
    """A real model of three labels. It notes the number of pairs of each call, and can be too slow."""

    def __init__(self, folder: Path) -> None:
        super().__init__(write_folder(folder, labels_model(3, 1), "contradiction", "entailment", "neutral"))
        self.calls: list[int] = []
        self.on_call: Callable[[], None] = lambda: None

    async def entailed(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.calls.append(len(pairs))
        self.on_call()
        return await super().entailed(pairs)


ASKS_ABOUT_EVERYTHING = CheckerWeights(0.0, 1.0, intercept=0.0, first=1.0, entailed=1.0, limit=4.0)
ENGLISH = [Claim(f"The harbour bridge was opened in 193{n} with some quarrels.") for n in range(5)]


def checked(checker: EntailmentModel, deadline: float = DEADLINE) -> Scoring:
    base = CheckerScorer(ASKS_ABOUT_EVERYTHING, LexicalScorer())
    return Scoring(base, EVIDENCE, ExternalModels(deadline, cross_encoder=checker))


async def test_a_checker_reads_the_pairs_of_several_sentences_in_one_call(tmp_path: Path) -> None:
    checker = CountingChecker(tmp_path)
    scoring = checked(checker)
    assert scoring.may_wait
    together = await scoring.score_all(ENGLISH)
    assert len(checker.calls) == 2, "four sentences and the last one"
    assert checker.calls[0] == 4 * checker.calls[1]
    assert not scoring.degraded
    for claim, scores in zip(ENGLISH, together, strict=True):
        (alone,) = await scoring.score_all([claim])
        assert np.array_equal(alone.features, scores.features)
        assert alone.names[-1] == "entailed"
        assert alone.features[:, -1].any()
    await checker.aclose()


async def test_a_checker_that_is_too_slow_leaves_the_words_to_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checker = CountingChecker(tmp_path)
    await checker.load()
    checker.on_call = lambda: Clock(monkeypatch).advance(DEADLINE)
    scoring = checked(checker)
    (scores,) = await scoring.score_all(ENGLISH[:1])
    assert scores.degraded
    assert scoring.degraded
    assert "entailed" not in scores.names
    await checker.aclose()


async def test_a_finished_text_waits_as_long_as_vectors_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    class StallsEverySecondTime(Topics):
        """Embeds one text per call. Every second call never ends, and is repeated after a timeout."""

        limits = Limits(texts=1, characters=10_000, text_characters=500, requests=1)

        async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
            if len(self.batches) % 2:
                self.batches.append([])
                self.on_stall()
                await asyncio.Event().wait()
            return await super().vectors(texts)

    clock, model = Clock(monkeypatch), StallsEverySecondTime()
    model.on_stall = partial(clock.advance, DEADLINE)
    claims = [replace(GERMAN, text=f"{GERMAN.text} {n}") for n in range(5)]
    scoring = make_scoring(model, deadline=DEADLINE)
    await scoring.embed(claims, max_stalled=1)
    for claim in claims:
        assert not (await scoring.score_all([claim]))[0].degraded


async def test_a_finished_text_does_not_wait_if_no_vectors_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, model = Clock(monkeypatch), Topics()
    model.slow, model.on_stall = {"lanes"}, partial(clock.advance, DEADLINE)
    scoring = make_scoring(model, deadline=DEADLINE)
    await scoring.embed([GERMAN], max_stalled=1)
    assert (await scoring.score_all([GERMAN]))[0].degraded


async def test_timeout_of_one_caller_does_not_cancel_the_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    class WaitingScorer(HybridScorer):
        """Prepares the evidence when it is released."""

        def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
            yield released.wait
            return (yield from super().prepare_in_steps(evidence))

    clock, model = Clock(monkeypatch), Topics()
    scoring = Scoring(WaitingScorer(), EVIDENCE, ExternalModels(DEADLINE, Embedder(model)))
    async with asyncio.TaskGroup() as tasks:
        caller = tasks.create_task(scoring.embed(max_stalled=1))
        await model.called.wait()
        for _ in range(20):
            await asyncio.sleep(0)  # the caller receives the vectors and waits for the preparation
        while not caller.done():
            clock.advance(DEADLINE)
            await asyncio.sleep(0)
    released.set()
    assert await numbers(scoring, GERMAN) == [1]
    assert not scoring.degraded
