"""ReferenceRecorder: stores the references of one answer."""

from collections.abc import Callable, Sequence
from typing import Any

from citestream.providers.events import Chunk

from ..pipeline.outgoing import Outgoing, TextOut, ends_answer
from .recent_references import RecentReferences

Fields = dict[str, Any]

STORED_FIELDS = ("references", "grounding", "citations", "search_results")  # fields of the last chunk of an answer


class ReferenceRecorder:
    """Stores the references of one answer when it ends, or when its client stops it."""

    def __init__(self, recent: RecentReferences, client: str, name: str = "") -> None:
        """`name` is the id that the client knows, if it differs from that of the chunks."""
        self._recent = recent
        self._client = client
        self._name = name
        self._unfinished_id: Any = None  # the id of the latest text chunk, until the answer ends

    def observe(self, event: Outgoing, chunks: Sequence[Chunk]) -> None:
        """Store the references on the last chunk of the answer."""
        if isinstance(event, TextOut) and chunks:
            self._unfinished_id = chunks[-1].get("id")
        elif ends_answer(event) and chunks:
            self._unfinished_id = None
            self._store(chunks[-1].get("id"), chunks[-1])

    def end(self, fields: Callable[[], Fields]) -> None:
        """Store the references so far, if the client has received text of an answer that did not end.

        `fields`: returns the fields that the last chunk would have had.
        """
        if self._unfinished_id is not None:
            self._store(self._unfinished_id, fields())

    def _store(self, chunk_id: Any, fields: Fields) -> None:
        stored = {key: fields[key] for key in STORED_FIELDS if key in fields}
        name = self._name or chunk_id
        if stored and isinstance(name, str):
            self._recent.put(self._client, name, stored)
