"""ScriptedProvider: replays what it is given. For tests and documentation; nothing in it knows a network.

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
    """Its steps: a text (a delta of choice 0), a chunk, an event as it is, an error to raise.

    Where the steps are texts only, role, finish and usage are added; otherwise the script says everything itself, but
    chunks with a finish reason still end their choice.
    """

    def __init__(self, *steps: Step, names: Sequence[str] = ("scripted",), finish: str = "stop") -> None:
        """`names`: its models. `finish`: the finish reason of a script of texts."""
        self.requests: list[ChatRequest] = []  # what it was asked
        self.open = 0  # streams that have begun and not ended
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
                for event in reader.take(_copied(step)) if isinstance(step, dict) else [step]:
                    yield event
                    await asyncio.sleep(0)  # as a network would: others get their turn
                if reader.error:
                    raise reader.error
            if any(isinstance(step, dict) for step in self._script()):
                for event in reader.end():
                    yield event
        finally:
            self.open -= 1

    async def models(self) -> list[str]:
        """The names it was given."""
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
    """A `chat.completion.chunk` of one choice."""
    return {**ENVELOPE, "choices": [{"index": index, "delta": delta, "finish_reason": finish_reason}]}


def usage(completion_tokens: int, prompt_tokens: int = 1) -> Chunk:
    """A usage chunk."""
    total = prompt_tokens + completion_tokens
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "total_tokens": total}
    return {**ENVELOPE, "choices": [], "usage": counts}


def _copied(given: Chunk) -> Chunk:
    """ChunkReader keeps what it is given, and a script is replayed more than once."""
    choices = [{**choice, "delta": dict(choice.get("delta") or {})} for choice in given.get("choices") or ()]
    return {**given, "choices": choices}
