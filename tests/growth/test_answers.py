"""The encoders of all client APIs take linear time for answers whose deltas alternate between kinds."""

from collections.abc import Callable, Iterable
from time import thread_time
from typing import Any

import pytest

from citestream.proxy.apis.anthropic.anthropic_encoder import AnthropicEncoder
from citestream.proxy.apis.anthropic.citation_location import Locations
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.apis.interactions.interactions_request import InteractionsApi
from citestream.proxy.apis.ollama.ollama_encoder import OllamaEncoder
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.apis.responses import ResponsesApi
from citestream.proxy.http.client_api import Encoder
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import UncitedChunks
from citestream.proxy.pipeline.request.job import Job
from tests.growth.linear import ROUNDS
from tests.growth.measuring import LENGTH_RATIO, MAX_DOUBLED_RATIO, MAX_RATIO, NEGLIGIBLE_SECONDS

Fields = dict[str, Any]

CHUNKS = 1_600  # length of the longer answer
JOB = Job("m", [])
UNCITED = UncitedChunks(usage=False)
ENCODERS: dict[str, Callable[[bool], Encoder]] = {
    "chat completions": lambda _: OpenAIChatApi().encoder(JOB, UNCITED),
    "responses": lambda _: ResponsesApi().encoder(JOB, UNCITED),
    "messages": lambda _: AnthropicEncoder("m", UNCITED, Locations()),
    "ollama": lambda _: OllamaEncoder("m", generates=False),
    "gemini": lambda stream: GeminiApi("m", stream=stream, sse=True).encoder(JOB, UNCITED),
    "cohere": lambda _: CohereApi().encoder(JOB, UNCITED),
    "interactions": lambda _: InteractionsApi().encoder(JOB, UNCITED),
}


def _call(index: int, arguments: str = "{}") -> Fields:
    call = {"index": index, "id": f"c{index}", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"tool_calls": [call]}


def _image(number: int) -> Fields:
    return {"images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{number:04}"}}]}


def _annotation(number: int) -> Fields:
    return {
        "annotations": [{"type": "url_citation", "url_citation": {"url": f"https://ex.org/{number}", "title": "a"}}]
    }


def _signed_reasoning(number: int) -> Fields:
    detail = {"type": "reasoning.text", "text": "hm ", "format": "anthropic-claude-v1", "index": number}
    return {"reasoning": "hm ", "reasoning_details": [detail]}


TEXT = "It rose in 1932. " * 40
TWO_CHOICES = "text of two alternating choices"
DELTAS: dict[str, Callable[[int], Fields]] = {  # functions from the number of a chunk to its delta
    "text": lambda _: {"content": TEXT},
    TWO_CHOICES: lambda _: {"content": TEXT},
    "text and reasoning": lambda n: {("content", "reasoning")[n % 2]: TEXT},
    "a refusal and reasoning": lambda n: {("refusal", "reasoning")[n % 2]: TEXT},
    "text and images": lambda n: _image(n) if n % 2 else {"content": TEXT},
    "tool calls": _call,
    "text and tool calls": lambda n: _call(n) if n % 2 else {"content": TEXT},
    "fragments of two calls": lambda n: _call(n % 2, TEXT),
    "reasoning and tool calls": lambda n: _call(n) if n % 2 else {"reasoning": TEXT},
    "text and signed reasoning": lambda n: _signed_reasoning(n) if n % 2 else {"content": "a "},
    "annotations": _annotation,
}


def _chunk(delta: Fields, number: int, choice: int, reason: str | None = None) -> Fields:
    logprobs = {"content": [{"token": "a", "logprob": -0.5, "top_logprobs": []}]} if "content" in delta else None
    fields = {
        "index": choice,
        "delta": delta,
        "logprobs": logprobs,
        "token_ids": [number],
        "finish_reason": reason,
    }
    return {"id": "c", "model": "m", f"own_{number}": number, "choices": [fields]}


def _cost(make: Callable[[bool], Encoder], chunks: Iterable[Fields], *, stream: bool) -> float:
    """Return the CPU time to encode an answer, in seconds. The fastest round counts."""
    best = float("inf")
    for _ in range(ROUNDS):
        encoder, completion, began = make(stream), Completion(), thread_time()
        for chunk in chunks:
            if stream:
                encoder.chunks([chunk])
            else:
                completion.add(chunk)
                encoder.observe([chunk])
        _ = encoder.end() if stream else encoder.body(completion)
        best = min(best, thread_time() - began)
    return best


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("api", ENCODERS)
def test_cost_grows_linearly_with_the_number_of_chunks(api: str, stream: bool) -> None:
    superlinear = {}
    for name, delta in DELTAS.items():
        costs = []
        for count in (CHUNKS // LENGTH_RATIO, CHUNKS, 2 * CHUNKS):
            chunks = [_chunk(delta(n), n, n % 2 if name == TWO_CHOICES else 0) for n in range(count)]
            costs.append(_cost(ENCODERS[api], [*chunks, _chunk({}, 0, 0, "stop")], stream=stream))
            if costs[-1] < NEGLIGIBLE_SECONDS and count == CHUNKS:
                break
        if len(costs) == 3 and costs[1] > MAX_RATIO * costs[0] and costs[2] > MAX_DOUBLED_RATIO * costs[1]:
            superlinear[name] = costs
    assert superlinear == {}
