"""Answers as clients of every API read them: streamed and whole in one shape, so that they can be compared."""

import json
import re
from collections.abc import Iterator
from typing import Any

Fields = dict[str, Any]
Shown = dict[str, Any]


def chat_streamed(body: bytes) -> Shown:
    message: Fields = {}
    found: Fields = {"usage": None, "finish": None}
    calls: dict[int, Fields] = {}
    for event in events(body):
        found |= {key: event[key] for key in ("references", "grounding", "citations", "search_results") if key in event}
        found["usage"] = event.get("usage") or found["usage"]
        for choice in event["choices"]:
            found["finish"] = choice["finish_reason"] or found["finish"]
            for key, value in choice["delta"].items():
                if key in ("content", "reasoning") and value:
                    message[key] = message.get(key, "") + value
                elif key in ("annotations", "references"):
                    message[key] = value
            for call in choice["delta"].get("tool_calls") or ():
                known = calls.setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
                known["id"] += call.get("id") or ""
                known["name"] += call["function"].get("name") or ""
                known["arguments"] += call["function"]["arguments"]
    return {"text": message.get("content"), "thoughts": message.get("reasoning"), **found} | {
        "calls": [calls[index] for index in sorted(calls)],
        "annotations": message.get("annotations"),
        "references of the choice": message.get("references"),
    }


def chat_whole(body: bytes) -> Shown:
    said = json.loads(body)
    (choice,) = said["choices"]
    message = choice["message"]
    found = {key: said[key] for key in ("references", "grounding", "citations", "search_results") if key in said}
    calls = [{"id": call["id"], **call["function"]} for call in message.get("tool_calls") or ()]
    return {"text": message["content"] or None, "thoughts": message.get("reasoning"), **found} | {
        "usage": said.get("usage"),
        "finish": choice["finish_reason"],
        "calls": calls,
        "annotations": message.get("annotations"),
        "references of the choice": message.get("references"),
    }


def responses_streamed(body: bytes) -> Shown:
    """What the deltas said has to be what the completed response says."""
    *earlier, last = events(body)
    said = "".join(event["delta"] for event in earlier if event["type"] == "response.output_text.delta")
    marked = [event["annotation"] for event in earlier if event["type"] == "response.output_text.annotation.added"]
    done = [event["item"] for event in earlier if event["type"] == "response.output_item.done"]
    parts = [part for item in done if item["type"] == "message" for part in item["content"]]
    assert said == "".join(part.get("text", "") for part in parts)
    assert sorted(marked, key=str) == sorted((one for part in parts for one in part["annotations"]), key=str)
    assert done == last["response"]["output"]
    return of_response(last["response"])


def of_response(response: Fields) -> Shown:
    ids = re.compile(r'"((?:msg|rs|fc|resp)_[0-9a-f]+(?:_\d)?|call_made[0-9a-f]+)"')
    settled: Shown = json.loads(ids.sub('"id"', json.dumps({**response, "created_at": 0})))
    return settled


def responses_whole(body: bytes) -> Shown:
    return of_response(json.loads(body))


def lines_read(body: bytes) -> Shown:
    """The whole is the one line of a stream of one line."""
    lines = [json.loads(line) for line in body.splitlines()]
    messages = [line.get("message") or line for line in lines]
    text = "message" if "message" in lines[0] else "response"
    joined = {
        "content": "".join(one["content" if text == "message" else "response"] for one in messages),
        "thinking": "".join(one.get("thinking", "") for one in messages),
        "tool_calls": [call for one in messages for call in one.get("tool_calls") or ()],
    }
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    rest = {
        key: value for key, value in lines[-1].items() if key not in ("message", "response", "thinking", "tool_calls")
    }
    return {**rest, **joined, "created_at": ""}


def gemini_events(body: bytes) -> Shown:
    return of_candidates(list(events(body)))


def gemini_array(body: bytes) -> Shown:
    return of_candidates(json.loads(body))


def gemini_whole(body: bytes) -> Shown:
    return of_candidates([json.loads(body)])


def of_candidates(responses: list[Fields]) -> Shown:
    """All of them as one; places in a part as places in the whole text."""
    found: Shown = {"text": "", "thoughts": "", "calls": [], "grounding": None, "finish": None, "usage": None}
    for response in responses:
        found["usage"] = response.get("usageMetadata") or found["usage"]
        for candidate in response.get("candidates") or ():
            starts, said = [], len(found["text"].encode())
            for part in candidate["content"].get("parts") or ():
                starts.append(said)
                if "functionCall" in part:
                    found["calls"].append(part["functionCall"])
                elif part.get("thought"):
                    found["thoughts"] += part["text"]
                else:
                    found["text"] += part["text"]
                    said = len(found["text"].encode())
            found["finish"] = candidate.get("finishReason") or found["finish"]
            if grounding := candidate.get("groundingMetadata"):
                whole = len(responses) == 1
                found["grounding"] = [place(one, starts if whole else [0]) for one in grounding["groundingSupports"]]
                found["chunks"] = grounding["groundingChunks"]
    encoded = found["text"].encode()
    for start, end, text, *_ in found["grounding"] or ():
        assert encoded[start:end].decode() == text
    return found


def place(support: Fields, starts: list[int]) -> tuple[Any, ...]:
    segment = support["segment"]
    shift = starts[segment.get("partIndex", 0)] if starts else 0
    bounds = (shift + segment["startIndex"], shift + segment["endIndex"], segment["text"])
    return (*bounds, support["groundingChunkIndices"], support["confidenceScores"])


def events(body: bytes) -> Iterator[Fields]:
    for line in body.split(b"\n"):
        if line.startswith(b"data: ") and line != b"data: [DONE]":
            yield json.loads(line.removeprefix(b"data: "))
