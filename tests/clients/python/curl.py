"""curl: the commands of tests/clients/curl, as in the guide."""

import json
import subprocess
from pathlib import Path

from report import CITESTREAM, KEY, Seen, report, stored_references, way

COMMANDS = Path(__file__).parent.parent / "curl"


def printed(name: str, model: str, **environment: str) -> str:
    """Return the output of a command after the replacement of its model."""
    command = (COMMANDS / f"{name}.sh").read_text("utf-8").replace("extractive", model)
    shell = ["bash", "-c", f"set -e; {command}"]
    environment = {"CITESTREAM": CITESTREAM, "KEY": KEY, **environment}
    return subprocess.run(shell, env=environment, capture_output=True, text=True, check=True).stdout


def events(text: str) -> list[Seen]:
    """The data of every event but the last word. Prints them, without what differs from answer to answer."""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    found = [json.loads(line) for line in lines if line != "[DONE]"]
    for event in found:
        if event.get("choices") or event.get("candidates"):
            print("data:", shortened(event))
    return found


def shortened(value: Seen) -> str:
    """Return the fields that a reader looks for, as JSON."""
    kept = {key: value[key] for key in ("choices", "candidates", "message", "done") if key in value}
    if value.get("references"):
        kept["references"] = [{"number": one["number"], "snippet": one["snippet"]} for one in value["references"]]
    for choice in kept.get("choices", ()):
        kept["choices"] = [
            {"delta": {"content": choice["delta"].get("content")}, "finish_reason": choice["finish_reason"]}
        ]
    for candidate in kept.get("candidates", ()):
        for support in candidate.get("groundingMetadata", {}).get("groundingSupports", ()):
            support["confidenceScores"] = ["..."]
    return json.dumps(kept, ensure_ascii=False)


def chat(model: str) -> Seen:
    chunks = events(printed("chat", model))
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    finish = next(chunk for chunk in chunks if "references" in chunk)
    assert json.loads(printed("references", model, ID=finish["id"]))["references"] == finish["references"]
    return seen(text, chunks[-1]["usage"], finish["references"])


def whole(model: str) -> Seen:
    completion = json.loads(printed("whole", model))
    assert stored_references(completion["id"]) == completion["references"]
    return seen(completion["choices"][0]["message"]["content"], completion["usage"], completion["references"])


def responses(model: str) -> Seen:
    response = json.loads(printed("responses", model))
    assert stored_references(response["id"]) == response["references"]
    text = response["output"][-1]["content"][0]["text"]
    usage = {"input": response["usage"]["input_tokens"], "output": response["usage"]["output_tokens"]}
    return {**seen(text, {}, response["references"]), "usage": usage}


def ollama(model: str) -> Seen:
    lines = [json.loads(line) for line in printed("ollama", model).splitlines()]
    for line in lines:
        print(shortened(line))
    text = "".join(line["message"]["content"] for line in lines)
    usage = {"input": lines[-1]["prompt_eval_count"], "output": lines[-1]["eval_count"]}
    return {**seen(text, {}, lines[-1]["references"]), "usage": usage}


def gemini(model: str) -> Seen:
    chunks = events(printed("gemini", model))
    text = "".join(part["text"] for chunk in chunks for part in chunk["candidates"][0]["content"]["parts"])
    grounding = chunks[-1]["candidates"][0]["groundingMetadata"]
    usage = chunks[-1]["usageMetadata"]
    written = usage["candidatesTokenCount"] + usage.get("thoughtsTokenCount", 0)  # Gemini counts them apart
    segments = [support["segment"] for support in grounding["groundingSupports"]]
    return {
        "text": text,
        "usage": {"input": usage["promptTokenCount"], "output": written},
        "references": [found["retrievedContext"]["uri"] for found in grounding["groundingChunks"]],
        "text_at_offsets": [text.encode()[one.get("startIndex", 0) : one["endIndex"]].decode() for one in segments],
    }


def seen(text: str, usage: Seen, references: list[Seen]) -> Seen:
    spans = [reference["spans"][0] for reference in references]
    return {
        "text": text,
        "usage": {"input": usage.get("prompt_tokens"), "output": usage.get("completion_tokens")},
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[span["start"] : span["end"]] for span in spans],
    }


way("`POST /v1/chat/completions`, streamed", "`references` on the finish chunk, `GET /v1/references/{id}`", chat)
way("`POST /v1/chat/completions`", "`references`, `GET /v1/references/{id}`", whole)
way("`POST /v1/responses`", "`references`, `GET /v1/references/{id}`", responses)
way("`POST /api/chat`, streamed", "`references` on the line with `done`", ollama)
way("`:streamGenerateContent?alt=sse`", "`groundingMetadata` on the last event", gemini)
report("curl", "")  # the one of this machine
