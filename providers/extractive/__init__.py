"""The embedded default provider: it answers with sentences of the evidence. No model, no key, no network.

Its model and its system fingerprint are called `extractive`. Every sentence is a quotation, or a row of a table with
the names of its columns, followed by the number of its excerpt. If nothing answers the question, it says that
it found no sentence, in the language of the question.
"""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from uuid import uuid4

from citestream.citation.text import MAX_TITLE_CHARACTERS
from citestream.citation.text.steps import Steps

from ..events import ChatRequest, Chunk, Event, Message, Provider
from ..scheduler import Work
from ..wire.json_text import dumps
from ..wire.openai_chunks import ChunkReader
from .compose import compose

MODEL = "extractive"
MAX_QUESTION_CHARACTERS = 2_000  # characters of a question that are used; its cost grows with the words of the excerpts
TOKEN_START = re.compile(r"(?<!\w)\w|[^\w\s]")
COUNTED_CHARACTERS = 10_000  # characters whose tokens are counted in one step: 1 ms
WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


class ExtractiveProvider(Provider):
    """Quote the evidence. The same question and excerpts give the same answer."""

    def __init__(self, *, seconds_per_word: float = 0.0) -> None:
        """Wait `seconds_per_word` after each word, to stream at reading speed. 0 streams as fast as possible."""
        self._pause = seconds_per_word

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer, with one word per chunk."""
        question = shortened(request.question or last_question(request.messages))
        titles = {number: title[:MAX_TITLE_CHARACTERS] for number, title in request.titles.items()}
        # In a thread: 200 long excerpts take half a second, and the other streams must not wait for it.
        answer = await asyncio.to_thread(compose, question, request.excerpts, titles=titles, searched=request.searched)
        prompt_tokens = await Work("count_tokens").run(_count_tokens(request.messages))
        words, reason = _apply_limits(WORD.findall(_formatted(answer, request.params)), request.params)
        reader = ChunkReader()
        for chunk in _chunks(words, reason, request, prompt_tokens):
            for event in reader.take(chunk):
                yield event
            await asyncio.sleep(self._pause)
        for event in reader.end():
            yield event

    async def models(self) -> list[str]:
        """Return the one model."""
        return [MODEL]


def last_question(messages: list[Message]) -> str:
    """Return the text of the last user message."""
    for message in reversed(messages):
        if message.get("role") == "user":
            return _text(message.get("content"))
    return ""


def shortened(question: str) -> str:
    """Return a question of at most MAX_QUESTION_CHARACTERS. A long text has its question at the start or at the end."""
    half = MAX_QUESTION_CHARACTERS // 2
    return question if len(question) <= MAX_QUESTION_CHARACTERS else f"{question[:half]}\n{question[-half:]}"


def _count_tokens(messages: list[Message]) -> Steps[int]:
    """Return the number of words and punctuation marks in these messages."""
    count = 0
    for message in messages:
        text = _text(message.get("content"))
        for start in range(0, len(text), COUNTED_CHARACTERS):
            count += len(TOKEN_START.findall(text, start, start + COUNTED_CHARACTERS))
            yield None
    return count


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))


def _formatted(answer: str, params: Mapping[str, Any]) -> str:
    """Return the answer, in a JSON object if the request asks for JSON."""
    response_format = params.get("response_format")
    if isinstance(response_format, Mapping) and response_format.get("type") in {"json_object", "json_schema"}:
        return dumps({"answer": answer}).decode()
    return answer


def _apply_limits(words: list[str], params: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the words within the limits of the request, and the finish reason. `max_tokens` counts words."""
    reason = "stop"
    limit = params.get("max_completion_tokens") or params.get("max_tokens")
    if isinstance(limit, int) and 0 < limit < len(words):
        words, reason = words[:limit], "length"
    stop = params.get("stop")
    text = "".join(words)
    ends = [text.find(end) for end in ([stop] if isinstance(stop, str) else stop or []) if isinstance(end, str) and end]
    if positions := [end for end in ends if end >= 0]:
        words, reason = WORD.findall(text[: min(positions)]), "stop"
    return words, reason


def _chunks(words: list[str], reason: str, request: ChatRequest, prompt: int) -> list[Chunk]:
    envelope: Chunk = {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": request.model or MODEL,
        "system_fingerprint": MODEL,
    }

    def chunk(delta: Chunk, finish: str | None = None) -> Chunk:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        return {**envelope, "choices": choices}

    usage = {"prompt_tokens": prompt, "completion_tokens": len(words), "total_tokens": prompt + len(words)}
    return [
        chunk({"role": "assistant", "content": "", "refusal": None}),
        *(chunk({"content": word}) for word in words),
        chunk({}, reason),
        {**envelope, "choices": [], "usage": usage},
    ]
