"""All fields that a compatible server adds to OpenAI's stream arrive at the client, cited or not, streamed or not."""

import json
import re
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from typing import Any

import pytest
import yaml
from openai import OpenAI

from tests.upstreams.servers import STREAMS, TEXT
from tests.upstreams.wire import Break, Request, Step, head, serving

Launch = Callable[..., AbstractContextManager[str]]
Chunk = dict[str, Any]
Path = tuple[Any, ...]

EVIDENCE = [{"text": "Water boils at 100 °C.", "url": "https://ex.org/a"}, {"text": "Ice melts at 0 °C."}]
CITED = "Water boils at 100 °C. [1] Ice melts at 0 °C. [2]"
# Fields that the proxy adds to chunks, choices and deltas of a cited answer.
OURS = {"references", "grounding", "citations", "search_results"}
TEXTLESS = {"an OpenAI model that speaks", "an OpenAI model that refuses"}
# The envelope, which is the same in all chunks; padding; the repetition of the answer by Perplexity.
OMITTED_RESULT = {"id", "object", "created", "model", "obfuscation", "message", "usage", "choices"}


async def upstream(request: Request) -> AsyncIterator[Step]:
    yield head("200 OK", "Content-Type: text/event-stream", "Connection: close")
    yield STREAMS[request.json["model"]]
    yield b""


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HTTPConnection]:
    async def closing(request: Request) -> AsyncIterator[Step]:
        async for step in upstream(request):
            yield step
        yield Break.CLOSE

    folder = tmp_path_factory.mktemp("server")
    with serving(closing) as server:
        config = folder / "config.yaml"
        config.write_text(
            yaml.safe_dump(
                {"providers": {"up": {"kind": "openai", "base_url": f"{server.url}/v1", "responses": False}}}
            )
        )
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, folder / "log") as url:
            connection = HTTPConnection(url.removeprefix("http://"))
            yield connection
            connection.close()


def send_request(server: HTTPConnection, name: str, path: str = "/v1/chat/completions", **more: Any) -> bytes:
    messages = [{"role": "user", "content": "When does water boil, and when does ice melt?"}]
    options = {"include_usage": True, **({"continuous_usage_stats": True} if name == "vLLM" else {})}
    body = {"model": f"up/{name}", "n": 2 if name == "OpenAI" else 1, "evidence": EVIDENCE, **more}
    body |= {"messages": messages, "stream_options": options} if "completions" in path else {"input": messages}
    server.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    with server.getresponse() as answer:
        assert answer.status == 200
        return answer.read()


def chunks(stream: bytes) -> list[Chunk]:
    """Return the chunks of a stream. Every event except comments and the end is a chunk."""
    events = [event for event in stream.decode().split("\n\n") if event and not event.startswith(":")]
    assert all(event.startswith("data: ") for event in events)
    return [json.loads(event[6:]) for event in events if event != "data: [DONE]"]


def values(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield all non-empty values with the names of the objects that contain them. Lists add no name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from values(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from values(inner, path)
    elif value is not None and value != "":
        yield path, value


def split_fields(found: list[Chunk]) -> tuple[dict[Path, list[Any]], dict[Path, list[Any]]]:
    """Return deltas, log-probabilities and lists in order, and all values of the other fields."""
    growing: dict[Path, list[Any]] = defaultdict(list)
    known: dict[Path, list[Any]] = defaultdict(list)
    for chunk in found:
        for path, one in values({key: one for key, one in chunk.items() if key not in OMITTED_RESULT}):
            known[path].append(one)
        for choice in chunk.get("choices") or ():
            delta = {key: one for key, one in (choice.get("delta") or {}).items() if key not in ("role", "content")}
            for path, one in values({"delta": delta, "logprobs": choice.get("logprobs")}, (choice["index"],)):
                growing[path].append(one)
            for key, one in choice.items():
                if isinstance(one, list):
                    growing[choice["index"], key] += one
                elif key not in OMITTED_RESULT | {"delta", "logprobs", "index"}:
                    for path, inner in values(one, (choice["index"], key)):
                        known[path].append(inner)
    return growing, known


def ours(growing: dict[Path, list[Any]]) -> dict[Path, list[Any]]:
    """Return the fields without those that a cited answer adds."""
    return {path: found for path, found in growing.items() if path[2:3] not in [("references",), ("annotations",)]}


def text_of(found: list[Chunk], index: int = 0) -> str:
    texts = [choice["delta"].get("content") for c in found for choice in c["choices"] if choice["index"] == index]
    return "".join(one for one in texts if isinstance(one, str))


@pytest.mark.parametrize("name", STREAMS)
def test_every_field_of_a_cited_stream_arrives(server: HTTPConnection, name: str) -> None:
    sent, found = chunks(STREAMS[name]), chunks(send_request(server, name, stream=True))
    growing, known = split_fields(sent)
    received, seen = split_fields(found)
    if name == "Mistral":  # parts of its content arrive under the names of other servers
        parts = [(0, "delta", "content_parts", name) for name in ("index", "type", "reference_ids")]
        assert [received.pop(path) for path in parts] == [[0], ["reference"], [0, "e2"]]
        assert received.pop((0, "delta", "reasoning_content")) == ["Hm."]
    assert ours(received) == ours(growing)
    assert {path for path, one in known.items() if one[-1] not in seen[path]} == set()
    assert text_of(found) == ("" if name in TEXTLESS else CITED)
    if name == "OpenAI":
        assert text_of(found, 1) == CITED
    assert all(isinstance(chunk["choices"], list) for chunk in found)


@pytest.mark.parametrize("name", STREAMS)
def test_the_usage_arrives_last_and_unchanged(server: HTTPConnection, name: str) -> None:
    sent = [chunk["usage"] for chunk in chunks(STREAMS[name]) if chunk.get("usage")]
    found = chunks(send_request(server, name, stream=True))
    if sent:
        assert found[-1]["usage"] == sent[-1]
        assert found[-1]["choices"] == []
        assert not any(found[-1].get(key) for key in OURS)
    else:
        assert not any(chunk.get("usage") for chunk in found)
    if name != "vLLM":
        assert not any(chunk.get("usage") for chunk in found[:-1])


@pytest.mark.parametrize("name", STREAMS)
def test_annotations_and_references_are_sent_once_per_choice(server: HTTPConnection, name: str) -> None:
    found = chunks(send_request(server, name, stream=True))
    deltas = [choice["delta"] for chunk in found for choice in chunk["choices"]]
    for key in ("annotations", "references"):
        assert sum(key in delta for delta in deltas) == (2 if name == "OpenAI" else 1)
    ends = [choice for chunk in found for choice in chunk["choices"] if choice["finish_reason"]]
    assert all("references" in choice["delta"] and not choice["delta"].get("content") for choice in ends)
    if name == "an OpenAI search model":
        assert [one["url_citation"]["url"] for one in ends[0]["delta"]["annotations"]][2:] == ["https://o.org"]


@pytest.mark.parametrize("name", STREAMS)
def test_the_streamed_and_the_complete_answer_are_equal(server: HTTPConnection, name: str) -> None:
    found = chunks(send_request(server, name, stream=True))
    whole = json.loads(send_request(server, name, stream=False))
    for choice in whole["choices"]:
        index, message = choice["index"], choice["message"]
        assert (message["content"] or "") == text_of(found, index)
        reasons = [c["finish_reason"] for one in found for c in one["choices"] if c["index"] == index]
        assert choice["finish_reason"] in reasons
        logprobs = [c["logprobs"] for one in found for c in one["choices"] if c["index"] == index and c.get("logprobs")]
        joined = [token for one in logprobs for token in one["content"] or one["refusal"] or ()]
        if joined:
            assert (choice["logprobs"]["content"] or choice["logprobs"]["refusal"]) == joined
    usages = [chunk["usage"] for chunk in found if chunk.get("usage")]
    assert whole.get("usage") == (usages[-1] if usages else None)
    assert whole["id"]
    assert whole["model"]


COMPLETE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "OpenAI": lambda body: (
        [[call["function"] for call in choice["message"].get("tool_calls", [])] for choice in body["choices"]]
        == [
            [],
            [{"name": "weather", "arguments": '{"city":"Bern"}'}, {"name": "time", "arguments": '{"city":"Zürich"}'}],
        ]
    ),
    "Azure OpenAI": lambda body: (
        body["prompt_filter_results"][0]["content_filter_results"]["jailbreak"] == {"detected": False}
        and body["choices"][0]["content_filter_results"].keys() == {"hate", "violence", "self_harm"}
    ),
    "OpenRouter": lambda body: (
        body["choices"][0]["message"]["reasoning_details"]
        == [
            {
                "type": "reasoning.text",
                "text": "Some physics.",
                "format": "anthropic-claude-v1",
                "index": 0,
                "signature": "ErUBCkYIBxgC",
            }
        ]
        and body["choices"][0]["message"]["reasoning"] == "Some physics."
    ),
    "vLLM": lambda body: (
        body["choices"][0]["token_ids"] == [1, 2, 3, 10, 20, 11, 21, 12, 22, 30, 31]
        and body["choices"][0]["message"]["reasoning"] == "They ask about water."
    ),
    "llama.cpp": lambda body: body["timings"]["predicted_n"] == 12,
    "LM Studio": lambda body: (
        body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"city":"Bern"}'
        and body["stats"]["stop_reason"] == "toolCalls"
    ),
    "LiteLLM": lambda body: (
        [block["signature"] for block in body["choices"][0]["message"]["thinking_blocks"]] == ["", "Eu4BC"]
    ),
    "Perplexity": lambda body: body["related"][0]["url"] == "https://p.org",
    "Mistral": lambda body: (
        body["choices"][0]["message"]["content_parts"]
        == [{"index": 0, "type": "reference", "reference_ids": [0, "e2"]}]
    ),
    "Groq": lambda body: body["x_groq"]["usage"]["total_tokens"] == 30,
    "an OpenAI model that speaks": lambda body: (
        body["choices"][0]["message"]["audio"]
        == {"id": "audio_68", "transcript": "Water boils.", "data": "AAECAwQF", "expires_at": 1741573883}
    ),
    "an OpenAI model that refuses": lambda body: (
        body["choices"][0]["message"]["refusal"] == "I cannot." and len(body["choices"][0]["logprobs"]["refusal"]) == 2
    ),
}


@pytest.mark.parametrize(("name", "holds"), COMPLETE.items(), ids=COMPLETE)
def test_fragments_of_a_stream_are_joined_in_a_complete_answer(
    server: HTTPConnection, name: str, holds: Callable[[dict[str, Any]], Any]
) -> None:
    body = json.loads(send_request(server, name, stream=False))
    assert holds(body), body


@pytest.mark.parametrize("name", STREAMS)
def test_without_citations_the_bytes_pass_through(server: HTTPConnection, name: str) -> None:
    assert send_request(server, name, stream=True, citations={"enabled": False}) == STREAMS[name]


@pytest.mark.parametrize("name", STREAMS)
def test_streamed_and_complete_responses_are_equal(server: HTTPConnection, name: str) -> None:
    whole = json.loads(send_request(server, name, "/v1/responses"))
    stream = send_request(server, name, "/v1/responses", stream=True).decode().strip().split("\n\n")
    events = [json.loads(event.split("\ndata: ")[1]) for event in stream]
    completed = events[-1]["response"]
    assert without_ids_and_times(completed) == without_ids_and_times(whole)
    grown: dict[int, str] = defaultdict(str)
    for event in events:
        if event["type"].endswith(".delta"):
            grown[event["output_index"]] += event["delta"]
    for index, item in enumerate(completed["output"]):
        parts = item.get("content") or item.get("summary") or ()
        texts = [item.get("arguments", ""), *(part.get("text") or part.get("refusal") or "" for part in parts)]
        assert grown[index] == "".join(texts)
    for kind in ("added", "done"):
        item_ids = {
            one["output_index"]: one["item"]["id"] for one in events if one["type"] == f"response.output_item.{kind}"
        }
        assert [item_ids[index] for index in range(len(item_ids))] == [item["id"] for item in completed["output"]]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


@pytest.mark.parametrize("name", STREAMS)
def test_the_official_client_reads_the_responses(server: HTTPConnection, name: str) -> None:
    with OpenAI(base_url=f"http://{server.host}:{server.port}/v1", api_key="none", max_retries=0) as sdk:
        extra = {"evidence": EVIDENCE}
        with sdk.responses.stream(model=f"up/{name}", input="When does water boil?", extra_body=extra) as stream:
            final = stream.get_final_response()
    assert final.output_text.startswith("" if name in TEXTLESS else "Water boils at 100 °C. [1]")
    assert final.status == "completed"


def without_ids_and_times(response: Chunk) -> Chunk:
    """Return a response without its ids and times, which differ in every answer."""
    text = re.sub(r'"(rs|fc|msg|ig)_[0-9a-f]{32}', r'"\1_id', json.dumps(response))
    found: Chunk = json.loads(re.sub(r'"timings_ms": \{[^}]*\}', '"timings_ms": {}', text))
    return {key: value for key, value in found.items() if key not in ("id", "created_at", "completed_at")}


ITEMS: dict[str, list[str]] = {
    "OpenAI": ["message"],
    "OpenRouter": ["reasoning", "message"],
    "vLLM": ["reasoning", "message"],
    "LM Studio": ["reasoning", "message", "function_call"],
    "Mistral": ["reasoning", "message"],
    "an OpenAI model that speaks": ["message"],
    "an OpenAI model that refuses": ["message"],
}


@pytest.mark.parametrize(("name", "items"), ITEMS.items(), ids=ITEMS)
def test_the_responses_api_shows_the_same_text_in_items(server: HTTPConnection, name: str, items: list[str]) -> None:
    body = json.loads(send_request(server, name, "/v1/responses"))
    assert [item["type"] for item in body["output"]] == items
    (message,) = [item for item in body["output"] if item["type"] == "message"]
    if name in TEXTLESS:
        assert message["content"] == ([] if "audio" in message else [{"type": "refusal", "refusal": "I cannot."}])
        return
    (part,) = message["content"]
    assert part["text"] == CITED
    assert re.sub(r" \[\d\]", "", part["text"]) == TEXT
    assert [part["text"][one["start_index"] : one["end_index"]] for one in part["annotations"]] == ["[1]", "[2]"]
