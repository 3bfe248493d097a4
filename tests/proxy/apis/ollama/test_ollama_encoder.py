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


def test_what_arrived_has_its_references_though_the_stream_fails() -> None:
    *lines, told, failed = streamed([*deltas([LANES, " And th"]), other(tool_calls=[CALL]), IncompleteAnswer("cut")])
    assert "".join(line["message"]["content"] for line in lines) == f"{LANES} [1] And th"
    assert [reference["evidence_number"] for reference in told["references"]] == [2]
    assert told["grounding"]["supported"] == 1
    assert told["message"]["tool_calls"] == [CALLED]
    assert told["done"] is False
    assert failed == {"error": "cut"}


def test_a_call_that_broke_off_is_not_made() -> None:
    cut = {**CALL, "function": {"name": "f", "arguments": '{"a":'}}
    *_, told, _ = streamed([other(tool_calls=[cut]), IncompleteAnswer("cut")])
    assert "tool_calls" not in told["message"]


def test_a_refusal_is_text() -> None:
    steps = [other(refusal="I cannot "), other(refusal="say."), finish()]
    assert [line["message"]["content"] for line in streamed(steps)] == ["I cannot ", "say.", ""]
    assert whole(steps)["message"]["content"] == "I cannot say."


def test_thoughts_stand_beside_the_text() -> None:
    steps = [other(reasoning="h", reasoning_content="h"), other(reasoning="m"), *deltas([LANES]), finish()]
    assert [line["message"].get("thinking") for line in streamed(steps)] == ["h", "m", None, None]
    assert whole(steps)["message"] == {"role": "assistant", "content": f"{LANES} [1]", "thinking": "hm"}
    assert whole(steps, generates=True)["thinking"] == "hm"
    assert [line.get("thinking") for line in streamed(steps, generates=True)] == ["h", "m", None, None]


REASONS = {
    "the end": ("stop", "stop"),
    "the limit": ("length", "length"),
    "a call": ("tool_calls", "stop"),
    "a filter": ("content_filter", "content_filter"),
}


@pytest.mark.parametrize(("reason", "told"), REASONS.values(), ids=REASONS)
def test_the_last_line_says_why_it_is_the_last(reason: str, told: str) -> None:
    steps = [*deltas([LANES]), finish(reason)]
    assert streamed(steps)[-1]["done_reason"] == whole(steps)["done_reason"] == told


def test_log_probabilities_come_with_their_text_and_in_the_whole() -> None:
    scored = chunk({"content": LANES})
    scored["choices"][0]["logprobs"] = {"content": SCORED}
    (text,) = deltas([LANES])
    steps = [type(text)(0, LANES, scored), finish()]  # type: ignore[call-arg,arg-type]
    assert streamed(steps)[0]["logprobs"] == whole(steps)["logprobs"] == SCORED


def test_nothing_is_made_up() -> None:
    completion = Completion()
    completion.add({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    body = OllamaEncoder("m", generates=False).body(completion)
    assert body.keys() == {"model", "created_at", "message", "done", "done_reason", *DURATIONS}


def test_durations_are_measured_for_providers_that_report_none() -> None:
    body = whole([*deltas([LANES]), finish()])
    assert all(isinstance(body[name], int) for name in DURATIONS)
    assert body["total_duration"] == body["prompt_eval_duration"] + body["eval_duration"]


def test_counts_are_ollamas_own_where_it_is_the_provider() -> None:
    counted = {**ENVELOPE, "choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 7}}
    steps = [*deltas([LANES]), finish(), Usage(counted)]
    assert (whole(steps)["prompt_eval_count"], whole(steps)["eval_count"]) == (0, 7)
    steps = [*deltas([LANES]), finish(), Usage({**counted, "ollama": {"eval_count": 7}})]
    assert "prompt_eval_count" not in whole(steps)
