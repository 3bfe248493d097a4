"""Output for clients of the Gemini API: parts, grounding with byte offsets, and all kinds of ends."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.options import Options
from citestream.providers.errors import IncompleteAnswer, ProviderError, Rejected, TimedOut
from citestream.providers.events import Event, OtherDelta, Usage
from citestream.providers.wire.gemini.candidates import GeminiReader
from citestream.proxy.apis.gemini.gemini_encoder import GeminiEncoder
from citestream.proxy.apis.gemini.grounding_metadata import Text, grounding_metadata
from citestream.proxy.http.error_responses import error_body, status_of
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.outgoing import Failed
from tests.proxy.pipeline.test_respond import ENVELOPE, EVIDENCE, chunk, deltas, finish, outgoing
from tests.upstreams.gemini import spaced

OPENED = "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."
LANES = "The bridge carries two lanes of traffic and eight railway tracks."
Steps = Sequence[Event | ProviderError]


def other(**delta: Any) -> Event:
    return OtherDelta(chunk(delta), (0,))


def call(arguments: str, index: int = 0) -> dict[str, Any]:
    return {"index": index, "id": f"c{index}", "type": "function", "function": {"name": "f", "arguments": arguments}}


def streamed(steps: Steps) -> list[dict[str, Any]]:
    """Return the responses of a stream."""
    response = Response(EVIDENCE, Options())
    chunks, encoder, written = Chunks(response, usage=True), GeminiEncoder(sse=True), b""
    for event in asyncio.run(outgoing(steps, Options(), response)):
        written += encoder.chunks(chunks.of(event))
        if isinstance(event, Failed):
            written += encoder.failure(error_body(event.error), status_of(event.error))
    written += encoder.end()
    return [json.loads(line.removeprefix(b"data: ")) for line in written.split(b"\n\n") if line]


def whole(steps: Steps) -> dict[str, Any]:
    response = Response(EVIDENCE, Options())
    chunks, completion = Chunks(response, usage=True), Completion()
    for event in asyncio.run(outgoing(steps, Options(), response)):
        for one in chunks.of(event):
            completion.add(one)
    return GeminiEncoder(sse=True).body(completion)


def read(*candidates: dict[str, Any], **fields: Any) -> list[Event]:
    """Return the events for responses of Gemini with these candidates."""
    reader = GeminiReader("m")
    events = [event for one in candidates for event in reader.read(spaced({"candidates": [one], **fields}))]
    return [*events, *reader.end()]


def cited(candidate: dict[str, Any]) -> list[str]:
    """Return the texts to which the supports refer."""
    parts = candidate["content"]["parts"]
    segments = [support["segment"] for support in candidate["groundingMetadata"]["groundingSupports"]]
    found = []
    for segment in segments:
        encoded = parts[segment.get("partIndex", 0)]["text"].encode()
        found.append(encoded[segment["startIndex"] : segment["endIndex"]].decode())
        assert found[-1] == segment["text"]
    return found


def test_bytes_are_counted_within_the_part_with_the_sentence() -> None:
    steps = [
        other(reasoning="Où est le pont? 🌉"),
        *deltas([f"Voilà — {OPENED} "]),
        other(content_parts=[{"executableCode": {"language": "PYTHON", "code": "1"}}]),
        *deltas([f"Ça 🌉 suit. {LANES}"]),
        finish(),
    ]
    (candidate,) = whole(steps)["candidates"]
    kinds = [{"thought": "thought", "executableCode": "code"}.get(min(part.keys() - {"text"}, default=""), "text")
             for part in candidate["content"]["parts"]]  # fmt: skip
    assert kinds == ["thought", "text", "code", "text"]
    assert cited(candidate) == [f"Voilà — {OPENED}", LANES]
    assert [s["segment"]["partIndex"] for s in candidate["groundingMetadata"]["groundingSupports"]] == [1, 3]


def test_in_a_stream_bytes_are_counted_over_all_text() -> None:
    responses = streamed([*deltas([f"Voilà 🌉. {OPENED} ", LANES]), finish()])
    text = "".join(one["candidates"][0]["content"]["parts"][0]["text"] for one in responses)
    last = responses[-1]["candidates"][0]
    assert cited({**last, "content": {"parts": [{"text": text}]}}) == [OPENED, LANES]
    assert last["finishReason"] == "STOP"


FAILURES = {
    "an interrupted connection": (IncompleteAnswer("cut"), 502, "UNAVAILABLE"),
    "a timeout": (TimedOut("late"), 504, "DEADLINE_EXCEEDED"),
    "a rate limit": (Rejected("no", status=429), 429, "RESOURCE_EXHAUSTED"),
}


@pytest.mark.parametrize(("error", "code", "status"), FAILURES.values(), ids=FAILURES)
def test_the_received_text_is_grounded_if_the_stream_fails(error: ProviderError, code: int, status: str) -> None:
    *texts, grounded, failed = streamed([*deltas([OPENED, " And the la"]), error])
    assert "".join(part["text"] for one in texts for part in one["candidates"][0]["content"]["parts"]) == (
        f"{OPENED} [1] And the la"
    )
    (candidate,) = grounded["candidates"]
    assert [s["segment"]["text"] for s in candidate["groundingMetadata"]["groundingSupports"]] == [OPENED]
    assert "finishReason" not in candidate
    assert (failed["error"]["code"], failed["error"]["status"]) == (code, status)
    assert list(failed) == ["error"]  # the clients of Google expect it as the first key


def test_an_incomplete_call_is_dropped() -> None:
    steps = [other(tool_calls=[call('{"a":1}'), call('{"b":', 1)]), IncompleteAnswer("cut")]
    *_, last_response, _ = streamed(steps)
    assert last_response["candidates"][0]["content"]["parts"] == [
        {"functionCall": {"id": "c0", "name": "f", "args": {"a": 1}}}
    ]


ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "an object": ('{"a": [1]}', {"a": [1]}),
    "empty arguments": ("", {}),
    "invalid JSON": ("{a:", {"arguments": "{a:"}),
    "JSON that is not an object": ("[1]", {"arguments": "[1]"}),
}


@pytest.mark.parametrize(("written", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_an_object(written: str, expected: dict[str, Any]) -> None:
    steps = [other(tool_calls=[call(written)]), finish("tool_calls")]
    for response in (whole(steps), streamed(steps)[-1]):
        (candidate,) = response["candidates"]
        assert candidate["content"]["parts"] == [{"functionCall": {"id": "c0", "name": "f", "args": expected}}]
        assert candidate["finishReason"] == "STOP"


def test_a_refusal_is_text() -> None:
    steps = [other(refusal="I cannot "), other(refusal="say."), finish()]
    assert whole(steps)["candidates"][0]["content"]["parts"] == [{"text": "I cannot say."}]
    assert [one["candidates"][0]["content"]["parts"][0]["text"] for one in streamed(steps)] == ["I cannot ", "say.", ""]


def test_a_signature_stays_with_its_part() -> None:
    parts = [
        {"text": "hm", "thought": True, "thoughtSignature": "dDE="},
        {"text": LANES},
        {"text": "", "thoughtSignature": "dDI="},
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "dDM="},
    ]
    events = read({"content": {"parts": parts}, "finishReason": "STOP"})
    (candidate,) = whole(events)["candidates"]
    assert candidate["content"]["parts"] == [parts[0], {"text": f"{LANES} [1]", "thoughtSignature": "dDI="}, parts[3]]
    sent = [part for one in streamed(events) for part in one["candidates"][0]["content"]["parts"]]
    assert [part["thoughtSignature"] for part in sent if "thoughtSignature" in part] == ["dDE=", "dDI=", "dDM="]


def test_the_signature_of_an_image_stays_with_it() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}, "thoughtSignature": "dDE="}
    events = read({"content": {"parts": [{"text": LANES}, image]}, "finishReason": "STOP"})
    assert whole(events)["candidates"][0]["content"]["parts"][1:] == [image]
    sent = [part for one in streamed(events) for part in one["candidates"][0]["content"]["parts"]]
    assert image in sent


def test_a_prompt_that_gemini_blocks_has_no_candidates() -> None:
    feedback = {"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []}
    reader = GeminiReader("m")
    events = [*reader.read(spaced({"promptFeedback": feedback, "usageMetadata": {"promptTokenCount": 3}}))]
    events += reader.end()
    for response in (whole(events), streamed(events)[-1]):
        assert response["promptFeedback"] == feedback
        assert "candidates" not in response
        assert response["usageMetadata"] == {"promptTokenCount": 3}


def test_the_results_of_gemini_search_are_kept_with_adjusted_offsets() -> None:
    web = {"web": {"uri": "https://ex.org", "title": "ex"}}
    support = {"segment": {"endIndex": 12, "text": "It is old 🌉."}, "groundingChunkIndices": [0]}
    moved = {"segment": {"startIndex": 12, "endIndex": 20, "text": "no such"}, "groundingChunkIndices": [0]}
    theirs = {"webSearchQueries": ["q"], "groundingChunks": [web], "groundingSupports": [support, moved]}
    events = read(
        {
            "content": {"parts": [{"text": f"{OPENED} It is old 🌉."}]},
            "finishReason": "STOP",
            "groundingMetadata": theirs,
        }
    )
    for response, text in ((whole(events), f"{OPENED} [1] It is old 🌉."), (streamed(events)[-1], None)):
        (candidate,) = response["candidates"]
        grounding = candidate["groundingMetadata"]
        assert grounding["webSearchQueries"] == ["q"]
        assert grounding["groundingChunks"][1] == web
        assert [one["groundingChunkIndices"] for one in grounding["groundingSupports"]] == [[0], [1]]
        if text:
            assert cited(candidate) == [OPENED, "It is old 🌉."]


# Metadata of Gemini with values of wrong types
WRONG_METADATA: dict[str, Any] = {
    "a list": [5],
    "chunks that are a number": {"groundingChunks": 5},
    "supports of wrong types": {"groundingSupports": [5, {"segment": 5}, {"segment": {"text": 5}}]},
    "indices of wrong types": {
        "groundingSupports": [{"segment": {"text": OPENED}, "groundingChunkIndices": ["x", {}]}]
    },
}


@pytest.mark.parametrize("name", WRONG_METADATA)
def test_metadata_of_a_wrong_type_is_ignored(name: str) -> None:
    parts = {"content": {"parts": [{"text": OPENED}], "role": "model"}, "index": 0, "finishReason": "STOP"}
    steps = read({**parts, "groundingMetadata": WRONG_METADATA[name]}, promptFeedback=[5])
    assert set(cited(whole(steps)["candidates"][0])) == {OPENED}
    assert streamed(steps)[-1]["candidates"][0]["groundingMetadata"]["groundingChunks"]


def test_each_sentence_refers_to_its_own_passage_of_the_evidence() -> None:
    text = "Ah. Bee. Cee."
    spans = [
        {"choice": 0, "start": start, "end": end, "support": 0.9, "status": "added", "quote": quote}
        for start, end, quote in ((0, 3, "A"), (4, 8, "B"), (9, 13, "A"))
    ]
    references = [
        {"id": f"e{number}", "url": None, "title": None, "file_name": f"{number}.md", "snippet": "A", "spans": own}
        for number, own in ((1, spans), (2, spans[:1]))
    ]
    grounding = grounding_metadata({"references": references}, 0, [Text(0, 0, text)], {})
    chunks = [chunk["retrievedContext"] for chunk in grounding["groundingChunks"]]
    assert [(chunk["title"], chunk["text"]) for chunk in chunks] == [("1.md", "A"), ("2.md", "A"), ("1.md", "B")]
    supports = [
        (support["segment"]["text"], support["groundingChunkIndices"]) for support in grounding["groundingSupports"]
    ]
    assert supports == [("Ah.", [0, 1]), ("Bee.", [2]), ("Cee.", [0])]


def test_interleaved_candidates_have_their_own_ends() -> None:
    steps = [*deltas([OPENED]), *deltas([LANES], 1), finish("length"), finish("stop", 1)]
    first, second = streamed(steps)[-1]["candidates"]
    assert (first["finishReason"], second["finishReason"]) == ("MAX_TOKENS", "STOP")
    assert [len(one["groundingMetadata"]["groundingSupports"]) for one in (first, second)] == [1, 1]
    assert cited(whole(steps)["candidates"][1]) == [LANES]


def test_no_value_is_invented() -> None:
    """An answer without id, model name and usage is sent without them."""
    bare = {"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": None}]}
    completion = Completion()
    completion.add(bare)
    completion.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    assert GeminiEncoder(sse=True).body(completion) == {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP", "index": 0}]
    }


def test_tokens_of_thoughts_are_reported_separately() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 7,
        "total_tokens": 16,
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    steps = [*deltas([LANES]), finish(), Usage({**ENVELOPE, "choices": [], "usage": usage})]
    counts = {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 16, "thoughtsTokenCount": 3}
    assert streamed(steps)[-1]["usageMetadata"] == whole(steps)["usageMetadata"] == counts
