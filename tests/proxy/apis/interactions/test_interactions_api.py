"""Gemini's Interactions API in front of any provider, through the official client."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from google import genai
from google.genai import types
from google.genai._gaos.lib.compat_errors import APIStatusError

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.scripted import WRITERS, Answer, Upstream
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head

SENTENCES = ("Die Brücke in Harlan wurde am 4. Mai 1932 eröffnet. ", "The bridge carries two lanes of traffic. ")
EVIDENCE = [
    {"text": "Die Brücke in Harlan wurde am 4. Mai 1932 eröffnet.", "url": "https://ex.org/a", "title": "A"},
    {"text": "The bridge carries two lanes of traffic.", "file_name": "bridge.pdf", "page_number": 3},
]
PIECES = tuple(("text", f"{word} ") for sentence in SENTENCES for word in sentence.split())
ANSWER = Answer(PIECES, (), "stop", (9, 7))
FUNCTION = {
    "type": "function",
    "name": "weather",
    "description": "The weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
CALLS = Answer((), (("weather", {"city": "Bern"}), ("weather", {"city": "Ulm"})), "tool_calls", None)


@dataclass
class Running:
    """A server with one provider, and Google's client of it."""

    url: str
    client: genai.Client
    upstream: Server
    more: dict[str, Any] = field(default_factory=dict)

    async def create(self, given: Any = "What about the bridge?", **fields: Any) -> Any:
        """Return an interaction, or its stream."""
        extra = {key: fields.pop(key) for key in ("evidence", "citations") if key in fields}
        create: Any = self.client.aio.interactions.create
        return await create(model=fields.pop("model", "up/m"), input=given, extra_body=extra or None, **fields)

    def sent(self, number: int = -1) -> list[dict[str, Any]]:
        """Return the messages that the provider has received."""
        messages: list[dict[str, Any]] = self.upstream.requests[number].json["messages"]
        return messages


@asynccontextmanager
async def running(answer: Any = None, kind: str = "openai", **config: Any) -> AsyncIterator[Running]:
    """Run a server with a provider that sends this answer to every request."""
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(Server(answer or Upstream(kind, ANSWER)))
        provider = {"kind": kind, "base_url": upstream.url, "api_key": "k"}
        app = make_app(parse({"providers": {"up": provider}, **config}))
        url = str((await stack.enter_async_context(TestServer(app))).make_url("")).rstrip("/")
        options = types.HttpOptions(base_url=url, retry_options=types.HttpRetryOptions(attempts=1))
        client = genai.Client(api_key="client-key-0123456789", http_options=options)
        stack.push_async_callback(client.aio.aclose)
        yield Running(url, client, upstream)


async def events_of(stream: Any) -> list[Any]:
    """Return all events of a stream."""
    return [event async for event in stream]


def marked(text: str, annotation: Any) -> str:
    """Return the text that an annotation marks. Its offsets are bytes."""
    return text.encode()[annotation.start_index : annotation.end_index].decode()


@pytest.mark.parametrize("kind", WRITERS)
async def test_the_sentences_of_an_answer_are_annotated(kind: str) -> None:
    async with running(kind=kind) as server:
        whole = await server.create(evidence=EVIDENCE)
        assert (whole.status, whole.model) == ("completed", "up/m")
        (step,) = whole.steps
        (content,) = step.content
        assert whole.output_text == content.text == f"{SENTENCES[0].strip()} [1] {SENTENCES[1].strip()} [2] "
        page, file = content.annotations
        assert (page.type, page.url, page.title) == ("url_citation", "https://ex.org/a", "A")
        assert (file.type, file.file_name, file.page_number) == ("file_citation", "bridge.pdf", 3)
        assert [marked(content.text, annotation) for annotation in (page, file)] == [
            sentence.strip() for sentence in SENTENCES
        ]
        assert whole.usage.total_input_tokens == 9


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("release", ["sentence", "live"])
async def test_a_stream_builds_the_steps_of_the_whole_answer(kind: str, release: str) -> None:
    answer = Answer((("thought", "Hm. "), *PIECES, ("thought", "Two? ")), CALLS.calls, "tool_calls", (9, 7))
    async with running(Upstream(kind, answer), kind) as server:
        fields = {"evidence": EVIDENCE, "citations": {"release": release}, "tools": [FUNCTION]}
        whole = await server.create(**fields)
        events = await events_of(await server.create(stream=True, **fields))
        assert events[0].event_type == "interaction.created"
        assert events[-1].event_type == "interaction.completed"
        assert (events[0].interaction.id, events[0].interaction.status) == (events[-1].interaction.id, "in_progress")
        assert events[-1].interaction.status == whole.status == "requires_action"
        steps: list[dict[str, Any]] = []
        closed: set[int] = set()
        for event in events:
            match event.event_type:
                case "step.start":
                    assert event.index == len(steps)
                    steps.append({"type": event.step.type, "text": "", "annotations": []})
                case "step.stop":
                    assert event.index not in closed
                    closed.add(event.index)
                case "step.delta":
                    step, delta = steps[event.index], event.delta
                    text = getattr(delta, "text", None) or getattr(delta, "arguments", None)
                    summary = getattr(delta, "content", None)
                    step["text"] += text or getattr(summary, "text", "")
                    step["annotations"] += getattr(delta, "annotations", None) or []
        assert closed == set(range(len(steps)))
        assert [step["type"] for step in steps] == [step.type for step in whole.steps]
        for streamed, step in zip(steps, whole.steps, strict=True):
            match step.type:
                case "model_output":
                    (content,) = step.content
                    assert (streamed["text"], streamed["annotations"]) == (content.text, content.annotations or [])
                case "thought":
                    assert streamed["text"] == step.summary[0].text
                case _:
                    assert json.loads(streamed["text"]) == step.arguments
        assert sum(len(step["annotations"]) for step in steps) == 2


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_interaction_is_continued_read_and_deleted(stream: bool) -> None:
    async with running() as server:
        if stream:
            first = (await events_of(await server.create("First?", stream=True, evidence=EVIDENCE)))[-1].interaction
        else:
            first = await server.create("First?", evidence=EVIDENCE)
        second = await server.create("Second?", previous_interaction_id=first.id, system_instruction="Be brief.")
        assert [message["role"] for message in server.sent()] == ["system", "user", "assistant", "user"]
        assert [server.sent()[number]["content"] for number in (0, 1, 3)] == ["Be brief.", "First?", "Second?"]
        third = await server.create("Third?", previous_interaction_id=second.id)
        assert [message["role"] for message in server.sent()] == ["user", "assistant"] * 2 + ["user"]
        interactions: Any = server.client.aio.interactions
        read = await interactions.get(id=third.id, include_input=True)
        assert (read.output_text, read.previous_interaction_id) == (third.output_text, second.id)
        assert [step.type for step in read.input] == ["user_input", "model_output"] * 2 + ["user_input"]
        with pytest.raises(APIStatusError, match="only interactions in background"):
            await interactions.cancel(id=third.id)
        await interactions.delete(id=third.id)
        with pytest.raises(APIStatusError, match="no interaction with this id"):
            await interactions.get(id=third.id)
        with pytest.raises(APIStatusError, match="previous_interaction_id"):
            await server.create("Fourth?", previous_interaction_id=third.id)


async def test_an_interaction_with_store_false_is_not_stored() -> None:
    async with running() as server:
        first = await server.create(store=False)
        with pytest.raises(APIStatusError, match="previous_interaction_id"):
            await server.create(previous_interaction_id=first.id)


async def test_functions_are_called_and_their_results_are_sent() -> None:
    upstream = Upstream("openai", CALLS)
    async with running(upstream) as server:
        config: Any = {"tool_choice": "any"}
        asked = await server.create(tools=[FUNCTION], generation_config=config)
        assert asked.status == "requires_action"
        assert [(step.type, step.name, step.arguments) for step in asked.steps] == [
            ("function_call", "weather", {"city": "Bern"}),
            ("function_call", "weather", {"city": "Ulm"}),
        ]
        sent = server.upstream.requests[0].json
        assert (sent["tools"][0]["function"]["name"], sent["tool_choice"]) == ("weather", "required")
        upstream.answer = ANSWER
        results: list[Any] = [
            {"type": "function_result", "call_id": asked.steps[0].id, "name": "weather", "result": {"sky": "grey"}},
            {"type": "function_result", "call_id": asked.steps[1].id, "result": "blue"},
        ]
        last = await server.create(results, tools=[FUNCTION], previous_interaction_id=asked.id)
        assert last.status == "completed"
        _, assistant, *tools = server.sent()
        assert [call["id"] for call in assistant["tool_calls"]] == [step.id for step in asked.steps]
        assert [message["tool_call_id"] for message in tools] == [step.id for step in asked.steps]
        assert [json.loads(message["content"]) for message in tools] == [{"sky": "grey"}, {"result": "blue"}]


INPUTS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "a text": ("Why?", [{"role": "user", "content": "Why?"}]),
    "a content": ({"type": "text", "text": "Why?"}, [{"role": "user", "content": "Why?"}]),
    "contents": (
        [{"type": "text", "text": "This?"}, {"type": "image", "data": "aGk=", "mime_type": "image/png"}],
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "This?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                ],
            }
        ],
    ),
    "steps": (
        [
            {"type": "user_input", "content": [{"type": "text", "text": "Who?"}]},
            {"type": "thought", "signature": "c2ln"},
            {"type": "model_output", "content": [{"type": "text", "text": "I."}]},
            {"type": "user_input", "content": [{"type": "text", "text": "Why?"}]},
        ],
        [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": "I."},
            {"role": "user", "content": "Why?"},
        ],
    ),
    "turns of an earlier version": (
        [{"role": "user", "content": "Who?"}, {"role": "model", "content": "I."}, {"role": "user", "content": "Why?"}],
        [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": "I."},
            {"role": "user", "content": "Why?"},
        ],
    ),
}


@pytest.mark.parametrize(("given", "messages"), INPUTS.values(), ids=INPUTS)
async def test_the_input_has_every_form_of_the_api(given: Any, messages: list[dict[str, Any]]) -> None:
    async with running() as server:
        assert (await post(server, {"input": given}))[0] == 200
        assert server.sent() == messages


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "parameters of a generation": (
        {"generation_config": {"temperature": 0.5, "top_p": 0.2, "max_output_tokens": 9, "stop_sequences": ["x"]}},
        {"temperature": 0.5, "top_p": 0.2, "max_tokens": 9, "stop": ["x"]},
    ),
    "a level of thinking": ({"generation_config": {"thinking_level": "low"}}, {"reasoning_effort": "low"}),
    "a schema of the answer": (
        {"response_format": {"type": "text", "mime_type": "application/json", "schema": {"type": "object"}}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}},
    ),
    "a schema without a type": (
        {"response_format": {"properties": {}}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"properties": {}}}}},
    ),
    "an allowed function": (
        {
            "tools": [FUNCTION, {**FUNCTION, "name": "time"}],
            "generation_config": {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["time"]}}},
        },
        {"tool_choice": {"type": "function", "function": {"name": "time"}}},
    ),
}


@pytest.mark.parametrize(("fields", "expected"), OPTIONS.values(), ids=OPTIONS)
async def test_options_reach_the_provider(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    async with running() as server:
        assert (await post(server, fields))[0] == 200
        sent = server.upstream.requests[-1].json
        sent |= {"max_tokens": sent["max_completion_tokens"]} if "max_completion_tokens" in sent else {}
        assert {name: sent.get(name) for name in expected} == expected


WRONG: dict[str, tuple[dict[str, Any], int, str]] = {
    "no model": ({"model": None}, 400, "model: must be a non-empty string"),
    "an agent": ({"agent": "deep-research", "model": None}, 400, "agent: is possible only"),
    "an unknown model": ({"model": "nothing/m"}, 404, "nothing"),
    "no input": ({"input": None}, 400, "input: must be a text"),
    "an empty list": ({"input": []}, 400, "input: must be a text"),
    "an input that is a number": ({"input": [5]}, 400, r"input[0]: must be an object"),
    "a content without data": ({"input": [{"type": "image"}]}, 400, "input[0].content[0]: must be a text, or media"),
    "a step without a type": ({"input": [{"content": []}]}, 400, "input[0].type: is missing"),
    "background": ({"background": True}, 400, "background: is possible only"),
    "an image as answer": ({"response_format": {"type": "image"}}, 400, "response_format: asks for media"),
    "tools of a wrong type": ({"tools": {}}, 400, "tools"),
    "another server's interaction": ({"previous_interaction_id": "v1_abc"}, 400, "previous_interaction_id: is not"),
    "an interaction that is a number": ({"previous_interaction_id": 5}, 400, "previous_interaction_id: is not"),
    "evidence without text": ({"evidence": [{}]}, 400, "evidence[0].text"),
}


async def post(server: Running, fields: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the status and the body of the answer to a request with these fields."""
    body = {"model": "up/m", "input": "Why?", **fields}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{server.url}/v1beta/interactions", json=body) as answer,
    ):
        return answer.status, await answer.json()


@pytest.mark.parametrize(("fields", "status", "message"), WRONG.values(), ids=WRONG)
async def test_the_error_names_the_wrong_field(fields: dict[str, Any], status: int, message: str) -> None:
    async with running() as server:
        answered, body = await post(server, fields)
        assert answered == status
        assert body["error"]["code"] == {400: "invalid_argument", 404: "not_found"}[status]
        assert message in body["error"]["message"]


async def test_tools_of_google_are_left_out_and_named() -> None:
    async with running() as server:
        body = {"model": "up/m", "input": "Why?", "tools": [{"type": "google_search"}, FUNCTION]}
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{server.url}/v1beta/interactions", json=body) as answer,
        ):
            assert answer.headers["x-citestream-omitted-tools"] == "google_search"
        assert len(server.upstream.requests[-1].json["tools"]) == 1


async def test_a_model_of_gemini_needs_no_provider_in_its_name() -> None:
    async with running(kind="gemini") as server:
        assert (await server.create(model="gemini-2.5-flash")).status == "completed"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_image_of_an_answer_is_a_step(stream: bool) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    deltas: list[Any] = [({"content": "Look: "}, None), ({"images": [image]}, None), ({"content": "Nice."}, "stop")]

    async def drawing(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for delta, reason in deltas:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            yield chunk(b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode())
        yield chunk(b"")

    async with running(drawing) as server:
        answer = await server.create(stream=stream)
        if stream:
            events = await events_of(answer)
            contents = [event.delta for event in events if event.event_type == "step.delta"]
        else:
            contents = [content for step in answer.steps for content in step.content]
        assert [content.type for content in contents] == ["text", "image", "text"]
        assert contents[1].mime_type == "image/png"


async def test_an_answer_that_was_cut_off_is_incomplete() -> None:
    async with running(Upstream("openai", Answer(PIECES, (), "length", None))) as server:
        assert (await server.create()).status == "incomplete"


async def test_a_stream_that_breaks_off_ends_with_an_error() -> None:
    async def broken(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        yield chunk(b'data: {"choices": [{"index": 0, "delta": {"content": "It is a long "}}]}\n\n')
        yield Break.CLOSE

    async with running(broken) as server:
        events = await events_of(await server.create(stream=True))
        assert [event.event_type for event in events][-3:] == ["step.stop", "interaction.status_update", "error"]
        assert (events[-2].status, events[-1].error.code) == ("failed", "unavailable")
        assert any(getattr(event.delta, "text", "") for event in events if event.event_type == "step.delta")


async def test_clients_have_interactions_of_their_own() -> None:
    keys = [{"name": name, "key": f"client-key-0123456789{name}"} for name in ("", "b")]
    async with running(server={"keys": keys}) as server:
        first = await server.create()
        options = types.HttpOptions(base_url=server.url)
        other = genai.Client(api_key=keys[1]["key"], http_options=options)
        with pytest.raises(APIStatusError, match="no interaction with this id"):
            await other.aio.interactions.get(id=first.id)
        await other.aio.aclose()
