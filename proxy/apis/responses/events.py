"""ResponseEvents: the hub's chunks as the events of the Responses API; annotations follow the text they mark."""

from collections.abc import Callable, Sequence
from time import time
from typing import Any
from uuid import uuid4

from providers.events import Chunk

from ...collecting import Completion
from ...encoding import dumps
from ...job import Job
from .items import Item, flat, incomplete, message_item, output_items, response_body

Fields = dict[str, Any]

Annotations = Callable[[int], list[Fields]]

TOP = ("references", "grounding", "citations", "search_results")


class ResponseEvents:
    """Writes the first choice; this API has no others."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"

    def __init__(self, job: Job, annotations: Annotations) -> None:
        """`job`: what was asked, part of which the response repeats. `annotations`: those of a choice so far."""
        self._job = job
        self._annotations = annotations
        self._annotated: set[str] = set()  # those that have been sent, by their link, which no two share
        self.name = f"resp_{uuid4().hex}"  # what its client knows the answer by
        self._created = int(time())
        self._number = 0
        self._completion = Completion()
        self._message: Item | None = None
        self._position = 0  # of the message among the output items
        self._failed = False
        self._begun = False

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Text as deltas; everything else waits for the end, where it is complete."""
        written = [] if self._begun else self._opening()
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                if choice.get("index", 0) == 0 and delta.get("content"):
                    written += self._text(delta["content"], choice.get("logprobs"))
        return b"".join(written)

    def failure(self, error: Fields, _status: int) -> bytes:
        """`response.failed`, with what had arrived."""
        self._failed = True
        written = ([] if self._begun else self._opening()) + self._closing(self._completion.body())
        said = {"code": error["error"]["code"] or "server_error", "message": error["error"]["message"]}
        body = self._response(self._completion.body(), "failed") | {"error": said}
        return b"".join([*written, self._event("response.failed", {"response": body})])

    def end(self) -> bytes:
        """The items in full, then `response.completed`; nothing more after a failure."""
        if self._failed:
            return b""
        body = self._completion.body()
        written = ([] if self._begun else self._opening()) + self._closing(body)
        response = self._ended(body)
        return b"".join([*written, self._event(f"response.{response['status']}", {"response": response})])

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        return self._ended(completion.body())

    def _ended(self, body: Fields) -> Fields:
        reason = incomplete(body)
        if reason is None:
            return self._response(body, "completed")
        return self._response(body, "incomplete") | {"incomplete_details": {"reason": reason}}

    def _opening(self) -> list[bytes]:
        self._begun = True
        empty = response_body(self._job, self.name, self._created, "in_progress", [])
        return [
            self._event("response.created", {"response": empty}),
            self._event("response.in_progress", {"response": empty}),
        ]

    def _text(self, text: str, logprobs: Fields | None) -> list[bytes]:
        written = []
        if self._message is None:
            self._message = Item(f"msg_{uuid4().hex}")
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            item = message_item(self._message.id, "in_progress", [])
            written = [
                self._event("response.output_item.added", {"output_index": 0, "item": item}),
                self._event("response.content_part.added", {**self._place(), "part": part}),
            ]
        tokens = (logprobs or {}).get("content") or []
        data = {**self._place(), "delta": text, "logprobs": tokens}
        return [*written, self._event("response.output_text.delta", data), *self._marked()]

    def _marked(self) -> list[bytes]:
        """The annotations that came with the latest text."""
        found = [one for one in flat(self._annotations(0)) if one["url"] not in self._annotated]
        written = [
            self._event(
                "response.output_text.annotation.added",
                {**self._place(), "annotation_index": index, "annotation": annotation},
            )
            for index, annotation in enumerate(found, len(self._annotated))
        ]
        self._annotated.update(one["url"] for one in found)
        return written

    def _place(self) -> Fields:
        return {"item_id": self._message.id if self._message else "", "output_index": 0, "content_index": 0}

    def _closing(self, body: Fields) -> list[bytes]:
        """Every item complete."""
        written = []
        for index, item in enumerate(self._items(body)):
            if self._message is not None and item["id"] == self._message.id:
                written += self._message_done(item)
            else:
                written += self._other_done(index, item)
        return written

    def _message_done(self, item: Fields) -> list[bytes]:
        (part,) = item["content"]
        text = {**self._place(), "text": part["text"], "logprobs": part["logprobs"]}
        return [
            self._event("response.output_text.done", text),
            self._event("response.content_part.done", {**self._place(), "part": part}),
            self._event("response.output_item.done", {"output_index": 0, "item": item}),
        ]

    def _other_done(self, index: int, item: Fields) -> list[bytes]:
        begun = item | {"status": "in_progress"} | ({"arguments": ""} if item["type"] == "function_call" else {})
        written = [self._event("response.output_item.added", {"output_index": index, "item": begun})]
        if item["type"] == "function_call":
            place = {"item_id": item["id"], "output_index": index}
            written += [
                self._event("response.function_call_arguments.delta", {**place, "delta": item["arguments"]}),
                self._event("response.function_call_arguments.done", {**place, "arguments": item["arguments"]}),
            ]
        return [*written, self._event("response.output_item.done", {"output_index": index, "item": item})]

    def _items(self, body: Fields) -> list[Fields]:
        return output_items(body, self._message.id if self._message else None, self.name)

    def _response(self, body: Fields, status: str) -> Fields:
        found = response_body(self._job, self.name, self._created, status, self._items(body), body.get("usage"))
        return found | {key: body[key] for key in TOP if key in body}

    def _event(self, kind: str, fields: Fields) -> bytes:
        data = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return f"event: {kind}\ndata: ".encode() + dumps(data) + b"\n\n"
