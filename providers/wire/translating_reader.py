"""The part that the readers of other formats than OpenAI's share: they translate each value of a stream into chunks."""

import re
from abc import ABC, abstractmethod
from typing import Any

from ..errors import ProviderError
from ..events import Chunk, Event
from .json_text import loads, replace_surrogates
from .openai_chunks import ChunkReader
from .openai_messages import chat_envelope


class TranslatingReader(ABC):
    """Reads one stream. It has the interface of a ChunkReader."""

    ignored: re.Pattern[bytes] | None = None

    def __init__(self, model: str, choices: int = 1) -> None:
        """`model`: the requested model, until the stream names it. `choices`: the requested number of answers."""
        self._chunks = ChunkReader(choices)
        self._envelope: Chunk = chat_envelope(model)
        self.done = False
        self.skipped = 0
        self.error: ProviderError | None = None

    @property
    def complete(self) -> bool:
        """Whether each requested answer has its finish reason."""
        return self._chunks.complete

    @property
    @abstractmethod
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text, in quotation marks. Empty if runs are not allowed."""

    def read(self, payload: bytes) -> list[Event]:
        """Return the events of one payload. A payload that is not JSON of the expected type is skipped and counted."""
        return self.read_value(*loads(payload))

    def read_value(self, value: Any, is_clean: bool) -> list[Event]:
        """Return the events of one decoded payload. `is_clean`: it has no lone surrogates."""
        if self.done:
            return []
        if not isinstance(value, dict):
            self.skipped += 1
            return []
        return self._translate(value if is_clean else replace_surrogates(value))

    def end(self) -> list[Event]:
        """Return the end and the usage. Raises IncompleteAnswer without a finish reason."""
        if self.error:
            raise self.error
        return self._chunks.end()

    @abstractmethod
    def _translate(self, value: dict[str, Any]) -> list[Event]:
        """Return the events of one JSON object."""
