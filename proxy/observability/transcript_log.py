"""Log the requests and answers of clients as JSON lines, if `log.content` is on."""

import json
from dataclasses import asdict
from typing import Any, Protocol

from citestream.providers.events import Chunk

from ..pipeline.job import Job
from ..pipeline.outgoing import Outgoing
from .logs import content

Fields = dict[str, Any]


class Shapes(Protocol):
    """Converts the events of the pipeline to chunks."""

    def of(self, event: Outgoing) -> list[Chunk]:
        """Return the chunks of an event."""
        ...

    def annotations(self, choice: int) -> list[Fields]:
        """Return the annotations of a choice so far."""
        ...


class TranscriptLogger:
    """Logs a request at once, and the text of each choice when the answer ends. Chunks are not changed."""

    def __init__(self, name: str, job: Job) -> None:
        """Log the request. `name` is its id."""
        self._name = name
        self._shaper: Shapes | None = None
        self._texts: dict[int, list[str]] = {}
        evidence = [asdict(item) for item in job.evidence]
        _log(name, "asked", {"model": job.model, "messages": job.messages, "evidence": evidence})

    def over(self, shaper: Shapes) -> "TranscriptLogger":
        """Set the converter to observe and return this logger."""
        self._shaper = shaper
        return self

    def of(self, event: Outgoing) -> list[Chunk]:
        """Return the chunks of an event."""
        chunks = self._shaper.of(event) if self._shaper else []
        for chunk in chunks:
            for choice in chunk.get("choices") or ():
                text = (choice.get("delta") or {}).get("content")
                if isinstance(text, str):
                    self._texts.setdefault(choice.get("index", 0), []).append(text)
        return chunks

    def annotations(self, choice: int) -> list[Fields]:
        """Return the annotations of a choice so far."""
        return self._shaper.annotations(choice) if self._shaper else []

    def ended(self) -> None:
        """Log the answer. Call this when it ends, complete or not."""
        _log(self._name, "answered", {"choices": {choice: "".join(text) for choice, text in self._texts.items()}})


def _log(name: str, what: str, fields: Fields) -> None:
    # json.dumps escapes everything but ASCII, so that the line contains no control characters
    content.info("%s %s %s", name, what, json.dumps(fields, default=str))
