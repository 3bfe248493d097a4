"""Lines: the hub's chunks as lines of Ollama's stream; references and grounding on the last."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from citestream.providers.events import Chunk
from citestream.providers.wire.messages import data_url, image_url

from ...http.encoding import dumps
from ...pipeline.collect_chunks import Completion, Piece, pieces_of
from ..tool_calls import calls_of

Fields = dict[str, Any]

REASONS = {"tool_calls": "stop", "function_call": "stop"}  # there, a call is no reason of its own
COUNTS = {"prompt_eval_count": "prompt_tokens", "eval_count": "completion_tokens"}
LAST = ("references", "grounding", "citations", "search_results")


def refusal(error: Fields, _status: int) -> Fields:
    """OpenAI's error object as Ollama's clients read one."""
    return {"error": error["error"]["message"]}


class Lines:
    """Writes one answer of one choice; Ollama knows no others."""

    content_type = "application/x-ndjson"

    def __init__(self, model: str, *, generates: bool) -> None:
        """`model`: by the name its client knows. `generates`: the answer goes into `response`, not into a message."""
        self._model = model
        self._generates = generates
        self._completion = Completion()
        self._failed = False

    @property
    def keepalive(self) -> bytes:
        """A line without text: Ollama's clients break on anything else."""
        return self._line({})

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """A line for each piece of text or thought; the rest waits for the last lines."""
        lines = []
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                message = _said(pieces_of(delta)) | (delta.get("ollama") or {})
                if message or _scored(choice):
                    lines.append(self._line(message, **_scored(choice)))
        return b"".join(lines)

    def failure(self, error: Fields, status: int) -> bytes:
        """What of the answer has not been sent, then the line that Ollama ends a broken stream with."""
        self._failed = True
        body = self._completion.body()
        calls = _calls(_choice(body)["message"], cut=True)
        told = {key: body[key] for key in LAST if key in body}
        last = self._line(calls, **told) if calls or told else b""
        return last + dumps(refusal(error, status)) + b"\n"

    def end(self) -> bytes:
        """Tool calls, then the line that says that nothing is missing; nothing of it after a failure."""
        if self._failed:
            return b""
        body = self._completion.body()
        calls = _calls(_choice(body)["message"])
        return (self._line(calls) if calls else b"") + dumps(self._last(body, {})) + b"\n"

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        body = completion.body()
        choice = _choice(body)
        message = choice["message"]
        said = _said(completion.pieces(0)) | (message.get("ollama") or {}) | _calls(message)
        return self._last(body, said) | _scored(choice)

    def _line(self, message: Fields, **fields: Any) -> bytes:
        return dumps({**self._shaped(message), "done": False, **fields}) + b"\n"

    def _shaped(self, message: Fields) -> Fields:
        created = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        head: Fields = {"model": self._model, "created_at": created}
        whole = {"role": "assistant", "content": "", **message}
        if not self._generates:
            return head | {"message": whole}
        rest = {key: value for key, value in whole.items() if key in ("thinking", "tool_calls")}
        image = {"image": whole["images"][0]} if whole.get("images") else {}
        return head | {"response": whole["content"]} | rest | image

    def _last(self, body: Fields, message: Fields) -> Fields:
        reason = _choice(body)["finish_reason"]
        own, usage = body.get("ollama") or {}, body.get("usage") or {}
        counts = {} if own.keys() & COUNTS.keys() else {ours: usage.get(theirs) for ours, theirs in COUNTS.items()}
        return {
            **self._shaped(message),
            "done": True,
            **({"done_reason": REASONS.get(reason, reason)} if reason else {}),
            **own,
            **{key: value for key, value in counts.items() if value is not None},
            **{key: body[key] for key in LAST if key in body},
        }


def _choice(body: Fields) -> Fields:
    found: Fields = body["choices"][0] if body["choices"] else {"message": {}, "finish_reason": None}
    return found


def _said(pieces: Iterable[Piece]) -> Fields:
    """Thoughts, text and images of a message; a refusal is text there, as it is with all of Ollama's models."""
    message: Fields = {}
    for kind, value in pieces:
        match kind:
            case "reasoning":
                message["thinking"] = message.get("thinking", "") + value
            case "content" | "refusal":
                message["content"] = message.get("content", "") + value
            case "images":
                found = [data_url(image_url(image)) for image in value if isinstance(image, dict)]
                message.setdefault("images", []).extend(inline[1] for inline in found if inline)
    return message


def _calls(message: Fields, *, cut: bool = False) -> Fields:
    """Tool calls with their arguments as objects."""
    found = [
        {
            **({"id": call.id} if call.id else {}),
            "function": {"index": index, "name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(calls_of(message, cut=cut))
    ]
    return {"tool_calls": found} if found else {}


def _scored(choice: Fields) -> Fields:
    content = (choice.get("logprobs") or {}).get("content")
    return {"logprobs": content} if content else {}
