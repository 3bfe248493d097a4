"""Output for clients of Ollama's API, line by line."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.options import Options
from citestream.providers.errors import IncompleteAnswer, ProviderError
from citestream.providers.events import Event, OtherDelta, Usage
from citestream.proxy.apis.ollama.ollama_encoder import OllamaEncoder
from citestream.proxy.http.error_responses import error_body, status_of
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.outgoing import Failed
from tests.proxy.answers import DURATIONS
from tests.proxy.pipeline.test_respond import ENVELOPE, EVIDENCE, chunk, deltas, finish, outgoing

LANES = "The bridge carries two lanes of traffic and eight railway tracks."
CALL = {"index": 0, "id": "c0", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
CALLED = {"id": "c0", "function": {"index": 0, "name": "f", "arguments": {"a": 1}}}
SCORED = [{"token": "It", "logprob": -0.5, "bytes": [73, 116], "top_logprobs": []}]
Steps = Sequence[Event | ProviderError]


def other(**delta: Any) -> Event:
    return OtherDelta(chunk(delta), (0,))


def streamed(steps: Steps, *, generates: bool = False) -> list[dict[str, Any]]:
    response = Response(EVIDENCE, Options())
    chunks, encoder, written = Chunks(response, usage=True), OllamaEncoder("m", generates=generates), b""
    for event in asyncio.run(outgoing(steps, Options(), response)):
        written += encoder.chunks(chunks.of(event))
        if isinstance(event, Failed):
            written += encoder.failure(error_body(event.error), status_of(event.error))
    written += encoder.end()
    return [json.loads(line) for line in written.splitlines()]


def whole(steps: Steps, *, generates: bool = False) -> dict[str, Any]:
    response = Response(EVIDENCE, Options())
    chunks, completion = Chunks(response, usage=True), Completion()
    for event in asyncio.run(outgoing(steps, Options(), response)):
        for one in chunks.of(event):
            completion.add(one)
    return OllamaEncoder("m", generates=generates).body(completion)


def test_the_received_text_has_its_references_if_the_stream_fails() -> None:
    *lines, last, failed = streamed([*deltas([LANES, " And th"]), other(tool_calls=[CALL]), IncompleteAnswer("cut")])
    assert "".join(line["message"]["content"] for line in lines) == f"{LANES} [1] And th"
    assert [reference["evidence_number"] for reference in last["references"]] == [2]
    assert last["grounding"]["supported"] == 1
    assert last["message"]["tool_calls"] == [CALLED]
    assert last["done"] is False
    assert failed == {"error": "cut"}


def test_an_incomplete_call_is_dropped() -> None:
    cut = {**CALL, "function": {"name": "f", "arguments": '{"a":'}}
    *_, last, _ = streamed([other(tool_calls=[cut]), IncompleteAnswer("cut")])
    assert "tool_calls" not in last["message"]


def test_a_refusal_is_text() -> None:
    steps = [other(refusal="I cannot "), other(refusal="say."), finish()]
    assert [line["message"]["content"] for line in streamed(steps)] == ["I cannot ", "say.", ""]
    assert whole(steps)["message"]["content"] == "I cannot say."


def test_thoughts_have_their_own_field() -> None:
    steps = [other(reasoning="h", reasoning_content="h"), other(reasoning="m"), *deltas([LANES]), finish()]
    assert [line["message"].get("thinking") for line in streamed(steps)] == ["h", "m", None, None]
    assert whole(steps)["message"] == {"role": "assistant", "content": f"{LANES} [1]", "thinking": "hm"}
    assert whole(steps, generates=True)["thinking"] == "hm"
    assert [line.get("thinking") for line in streamed(steps, generates=True)] == ["h", "m", None, None]


REASONS = {
    "the end of the answer": ("stop", "stop"),
    "the token limit": ("length", "length"),
    "a tool call": ("tool_calls", "stop"),
    "a content filter": ("content_filter", "content_filter"),
}


@pytest.mark.parametrize(("reason", "expected"), REASONS.values(), ids=REASONS)
def test_the_last_line_contains_the_reason(reason: str, expected: str) -> None:
    steps = [*deltas([LANES]), finish(reason)]
    assert streamed(steps)[-1]["done_reason"] == whole(steps)["done_reason"] == expected


def test_log_probabilities_are_sent_with_their_text_and_in_the_complete_answer() -> None:
    scored = chunk({"content": LANES})
    scored["choices"][0]["logprobs"] = {"content": SCORED}
    (text,) = deltas([LANES])
    steps = [type(text)(0, LANES, scored), finish()]  # type: ignore[call-arg,arg-type]
    assert streamed(steps)[0]["logprobs"] == whole(steps)["logprobs"] == SCORED


def test_no_value_is_invented() -> None:
    completion = Completion()
    completion.add({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    body = OllamaEncoder("m", generates=False).body(completion)
    assert body.keys() == {"model", "created_at", "message", "done", "done_reason", *DURATIONS}


def test_durations_are_measured_for_providers_that_report_none() -> None:
    body = whole([*deltas([LANES]), finish()])
    assert all(isinstance(body[name], int) for name in DURATIONS)
    assert body["total_duration"] == body["prompt_eval_duration"] + body["eval_duration"]


def test_counts_of_an_ollama_provider_are_unchanged() -> None:
    counted = {**ENVELOPE, "choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 7}}
    steps = [*deltas([LANES]), finish(), Usage(counted)]
    assert (whole(steps)["prompt_eval_count"], whole(steps)["eval_count"]) == (0, 7)
    steps = [*deltas([LANES]), finish(), Usage({**counted, "ollama": {"eval_count": 7}})]
    assert "prompt_eval_count" not in whole(steps)
