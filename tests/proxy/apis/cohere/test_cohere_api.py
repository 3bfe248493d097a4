"""Cohere's chat API in front of any provider, through the official client and as plain JSON."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.request import Request, urlopen

import cohere
import httpx
import pytest
import yaml
from cohere.v2.types.v2chat_response import V2ChatResponse

from tests.faults.dialects import DIALECTS
from tests.faults.framing import chunked
from tests.upstreams.wire import Break, Server, script, serving

Launch = Callable[..., AbstractContextManager[str]]
Fields = dict[str, Any]

DOCUMENTS: list[Any] = [
    "🌉 The Görlitz bridge was opened on 4 May 1932 by the mayor.",
    {"id": "lanes", "data": {"title": "Traffic", "snippet": "The bridge carries two lanes of traffic."}},
    {"data": {"text": "Bananas grow in the tropics."}},
]
MESSAGES: list[Any] = [{"role": "user", "content": "When was the Görlitz bridge opened, and what does it carry?"}]
SENTENCES = ["🌉 The Görlitz bridge was opened on 4 May 1932 by the mayor.", "The bridge carries two lanes of traffic."]
SOURCES = [("doc:0", {"id": "doc:0", "text": DOCUMENTS[0]}), ("lanes", {"id": "lanes", **DOCUMENTS[1]["data"]})]
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}}
OPENAI = DIALECTS["openai"]


@pytest.fixture(scope="module")
def upstream() -> Iterator[Server]:
    """A provider that breaks off in the second sentence."""
    texts = [OPENAI.text(text) for text in (f"{SENTENCES[0]} ", "The bridge car")]
    with serving(script(*chunked(OPENAI, texts)[:-1], Break.CLOSE)) as server:
        yield server


@pytest.fixture(scope="module")
def server(launch: Launch, upstream: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    broken = {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "sk-none-0123456789"}
    config = {"providers": {"extractive": None, "broken": broken}, "server": {"keys": [{"key": "ck-right-0123456789"}]}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(folder / "config.yaml")]
    with launch(command, folder / "log") as url:
        yield url


@pytest.fixture
def client(server: str) -> Iterator[cohere.ClientV2]:
    with httpx.Client() as connections:
        yield cohere.ClientV2(api_key="ck-right-0123456789", base_url=server, httpx_client=connections)


def cited(answer: V2ChatResponse) -> list[tuple[str, list[tuple[str | None, Any]]]]:
    """Return the cited sentences of an answer with their sources, after a check of their offsets."""
    assert answer.message.content is not None
    found = []
    for citation in answer.message.citations or []:
        assert citation.content_index is not None
        text = answer.message.content[citation.content_index].text  # type: ignore[union-attr]
        assert text[citation.start : citation.end] == citation.text
        assert citation.type == "TEXT_CONTENT"
        sources = [(source.id, source.document) for source in citation.sources or []]  # type: ignore[union-attr]
        found.append((citation.text or "", sources))
    return found


def streamed(client: cohere.ClientV2, **request: Any) -> tuple[str, list[Fields], list[Any]]:
    """Return the text, the citations and the events of a stream. Each citation follows its sentence."""
    text, citations, events = "", list[Fields](), list[Any]()
    for event in client.chat_stream(**{"model": "extractive", "messages": MESSAGES, **request}):
        events.append(event)
        match event.type:
            case "content-delta":
                text += event.delta.message.content.text  # type: ignore[union-attr,operator]
            case "citation-start":
                found = event.delta.message.citations.dict()  # type: ignore[union-attr]
                assert text[found["start"] : found["end"]] == found["text"]
                citations.append(found)
    return text, citations, events


def test_a_complete_answer_has_citation_objects_and_no_markers(client: cohere.ClientV2) -> None:
    answer = client.chat(model="extractive", messages=MESSAGES, documents=DOCUMENTS)
    assert answer.message.content is not None
    assert answer.message.content[0].text == " ".join(SENTENCES)  # type: ignore[union-attr]
    assert cited(answer) == [(sentence, [source]) for sentence, source in zip(SENTENCES, SOURCES, strict=True)]
    assert answer.finish_reason == "COMPLETE"
    assert answer.usage is not None
    assert answer.usage.tokens is not None
    assert answer.usage.tokens.output_tokens
    assert [one["id"] for one in answer.references] == ["doc:0", "lanes"]  # type: ignore[attr-defined]
    assert answer.grounding["claims"] == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["FAST", "ACCURATE", None])
def test_a_stream_has_the_same_text_and_citations(client: cohere.ClientV2, mode: str | None) -> None:
    whole = client.chat(model="extractive", messages=MESSAGES, documents=DOCUMENTS)
    options = {"citation_options": {"mode": mode}} if mode else {}
    text, citations, events = streamed(client, documents=DOCUMENTS, **options)
    assert text == " ".join(SENTENCES)
    assert citations == [one.dict() for one in whole.message.citations or []]
    kinds = [event.type for event in events if event.type != "content-delta"]
    both = ["citation-start", "citation-end"] * 2
    assert kinds == ["message-start", "content-start", *both, "content-end", "message-end"]
    assert [event.index for event in events if event.type.startswith("citation")] == [0, 0, 1, 1]
    last = events[-1]
    assert last.delta.finish_reason == "COMPLETE"
    assert last.delta.usage == whole.usage
    assert [one["number"] for one in last.references] == [1, 2]


def test_a_citation_comes_before_the_next_sentence(client: cohere.ClientV2) -> None:
    _, _, events = streamed(client, documents=DOCUMENTS)
    order = [event.type for event in events[2:-2]]
    assert order == ["content-delta", "citation-start", "citation-end"] * 2


@pytest.mark.parametrize("mode", ["OFF", "DISABLED"])
def test_citations_can_be_turned_off(client: cohere.ClientV2, mode: str) -> None:
    answer = client.chat(
        model="extractive",
        messages=MESSAGES,
        documents=DOCUMENTS,
        citation_options={"mode": mode},  # type: ignore[arg-type]
    )
    text, citations, events = streamed(client, documents=DOCUMENTS, citation_options={"mode": mode})
    assert answer.message.content is not None
    assert text == answer.message.content[0].text == " ".join(SENTENCES)  # type: ignore[union-attr]
    assert (answer.message.citations, citations) == (None, [])
    assert not hasattr(answer, "references")
    assert not hasattr(events[-1], "references")


def test_documents_in_a_tool_result_are_cited_as_its_output(client: cohere.ClientV2) -> None:
    documents = [
        {"type": "document", "document": {"id": "w1", "data": json.dumps({"report": "In Ulm it is 20 °C today."})}},
        {"type": "document", "document": {"data": {"text": "In Ulm it rained on Monday."}}},
    ]
    messages: list[Any] = [
        {"role": "user", "content": "How warm is it in Ulm, and when did it rain?"},
        {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": documents},
    ]
    answer = client.chat(model="extractive", messages=messages)
    sources = {
        source.id: source.tool_output  # type: ignore[union-attr]
        for citation in answer.message.citations or []
        for source in citation.sources or []
    }
    expected = {"w1": {"report": "In Ulm it is 20 °C today."}, "call_1:1": {"text": "In Ulm it rained on Monday."}}
    assert sources
    assert sources.items() <= expected.items()


def test_the_asynchronous_client_gets_the_same_answer(server: str) -> None:
    async def both() -> tuple[V2ChatResponse, list[Any]]:
        async with cohere.AsyncClientV2(api_key="ck-right-0123456789", base_url=server) as client:
            answer = await client.chat(model="extractive", messages=MESSAGES, documents=DOCUMENTS)
            stream = client.chat_stream(model="extractive", messages=MESSAGES, documents=DOCUMENTS)
            return answer, [event async for event in stream]

    answer, events = asyncio.run(both())
    starts = [event.delta.message.citations for event in events if event.type == "citation-start"]
    assert starts == answer.message.citations
    assert len(cited(answer)) == 2


ERRORS: dict[str, tuple[Fields, int, str]] = {
    "an unknown model": ({"model": "nobody"}, 404, "nobody"),
    "a missing model": ({"model": ""}, 400, "model"),
    "no messages": ({"messages": []}, 400, "messages"),
    "a document without a text": ({"documents": [{"data": {}}]}, 400, "documents[0].data"),
    "an empty document": ({"documents": [" "]}, 400, "documents[0].data"),
    "a document that is a number": ({"documents": [7]}, 400, "documents[0]"),
    "two documents with one id": ({"documents": [{"id": "a", "data": {"text": "b"}}] * 2}, 400, "documents[1].id"),
    "documents that are not a list": ({"documents": "a"}, 400, "documents"),
    "an unknown mode of citations": ({"citation_options": {"mode": "SLOW"}}, 400, "citation_options.mode"),
    "a temperature that is a text": ({"temperature": "warm"}, 400, "temperature"),
    "content of an unknown type": (
        {"messages": [{"role": "user", "content": [{"type": "audio"}]}]},
        400,
        "messages[0].content[0].type",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_have_the_format_of_cohere(client: cohere.ClientV2, case: str) -> None:
    change, status, named = ERRORS[case]
    request: Fields = {"model": "extractive", "messages": MESSAGES, **change}
    with pytest.raises(cohere.core.api_error.ApiError) as caught:
        client.chat(**request)
    assert caught.value.status_code == status
    assert list(caught.value.body) == ["message"]
    assert named in caught.value.body["message"]


def test_a_wrong_key_is_refused(server: str) -> None:
    with httpx.Client() as connections:
        client = cohere.ClientV2(api_key="ck-wrong", base_url=server, httpx_client=connections)
        with pytest.raises(cohere.UnauthorizedError):
            client.chat(model="extractive", messages=MESSAGES)


def test_an_interrupted_stream_ends_with_the_reason_error(client: cohere.ClientV2) -> None:
    text, citations, events = streamed(client, model="broken/m", documents=DOCUMENTS)
    assert text == f"{SENTENCES[0]} The bridge car"
    assert [one["text"] for one in citations] == SENTENCES[:1]
    assert [event.type for event in events[-2:]] == ["content-end", "message-end"]
    last = events[-1]
    assert last.delta.finish_reason == "ERROR"
    assert last.delta.error
    assert [one["id"] for one in last.references] == ["doc:0"]


def test_an_interrupted_complete_answer_raises(client: cohere.ClientV2) -> None:
    with pytest.raises(cohere.core.api_error.ApiError) as caught:
        client.chat(model="broken/m", messages=MESSAGES, documents=DOCUMENTS)
    assert caught.value.status_code == 502


def test_the_references_of_an_answer_can_be_requested_by_its_id(client: cohere.ClientV2, server: str) -> None:
    answer = client.chat(model="extractive", messages=MESSAGES, documents=DOCUMENTS)
    headers = {"Authorization": "Bearer ck-right-0123456789"}
    with urlopen(Request(f"{server}/v1/references/{answer.id}", headers=headers)) as stored:  # noqa: S310 - our own address
        assert json.loads(stored.read())["references"] == answer.references  # type: ignore[attr-defined]


def test_events_have_names_and_the_stream_ends_with_done(server: str) -> None:
    body = {"model": "extractive", "messages": MESSAGES, "documents": DOCUMENTS, "stream": True}
    headers = {"Authorization": "Bearer ck-right-0123456789", "Content-Type": "application/json"}
    with urlopen(Request(f"{server}/v2/chat", json.dumps(body).encode(), headers)) as answer:  # noqa: S310 - the same
        *events, last, rest = answer.read().decode().split("\n\n")
    assert (last, rest) == ("data: [DONE]", "")
    for event in events:
        kind, data = event.split("\n")
        assert kind == f"event: {json.loads(data.removeprefix('data: '))['type']}"
