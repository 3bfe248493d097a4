"""ResponseEvents: the hub's chunks as the events of the Responses API; annotations follow the text they mark."""

from collections.abc import Callable, Sequence
from time import time
from typing import Any
from uuid import uuid4

from citestream.providers.events import Chunk

from ...http.encoding import dumps
from ...pipeline.collect_chunks import Completion, thought_of
from ...pipeline.job import Job
from .body import answered, incomplete, response_body
from .items import Item, begun_item, flat, part_kinds, planned, whole_item
from .memory import conversation, kept_as

Fields = dict[str, Any]

Annotations = Callable[[int], list[Fields]]


# Items that grow by deltas: how their events are called, and the field that grows.
CALLS = {
    "function_call": ("function_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
}
EMPTY_PARTS: dict[str, Fields] = {
    "content": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    "refusal": {"type": "refusal", "refusal": ""},
}


class ResponseEvents:
    """Writes the first choice; this API has no others."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"

    def __init__(self, job: Job, annotations: Annotations) -> None:
        """`job`: what was asked, part of which the response repeats. `annotations`: those of a choice so far."""
        self.remember: Callable[[str, Fields], None] = _forgotten  # called with what later requests may refer to
        self._job = job
        self._annotations = annotations
        self._annotated: list[Fields] = []  # those that have been sent
        self._key = uuid4().hex
        self.name = f"resp_{self._key}"  # what its client knows the answer by
        self._created = int(time())
        self._number = 0
        self._completion = Completion()
        self._items: list[Item] = []  # those that have been announced
        self._done: set[str] = set()  # ids of those that are complete
        self._parts: list[str] = []  # of the message, announced
        self._failed = False
        self._begun = False

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Everything as it comes."""
        written = self._opening()
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                if choice.get("index", 0) == 0:
                    written += self._delta(choice.get("delta") or {}, choice.get("logprobs"))
        return b"".join(written)

    def failure(self, error: Fields, _status: int) -> bytes:
        """`response.failed`, with what had arrived, then `error`.

        OpenAI's own frame holds its error inside, where both of its SDKs look for one to raise; its documentation has
        the same fields outside. Many clients pass over `response.failed`, and would take half an answer for a whole.
        """
        self._failed = True
        written = self._opening() + self._closing(self._completion, "incomplete")
        said = {"code": error["error"]["code"] or "server_error", "message": error["error"]["message"]}
        body = self._response(self._completion, "failed", "incomplete") | {"error": said}
        written.append(self._event("response.failed", {"response": body}))
        frame = {"code": said["code"], "message": said["message"], "param": error["error"]["param"], **error}
        return b"".join([*written, self._event("error", frame)])

    def end(self) -> bytes:
        """The items in full, then `response.completed`; nothing more after a failure."""
        if self._failed:
            return b""
        status = "incomplete" if incomplete(self._completion) else "completed"
        written = self._opening() + self._closing(self._completion, status)
        return b"".join([*written, self._event(f"response.{status}", {"response": self.body(self._completion)})])

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        reason = incomplete(completion)
        status = "incomplete" if reason else "completed"
        body = self._response(completion, status, status)
        if kept := conversation(self._job.body, body["output"]):
            self.remember(kept_as(self.name), kept)
        return body | {"incomplete_details": {"reason": reason}} if reason else body

    def _opening(self) -> list[bytes]:
        if self._begun:
            return []
        self._begun = True
        empty = response_body(self._job, self.name, self._created, "in_progress")
        return [
            self._event("response.created", {"response": empty}),
            self._event("response.in_progress", {"response": empty}),
        ]

    def _delta(self, delta: Fields, logprobs: Fields | None) -> list[bytes]:
        """What a delta begins, then what it adds; thoughts are complete as soon as the answer begins."""
        written = self._announced()
        if thought := thought_of(delta):
            thinking = [item for item in self._items if item.type == "reasoning"][-1]
            place = {**self._place(thinking), "summary_index": 0}
            written.append(self._event("response.reasoning_summary_text.delta", {**place, "delta": thought}))
        if delta.get("content"):
            data = {"delta": delta["content"], "logprobs": (logprobs or {}).get("content") or []}
            written.append(self._event("response.output_text.delta", {**self._part("content"), **data}))
            written += self._marked(list(flat(self._annotations(0))))
        if delta.get("refusal"):
            written.append(self._event("response.refusal.delta", {**self._part("refusal"), "delta": delta["refusal"]}))
        for fragment in delta.get("tool_calls") or ():
            written += self._called(fragment)
        return written

    def _announced(self, *, late: bool = False) -> list[bytes]:
        """Items and parts that have begun since."""
        written: list[bytes] = []
        for item in planned(self._completion, self._key, late=late)[len(self._items) :]:
            for known in self._items if item.type not in CALLS else ():  # models think on beside their calls
                written += self._item_done(known, "completed") if known.type == "reasoning" else []
            self._items.append(item)
            place = self._place(item)
            begun = {"output_index": place["output_index"], "item": begun_item(item, self._completion)}
            written.append(self._event("response.output_item.added", begun))
            if item.type == "reasoning":
                part = {**place, "summary_index": 0, "part": {"type": "summary_text", "text": ""}}
                written.append(self._event("response.reasoning_summary_part.added", part))
        for kind in part_kinds(self._completion)[len(self._parts) :]:
            self._parts.append(kind)
            written.append(self._event("response.content_part.added", {**self._part(kind), "part": EMPTY_PARTS[kind]}))
        return written

    def _called(self, fragment: Fields) -> list[bytes]:
        """What a fragment adds to its call."""
        calls = self._completion.message(0)["tool_calls"]
        index = fragment.get("index")
        number = next((at for at, call in enumerate(calls) if call.get("index") == index), len(calls) - 1)
        item = next(item for item in self._items if item.type in CALLS and item.number == number)
        called = fragment.get("custom") or fragment.get("function") or {}
        added = called.get("input") or called.get("arguments") or ""
        if not added:
            return []
        added = added if isinstance(added, str) else dumps(added).decode()
        return [self._event(f"response.{CALLS[item.type][0]}.delta", {**self._place(item), "delta": added})]

    def _marked(self, found: list[Fields]) -> list[bytes]:
        """The annotations that have not been sent: those that came with the latest text."""
        known = [{**one, "content": None} for one in self._annotated]
        new = [one for one in found if {**one, "content": None} not in known]
        written = [
            self._event(
                "response.output_text.annotation.added",
                {**self._part("content"), "annotation_index": at, "annotation": annotation},
            )
            for at, annotation in enumerate(new, len(self._annotated))
        ]
        self._annotated += new
        return written

    def _closing(self, completion: Completion, status: str) -> list[bytes]:
        """Every item complete."""
        written = self._announced(late=True)
        for item in self._items:
            written += self._item_done(item, status)
        return written

    def _item_done(self, item: Item, status: str) -> list[bytes]:
        if item.id in self._done:
            return []
        self._done.add(item.id)
        whole = whole_item(item, self._completion, status, self._all_annotations(self._completion))
        place = self._place(item)
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
                written.append(self._event(f"response.{name}.done", {**place, grown: whole[grown]}))
        done = {"output_index": place["output_index"], "item": whole}
        return [*written, self._event("response.output_item.done", done)]

    def _parts_done(self, parts: list[Fields]) -> list[bytes]:
        written: list[bytes] = []
        for kind, part in zip(self._parts, parts, strict=True):
            place = self._part(kind)
            if kind == "content":
                written += self._marked(part["annotations"])
                done = {**place, "text": part["text"], "logprobs": part["logprobs"]}
                written.append(self._event("response.output_text.done", done))
            else:
                written.append(self._event("response.refusal.done", {**place, "refusal": part["refusal"]}))
            written.append(self._event("response.content_part.done", {**place, "part": part}))
        return written

    def _place(self, item: Item) -> Fields:
        return {"item_id": item.id, "output_index": self._items.index(item)}

    def _part(self, kind: str) -> Fields:
        """Where a part of the message is."""
        message = next(item for item in self._items if item.type == "message")
        return {**self._place(message), "content_index": self._parts.index(kind)}

    def _all_annotations(self, completion: Completion) -> list[Fields]:
        """Those of the message; ours, where a dialect shows chat clients something else in their place."""
        return completion.message(0).get("annotations") or self._annotations(0)

    def _response(self, completion: Completion, status: str, of_items: str) -> Fields:
        annotations = self._all_annotations(completion)
        found = planned(completion, self._key, late=True)
        # Thoughts that something was said after are complete, whatever became of the answer.
        said = max((at for at, item in enumerate(found) if item.type not in CALLS), default=0)
        items = [
            whole_item(
                item, completion, "completed" if item.type == "reasoning" and at < said else of_items, annotations
            )
            for at, item in enumerate(found)
        ]
        return answered(response_body(self._job, self.name, self._created, status), completion, items)

    def _event(self, kind: str, fields: Fields) -> bytes:
        data = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return f"event: {kind}\ndata: ".encode() + dumps(data) + b"\n\n"


def _forgotten(_name: str, _fields: Fields) -> None:
    """What nobody wants to keep."""
