"""Parsers of the answers of every client API: streamed and complete answers get one form, to compare them."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tests.proxy.open_responses import check_events, check_response

Fields = dict[str, Any]
Shown = dict[str, Any]


# The durations of Ollama's API. Citestream measures them if the provider reports none.
DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")
TOP_LEVEL = ("references", "grounding", "citations", "search_results")


def chat_streamed(body: bytes) -> Shown:
    found: Fields = {"usage": None}
    choices: dict[int, Shown] = {}
    for event in events(body):
        found |= {key: event[key] for key in TOP_LEVEL if key in event}
        found["usage"] = event.get("usage") or found["usage"]
        for choice in event["choices"]:
            _add(choices.setdefault(choice["index"], {**EMPTY_CHOICE, "calls": {}}), choice)
    for choice in choices.values():
        choice["calls"] = [choice["calls"][index] for index in sorted(choice["calls"])]
    return {**found, "choices": [choices[index] for index in sorted(choices)]}


EMPTY_CHOICE: Shown = dict.fromkeys(("text", "thoughts", "refusal"), "") | {"finish": None, "scores": []}


def _add(shown: Shown, choice: Fields) -> None:
    shown["finish"] = choice["finish_reason"] or shown["finish"]
    shown["scores"] = shown["scores"] + ((choice.get("logprobs") or {}).get("content") or [])
    delta = choice["delta"]
    for ours, theirs in (("text", "content"), ("thoughts", "reasoning"), ("refusal", "refusal")):
        shown[ours] += delta.get(theirs) or ""
    shown |= {key: delta[key] for key in ("annotations", "references") if key in delta}
    for call in delta.get("tool_calls") or ():
        known = shown["calls"].setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
        known["id"] += call.get("id") or ""
        known["name"] += call["function"].get("name") or ""
        known["arguments"] += call["function"]["arguments"]


def chat_whole(body: bytes) -> Shown:
    answer = json.loads(body)
    choices = []
    for choice in answer["choices"]:
        message = choice["message"]
        shown = {
            "text": message["content"] or "",
            "thoughts": message.get("reasoning") or "",
            "refusal": message["refusal"] or "",
            "finish": choice["finish_reason"],
            "scores": (choice["logprobs"] or {}).get("content") or [],
            "calls": [{"id": call["id"], **call["function"]} for call in message.get("tool_calls") or ()],
        }
        choices.append(shown | {key: message[key] for key in ("annotations", "references") if key in message})
    return {
        "usage": answer.get("usage"),
        **{key: answer[key] for key in TOP_LEVEL if key in answer},
        "choices": choices,
    }


def responses_streamed(body: bytes) -> Shown:
    """Check that the deltas have the same content as the completed response."""
    *earlier, last = events(body)
    check_events([*earlier, last])
    text = "".join(event["delta"] for event in earlier if event["type"] == "response.output_text.delta")
    sent_annotations = []
    sizes: Counter[tuple[str, int]] = Counter()  # sizes of the parts so far
    for event in earlier:
        match event["type"]:
            case "response.output_text.delta":
                sizes[event["item_id"], event["content_index"]] += len(event["delta"])
            case "response.output_text.annotation.added":
                sent_annotations.append(event["annotation"])
                assert event["annotation"]["end_index"] <= sizes[event["item_id"], event["content_index"]]
    ended = [event for event in earlier if event["type"] == "response.output_item.done"]
    done = [event["item"] for event in sorted(ended, key=lambda event: event["output_index"])]
    parts = [part for item in done if item["type"] == "message" for part in item["content"]]
    assert text == "".join(part.get("text", "") for part in parts)
    assert sorted(sent_annotations, key=str) == sorted(
        (one for part in parts for one in part.get("annotations", ())), key=str
    )
    assert done == last["response"]["output"]
    return of_response(last["response"])


def of_response(response: Fields) -> Shown:
    check_response(response)
    ids = re.compile(r'"((?:msg|rs|fc|resp)_[0-9a-f]+(?:_\d)?|call_made[0-9a-f]+)"')
    normalized: Shown = json.loads(ids.sub('"id"', json.dumps({**response, "created_at": 0, "completed_at": 0})))
    return normalized


def responses_whole(body: bytes) -> Shown:
    return of_response(json.loads(body))


def messages_streamed(body: bytes) -> Shown:
    """Check that the blocks are in order, and join them."""
    first, *rest = events(body)
    assert first["type"] == "message_start"
    message: Fields = {**first["message"], "content": []}
    content, closed = message["content"], 0
    *rest, last, stop = [event for event in rest if event["type"] != "ping"]
    assert (last["type"], stop) == ("message_delta", {"type": "message_stop"})
    for event in rest:
        match event["type"]:
            case "content_block_start":
                assert event["index"] == len(content) == closed
                content.append(event["content_block"])
            case "content_block_stop":
                assert event["index"] == closed
                closed += 1
            case kind:
                assert (kind, event["index"]) == ("content_block_delta", closed)
                _extend(content[-1], event["delta"])
    for block in content:
        if "partial_json" in block:
            block["input"] = json.loads(block.pop("partial_json"))
    added = {key: value for key, value in last.items() if key not in ("type", "delta")}
    return of_message({**message, **last["delta"], **added})


def _extend(block: Fields, delta: Fields) -> None:
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] = delta["signature"]
        case "citations_delta":
            block["citations"].append(delta["citation"])
        case kind:
            assert kind == "input_json_delta"
            block["partial_json"] = block.get("partial_json", "") + delta["partial_json"]


def messages_whole(body: bytes) -> Shown:
    return of_message(json.loads(body))


def of_message(message: Fields) -> Shown:
    """Check that the cited blocks of a message are the cited sentences of its references, in order."""
    cited = [block["text"] for block in message["content"] if block.get("citations")]
    spans = {(span["start"], span["end"]) for one in message.get("references", ()) for span in one["spans"]}
    assert [len(text.strip()) for text in cited] == [end - start for start, end in sorted(spans)]
    return {**message, "id": ""}


def cohere_streamed(body: bytes) -> Shown:
    """Check the order of the events, and join them."""
    *sent, last = events(body)
    tokens = [event["logprobs"] for event in sent if "logprobs" in event]
    rest = {key: last[key] for key in TOP_LEVEL if key in last}
    return _of_cohere({**last["delta"], **rest, "message": cohere_message([*sent, last])}, tokens)


def cohere_whole(body: bytes) -> Shown:
    answer = json.loads(body)
    return _of_cohere({**answer, "id": None}, answer.pop("logprobs", []))


def _of_cohere(answer: Fields, tokens: list[Fields]) -> Shown:
    """Return an answer with joined log-probabilities. Check that it cites the sentences of its references."""
    cited = [one["end"] - one["start"] for one in answer["message"].get("citations", ())]
    spans = {(span["start"], span["end"]) for one in answer.get("references", ()) for span in one["spans"]}
    assert cited == [end - start for start, end in sorted(spans)]
    scores = ["".join(one["text"] for one in tokens), [value for one in tokens for value in one["logprobs"]]]
    return {**{key: value for key, value in answer.items() if key not in ("id", "logprobs")}, "scores": scores}


def cohere_message(sent: Iterable[Fields]) -> Fields:
    """Check the order of the events of a stream, and return the message that a client builds from them."""
    message: Fields = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    events = list(sent)
    open_block: int | None = None
    open_call: int | None = None
    for event in events:
        delta, index = event.get("delta", {}).get("message", {}), event.get("index")
        match event["type"]:
            case "content-start":
                assert (open_block, index) == (None, len(message["content"]))
                open_block = index
                message["content"].append(dict(delta["content"]))
            case "content-delta":
                assert index == open_block
                ((kind, text),) = delta["content"].items()
                message["content"][index][kind] += text
            case "content-end":
                assert index == open_block
                open_block = None
            case "tool-plan-delta":
                message["tool_plan"] += delta["tool_plan"]
            case "tool-call-start":
                assert (open_block, open_call, index) == (None, None, len(message["tool_calls"]))
                open_call = index
                message["tool_calls"].append(delta["tool_calls"])
            case "tool-call-delta":
                assert index == open_call
                message["tool_calls"][index]["function"]["arguments"] += delta["tool_calls"]["function"]["arguments"]
            case "tool-call-end":
                assert index == open_call
                open_call = None
            case "citation-start":
                assert index == len(message["citations"])
                message["citations"].append(_after_its_text(delta["citations"], message))
            case "citation-end":
                assert index == len(message["citations"]) - 1
    assert (events[0]["type"], events[-1]["type"], open_block, open_call) == (
        "message-start",
        "message-end",
        None,
        None,
    )
    return {key: value for key, value in message.items() if value}


def _after_its_text(citation: Fields, message: Fields) -> Fields:
    """Check that the text of a citation was sent before it, and return the citation."""
    plan = citation["type"] == "PLAN"
    text = message["tool_plan"] if plan else message["content"][citation["content_index"]]["text"]
    assert text[citation["start"] : citation["end"]] == citation["text"]
    return citation


def ollama_lines(body: bytes) -> Shown:
    """Join the lines of a stream. A complete answer is a stream of one line."""
    lines = [json.loads(line) for line in body.splitlines()]
    messages = [line.get("message") or line for line in lines]
    text = "message" if "message" in lines[0] else "response"
    joined = {
        "content": "".join(one["content" if text == "message" else "response"] for one in messages),
        "thinking": "".join(one.get("thinking", "") for one in messages),
        "tool_calls": [call for one in messages for call in one.get("tool_calls") or ()],
        "logprobs": [token for line in lines for token in line.get("logprobs") or ()],
    }
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    joined_or_measured = ("message", "response", "thinking", "tool_calls", *DURATIONS)
    rest = {key: value for key, value in lines[-1].items() if key not in joined_or_measured}
    return {**rest, **joined, "created_at": ""}


def gemini_events(body: bytes) -> Shown:
    return of_candidates(list(events(body)))


def gemini_array(body: bytes) -> Shown:
    return of_candidates(json.loads(body))


def gemini_whole(body: bytes) -> Shown:
    return of_candidates([json.loads(body)])


def of_candidates(responses: list[Fields]) -> Shown:
    """Join the responses of a stream."""
    usage: Fields | None = None
    candidates: dict[int, list[Fields]] = {}
    for response in responses:
        usage = response.get("usageMetadata") or usage
        for candidate in response.get("candidates") or ():
            candidates.setdefault(candidate["index"], []).append(candidate)
    whole = len(responses) == 1
    return {"usage": usage, "candidates": [_joined(candidates[index], whole=whole) for index in sorted(candidates)]}


def _joined(pieces: list[Fields], *, whole: bool) -> Shown:
    """Join the pieces of a candidate. Positions within a part become positions within the whole text."""
    found: Shown = {"text": "", "thoughts": "", "calls": [], "grounding": None, "finish": None, "scores": None}
    starts = []
    for candidate in pieces:
        for part in candidate["content"].get("parts") or ():
            starts.append(len(found["text"].encode()) if whole else 0)
            if "functionCall" in part:
                found["calls"].append(part["functionCall"])
            else:
                found["thoughts" if part.get("thought") else "text"] += part["text"]
        found["finish"] = candidate.get("finishReason") or found["finish"]
        found["scores"] = candidate.get("logprobsResult") or found["scores"]
        if grounding := candidate.get("groundingMetadata"):
            found["grounding"] = [text_segment(one, starts) for one in grounding["groundingSupports"]]
            found["chunks"] = grounding["groundingChunks"]
    encoded = found["text"].encode()
    for start, end, text, *_ in found["grounding"] or ():
        assert encoded[start:end].decode() == text
    return found


def text_segment(support: Fields, starts: list[int]) -> tuple[Any, ...]:
    segment = support["segment"]
    shift = starts[segment.get("partIndex", 0)] if starts else 0
    bounds = (shift + segment["startIndex"], shift + segment["endIndex"], segment["text"])
    return (*bounds, support["groundingChunkIndices"], support["confidenceScores"])


def events(body: bytes) -> Iterator[Fields]:
    for line in body.split(b"\n"):
        if line.startswith(b"data: ") and line != b"data: [DONE]":
            yield json.loads(line.removeprefix(b"data: "))
