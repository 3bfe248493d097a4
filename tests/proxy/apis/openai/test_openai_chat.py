"""`POST /v1/chat/completions` of a real server process, with the official SDK and with plain HTTP."""

import json
import re
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml
from openai import APIError, APIStatusError, OpenAI

Launch = Callable[..., AbstractContextManager[str]]

EVIDENCE: list[dict[str, Any]] = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan.", "title": "Bridges"},
    {"text": "The bridge carries two lanes of traffic and eight railway tracks.", "url": "https://ex.org/lanes"},
    {"text": "Bananas grow in the tropics.", "file_name": "fruit.md", "page_number": 3},
]
MESSAGES: Any = [{"role": "user", "content": "When was the Harlan bridge opened, and how many lanes does it carry?"}]
EXTRA = {"evidence": EVIDENCE}
KEY = "sk-secret-of-the-operator-000000000000"


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with (
        upstream(
            refused(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}))
        ) as unauthorized,
        upstream(
            refused(
                429,
                '{"error":{"message":"slow down","type":"rate"}}',
                "Retry-After: 7\r\nx-request-id: req_of_theirs\r\n",
            )
        ) as busy,
        upstream(refused(500, "<html>internal-host-17</html>")) as broken,
        upstream(stream('{"delta":{"content":"The Harlan bridge was opened on 4 May 1932 [1]. It ca"}}')) as cut,
        upstream(b"", no_answer=True) as silent,
    ):
        addresses = {"unauthorized": unauthorized, "busy": busy, "broken": broken, "cut": cut, "silent": silent}
        config = folder / "config.yaml"
        providers: dict[str, Any] = {
            name: {"kind": "openai", "base_url": address, "api_key": KEY, "retries": {"most": 0}}
            for name, address in {**addresses, "down": "http://127.0.0.1:9/v1"}.items()
        }
        providers["extractive"] = {"kind": "extractive"}
        config.write_text(yaml.safe_dump({"server": {"max_body_bytes": 200_000}, "providers": providers}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, folder / "log") as url:
            yield url


@contextmanager
def upstream(answer: bytes, *, no_answer: bool = False) -> Iterator[str]:
    """Run a provider that answers every request with these bytes and closes the connection."""

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            if not no_answer:
                self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
        listening.shutdown()
        thread.join()


def refused(status: int, body: str, headers: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"{headers}Connection: close\r\n\r\n{body}"
    ).encode()


def stream(*choices: str) -> bytes:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    events = [f'data: {{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{c}]}}\n\n' for c in choices]
    return (head + "".join(events).replace('[{"delta"', '[{"index":0,"delta"')).encode()


@pytest.fixture
def sdk(server: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


def post(server: str, body: bytes | dict[str, Any], path: str = "/v1/chat/completions") -> tuple[int, Any, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request(f"{server}{path}", data, {"Content-Type": "application/json"})  # noqa: S310 - our own address
    try:
        with urlopen(request) as answer:  # noqa: S310
            return answer.status, json.loads(answer.read()), answer.headers
    except HTTPError as error:
        with error:
            return error.code, json.loads(error.read()), error.headers


def test_the_stream_the_stream_helper_and_the_complete_answer_are_equal(sdk: OpenAI) -> None:
    fields: dict[str, Any] = {"model": "extractive", "messages": MESSAGES, "extra_body": EXTRA}
    whole = sdk.chat.completions.create(**fields)
    message = whole.choices[0].message
    text, annotations, references = "", [], []
    for chunk in sdk.chat.completions.create(stream=True, **fields):
        assert chunk.choices
        text += chunk.choices[0].delta.content or ""
        extra = chunk.choices[0].delta.model_extra or {}
        annotations += extra.get("annotations", [])
        references += extra.get("references", [])
    with sdk.chat.completions.stream(**fields) as events:
        final = events.get_final_completion().choices[0].message
    assert message.content == text == final.content
    assert "[1]" in text
    whole_annotations = [entry.model_dump(exclude_none=True) for entry in message.annotations or []]
    assert (
        whole_annotations == annotations == [entry.model_dump(exclude_none=True) for entry in final.annotations or []]
    )
    assert (message.model_extra or {})["references"] == references == (final.model_extra or {})["references"]
    assert (whole.model_extra or {})["references"] == references
    assert references


def test_usage_is_sent_if_requested_without_additional_fields(sdk: OpenAI) -> None:
    fields: dict[str, Any] = {"model": "extractive", "messages": MESSAGES, "extra_body": EXTRA, "stream": True}
    chunks = list(sdk.chat.completions.create(**fields, stream_options={"include_usage": True}))
    assert chunks[-1].usage is not None
    assert chunks[-1].choices == []
    assert "references" not in (chunks[-1].model_extra or {})
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-2].choices[0].delta.content is None


def test_documents_are_evidence(server: str) -> None:
    body = {
        "model": "extractive",
        "messages": MESSAGES,
        "documents": [str(EVIDENCE[0]["text"]), {"data": {"text": "x y"}}],
    }
    _, answer, _ = post(server, body)
    assert answer["references"][0]["evidence_number"] == 1


def test_without_evidence_no_fields_are_added(server: str) -> None:
    _, answer, _ = post(server, {"model": "extractive", "messages": MESSAGES})
    assert "references" not in answer
    assert answer["choices"][0]["message"]["content"]


WRONG: dict[str, tuple[Any, int, str | None]] = {
    "no messages": ({"model": "extractive"}, 400, "messages"),
    "messages that are a text": ({"model": "extractive", "messages": "a"}, 400, "messages"),
    "empty messages": ({"model": "extractive", "messages": []}, 400, "messages"),
    "a message that is a number": ({"messages": [1]}, 400, "messages[0]"),
    "no model": ({"messages": MESSAGES}, 400, "model"),
    "an unknown model": ({"model": "nobody/nothing", "messages": MESSAGES}, 404, "model"),
    "evidence without text": ({"evidence": [{"text": "a"}, {"id": "x"}]}, 400, "evidence[1].text"),
    "evidence with an empty text": ({"evidence": [{"text": ""}]}, 400, "evidence[0].text"),
    "evidence twice under one id": (
        {"evidence": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]},
        400,
        "evidence[1].id",
    ),
    "too much evidence": ({"evidence": [{"text": "a"}] * 201}, 400, "evidence"),
    "an unknown option": ({"citations": {"relase": "live"}}, 400, "citations.relase"),
    "a wrong option": ({"citations": {"marker": "star"}}, 400, "citations.marker"),
    "an unknown scorer": ({"citations": {"scorer": "magic"}}, 400, "citations.scorer"),
    "a stream flag that is a text": ({"stream": "yes"}, 400, "stream"),
    "a stream flag that is a number": ({"stream": 1}, 400, "stream"),
    "a content that is a number": ({"messages": [{"role": "user", "content": 5}]}, 400, "messages[0].content"),
    "a part that is a number": ({"messages": [{"role": "user", "content": [5]}]}, 400, "messages[0].content[0]"),
    "a message without a role": ({"messages": [{"content": "a"}]}, 400, "messages[0].role"),
    "a call without a name": (
        {"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]}]},
        400,
        "messages[0].tool_calls[0].function.name",
    ),
    "a tool that is a text": ({"tools": ["a"]}, 400, "tools[0]"),
    "zero choices": ({"n": 0}, 400, "n"),
    "a stop that is a number": ({"stop": ["a", 1]}, 400, "stop[1]"),
    "citations that are a boolean": ({"citations": True, "query_config": {"inline_citations": True}}, 400, "citations"),
    "a body that is not JSON": (b"{", 400, None),
    "a body that is a list": (b"[1]", 400, None),
    "an empty body": (b"", 400, None),
    "nested too deeply": (b"[" * 100_000, 400, None),
    "a body over the limit": ({"messages": [{"role": "user", "content": "a" * 300_000}]}, 413, None),
}


@pytest.mark.parametrize(("body", "status", "param"), WRONG.values(), ids=WRONG)
def test_the_error_names_the_wrong_field(server: str, body: Any, status: int, param: str | None) -> None:
    if isinstance(body, dict) and not {"model", "messages"} <= set(body) and param not in ("model", "messages"):
        body = {"model": "extractive", "messages": MESSAGES, **body}
    code, answer, headers = post(server, body)
    assert code == status
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert answer["error"]["param"] == param
    assert headers["x-request-id"]
    assert post(server, {"model": "extractive", "messages": MESSAGES})[0] == 200


def test_the_error_for_an_unknown_model_lists_the_existing_models(server: str) -> None:
    _, answer, _ = post(server, {"model": "gpt-9", "messages": MESSAGES})
    assert answer["error"]["code"] == "model_not_found"
    assert "extractive" in answer["error"]["message"]


PROVIDERS = {"unauthorized": 401, "busy": 429, "broken": 502, "silent": 502, "down": 502}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("name", "status"), PROVIDERS.items(), ids=PROVIDERS)
def test_the_error_of_a_provider_has_its_status_and_no_secrets(
    server: str, name: str, status: int, streamed: bool
) -> None:
    body = {"model": f"{name}/m", "messages": MESSAGES, "evidence": EVIDENCE, "stream": streamed}
    code, answer, headers = post(server, body)
    assert code == status
    error_text = json.dumps(answer)
    assert KEY not in error_text
    assert "internal-host" not in error_text
    if name == "busy":
        assert (headers["Retry-After"], headers["x-request-id"]) == ("7", "req_of_theirs")
    else:
        assert headers["x-request-id"].startswith("req_")


def test_an_interrupted_stream_keeps_its_text_and_raises_in_the_client(sdk: OpenAI) -> None:
    text, references = "", list[dict[str, Any]]()
    with pytest.raises(APIError) as caught:
        for chunk in sdk.chat.completions.create(model="cut/m", messages=MESSAGES, stream=True, extra_body=EXTRA):
            text += chunk.choices[0].delta.content or ""
            references = (chunk.model_extra or {}).get("references", references)
            assert chunk.choices[0].finish_reason is None
    assert text == "The Harlan bridge was opened on 4 May 1932. [1] It ca"
    assert [reference["evidence_number"] for reference in references] == [1]
    assert not isinstance(caught.value, APIStatusError)


def test_the_log_contains_the_request_id_of_the_provider(launch: Launch, tmp_path: Path) -> None:
    with upstream(refused(429, "{}", "x-request-id: req_of_theirs\r\n")) as address:
        config = tmp_path / "config.yaml"
        busy = {"kind": "openai", "base_url": address, "retries": {"most": 0}}
        config.write_text(yaml.safe_dump({"providers": {"busy": busy}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, tmp_path / "log") as url:
            post(url, {"model": "busy/m", "messages": MESSAGES})
    (line,) = [line for line in (tmp_path / "log").read_text().splitlines() if "POST" in line]
    assert re.search(r" 429 \d+ms req_[0-9a-f]{24} req_of_theirs$", line)


def test_the_models_are_listed(sdk: OpenAI) -> None:
    assert "extractive" in [model.id for model in sdk.models.list()]


def test_unknown_paths_return_an_error_of_the_same_form(server: str) -> None:
    assert post(server, {}, "/v1/nothing")[1]["error"]["message"]


UNUSUAL_STREAM = (
    b": hello\r\n\r\n"
    b'data:{"id":"x","choices":[{"index":0,"delta":{"content":"a [1] \\u00e4"},"finish_reason":null}],"odd": 1}\n\n'
    b'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


@pytest.mark.parametrize("ours", [{}, {"citations": {"enabled": False}, "evidence": EVIDENCE}], ids=["plain", "off"])
def test_without_citations_an_answer_passes_through_unchanged(
    launch: Launch, tmp_path: Path, ours: dict[str, Any]
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    with upstream(head + UNUSUAL_STREAM) as address:
        config = tmp_path / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": {"odd": {"kind": "openai", "base_url": address}}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, tmp_path / "log") as url:
            body = {"model": "odd/m", "messages": MESSAGES, "stream": True, **ours}
            request = Request(f"{url}/v1/chat/completions", json.dumps(body).encode())  # noqa: S310 - our own address
            with urlopen(request) as answer:  # noqa: S310
                assert answer.read() == UNUSUAL_STREAM


def test_the_complete_answer_has_a_usage(sdk: OpenAI) -> None:
    whole = sdk.chat.completions.create(model="extractive", messages=MESSAGES, extra_body=EXTRA)
    assert whole.usage is not None
    assert whole.usage.total_tokens
