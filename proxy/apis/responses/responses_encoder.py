"""ResponsesEncoder: chunks as the events of the Responses API. Annotations follow the text that they mark."""

from collections.abc import Callable, Sequence
from time import time
from typing import Any
from uuid import uuid4

from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import dumps
from citestream.providers.wire.responses import response_annotations
from citestream.providers.wire.responses_tools import ChatTools

from ...http.client_api import Encoder
from ...http.encoding import typed_event
from ...pipeline.collect_chunks import MANY_CHUNKS, Completion
from ...pipeline.merge_deltas import reasoning_of
from ...pipeline.request.job import Job
from .response_object import (
    Item,
    OutputItems,
    begun_item,
    empty_response,
    incomplete_reason,
    response_logprobs,
    whole_item,
    with_output,
)
from .stored_responses import conversation, conversation_key

Fields = dict[str, Any]

Annotations = Callable[[int], list[Fields]]


# Type of an item whose content comes in deltas -> the name in its events, and the field that grows.
CALLS = {
    "function_call": ("function_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
}
EMPTY_PARTS: dict[str, Fields] = {
    "content": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    "refusal": {"type": "refusal", "refusal": ""},
}


class ResponsesEncoder(Encoder):
    """Encodes the first choice. This API has no others."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"

    def __init__(self, job: Job, annotations: Annotations, tools: ChatTools) -> None:
        """`job`: the request, parts of which the response repeats. `annotations`: returns those of a choice so far.

        `tools`: of the request.
        """
        self._job = job
        self._tools = tools
        self._annotations = annotations
        self._sent_annotations: set[bytes] = set()
        self._key = uuid4().hex
        self.name = f"resp_{self._key}"  # the id of the response
        self._created = int(time())
        self._sequence = 0
        self._completion = Completion()
        self._output = OutputItems(self._completion, self._key)
        self._places: dict[str, int] = {}  # the position of each announced item, by its id
        self._calls: dict[int | None, Item] = {}  # announced tool calls, by the index that their fragments have
        self._thought: Item | None = None  # the last announced reasoning
        self._done: set[str] = set()  # ids of complete items
        self._parts: list[str] = []  # announced parts of the message
        self._failed = False
        self._begun = False

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return the events of these chunks."""
        written = self._opening()
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                if choice.get("index", 0) == 0:
                    written += self._delta(choice.get("delta") or {}, choice.get("logprobs"))
        return b"".join(written)

    def failure(self, error: Fields, _status: int) -> bytes:
        """Return `response.failed` with the answer so far, then `error`.

        OpenAI's servers put the error's fields inside an object, where both of its SDKs look for an error to raise. Its
        documentation has the same fields at the top level. Many clients ignore `response.failed` and would take half an
        answer for a whole one.
        """
        self._failed = True
        written = self._opening() + self._closing("incomplete")
        inner = {"code": error["error"]["code"] or "server_error", "message": error["error"]["message"]}
        body = self._response(self._completion, "failed", "incomplete") | {"error": inner}
        written.append(self._event("response.failed", {"response": body}))
        frame = {"code": inner["code"], "message": inner["message"], "param": error["error"]["param"], **error}
        return b"".join([*written, self._event("error", frame)])

    def end(self) -> bytes:
        """Return the complete items, then `response.completed` or `response.incomplete`; nothing after a failure."""
        if self._failed:
            return b""
        status = "incomplete" if incomplete_reason(self._completion) else "completed"
        written = self._opening() + self._closing(status)
        return b"".join([*written, self._event(f"response.{status}", {"response": self.body(self._completion)})])

    def containers(self) -> list[Any]:
        """See Encoder."""
        items = self._output.items
        own = [items, self._calls] if len(items) > MANY_CHUNKS else []
        return [*self._completion.containers(), *own]

    def body(self, completion: Completion) -> Fields:
        """Return the whole answer as one response."""
        reason = incomplete_reason(completion)
        status = "incomplete" if reason else "completed"
        body = self._response(completion, status, status)
        body |= {"incomplete_details": {"reason": reason}} if reason else {"completed_at": int(time())}
        if self.store and (stored := conversation(self._job.body, body)):
            self.store(conversation_key(self.name), stored)
        return body

    def _opening(self) -> list[bytes]:
        if self._begun:
            return []
        self._begun = True
        empty = {"response": self._empty("in_progress")}
        return [self._event("response.created", empty), self._event("response.in_progress", empty)]

    def _delta(self, delta: Fields, logprobs: Fields | None) -> list[bytes]:
        """Return the items that a delta begins, then its content. Reasoning is complete when the answer begins."""
        written = self._announce()
        if (thought := reasoning_of(delta)) and self._thought:
            place = {**self._item_place(self._thought.id), "summary_index": 0}
            written.append(self._event("response.reasoning_summary_text.delta", {**place, "delta": thought}))
        if delta.get("content"):
            data = {"delta": delta["content"], "logprobs": response_logprobs(logprobs)}
            written.append(self._event("response.output_text.delta", {**self._part_place("content"), **data}))
            written += self._new_annotations(list(response_annotations(self._annotations(0))))
        if delta.get("refusal"):
            place = self._part_place("refusal")
            written.append(self._event("response.refusal.delta", {**place, "delta": delta["refusal"]}))
        for fragment in delta.get("tool_calls") or ():
            written += self._call_delta(fragment)
        return written

    def _announce(self, *, final: bool = False) -> list[bytes]:
        """Announce items and parts that have begun since the last call."""
        written: list[bytes] = []
        for item in self._output.update(final=final):
            if item.type in CALLS:
                self._calls.setdefault(item.index, item)
            else:  # models continue to reason between their calls
                written += self._item_done(self._thought, "completed") if self._thought else []
            self._places[item.id] = len(self._places)
            place = self._item_place(item.id)
            begun = {"output_index": place["output_index"], "item": begun_item(item, self._completion, self._tools)}
            written.append(self._event("response.output_item.added", begun))
            if item.type == "reasoning":
                self._thought = item
                part = {**place, "summary_index": 0, "part": {"type": "summary_text", "text": ""}}
                written.append(self._event("response.reasoning_summary_part.added", part))
        for kind in self._output.parts[len(self._parts) :]:
            self._parts.append(kind)
            begun = {**self._part_place(kind), "part": EMPTY_PARTS[kind]}
            written.append(self._event("response.content_part.added", begun))
        return written

    def _call_delta(self, fragment: Fields) -> list[bytes]:
        """Return what a fragment adds to its tool call."""
        item = self._calls.get(fragment.get("index")) or next(reversed(self._calls.values()))
        function = fragment.get("custom") or fragment.get("function") or {}
        added = function.get("input") or function.get("arguments") or ""
        if not added:
            return []
        return [self._event(f"response.{CALLS[item.type][0]}.delta", {**self._item_place(item.id), "delta": added})]

    def _new_annotations(self, annotations: list[Fields]) -> list[bytes]:
        """Return the events of annotations that have not been sent. Their passage may have changed since."""
        written = []
        for annotation in annotations:
            key = dumps({**annotation, "content": None, "link": None})
            if key not in self._sent_annotations:
                added = {"annotation_index": len(self._sent_annotations), "annotation": annotation}
                self._sent_annotations.add(key)
                written.append(
                    self._event("response.output_text.annotation.added", {**self._part_place("content"), **added})
                )
        return written

    def _closing(self, status: str) -> list[bytes]:
        """Complete every item."""
        written = self._announce(final=True)
        for item in self._output.items:
            written += self._item_done(item, status)
        return written

    def _item_done(self, item: Item, status: str) -> list[bytes]:
        if item.id in self._done:
            return []
        self._done.add(item.id)
        annotations = self._all_annotations(self._completion) if item.type == "message" else ()
        whole = whole_item(item, self._completion, status, self._output.parts, annotations, self._tools)
        place = self._item_place(item.id)
        written: list[bytes] = []
        match item.type:
            case "reasoning":
                (part,) = whole["summary"]
                inner = {**place, "summary_index": 0}
                written += [
                    self._event("response.reasoning_summary_text.done", {**inner, "text": part["text"]}),
                    self._event("response.reasoning_summary_part.done", {**inner, "part": part}),
                ]
            case "message":
                written += self._parts_done(whole["content"])
            case "function_call" | "custom_tool_call":
                name, grown = CALLS[item.type]
                called = {"name": whole["name"]} if item.type == "function_call" else {}
                written.append(self._event(f"response.{name}.done", {**place, **called, grown: whole[grown]}))
        done = {"output_index": place["output_index"], "item": whole}
        return [*written, self._event("response.output_item.done", done)]

    def _parts_done(self, parts: list[Fields]) -> list[bytes]:
        written: list[bytes] = []
        for kind, part in zip(self._parts, parts, strict=True):
            place = self._part_place(kind)
            if kind == "content":
                written += self._new_annotations(part["annotations"])
                done = {**place, "text": part["text"], "logprobs": part["logprobs"]}
                written.append(self._event("response.output_text.done", done))
            else:
                written.append(self._event("response.refusal.done", {**place, "refusal": part["refusal"]}))
            written.append(self._event("response.content_part.done", {**place, "part": part}))
        return written

    def _item_place(self, item_id: str) -> Fields:
        return {"item_id": item_id, "output_index": self._places[item_id]}

    def _part_place(self, kind: str) -> Fields:
        return {**self._item_place(self._output.message_id), "content_index": self._parts.index(kind)}

    def _all_annotations(self, completion: Completion) -> list[Fields]:
        """Return those of the message, or ours if a dialect does not put them there."""
        return completion.message(0).get("annotations") or self._annotations(0)

    def _response(self, completion: Completion, status: str, item_status: str) -> Fields:
        annotations = self._all_annotations(completion)
        found = OutputItems(completion, self._key)
        items = found.update(final=True)
        # Reasoning before other content is complete, even if the answer broke off.
        last = max((at for at, item in enumerate(items) if item.type not in CALLS), default=0)
        output = [
            whole_item(
                item,
                completion,
                "completed" if item.type == "reasoning" and at < last else item_status,
                found.parts,
                annotations,
                self._tools,
            )
            for at, item in enumerate(items)
        ]
        return with_output(self._empty(status), completion, output)

    def _empty(self, status: str) -> Fields:
        return empty_response(self._job, self.name, self._created, status, stored=self._is_stored)

    @property
    def _is_stored(self) -> bool:
        return self.store is not None and self._job.body.get("store") is not False

    def _event(self, kind: str, fields: Fields) -> bytes:
        data = {"type": kind, "sequence_number": self._sequence, **fields}
        self._sequence += 1
        return typed_event(data)
