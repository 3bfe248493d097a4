"""OllamaProvider with Ollama's wire format: the requests that it sends, and the chunks that it returns."""

from typing import Any

import pytest

from citestream.providers.errors import IncompleteAnswer, Rejected, ReportedError
from citestream.providers.events import ChatRequest, Finish
from citestream.providers.ollama import address
from citestream.providers.wire.ollama.chat_request import chat_body
from tests.providers.recorded_answer import ask_server, make_provider
from tests.upstreams.ollama import MODEL, Ollama, line
from tests.upstreams.wire import Server, chunk, head, script, sse

TEXT = "Water boils at 100 °C [1]."
PIXEL = "data:image/png;base64,iVBORw0KGgo="
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def ndjson(*lines: bytes) -> Any:
    return sse(*lines, lines=("Content-Type: application/x-ndjson",))


async def test_an_answer_is_translated_to_events() -> None:
    async with Server(Ollama(thinking=["They ", "ask."])) as server:
        answer = await ask_server("ollama", server.url)
    assert answer.error is None
    assert answer.text() == TEXT
    assert [delta["reasoning"] for delta in answer.others if "reasoning" in delta] == ["They ", "ask."]
    assert answer.others[0] == {"role": "assistant", "content": ""}
    assert answer.reasons == {0: "stop"}
    assert answer.usage == {"prompt_tokens": 26, "completion_tokens": 6, "total_tokens": 32}
    finish = next(event for event in answer.events if isinstance(event, Finish))
    assert finish.chunk["object"] == "chat.completion.chunk"
    assert finish.chunk["created"] == 1795168800
    assert finish.chunk["model"] == MODEL
    assert "system_fingerprint" not in finish.chunk
    assert finish.chunk["id"].startswith("chatcmpl-")
    assert finish.chunk["ollama"]["total_duration"] == 4883583458


async def test_tool_calls_are_numbered_and_their_arguments_are_strings() -> None:
    async with Server(Ollama(calls=2)) as server:
        answer = await ask_server("ollama", server.url)
    calls = [delta["tool_calls"][0] for delta in answer.others if "tool_calls" in delta]
    assert [call["index"] for call in calls] == [0, 1]
    assert calls[0]["type"] == "function"
    assert calls[0]["id"] == "call_x1"
    assert calls[0]["function"] == {"name": "weather", "arguments": '{"city":"Zürich"}'}
    assert answer.reasons == {0: "tool_calls"}


async def test_the_names_of_models_are_listed() -> None:
    async with Server(Ollama()) as server:
        provider = make_provider("ollama", server.url)
        assert await provider.models() == ["llama3.2:latest", "qwen3:4b"]
        await provider.aclose()


async def test_an_unknown_model_is_a_404_with_the_message_of_the_server() -> None:
    async with Server(Ollama()) as server:
        provider = make_provider("ollama", server.url)
        with pytest.raises(Rejected, match="model 'x' not found") as raised:
            _ = [event async for event in provider.stream(ChatRequest("x", []))]
        await provider.aclose()
    assert raised.value.status == 404


STREAMS: dict[str, tuple[list[bytes], str, type[Exception] | None]] = {
    "an error in the stream": (
        [line({"message": {"content": "Wa"}, "done": False}), line({"error": "out of memory"})],
        "Wa",
        ReportedError,
    ),
    "the end without a last line": ([line({"message": {"content": "Wa"}, "done": False})], "Wa", IncompleteAnswer),
    "half a line at the end": (
        [line({"message": {"content": "Wa"}, "done": False}), b'{"message":{"con'],
        "Wa",
        IncompleteAnswer,
    ),
    "a last line of a crashed runner": (
        [line({"message": {"content": "Wa"}, "done": False}), line({"done": True})],
        "Wa",
        IncompleteAnswer,
    ),
    "no reason, as in older versions": (
        [line({"message": {"content": "Wa"}, "done": False}), line({"done": True, "eval_count": 1})],
        "Wa",
        None,
    ),
    "text in the last line, whose end is missing": (
        [line({"message": {"content": "Wa"}, "done": True, "done_reason": "length"}).rstrip()],
        "Wa",
        None,
    ),
    "a line that is not JSON": (
        [
            line({"message": {"content": "Wa"}}),
            b"oops\n",
            line({"message": {"content": "ter"}, "done": True, "done_reason": "stop"}),
        ],
        "Water",
        None,
    ),
    "lines after the last one": (
        [
            line({"message": {"content": "Wa"}, "done": True, "done_reason": "stop"}),
            line({"message": {"content": "x"}}),
        ],
        "Wa",
        None,
    ),
    "carriage returns": ([b'{"message":{"content":"Wa"},"done":true,"done_reason":"stop"}\r\n'], "Wa", None),
    "an unpaired surrogate": (
        [b'{"message":{"content":"Wa\\ud83d"},"done":true,"done_reason":"stop"}\n'],
        "Wa\ufffd",
        None,
    ),
}


@pytest.mark.parametrize("case", STREAMS)
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_stream_has_the_expected_text_and_end(case: str, size: int) -> None:
    lines, text, failure = STREAMS[case]
    stream = b"".join(lines)
    async with Server(ndjson(*(stream[at : at + size] for at in range(0, len(stream), size)))) as server:
        answer = await ask_server("ollama", server.url)
    assert answer.text() == text
    assert type(answer.error) is (failure or type(None))


async def test_a_stream_with_the_content_type_json() -> None:
    stream = line({"message": {"content": "a"}, "done": False}) + line(
        {"message": {}, "done": True, "done_reason": "stop"}
    )
    async with Server(
        script(
            head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked") + chunk(stream) + chunk(b"")
        )
    ) as server:
        answer = await ask_server("ollama", server.url)
    assert (answer.text(), answer.error) == ("a", None)


REQUESTS: dict[str, tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]] = {
    "text and options": (
        [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        {
            "temperature": 0.5,
            "top_p": 0.9,
            "seed": 7,
            "stop": "\n",
            "max_tokens": 9,
            "presence_penalty": 1,
            "n": 2,
            "user": "u",
        },
        {
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            "options": {
                "temperature": 0.5,
                "top_p": 0.9,
                "seed": 7,
                "stop": ["\n"],
                "num_predict": 9,
                "presence_penalty": 1,
            },
        },
    ),
    "parts and an image": (
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What"},
                    {"type": "image_url", "image_url": {"url": PIXEL}},
                    {"type": "text", "text": "is it?"},
                ],
            }
        ],
        {},
        {"messages": [{"role": "user", "content": "What\nis it?", "images": ["iVBORw0KGgo="]}]},
    ),
    "tools, a call and its result": (
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Ulm"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        ],
        {"tools": [TOOL], "tool_choice": "auto"},
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": {"city": "Ulm"}}}],
                },
                {"role": "tool", "content": "rain", "tool_name": "weather", "tool_call_id": "c1"},
            ],
            "tools": [TOOL],
        },
    ),
    "no tools": ([], {"tools": [TOOL], "tool_choice": "none"}, {"messages": []}),
    "any JSON": ([], {"response_format": {"type": "json_object"}}, {"messages": [], "format": "json"}),
    "JSON that fits a schema": (
        [],
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}},
        {"messages": [], "format": {"type": "object"}},
    ),
    "thinking, and thoughts of earlier turns": (
        [{"role": "assistant", "content": "Hi", "reasoning_content": "hm"}],
        {"reasoning_effort": "minimal"},
        {"messages": [{"role": "assistant", "content": "Hi", "thinking": "hm"}], "think": "low"},
    ),
    "no thinking": ([], {"reasoning_effort": "none"}, {"messages": [], "think": False}),
    "Ollama's own parameters": (
        [],
        {
            "options": {"num_ctx": 8192, "temperature": 1},
            "keep_alive": "5m",
            "think": True,
            "temperature": 0,
            "logprobs": True,
        },
        {
            "messages": [],
            "options": {"num_ctx": 8192, "temperature": 1},
            "keep_alive": "5m",
            "think": True,
            "logprobs": True,
        },
    ),
    "arguments that are not an object": (
        [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "not json"}}]}],
        {},
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"function": {"name": "f", "arguments": {"arguments": "not json"}}}],
                }
            ]
        },
    ),
}


@pytest.mark.parametrize("case", REQUESTS)
def test_a_request_is_translated(case: str) -> None:
    messages, params, expected = REQUESTS[case]
    assert chat_body(ChatRequest("m", messages, params)) == {"model": "m", "stream": True, **expected}


@pytest.mark.parametrize(
    ("part", "param"),
    [
        (
            {"type": "image_url", "image_url": {"url": "http://169.254.169.254/x.png"}},
            "messages[0].content[0].image_url",
        ),
        ({"type": "input_audio", "input_audio": {}}, "messages[0].content[0].type"),
    ],
)
def test_content_that_ollama_does_not_support_is_rejected(part: dict[str, Any], param: str) -> None:
    with pytest.raises(Rejected) as raised:
        chat_body(ChatRequest("m", [{"role": "user", "content": [part]}]))
    assert (raised.value.status, raised.value.param) == (400, param)


ADDRESSES = {
    "": "http://127.0.0.1:11434",
    "example.com": "http://example.com:11434",
    "example.com:80": "http://example.com:80",
    ":8080": "http://127.0.0.1:8080",
    "0.0.0.0": "http://127.0.0.1:11434",
    "http://example.com": "http://example.com:80",
    "https://ollama.com": "https://ollama.com:443",
    "http://example.com:1234/prefix/": "http://example.com:1234/prefix",
    "[::1]:11434": "http://[::1]:11434",
}


@pytest.mark.parametrize("host", ADDRESSES)
def test_the_address_follows_the_rules_of_ollama_host(host: str) -> None:
    assert address(host) == ADDRESSES[host]
