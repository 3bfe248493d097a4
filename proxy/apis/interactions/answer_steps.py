"""The steps of an answer, and the events that build them in a stream.

Text, thoughts and each call of a function are steps of their own, in the order in which they begin.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from citestream.citation.references import Citation, display_title
from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import as_list, as_object
from citestream.providers.wire.openai_messages import image_url, parse_data_url

from ...http.client_api import Citations
from ...pipeline.merge_deltas import reasoning_of

Fields = dict[str, Any]

URL_FIELDS = ("url", "title")


class ByteOffsets:
    """The offsets of a text in bytes of UTF-8, by its offsets in code points."""

    def __init__(self, start: int) -> None:
        """`start`: code points of the answer before the text."""
        self._starts = [start]  # code points of the answer before each piece
        self._bytes = [0]  # bytes of the text before each piece
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Add the next piece of the text."""
        self._pieces.append(piece)
        self._starts.append(self._starts[-1] + len(piece))
        self._bytes.append(self._bytes[-1] + len(piece.encode(errors="replace")))

    def of(self, offset: int) -> int:
        """Return the bytes of the text before this offset in the answer, in code points."""
        index = max(0, min(bisect_right(self._starts, offset) - 1, len(self._pieces)))
        if index == len(self._pieces):
            return self._bytes[-1]
        piece = self._pieces[index][: max(0, offset - self._starts[index])]
        return self._bytes[index] + len(piece.encode(errors="replace"))


class _Step:
    """One step. `offsets`: of its text, if it is a part of the answer."""

    def __init__(self, index: int, kind: str, fields: Fields, offsets: ByteOffsets | None = None) -> None:
        self.index = index
        self.kind = kind
        self.fields = fields
        self.offsets = offsets
        self.pieces: list[str] = []
        self.annotations: list[Fields] = []
        self.is_open = True

    def value(self) -> Fields:
        """Return the step with its content."""
        text = "".join(self.pieces)
        match self.kind:
            case "thought":
                return {"type": "thought", "summary": [{"type": "text", "text": text}]}
            case "function_call":
                return {**self.fields, "arguments": _arguments(text)}
            case "image":
                return self.fields
            case _:
                annotations = {"annotations": self.annotations} if self.annotations else {}
                return {"type": "model_output", "content": [{"type": "text", "text": text, **annotations}]}


class AnswerSteps:
    """Builds the steps of the first choice from its chunks. This API has no others."""

    def __init__(self, key: str, citations: Citations) -> None:
        """`key`: part of the ids of calls. `citations`: those of the answer so far."""
        self._key = key
        self._citations = citations
        self._steps: list[_Step] = []
        self._calls: dict[Any, _Step] = {}
        self._open: _Step | None = None  # the text or thought that continues
        self._texts: list[_Step] = []  # steps of the answer's text
        self._starts: list[int] = []  # code points of the answer before each of them
        self._length = 0  # code points of the answer so far
        self._cited = 0  # number of citations that are annotations

    def add(self, chunk: Chunk) -> list[Fields]:
        """Return the events of the next chunk."""
        events: list[Fields] = []
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) == 0:
                events += self._add(choice.get("delta") or {})
        return events

    def end(self, annotations: object = None) -> list[Fields]:
        """Return the events that complete all steps. `annotations`: of the whole answer, with those of a provider."""
        events = [*self._annotate(), *self._provider_annotations(annotations)]
        return events + [_stop(step) for step in self._steps if step.is_open]

    def values(self) -> list[Fields]:
        """Return the steps with their content."""
        return [step.value() for step in self._steps]

    @property
    def has_calls(self) -> bool:
        """Whether a function is called."""
        return bool(self._calls)

    def _add(self, delta: Fields) -> list[Fields]:
        events: list[Fields] = []
        if thought := reasoning_of(delta):
            step, begun = self._begin("thought")
            step.pieces.append(thought)
            content = {"type": "text", "text": thought}
            events += [*begun, _delta(step, {"type": "thought_summary", "content": content})]
        if text := delta.get("content"):
            step, begun = self._begin("model_output")
            step.pieces.append(text)
            if step.offsets:
                step.offsets.add(text)
            self._length += len(text)
            events += [*begun, _delta(step, {"type": "text", "text": text}), *self._annotate()]
        if refusal := delta.get("refusal"):
            step, begun = self._begin("refusal")
            step.pieces.append(refusal)
            events += [*begun, _delta(step, {"type": "text", "text": refusal})]
        for image in delta.get("images") or ():
            events += self._add_image(_image_content(image))
        for fragment in delta.get("tool_calls") or ():
            events += self._add_call(fragment)
        return events

    def _add_image(self, content: Fields) -> list[Fields]:
        """Return the events of an image, which is a step of its own."""
        step, events = self._begin("image")
        step.fields = {**step.fields, "content": [content]}
        return [*events, _delta(step, content), *self._stop_open()]

    def _begin(self, kind: str) -> tuple[_Step, list[Fields]]:
        """Return the open step of this kind, and the events that begin it if it is new."""
        if self._open and self._open.kind == kind:
            return self._open, []
        events = self._stop_open()
        offsets = ByteOffsets(self._length) if kind == "model_output" else None
        step = _Step(len(self._steps), kind, {"type": "thought" if kind == "thought" else "model_output"}, offsets)
        self._open = step
        self._steps.append(step)
        if offsets:
            self._texts.append(step)
            self._starts.append(self._length)
        return step, [*events, _start(step)]

    def _stop_open(self) -> list[Fields]:
        """Return the end of the text or thought that does not continue."""
        step, self._open = self._open, None
        return [_stop(step)] if step else []

    def _add_call(self, fragment: Fields) -> list[Fields]:
        """Return what a fragment adds to its call."""
        events: list[Fields] = []
        number = fragment.get("index", 0)
        function = as_object(fragment.get("function") or fragment.get("custom"))
        if (step := self._calls.get(number)) is None:
            events += self._stop_open()
            call_id = fragment.get("id") or f"call_{self._key}_{len(self._calls)}"
            fields: Fields = {
                "type": "function_call",
                "id": call_id,
                "name": function.get("name") or "",
                "arguments": {},
            }
            step = self._calls[number] = _Step(len(self._steps), "function_call", fields)
            self._steps.append(step)
            events.append(_start(step))
        if added := function.get("arguments") or function.get("input"):
            step.pieces.append(added)
            events.append(_delta(step, {"type": "arguments_delta", "arguments": added}))
        return events

    def _annotate(self) -> list[Fields]:
        """Return the events of the citations that have been added since the last call."""
        added = self._citations.citations(0)[self._cited :]
        self._cited += len(added)
        return [event for citation in added for event in self._annotation(citation)]

    def _annotation(self, citation: Citation) -> Iterator[Fields]:
        if citation.span.tool_call is None:
            yield from self._located(_source(citation), citation.span.start, citation.span.end)

    def _provider_annotations(self, annotations: object) -> Iterator[Fields]:
        """Yield the events of web pages that the provider cites. Annotations of Citestream have a passage."""
        for annotation in as_list(annotations):
            page = as_object(as_object(annotation).get("url_citation"))
            start, end = page.get("start_index"), page.get("end_index")
            if "content" in page or type(start) is not int or type(end) is not int:
                continue
            fields = {key: page[key] for key in URL_FIELDS if isinstance(page.get(key), str)}
            yield from self._located({"type": "url_citation", **fields}, start, end)

    def _located(self, source: Fields, start: int, end: int) -> Iterator[Fields]:
        """Yield the event of an annotation, in the step in which its text begins."""
        step = self._texts[max(0, bisect_right(self._starts, start) - 1)] if self._texts else None
        if step and step.offsets:
            bounds = {"start_index": step.offsets.of(start), "end_index": step.offsets.of(end)}
            step.annotations.append({**source, **bounds})
            yield _delta(step, {"type": "text_annotation_delta", "annotations": [{**source, **bounds}]})


def _source(citation: Citation) -> Fields:
    """Return the annotation without its bounds: of a page, or of a file without an address."""
    evidence = citation.evidence
    if evidence.file_name and not evidence.url:
        page = {"page_number": evidence.page_number} if isinstance(evidence.page_number, int) else {}
        return {
            "type": "file_citation",
            "document_uri": citation.link,
            "file_name": evidence.file_name,
            "source": citation.quote,
            **page,
        }
    return {"type": "url_citation", "url": citation.link, "title": display_title(evidence)}


def _image_content(image: Fields) -> Fields:
    url = image_url(image)
    if inline := parse_data_url(url):
        return {"type": "image", "mime_type": inline[0], "data": inline[1]}
    return {"type": "image", "uri": url}


def _start(step: _Step) -> Fields:
    return {"event_type": "step.start", "index": step.index, "step": step.fields}


def _delta(step: _Step, delta: Fields) -> Fields:
    return {"event_type": "step.delta", "index": step.index, "delta": delta}


def _stop(step: _Step) -> Fields:
    step.is_open = False
    return {"event_type": "step.stop", "index": step.index}


def _arguments(text: str) -> Fields:
    """Return the arguments of a call; those that are not an object, under `arguments`."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"arguments": text}
    return value if isinstance(value, dict) else {"arguments": value}
