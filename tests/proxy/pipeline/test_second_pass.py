"""The second pass: it can remove citations, and changes nothing else."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import ClassVar

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import scorer
from citestream.providers.embedding import Embedder, Limits
from citestream.providers.errors import IncompleteAnswer, ProviderError, Unreachable
from citestream.providers.events import ChatRequest, Event, Finish, Idle, TextDelta
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.outgoing import Failed, Outgoing, TextOut
from citestream.proxy.pipeline.second_pass import respond_in_two_passes

EVIDENCE = (
    Evidence(1, "The Harlan bridge was opened on 4 May 1932 by the mayor.", "e1", file_name="bridge.pdf"),
    Evidence(
        2, "The bridge carries two lanes and eight railway tracks.", "e2", title="Harlan bridge", chunk_type="entity"
    ),
)
REQUEST = ChatRequest("m", [])
DRAFT = "The Harlan bridge was opened on 4 May 1932. The bridge carries two lanes and eight railway tracks."
OWN = "The Harlan bridge was opened on 4 May 1932. [1] The bridge carries two lanes and eight railway tracks. [2]"


class TwoCalls:
    """A provider that answers the first call with the draft, the second with what the case says."""

    native = ""

    def __init__(self, second: str | ProviderError, cut: bool = False, ticks: int = 0, endless: bool = False) -> None:
        """`cut`: the first call breaks off; `ticks`: silent ones in both; `endless`: the second goes on for ever."""
        self.second, self.cut, self.ticks, self.endless = second, cut, ticks, endless
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        first = len(self.requests) == 1
        text = DRAFT if first else self.second
        for _ in range(self.ticks):
            yield Idle()
        if isinstance(text, ProviderError):
            raise text
        chunk = {"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        yield TextDelta(0, text, chunk)
        while self.endless and not first:
            yield TextDelta(0, text, chunk)
        if self.cut:
            raise IncompleteAnswer("cut")
        yield Finish(0, "stop", {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

    async def models(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        return None


async def answered(second: str | ProviderError) -> tuple[str, Response, TwoCalls]:
    provider, response = TwoCalls(second), Response(EVIDENCE, Options(enrich=True))
    sent = await sent_by(provider, response)
    assert isinstance(sent[-1], Finish)
    return text_of(sent), response, provider


async def sent_by(
    provider: TwoCalls, response: Response, scoring: Scoring | None = None, request: ChatRequest = REQUEST
) -> list[Outgoing]:
    scoring = scoring or Scoring(scorer("lexical"), EVIDENCE, ExternalModels(deadline=2.0))
    batches = respond_in_two_passes(provider, request, response, scoring, hold_seconds=20.0)
    return [event async for batch in batches for event in batch]


def text_of(sent: list[Outgoing]) -> str:
    return "".join(event.text for event in sent if isinstance(event, TextOut))


CASES = {
    "its citations, where it keeps the draft": (
        DRAFT.replace("1932.", "1932 [1].") + "\n\n**References**\n[1] bridge.pdf",
        OWN.removesuffix(" [2]"),
        "used",
    ),
    "all of the backend's": (OWN, OWN, "used"),
    "a changed word": (DRAFT.replace("eight", "nine"), OWN, "text_changed"),
    "a citation that the backend did not find": (DRAFT.replace("1932.", "1932 [2]."), OWN, "unknown_citation"),
    "an unknown number": (OWN.replace("[2]", "[9]"), OWN, "unknown_citation"),
    "a provider that fails": (Unreachable("gone"), OWN, "provider_unreachable"),
}


@pytest.mark.parametrize(("second", "expected", "outcome"), CASES.values(), ids=CASES)
def test_the_result_of_the_second_pass_is_used_if_it_can_be(
    second: str | ProviderError, expected: str, outcome: str
) -> None:
    text, response, _ = asyncio.run(answered(second))
    assert text == expected
    assert response.grounding.as_dict()["enrich"]["outcome"] == outcome


def test_the_draft_has_placeholders_for_documents_and_graphs() -> None:
    _, _, provider = asyncio.run(answered(OWN))
    asked = provider.requests[1].messages[-1]["content"]
    assert "4 May 1932. [DC] bridge.pdf The bridge" in asked
    assert asked.rstrip().endswith("[KG] Harlan bridge")


@pytest.mark.parametrize("api", ["anthropic", "gemini", "google", "ollama"])
async def test_the_request_in_a_providers_own_api_is_not_sent_again(api: str) -> None:
    provider, response = TwoCalls(OWN), Response(EVIDENCE, Options(enrich=True))
    params = {"temperature": 0.5, api: {"request": {"model": "m", "messages": []}}}
    await sent_by(provider, response, request=ChatRequest("m", [], params))
    assert [request.params for request in provider.requests] == [params, {"temperature": 0.5}]


async def test_the_headers_for_the_provider_are_sent_again() -> None:
    provider, response = TwoCalls(OWN), Response(EVIDENCE, Options(enrich=True))
    headers = {"anthropic-beta": "oauth-2025-04-20"}
    await sent_by(provider, response, request=ChatRequest("m", [], headers=headers))
    assert provider.requests[1].headers == headers


async def test_a_draft_that_broke_off_is_not_enriched() -> None:
    provider, response = TwoCalls(DRAFT, cut=True), Response(EVIDENCE, Options(enrich=True))
    sent = await sent_by(provider, response)
    assert text_of(sent) == OWN
    assert isinstance(sent[-1], Failed)
    assert len(provider.requests) == 1


async def test_a_second_answer_without_end_is_left() -> None:
    provider, response = TwoCalls(DRAFT, endless=True), Response(EVIDENCE, Options(enrich=True))
    assert text_of(await sent_by(provider, response)) == OWN
    assert response.grounding.as_dict()["enrich"]["outcome"] == "too_long"


async def test_it_says_how_long_it_took() -> None:
    _, response, _ = await answered(OWN)
    assert set(response.grounding.as_dict()["timings_ms"]) == {"first_token", "scoring", "total"}


async def test_sentences_are_scored_ahead_in_the_draft_too() -> None:
    class Nearest:
        """All texts mean the same."""

        name = "nearest"
        limits = Limits(texts=100, characters=10_000, text_characters=500)
        batches: ClassVar[list[Sequence[str]]] = []

        async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
            self.batches.append(texts)
            return [[1.0, 0.0]] * len(texts)

        async def aclose(self) -> None:
            return None

    scoring = Scoring(scorer("hybrid"), EVIDENCE, ExternalModels(2.0, Embedder(Nearest())))
    provider, response = TwoCalls(OWN), Response(EVIDENCE, Options(enrich=True))
    await sent_by(provider, response, scoring=scoring)
    assert not response.grounding.degraded
    assert list(Nearest.batches[0]) == [item.text for item in EVIDENCE], "while the model thinks"
