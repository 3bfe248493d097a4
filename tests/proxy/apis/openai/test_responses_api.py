"""The Responses API in front of any provider, through the official client."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from openai import BadRequestError, NotFoundError, OpenAI

from citestream.citation.evidence import FieldError
from citestream.proxy.apis.responses import ResponsesApi
from citestream.proxy.apis.responses.stored_responses import MAX_RESPONSES, conversation_key
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.completion_chunks import UncitedChunks
from citestream.proxy.pipeline.request.job import Job

Launch = Callable[..., AbstractContextManager[str]]

EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor.", "url": "https://ex.org/a", "title": "A"},
    {"text": "The Harlan bridge carries two lanes of traffic."},
]
REQUEST: dict[str, Any] = {
    "model": "extractive",
    "input": "When was the Harlan bridge opened, and how many lanes of traffic does the bridge carry?",
    "extra_body": {"evidence": EVIDENCE},
}


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with launch([sys.executable, "-m", "citestream", "serve", "--port", "0"], log) as url:
        yield url


@pytest.fixture
def sdk(server: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_the_stream_the_stream_helper_and_the_complete_answer_are_equal(sdk: OpenAI) -> None:
    whole = sdk.responses.create(**REQUEST)
    events = list(sdk.responses.create(stream=True, **REQUEST))
    with sdk.responses.stream(**REQUEST) as stream:
        final = stream.get_final_response()
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert whole.output_text == final.output_text == text
    assert "[1]" in text
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"
    completed = events[-1].response
    assert (completed.model_extra or {})["references"] == (whole.model_extra or {})["references"]
    assert completed.usage == whole.usage
    assert completed.output[0].model_dump(exclude={"id"}) == whole.output[0].model_dump(exclude={"id"})


REPEATED: dict[str, Any] = {
    "max_tool_calls": 3,
    "prompt_cache_key": "k1",
    "safety_identifier": "s1",
    "store": True,
    "top_logprobs": 2,
    "text": {"verbosity": "low"},
}


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_repeats_the_fields_of_its_request(sdk: OpenAI, stream: bool) -> None:
    first = completed(sdk, stream, **REQUEST, **REPEATED)
    second = completed(sdk, stream, **REQUEST, previous_response_id=first.id)
    assert (first.previous_response_id, second.previous_response_id) == (None, first.id)
    found = first.to_dict()
    assert {name: found[name] for name in REPEATED} == REPEATED | {
        "text": {"format": {"type": "text"}, "verbosity": "low"}
    }


@pytest.mark.parametrize("options", [{"dialect": "openwebui"}, {"references_when": "first_use"}])
def test_fields_for_chunks_are_not_in_a_response(sdk: OpenAI, options: dict[str, str]) -> None:
    request = REQUEST | {"extra_body": {"evidence": EVIDENCE, "citations": options}}
    streamed, whole = (completed(sdk, stream, **request).model_extra for stream in (True, False))
    assert streamed.keys() == whole.keys()
    for name in streamed.keys() - {"grounding"}:
        assert streamed[name] == whole[name]


def test_an_annotation_is_sent_after_its_text(sdk: OpenAI) -> None:
    events = list(sdk.responses.create(stream=True, **REQUEST))
    kinds = [event.type for event in events]
    added = [event for event in events if event.type == "response.output_text.annotation.added"]
    assert kinds.index("response.output_text.annotation.added") == kinds.index("response.output_text.delta") + 1
    (message,) = events[-1].response.output
    (part,) = message.content
    assert len(part.annotations) == len(added) >= 1
    for number, annotation in enumerate(part.annotations, 1):
        marked = part.text[annotation.start_index : annotation.end_index]
        assert marked == f"[{number}]"


def test_a_conversation_can_be_continued_with_its_items(sdk: OpenAI) -> None:
    first = sdk.responses.create(**REQUEST)
    history: list[Any] = [
        {"role": "user", "content": REQUEST["input"]},
        *[item.model_dump() for item in first.output],
        {"role": "user", "content": [{"type": "input_text", "text": "When was the Harlan bridge opened?"}]},
    ]
    second = sdk.responses.create(**{**REQUEST, "input": history})
    assert second.output_text.startswith("The Harlan bridge was opened on 4 May 1932 by the mayor. [1]")


CALL = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
ASK = {"role": "user", "content": "When does water boil?"}
STORED = {
    "input": [CALL],
    "output": [
        {"id": f"rs_{'a' * 32}_0", "type": "reasoning", "summary": []},
        {"id": f"msg_{'a' * 32}", "type": "message", "role": "assistant", "status": "completed", "content": []},
        {"id": f"fc_{'a' * 32}_1", "status": "completed", **CALL},
    ],
}
MESSAGE = {"type": "message", "role": "assistant", "content": []}
REFERENCES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a stored item": (
        {"input": [ASK, {"type": "item_reference", "id": f"msg_{'a' * 32}"}]},
        {"input": [ASK, MESSAGE]},
    ),
    "a call without a type, which is optional": ({"input": [{"id": f"fc_{'a' * 32}_1"}]}, {"input": [CALL]}),
    "reasoning, which another model cannot use": (
        {"input": [{"type": "item_reference", "id": f"rs_{'a' * 32}_0"}]},
        {"input": []},
    ),
    "an item of another server": ({"input": [{"type": "item_reference", "id": "msg_1"}]},) * 2,
    "an unknown item": ({"input": [{"type": "item_reference", "id": f"msg_{'b' * 32}"}]},) * 2,
    "a response and a question": (
        {"previous_response_id": f"resp_{'a' * 32}", "input": "Why?"},
        {"input": [CALL, MESSAGE, CALL, {"role": "user", "content": "Why?"}]},
    ),
    "an unknown response": ({"previous_response_id": "resp_1", "input": "Why?"},) * 2,
    "values that are not ids": (
        {"previous_response_id": 1, "input": [{"type": "item_reference", "id": 1}, 2, {"type": "item_reference"}]},
    )
    * 2,
    "a message with an id and without a type": ({"input": [{"id": "msg_1", **ASK}]},) * 2,
}


@pytest.mark.parametrize(("body", "expected"), REFERENCES.values(), ids=REFERENCES)
async def test_references_are_replaced_with_the_stored_items(body: dict[str, Any], expected: dict[str, Any]) -> None:
    async def find(name: str) -> dict[str, Any] | None:
        return {conversation_key(f"resp_{'a' * 32}"): STORED}.get(name)

    assert await ResponsesApi().recall(body, find) == expected


async def test_a_response_is_looked_up_once_and_only_with_an_id_of_this_server() -> None:
    looked_up: list[str] = []

    async def find(name: str) -> dict[str, Any] | None:
        looked_up.append(name)
        return STORED if "a" * 32 in name else None

    items = [{"type": "item_reference", "id": f"msg_{of * 32}_{number}"} for number in range(20) for of in "ab"]
    assert await ResponsesApi().recall({"input": items}, find) == {"input": items}  # the response has no such items
    assert looked_up == [conversation_key(f"resp_{of * 32}") for of in "ab"]
    looked_up.clear()
    for previous in ("resp_1", f"resp_{'a' * 48}", "chatcmpl-1"):
        body = {"previous_response_id": previous, "input": [{"type": "item_reference", "id": f"msg_{'a' * 48}"}]}
        assert await ResponsesApi().recall(body, find) == body
    assert not looked_up


async def test_the_number_of_responses_that_are_looked_up_is_limited() -> None:
    looked_up: list[str] = []

    async def find(name: str) -> dict[str, Any] | None:
        looked_up.append(name)
        return None

    items = [{"type": "item_reference", "id": f"msg_{number:032x}"} for number in range(MAX_RESPONSES + 1)]
    assert await ResponsesApi().recall({"input": items[1:]}, find) == {"input": items[1:]}
    looked_up.clear()
    with pytest.raises(FieldError) as error:
        await ResponsesApi().recall({"input": items}, find)
    assert error.value.path == f"input[{MAX_RESPONSES}].id"
    assert not looked_up


def test_a_repeated_item_reference_is_an_error(sdk: OpenAI) -> None:
    twice: Any = [{"type": "item_reference", "id": f"msg_{'a' * 32}"}] * 2
    with pytest.raises(BadRequestError, match="twice"):
        sdk.responses.create(**{**REQUEST, "input": twice})


@pytest.mark.parametrize("stream", [False, True])
def test_a_conversation_can_be_continued_with_the_id_of_the_last_answer(sdk: OpenAI, stream: bool) -> None:
    first = completed(sdk, stream, **REQUEST)
    second = completed(sdk, stream, **REQUEST | {"input": "And by whom?", "previous_response_id": first.id})
    third = completed(sdk, stream, **REQUEST | {"input": "Why?", "previous_response_id": second.id})
    assert third.usage.input_tokens > second.usage.input_tokens > first.usage.input_tokens


@pytest.mark.parametrize("stream", [False, True])
async def test_a_conversation_can_be_continued_after_an_answer_that_is_encoded_in_a_thread(stream: bool) -> None:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "a" * 600_000}}
    choices = ({"delta": {"tool_calls": [call]}}, {"delta": {}, "finish_reason": "tool_calls"})
    events = "".join(f"data: {json.dumps({'choices': [{'index': 0, **one}]})}\n\n" for one in choices)
    received: list[Any] = []

    async def provider(request: web.Request) -> web.Response:
        received.append((await request.json())["messages"])
        return web.Response(text=events, content_type="text/event-stream")

    application = web.Application()
    application.add_routes([web.post("/v1/chat/completions", provider)])
    async with TestServer(application) as upstream:
        openai = {"kind": "openai", "base_url": str(upstream.make_url("/v1")), "api_key": "none", "responses": False}
        app = make_app(parse({"providers": {"openai": openai}}))
        async with TestClient(TestServer(app)) as client:
            body: dict[str, Any] = {"model": "openai/m", "input": "Why?", "stream": stream}
            text = await (await client.post("/v1/responses", json=body)).text()
            first = json.loads(text.split("data: ")[-1])["response"] if stream else json.loads(text)
            assert (first["status"], first["error"]) == ("completed", None)
            body["previous_response_id"] = first["id"]
            await (await client.post("/v1/responses", json=body)).read()
    assert received[1][1]["tool_calls"][0]["function"] == call["function"]


def test_an_answer_with_store_false_is_not_stored(sdk: OpenAI) -> None:
    first = sdk.responses.create(store=False, **REQUEST)
    with pytest.raises(BadRequestError, match="previous_response_id"):
        sdk.responses.create(**REQUEST, previous_response_id=first.id)


def test_conversations_cannot_be_read_as_references(sdk: OpenAI) -> None:
    first = sdk.responses.create(**REQUEST)
    with pytest.raises(NotFoundError):
        sdk.get(f"/references/{conversation_key(first.id)}", cast_to=object)


def completed(sdk: OpenAI, stream: bool, **request: Any) -> Any:
    """Return the complete response, streamed or not."""
    if not stream:
        return sdk.responses.create(**request)
    *_, last = sdk.responses.create(stream=True, **request)
    return last.response


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a stream flag that is a number": ({"stream": 1}, "stream"),
    "no input": ({"input": None}, "input"),
    "an item that is a text": ({"input": ["a"]}, "input[0]"),
    "a part that is a number": ({"input": [{"role": "user", "content": [5]}]}, "input[0].content[0]"),
    "a part of an unsupported type": (
        {"input": [{"role": "user", "content": [{"type": "computer_screenshot"}]}]},
        "input[0].content[0]",
    ),
    "an item without a role": ({"input": [{"content": "a"}]}, "input[0].role"),
    "a call whose arguments are an object": (
        {"input": [{"type": "function_call", "arguments": {}}]},
        "input[0].arguments",
    ),
    "tools that are an object": ({"tools": {"a": 1}}, "tools"),
    "a tool that is a text": ({"tools": ["a"]}, "tools[0]"),
    "a tool without a type": ({"tools": [{"name": "f"}]}, "tools"),
    "a choice of a tool that the server runs": (
        {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
        "tool_choice.type",
    ),
    "a required tool that the server runs": (
        {"tools": [{"type": "web_search"}], "tool_choice": "required"},
        "tool_choice",
    ),
    "a format that is a text": ({"text": {"format": "json"}}, "text.format"),
    "an item reference of another server": ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input[0]"),
    "an id of another server": ({"previous_response_id": "resp_1"}, "previous_response_id"),
}


@pytest.mark.parametrize(("fields", "param"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("extra", [{}, {"evidence": EVIDENCE}], ids=["plain", "with evidence"])
def test_the_error_names_the_wrong_field(
    sdk: OpenAI, fields: dict[str, Any], param: str, extra: dict[str, Any]
) -> None:
    with pytest.raises(BadRequestError) as caught:
        sdk.post("/responses", body={"model": "extractive", "input": "When?", **fields, **extra}, cast_to=object)
    assert caught.value.param == param


def test_unsupported_requests_are_errors_in_the_official_client(sdk: OpenAI) -> None:
    with pytest.raises(BadRequestError, match="previous_response_id"):
        sdk.responses.create(previous_response_id="resp_1", **REQUEST)
    with pytest.raises(BadRequestError, match=r"input\[0\]"):
        sdk.responses.create(**{**REQUEST, "input": [1]})


def test_a_failure_contains_the_received_output_and_is_followed_by_an_error_event() -> None:
    encoder = ResponsesApi().encoder(Job("m", []), UncitedChunks(usage=False))
    cause = {"message": "It broke.", "type": "upstream_error", "param": None, "code": None}
    sent = encoder.chunks([{"choices": [{"index": 0, "delta": {"content": "Half"}, "finish_reason": None}]}])
    sent += encoder.failure({"error": cause}, 502) + encoder.end()
    *_, failed, error = [json.loads(event.split(b"data: ")[1]) for event in sent.strip().split(b"\n\n")]
    assert failed["response"]["error"] == {"code": "server_error", "message": "It broke."}
    assert failed["response"]["output"][0]["content"][0]["text"] == "Half"
    assert (error["type"], error["code"], error["message"], error["error"]) == (
        *("error", "server_error", "It broke."),
        cause,
    )
    assert error["sequence_number"] == failed["sequence_number"] + 1
