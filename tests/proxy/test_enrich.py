"""The second pass: it may take citations away, and nothing else."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from citation.evidence import Evidence
from citation.options import Options
from citation.response import Response
from citation.scoring import scorer
from providers.errors import ProviderError, Unreachable
from providers.events import ChatRequest, Event, Finish, TextDelta
from proxy.enrich import enriched
from proxy.outgoing import Ended, Shown
from proxy.reading import Pace
from proxy.scoring import Scoring

EVIDENCE = (
    Evidence(1, "The Harlan bridge was opened on 4 May 1932 by the mayor.", "e1", file_name="bridge.pdf"),
    Evidence(
        2, "The bridge carries two lanes and eight railway tracks.", "e2", title="Harlan bridge", chunk_type="entity"
    ),
)
DRAFT = "The Harlan bridge was opened on 4 May 1932. The bridge carries two lanes and eight railway tracks."
OWN = "The Harlan bridge was opened on 4 May 1932. [1] The bridge carries two lanes and eight railway tracks. [2]"


class TwoCalls:
    """A provider that answers the first call with the draft, the second with what the case says."""

    native = ""

    def __init__(self, second: str | ProviderError) -> None:
        self.second = second
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        text = DRAFT if len(self.requests) == 1 else self.second
        if isinstance(text, ProviderError):
            raise text
        chunk = {"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        yield TextDelta(0, text, chunk)
        yield Finish(0, "stop", {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

    async def models(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        return None


async def answered(second: str | ProviderError) -> tuple[str, Response, TwoCalls]:
    provider, response = TwoCalls(second), Response(EVIDENCE, Options(enrich=True))
    scoring = Scoring(scorer("lexical"), EVIDENCE)
    sent = [e async for e in enriched(provider, ChatRequest("m", []), response, scoring, Pace())]
    assert isinstance(sent[-1], Ended)
    return "".join(event.text for event in sent if isinstance(event, Shown)), response, provider


CASES = {
    "its citations, where it keeps the draft": (
        DRAFT.replace("1932.", "1932 [1].") + "\n\n**References**\n[1] bridge.pdf",
        OWN.removesuffix(" [2]"),
        "used",
    ),
    "all of the backend's": (OWN, OWN, "used"),
    "a changed word": (DRAFT.replace("eight", "nine"), OWN, "text_changed"),
    "a citation that the backend did not find": (
        DRAFT.replace("1932.", "1932 [2]."),
        OWN,
        "unknown_citation",
    ),
    "an unknown number": (OWN.replace("[2]", "[9]"), OWN, "unknown_citation"),
    "a provider that fails": (Unreachable("gone"), OWN, "provider_unreachable"),
}


@pytest.mark.parametrize(("second", "expected", "outcome"), CASES.values(), ids=CASES)
def test_the_second_pass(second: str | ProviderError, expected: str, outcome: str) -> None:
    text, response, _ = asyncio.run(answered(second))
    assert text == expected
    assert response.grounding.as_dict()["enrich"]["outcome"] == outcome


def test_the_draft_has_placeholders_for_documents_and_graphs() -> None:
    _, _, provider = asyncio.run(answered(OWN))
    asked = provider.requests[1].messages[-1]["content"]
    assert "4 May 1932. [DC] bridge.pdf The bridge" in asked
    assert asked.rstrip().endswith("[KG] Harlan bridge")
