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
from citestream.providers.events import ChatRequest, Event, Finish, TextDelta
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
CITED = "The Harlan bridge was opened on 4 May 1932. [1] The bridge carries two lanes and eight railway tracks. [2]"


class TwoCalls:
    """A provider that answers the first call with the draft, and the second with the given text or error."""

    native = ""

    def __init__(self, second: str | ProviderError, cut: bool = False, endless: bool = False) -> None:
        """`cut`: the first call breaks off. `endless`: the second call never ends."""
        self.second, self.cut, self.endless = second, cut, endless
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        first = len(self.requests) == 1
        text = DRAFT if first else self.second
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
    "fewer citations of the unchanged draft": (
        DRAFT.replace("1932.", "1932 [1].") + "\n\n**References**\n[1] bridge.pdf",
        CITED.removesuffix(" [2]"),
        "used",
    ),
    "all citations of the backend": (CITED, CITED, "used"),
    "a changed word": (DRAFT.replace("eight", "nine"), CITED, "text_changed"),
    "a citation that the backend did not find": (DRAFT.replace("1932.", "1932 [2]."), CITED, "unknown_citation"),
    "an unknown number": (CITED.replace("[2]", "[9]"), CITED, "unknown_citation"),
    "a provider that fails": (Unreachable("gone"), CITED, "provider_unreachable"),
}


@pytest.mark.parametrize(("second", "expected", "outcome"), CASES.values(), ids=CASES)
def test_the_result_of_the_second_pass_is_used_if_it_is_valid(
    second: str | ProviderError, expected: str, outcome: str
) -> None:
    text, response, _ = asyncio.run(answered(second))
    assert text == expected
    assert response.grounding.as_dict()["enrich"]["outcome"] == outcome


def test_the_draft_has_placeholders_for_documents_and_graphs() -> None:
    _, _, provider = asyncio.run(answered(CITED))
    prompt = provider.requests[1].messages[-1]["content"]
    assert "4 May 1932. [DC] bridge.pdf The bridge" in prompt
    assert prompt.rstrip().endswith("[KG] Harlan bridge")


@pytest.mark.parametrize("api", ["anthropic", "gemini", "google", "ollama"])
async def test_the_request_in_a_providers_own_api_is_not_sent_again(api: str) -> None:
    provider, response = TwoCalls(CITED), Response(EVIDENCE, Options(enrich=True))
    params = {"temperature": 0.5, api: {"request": {"model": "m", "messages": []}}}
    await sent_by(provider, response, request=ChatRequest("m", [], params))
    assert [request.params for request in provider.requests] == [params, {"temperature": 0.5}]


async def test_the_headers_for_the_provider_are_sent_again() -> None:
    provider, response = TwoCalls(CITED), Response(EVIDENCE, Options(enrich=True))
    headers = {"anthropic-beta": "oauth-2025-04-20"}
    await sent_by(provider, response, request=ChatRequest("m", [], headers=headers))
    assert provider.requests[1].headers == headers


async def test_an_incomplete_draft_is_not_enriched() -> None:
    provider, response = TwoCalls(DRAFT, cut=True), Response(EVIDENCE, Options(enrich=True))
    sent = await sent_by(provider, response)
    assert text_of(sent) == CITED
    assert isinstance(sent[-1], Failed)
    assert len(provider.requests) == 1


async def test_an_endless_second_answer_is_abandoned() -> None:
    provider, response = TwoCalls(DRAFT, endless=True), Response(EVIDENCE, Options(enrich=True))
    assert text_of(await sent_by(provider, response)) == CITED
    assert response.grounding.as_dict()["enrich"]["outcome"] == "too_long"


async def test_the_report_contains_the_durations() -> None:
    _, response, _ = await answered(CITED)
    assert set(response.grounding.as_dict()["timings_ms"]) == {"first_token", "scoring", "total"}


async def test_evidence_is_embedded_while_the_draft_is_generated() -> None:
    class SameVector:
        """An embedding model that returns the same vector for all texts."""

        name = "nearest"
        limits = Limits(texts=100, characters=10_000, text_characters=500)
        batches: ClassVar[list[Sequence[str]]] = []

        async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
            self.batches.append(texts)
            return [[1.0, 0.0]] * len(texts)

        async def aclose(self) -> None:
            return None

    scoring = Scoring(scorer("hybrid"), EVIDENCE, ExternalModels(2.0, Embedder(SameVector())))
    provider, response = TwoCalls(CITED), Response(EVIDENCE, Options(enrich=True))
    await sent_by(provider, response, scoring=scoring)
    assert not response.grounding.degraded
    assert list(SameVector.batches[0]) == [item.text for item in EVIDENCE], "the first batch is the evidence"


@pytest.mark.parametrize(("threshold", "shown"), [(0.5, "I do not know."), (0.0, DRAFT)])
def test_an_answer_without_confirmed_citations_can_be_replaced(threshold: float, shown: str) -> None:
    options = Options(enrich=True, release="whole", abstain_below=threshold, abstain_message="I do not know.")
    response = Response(EVIDENCE, options)
    sent = asyncio.run(sent_by(TwoCalls(DRAFT), response))
    assert text_of(sent) == shown
    assert response.references.count == 0
    assert isinstance(sent[-1], Finish)
