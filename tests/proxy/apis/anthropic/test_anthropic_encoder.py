"""Chunks of any provider as events of the Messages API: blocks, stop reasons, usage and errors."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import scorer
from citestream.providers.events import Event
from citestream.proxy.apis.anthropic.anthropic_encoder import AnthropicEncoder, error_body
from citestream.proxy.apis.anthropic.citation_location import Locations
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks, UncitedChunks
from citestream.proxy.pipeline.deciding.scoring import Scoring
from citestream.proxy.pipeline.respond import respond
from tests.proxy.answers import messages_streamed
from tests.proxy.pipeline.test_respond import HOLD_SECONDS, NO_MODELS, deltas, finish, played

Fields = dict[str, Any]
CALLED = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}
CALLER = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
CALL_OF_CODE = {"id": "a", "extra_content": {"anthropic": {"caller": CALLER}}}
SUMMARY = {"type": "reasoning.summary", "format": "openai-responses-v1"}
SIGNED = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}


def chunk(delta: Fields, reason: str | None = None, **fields: Any) -> Fields:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **fields}


def call(index: int, arguments: str, **fields: Any) -> Fields:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments, **fields}}]})


def new_encoder() -> AnthropicEncoder:
    return AnthropicEncoder("m", UncitedChunks(usage=True), Locations())


def events(encoded: bytes) -> list[Fields]:
    """Return the events. The name of each event is its type."""
    found = []
    for event in encoded.decode().split("\n\n")[:-1]:
        name, data = event.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


def streamed(*chunks: Fields) -> list[Fields]:
    encoder = new_encoder()
    return events(b"".join(encoder.chunks([one]) for one in chunks) + encoder.end())


def whole(*chunks: Fields) -> Fields:
    encoder, completion = new_encoder(), Completion()
    for one in chunks:
        completion.add(one)
        encoder.observe([one])
    return encoder.body(completion)


def test_the_order_of_events() -> None:
    found = streamed(chunk({"role": "assistant", "content": ""}), chunk({"content": "Hi"}), chunk({}, "stop"))
    assert [event["type"] for event in found] == [
        *("message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    ]
    assert found[0]["message"] == {
        "id": "c1",
        "model": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    assert found[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}


CONTENTS: dict[str, tuple[list[Fields], list[Fields]]] = {
    "text in several deltas is one block": (
        [chunk({"content": "Water "}), chunk({"content": "boils."})],
        [{"type": "text", "text": "Water boils.", "citations": []}],
    ),
    "thinking before the text": (
        [chunk({"reasoning": "Let "}), chunk({"reasoning": "me see."}), chunk({"content": "Yes."})],
        [
            {"type": "thinking", "thinking": "Let me see.", "signature": ""},
            {"type": "text", "text": "Yes.", "citations": []},
        ],
    ),
    "signed thinking that came through OpenRouter": (
        [
            chunk({"reasoning": "hm", "reasoning_details": [{**SIGNED, "text": "hm"}]}),
            chunk({"reasoning_details": [{**SIGNED, "signature": "c2ln"}]}),
            chunk({"reasoning_details": [{**SIGNED, "type": "reasoning.encrypted", "data": "ZGF0YQ", "index": 1}]}),
            chunk({"reasoning_details": [{**SIGNED, "text": "more", "signature": "c2ln2", "index": 2}]}),
        ],
        [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZGF0YQ"},
            {"type": "thinking", "thinking": "more", "signature": "c2ln2"},
        ],
    ),
    "reasoning details of another provider": (
        [
            chunk(
                {
                    "reasoning": "hm",
                    "reasoning_details": [{"type": "reasoning.summary", "format": "openai-responses-v1"}],
                }
            )
        ],
        [{"type": "thinking", "thinking": "hm", "signature": ""}],
    ),
    "parallel tool calls": (
        [
            chunk({"content": "I look."}),
            chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]}),
            call(0, '{"x":'),
            call(0, "1}"),
            chunk({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}]}),
        ],
        [
            {"type": "text", "text": "I look.", "citations": []},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
            {"type": "tool_use", "id": "b", "name": "g", "input": {}},
        ],
    ),
    "tool calls with interleaved arguments": (
        [
            call(0, "", name="f"),
            call(1, "", name="g"),
            call(2, '{"z":', name="h"),
            call(1, '{"y":'),
            call(0, '{"x":'),
            call(2, "3}"),
            call(0, "1}"),
            call(1, "2}"),
            chunk({"content": "I look."}),
        ],
        [
            {"type": "tool_use", "id": "toolu_0", "name": "f", "input": {"x": 1}},
            {"type": "tool_use", "id": "toolu_1", "name": "g", "input": {"y": 2}},
            {"type": "tool_use", "id": "toolu_2", "name": "h", "input": {"z": 3}},
            {"type": "text", "text": "I look.", "citations": []},
        ],
    ),
    "additional fields of a call of Anthropic": (
        [
            chunk({"tool_calls": [{**CALL_OF_CODE, "index": 0, "function": {"name": "f", "arguments": ""}}]}),
            call(0, '{"x":1}'),
        ],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}, "caller": CALLER}],
    ),
    "a call in the format of the older API of OpenAI": (
        [chunk({"function_call": {"name": "f", "arguments": ""}}), chunk({"function_call": {"arguments": "{}"}})],
        [{"type": "tool_use", "id": "toolu_0", "name": "f", "input": {}}],
    ),
    "arguments that are not JSON": (
        [chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{x"}}]})],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"arguments": "{x"}}],
    ),
    "a refusal is text": ([chunk({"refusal": "No."})], [{"type": "text", "text": "No.", "citations": []}]),
    "only the first of several choices": (
        [chunk({"content": "Yes."}), {**chunk({}), "choices": [{"index": 1, "delta": {"content": "No."}}]}],
        [{"type": "text", "text": "Yes.", "citations": []}],
    ),
    "images are dropped": ([chunk({"images": [{"image_url": {"url": "data:"}}]})], []),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_the_content_of_a_message(name: str) -> None:
    chunks, content = CONTENTS[name]
    assert whole(*chunks, chunk({}, "stop"))["content"] == content
    found = streamed(*chunks, chunk({}, "stop"))
    events_of_blocks = [(event["type"], event["index"]) for event in found if "index" in event]
    for index in range(len(content)):
        assert events_of_blocks.pop(0) == ("content_block_start", index)
        while events_of_blocks[0] == ("content_block_delta", index):
            events_of_blocks.pop(0)
        assert events_of_blocks.pop(0) == ("content_block_stop", index)
    assert events_of_blocks == []


STOPS: dict[str, tuple[list[Fields], str | None]] = {
    "the end of the answer": ([chunk({}, "stop")], "end_turn"),
    "the token limit": ([chunk({}, "length")], "max_tokens"),
    "a content filter": ([chunk({}, "content_filter")], "refusal"),
    "a tool call": ([chunk({}, "tool_calls")], "tool_use"),
    "a tool call with the reason stop": ([chunk(CALLED), chunk({}, "stop")], "tool_use"),
    "an unknown reason": ([chunk({}, "novel")], "end_turn"),
    "no reason": ([chunk({"content": "Hi"})], None),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_finish_reason_becomes_a_stop_reason(name: str) -> None:
    chunks, reason = STOPS[name]
    assert whole(*chunks)["stop_reason"] == reason


def test_cached_tokens_are_reported_separately() -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 8}, "completion_tokens_details": {"reasoning_tokens": 3}}
    usage = {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16, **details}
    assert whole(chunk({}, "stop"), {**chunk({}), "choices": [], "usage": usage})["usage"] == {
        "input_tokens": 1,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 8,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 3},
    }


def test_a_failure_keeps_the_received_text_and_has_no_stop_reason() -> None:
    encoder = new_encoder()
    failed = {"error": {"message": "It broke.", "type": "upstream_error", "param": None, "code": None}}
    encoded = encoder.chunks([chunk({"content": "Half"}), chunk({}, references=[], grounding={})])
    *_, stop, last, error = events(encoded + encoder.failure(failed, 502) + encoder.end())
    assert stop["type"] == "content_block_stop"
    assert last["delta"] == {"stop_reason": None, "stop_sequence": None}
    assert (last["references"], last["grounding"]) == ([], {})
    assert error == {"type": "error", "error": {"type": "api_error", "message": "It broke."}}


def test_a_failure_before_the_message_is_only_an_error() -> None:
    encoder = new_encoder()
    failed = {"error": {"message": "Busy.", "type": "overloaded_error"}}
    assert [event["type"] for event in events(encoder.failure(failed, 502) + encoder.end())] == ["error"]


ERRORS = {
    (400, "invalid_request_error"): "invalid_request_error",
    (401, "invalid_request_error"): "authentication_error",
    (404, "invalid_request_error"): "not_found_error",
    (413, "invalid_request_error"): "request_too_large",
    (422, "invalid_request_error"): "invalid_request_error",
    (429, "requests"): "rate_limit_error",
    (500, "server_error"): "api_error",
    (502, "upstream_error"): "api_error",
    (502, "overloaded_error"): "overloaded_error",
    (503, "server_error"): "overloaded_error",
    (504, "upstream_error"): "timeout_error",
}


@pytest.mark.parametrize(("status", "kind"), ERRORS)
def test_the_type_of_an_error(status: int, kind: str) -> None:
    error = {"error": {"message": "It broke.", "type": kind, "param": None, "code": None}}
    found = error_body(error, status)
    assert found == {"type": "error", "error": {"type": ERRORS[status, kind], "message": "It broke."}}


async def test_a_missing_key_and_an_unknown_path_are_errors_of_this_api() -> None:
    config = parse(
        {"server": {"keys": [{"name": "a", "key": "plain key of a client"}]}, "providers": {"extractive": None}}
    )
    async with TestClient(TestServer(make_app(config))) as client:
        refused = await client.post("/v1/messages", json={})
        unknown = await client.post("/v1/messages/batches", json={}, headers={"x-api-key": "plain key of a client"})
        assert (refused.status, (await refused.json())["error"]["type"]) == (401, "authentication_error")
        assert (unknown.status, (await unknown.json())["error"]["type"]) == (404, "not_found_error")


FIRST, SECOND = "The Harlan bridge was opened on 4 May 1932.", "It carries two lanes and eight railway tracks."
ANSWER = f"🌉 Yes. {FIRST[:-1]} [1]. {SECOND} I like it."
EVIDENCE = [
    Evidence(1, "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan.", "opened"),
    Evidence(2, "The bridge carries two lanes of traffic and eight railway tracks.", "lanes"),
]
CUTS = st.lists(st.integers(min_value=1, max_value=len(ANSWER) - 1), max_size=12).map(lambda cuts: sorted({*cuts}))


async def cited_answer(events: list[Event], release: Any) -> Fields:
    """Return the message that a client builds from a streamed answer."""
    response = Response(EVIDENCE, Options(marker="none", release=release))
    chunks = Chunks(response, usage=True)
    encoder, stream = AnthropicEncoder("m", chunks, Locations()), b""
    async for batch in respond(played(events), response, Scoring(scorer("lexical"), EVIDENCE, NO_MODELS), HOLD_SECONDS):
        for event in batch:
            stream += encoder.chunks(chunks.of(event))
    return messages_streamed(stream + encoder.end())


@pytest.mark.parametrize("release", ["sentence", "live"])
@given(cuts=CUTS)
def test_a_cited_block_is_one_sentence_for_any_deltas(cuts: list[int], release: str) -> None:
    parts = [ANSWER[start:end] for start, end in zip([0, *cuts], [*cuts, len(ANSWER)], strict=True)]
    content = asyncio.run(cited_answer([*deltas(parts), finish()], release))["content"]
    assert "".join(block["text"] for block in content) == f"🌉 Yes. {FIRST} {SECOND} I like it."
    assert [block["text"].strip() for block in content if block["citations"]] == [FIRST, SECOND]
    assert [len(block["citations"]) for block in content if block["citations"]] == [1, 1]


ITEM = f"- {FIRST[:-1]}"


@pytest.mark.parametrize("parts", [[f"{ITEM}\nI like it."], [ITEM, "\n", "I like it."]])
def test_the_line_break_after_a_cited_sentence_is_in_its_block(parts: list[str]) -> None:
    content = asyncio.run(cited_answer([*deltas(parts), finish()], "live"))["content"]
    assert [(block["text"], len(block["citations"])) for block in content] == [(f"{ITEM}\n", 1), ("I like it.", 0)]


CODE = "```python\nx = 1\n\ndef f():\n    return x\n```\n"


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("parts", [[CODE], CODE.splitlines(keepends=True), [*CODE]], ids=["whole", "lines", "letters"])
def test_code_is_not_divided_into_blocks(parts: list[str], release: str) -> None:
    content = asyncio.run(cited_answer([*deltas([f"{FIRST}\n", *parts, SECOND]), finish()], release))["content"]
    assert [block["text"] for block in content] == [f"{FIRST}\n", CODE, SECOND]


@pytest.mark.parametrize(("count", "is_long"), [(10, False), (5_000, True)])
def test_many_citations_or_results_in_one_block_are_freed_in_steps(count: int, is_long: bool) -> None:
    location = {"type": "char_location", "cited_text": "Hi", "document_index": 0}
    cited = new_encoder()
    cited.chunks([chunk({"content": "Hi"})])
    cited.chunks([chunk({"anthropic": {"content": [{"index": 0, "citations": [location] * count}]}})])
    found = {"type": "web_search_result", "url": "https://example.org/", "title": "Bridges"}
    searched = new_encoder()
    result = {"index": 0, "type": "web_search_tool_result", "tool_use_id": "s", "content": [found] * count}
    searched.chunks([chunk({"anthropic": {"content": [result]}})])
    assert [bool(cited.containers()), bool(searched.containers())] == [is_long, is_long]
