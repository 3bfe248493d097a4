"""OllamaEncoder: chunks as lines of Ollama's stream, with references and grounding on the last line."""

from collections.abc import Sequence
from datetime import UTC, datetime
from time import monotonic_ns
from typing import Any

from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import dumps
from citestream.providers.wire.ollama.chat_response import (
    COUNTS,
    counts_of_usage,
    done_reason,
    logprobs_of,
    message_of,
    tool_calls_of,
)

from ...http.client_api import Encoder
from ...http.encoding import dumps_event
from ...pipeline.collect_chunks import Completion, first_choice
from ...pipeline.merge_deltas import pieces_of

Fields = dict[str, Any]

CITATION_FIELDS = ("references", "grounding", "citations", "search_results")


def error_body(error: Fields, _status: int) -> Fields:
    """Return OpenAI's error object as Ollama's clients read one."""
    return {"error": error["error"]["message"]}


class OllamaEncoder(Encoder):
    """Encodes one answer of one choice. Ollama has no others."""

    content_type = "application/x-ndjson"

    def __init__(self, model: str, *, generates: bool) -> None:
        """`model`: the name that the client used. `generates`: the path is `/api/generate`, which has no message."""
        self._model = model
        self._generates = generates
        self._completion = Completion()
        self._failed = False
        self._started = monotonic_ns()
        self._first_message = 0  # time of the first text, thought or call

    @property
    def keepalive(self) -> bytes:
        """A line without text. Ollama's clients fail on anything else."""
        return self._line({})

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return a line for each piece of text or thought. All else is sent at the end."""
        lines = []
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                message = message_of(pieces_of(delta)) | (delta.get("ollama") or {})
                logprobs = logprobs_of(choice)
                if message or logprobs:
                    self._first_message = self._first_message or monotonic_ns()
                    lines.append(self._line(message, **logprobs))
        return b"".join(lines)

    def failure(self, error: Fields, status: int) -> bytes:
        """Return what has not been sent of the answer, then the line with which Ollama ends a broken stream."""
        self._failed = True
        body = self._completion.body()
        calls = tool_calls_of(first_choice(body)["message"], truncated=True)
        citations = {key: body[key] for key in CITATION_FIELDS if key in body}
        last = self._line(calls, **citations) if calls or citations else b""
        return last + dumps(error_body(error, status)) + b"\n"

    def end(self) -> bytes:
        """Return tool calls, then the last line. Returns nothing after a failure."""
        if self._failed:
            return b""
        body = self._completion.body()
        calls = tool_calls_of(first_choice(body)["message"])
        return (self._line(calls) if calls else b"") + dumps_event(self._last(body, {})) + b"\n"

    def containers(self) -> list[Any]:
        """See Encoder."""
        return self._completion.containers()

    def body(self, completion: Completion) -> Fields:
        """Return the whole answer as one object."""
        body = completion.body()
        choice = first_choice(body)
        message = choice["message"]
        whole = message_of(completion.pieces(0)) | (message.get("ollama") or {}) | tool_calls_of(message)
        return self._last(body, whole) | logprobs_of(choice)

    def _line(self, message: Fields, **fields: Any) -> bytes:
        return dumps_event({**self._envelope(message), "done": False, **fields}) + b"\n"

    def _envelope(self, message: Fields) -> Fields:
        """Return model, time and message, in the form of the requested path."""
        created = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        head: Fields = {"model": self._model, "created_at": created}
        whole = {"role": "assistant", "content": "", **message}
        if not self._generates:
            return head | {"message": whole}
        optional = {key: value for key, value in whole.items() if key in ("thinking", "tool_calls")}
        image = {"image": whole["images"][0]} if whole.get("images") else {}
        return head | {"response": whole["content"]} | optional | image

    def without_text(self, reason: str) -> Fields:
        """Return the answer to a request that has no question. `reason`: why it is done."""
        return self._envelope({}) | {"done": True, "done_reason": reason}

    def _last(self, body: Fields, message: Fields) -> Fields:
        native = body.get("ollama") or {}
        counts = {} if native.keys() & COUNTS.keys() else counts_of_usage(body.get("usage") or {})
        durations = {} if any(key.endswith("_duration") for key in native) else self._durations()
        return {
            **self._envelope(message),
            "done": True,
            **done_reason(first_choice(body)["finish_reason"]),
            **native,
            **durations,
            **counts,
            **{key: body[key] for key in CITATION_FIELDS if key in body},
        }

    def _durations(self) -> Fields:
        """Return the durations in nanoseconds. Clients compute with them, and fail if they are missing."""
        now = monotonic_ns()
        prompt = (self._first_message or now) - self._started
        total = now - self._started
        return {
            "total_duration": total,
            "load_duration": 0,
            "prompt_eval_duration": prompt,
            "eval_duration": total - prompt,
        }
