"""Log questions, evidence and answers if `log.content` asks for it. Each entry is one line of JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from citestream.providers.events import Chunk

from ..pipeline.outgoing import Outgoing
from ..pipeline.request.job import Job, JobEvidence
from .logs import content


class TranscriptLogger:
    """Logs one request when it begins, and the text of each choice when the answer ends."""

    def __init__(self, request_id: str, job: Job, collected: JobEvidence) -> None:
        """Log the request."""
        self._request_id = request_id
        self._texts: dict[int, list[str]] = {}
        evidence = [asdict(item) for item in collected.evidence]
        _log(request_id, "asked", {"model": job.model, "messages": job.messages, "evidence": evidence})

    def observe(self, _event: Outgoing, chunks: Sequence[Chunk]) -> None:
        """Collect the text of these chunks."""
        for chunk in chunks:
            for choice in chunk.get("choices") or ():
                text = (choice.get("delta") or {}).get("content")
                if isinstance(text, str):
                    self._texts.setdefault(choice.get("index", 0), []).append(text)

    def end(self) -> None:
        """Log the answer, complete or not."""
        texts = {choice: "".join(text) for choice, text in self._texts.items()}
        _log(self._request_id, "answered", {"choices": texts})


def _log(request_id: str, event: str, fields: dict[str, Any]) -> None:
    # JSON escapes everything but ASCII, so that no text can move a terminal's cursor or break the line
    content.info("%s %s %s", request_id, event, json.dumps(fields, default=str))
