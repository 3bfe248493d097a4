"""Content: what was asked and answered, for the log, where `log.content` asks for it. One line of JSON each."""

import json
from dataclasses import asdict
from typing import Any, Protocol

from citestream.providers.events import Chunk

from ..pipeline.job import Job
from ..pipeline.outgoing import Outgoing
from .logs import content

Fields = dict[str, Any]


class Shapes(Protocol):
    """What makes chunks of the pipeline's events."""

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event."""
        ...

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        ...


class TranscriptLogger:
    """One exchange: tells the request at once, and the text of each choice when it is over. Changes no chunk."""

    def __init__(self, name: str, job: Job) -> None:
        """`name`: the id of the request."""
        self._name = name
        self._shaper: Shapes | None = None
        self._texts: dict[int, list[str]] = {}
        evidence = [asdict(item) for item in job.evidence]
        _tell(name, "asked", {"model": job.model, "messages": job.messages, "evidence": evidence})

    def over(self, shaper: Shapes) -> "TranscriptLogger":
        """Listen to what this makes of events."""
        self._shaper = shaper
        return self

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event."""
        chunks = self._shaper.of(event) if self._shaper else []
        for chunk in chunks:
            for choice in chunk.get("choices") or ():
                text = (choice.get("delta") or {}).get("content")
                if isinstance(text, str):
                    self._texts.setdefault(choice.get("index", 0), []).append(text)
        return chunks

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        return self._shaper.annotations(choice) if self._shaper else []

    def ended(self) -> None:
        """The answer has ended, in whatever way."""
        _tell(self._name, "answered", {"choices": {choice: "".join(text) for choice, text in self._texts.items()}})


def _tell(name: str, what: str, fields: Fields) -> None:
    # In ASCII, so that nothing in it can move a terminal's cursor or break the line
    content.info("%s %s %s", name, what, json.dumps(fields, default=str))
