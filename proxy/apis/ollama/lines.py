"""Lines: the hub's chunks as lines of Ollama's stream; references and grounding on the last."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from providers.events import Chunk

from ...completion import Completion
from ...encoding import dumps, loads

Fields = dict[str, Any]

REASONS = {"length": "length"}  # everything else ends as "stop" there
LAST = ("references", "grounding", "citations", "search_results")


def refusal(error: Fields, _status: int) -> Fields:
    """OpenAI's error object as Ollama's clients read one."""
    return {"error": error["error"]["message"]}


class Lines:
    """Writes one answer of one choice; Ollama knows no others."""

    content_type = "application/x-ndjson"

    def __init__(self, model: str, *, generates: bool) -> None:
        """`generates`: the answer goes into `response`, not into a message."""
        self._model = model
        self._generates = generates
        self._completion = Completion()
        self._failed = False

    @property
    def keepalive(self) -> bytes:
        """A line without text: Ollama's clients break on anything else."""
        return self._line({"role": "assistant", "content": ""})

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """A line for each piece of text or thought; the rest waits for the last lines."""
        lines = []
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                message = {"role": "assistant", "content": delta.get("content") or ""}
                if thought := delta.get("reasoning") or delta.get("reasoning_content") or delta.get("thinking"):
                    message["thinking"] = thought
                if message["content"] or thought:
                    lines.append(self._line(message, choice.get("logprobs")))
        return b"".join(lines)

    def failure(self, error: Fields) -> bytes:
        """The line that Ollama ends a broken stream with."""
        self._failed = True
        return dumps(refusal(error, 200)) + b"\n"

    def end(self) -> bytes:
        """Tool calls, then the line that says that nothing is missing; nothing of it after a failure."""
        if self._failed:
            return b""
        body = self._completion.body()
        calls = _calls(_message(body))
        called = self._line({"role": "assistant", "content": "", "tool_calls": calls}) if calls else b""
        return called + dumps(self._last(body, {"role": "assistant", "content": ""})) + b"\n"

    def body(self, completion: Fields) -> Fields:
        """The whole answer at once."""
        found = _message(completion)
        message: Fields = {"role": "assistant", "content": found.get("content") or ""}
        if thought := found.get("reasoning") or found.get("reasoning_content") or found.get("thinking"):
            message["thinking"] = thought
        if calls := _calls(found):
            message["tool_calls"] = calls
        return self._last(completion, message)

    def _line(self, message: Fields, logprobs: Fields | None = None) -> bytes:
        line = self._shaped(message) | {"done": False}
        if logprobs and logprobs.get("content"):
            line["logprobs"] = logprobs["content"]
        return dumps(line) + b"\n"

    def _shaped(self, message: Fields) -> Fields:
        created = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        head: Fields = {"model": self._model, "created_at": created}
        if not self._generates:
            return head | {"message": message}
        rest = {key: value for key, value in message.items() if key in ("thinking", "tool_calls")}
        return head | {"response": message["content"]} | rest

    def _last(self, body: Fields, message: Fields) -> Fields:
        reason = body["choices"][0]["finish_reason"] if body["choices"] else None
        usage = body.get("usage") or {}
        counts = {"prompt_eval_count": usage.get("prompt_tokens"), "eval_count": usage.get("completion_tokens")}
        return {
            **self._shaped(message),
            "done": True,
            "done_reason": REASONS.get(str(reason), "stop"),
            **(body.get("ollama") or {}),
            **{key: value for key, value in counts.items() if value is not None},
            **{key: body[key] for key in LAST if key in body},
        }


def _message(body: Fields) -> Fields:
    message: Fields = body["choices"][0]["message"] if body["choices"] else {}
    return message


def _calls(message: Fields) -> list[Fields]:
    """Tool calls with their arguments as objects."""
    found = []
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call.get("function") or {}
        try:
            arguments = loads(function.get("arguments") or "{}")
        except ValueError:
            arguments = {"arguments": function["arguments"]}
        entry: Fields = {"function": {"index": index, "name": function.get("name", ""), "arguments": arguments}}
        found.append(({"id": call["id"]} if call.get("id") else {}) | entry)
    return found
