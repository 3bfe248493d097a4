"""ScriptedProvider: replays a script. For tests and documentation; it uses no network.

ScriptedProvider("Water boils at 100 °C. [1] ", "It is wet.")
ScriptedProvider("Half an ans", IncompleteAnswer("cut"))
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from .errors import ProviderError
from .events import ChatRequest, Chunk, Event, Provider
from .wire.openai_chunks import ChunkReader

ENVELOPE: Chunk = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}

Step = str | Chunk | Event | ProviderError


class ScriptedProvider(Provider):
    """Replays steps: a text (a delta of choice 0), a chunk, an event, or an error to raise.

    If all steps are texts, role, finish and usage are added. Otherwise the script has to contain them; a chunk with a
    finish reason ends its choice.
    """

    def __init__(self, *steps: Step, names: Sequence[str] = ("scripted",), finish: str = "stop") -> None:
        """`names`: its models. `finish`: the finish reason of a script of texts."""
        self.requests: list[ChatRequest] = []  # requests so far
        self.open = 0  # number of running streams
        self._steps = steps
        self._names = list(names)
        self._finish = finish

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Replay the script."""
        self.requests.append(request)
        self.open += 1
        reader = ChunkReader()
        try:
            for step in self._script():
                if isinstance(step, ProviderError):
                    raise step
                for event in reader.take(_copy(step)) if isinstance(step, dict) else [step]:
                    yield event
                    await asyncio.sleep(0)  # gives other tasks a turn, as a network would
                if reader.error:
                    raise reader.error
            if any(isinstance(step, dict) for step in self._script()):
                for event in reader.end():
                    yield event
        finally:
            self.open -= 1

    async def models(self) -> list[str]:
        """Return the given names."""
        return self._names

    def _script(self) -> list[Chunk | Event | ProviderError]:
        steps: list[Chunk | Event | ProviderError] = [
            chunk({"content": step}) if isinstance(step, str) else step for step in self._steps
        ]
        if all(isinstance(step, str) for step in self._steps):
            return [chunk({"role": "assistant", "content": ""}), *steps, chunk({}, self._finish), usage(len(steps))]
        if any(isinstance(step, str) for step in self._steps):
            return [chunk({"role": "assistant", "content": ""}), *steps]
        return steps


def chunk(delta: Chunk, finish_reason: str | None = None, *, index: int = 0) -> Chunk:
    """Return a `chat.completion.chunk` of one choice."""
    return {**ENVELOPE, "choices": [{"index": index, "delta": delta, "finish_reason": finish_reason}]}


def usage(completion_tokens: int, prompt_tokens: int = 1) -> Chunk:
    """Return a usage chunk."""
    total = prompt_tokens + completion_tokens
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "total_tokens": total}
    return {**ENVELOPE, "choices": [], "usage": counts}


def _copy(chunk: Chunk) -> Chunk:
    """Return a copy. ChunkReader changes chunks, and a script may be replayed."""
    choices = [{**choice, "delta": dict(choice.get("delta") or {})} for choice in chunk.get("choices") or ()]
    return {**chunk, "choices": choices}
