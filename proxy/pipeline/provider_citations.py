"""Citations of the provider itself, of a search that it made: they are held, and move with the text that they mark."""

from collections.abc import Mapping
from typing import Any

from citestream.citation.answers.offset_map import OffsetMap
from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import as_list, as_object

Fields = dict[str, Any]

MAX_MOVED = 1_000  # citations of one choice; each takes up to 10 ms if our markers are inside


class ProviderCitations:
    """The annotations and the grounding metadata of one answer, by choice.

    Their offsets are known in the shown text when all text is shown, and clients read them once per stream. They are
    therefore sent with the end of their choice.
    """

    def __init__(self) -> None:
        """Create an empty collection."""
        self._annotations: dict[int, list[Any]] = {}
        self._metadata: dict[int, Fields] = {}

    def take(self, chunk: Chunk) -> Chunk:
        """Take the citations of a chunk; return the chunk without them."""
        choices = chunk.get("choices") or []
        without = [self._take(choice) for choice in choices]
        is_changed = any(one is not choice for one, choice in zip(without, choices, strict=True))
        return chunk | {"choices": without} if is_changed else chunk

    def _take(self, choice: Fields) -> Fields:
        index, delta, google = choice.get("index", 0), choice.get("delta"), choice.get("google")
        if delta and "annotations" in delta:
            self._annotations.setdefault(index, []).extend(as_list(delta["annotations"]))
            choice = choice | {"delta": _without(delta, "annotations")}
        if metadata := as_object(as_object(google).get("groundingMetadata")):
            self._metadata.setdefault(index, {}).update(metadata)
            choice = choice | {"google": _without(as_object(google), "groundingMetadata")}
        return choice

    def annotations(self, choice: int, offsets: OffsetMap) -> list[Any]:
        """Return the annotations of a choice, with offsets in the shown text."""
        return [_moved_annotation(one, offsets) for one in self._annotations.get(choice, ())[:MAX_MOVED]]

    def choice_fields(self, choice: int, offsets: OffsetMap) -> Fields:
        """Return the other fields of a choice, with offsets in the shown text."""
        metadata = self._metadata.get(choice)
        if metadata is None:
            return {}
        supports = [_moved_support(one, offsets) for one in as_list(metadata.get("groundingSupports"))[:MAX_MOVED]]
        return {"groundingMetadata": metadata | ({"groundingSupports": supports} if supports else {})}


def _without(fields: Mapping[str, Any], name: str) -> Fields:
    return {key: value for key, value in fields.items() if key != name}


def _moved_annotation(annotation: Any, offsets: OffsetMap) -> Any:
    """Return an annotation of Chat Completions, whose offsets are in an object, or of the Responses API."""
    if not isinstance(annotation, dict):
        return annotation
    kind = annotation.get("type")
    if isinstance(kind, str) and isinstance(inner := annotation.get(kind), dict):
        return annotation | {kind: _moved(inner, offsets)}
    return _moved(annotation, offsets)


def _moved(fields: Fields, offsets: OffsetMap) -> Fields:
    span = _span(fields, "start_index", "end_index")
    if span is None:
        return fields
    start, end = offsets.span(*span)
    return fields | {"start_index": start, "end_index": end}


def _moved_support(support: Any, offsets: OffsetMap) -> Any:
    """Return one of Gemini's supports. Its offsets count bytes, and zero is left out."""
    segment = as_object(as_object(support).get("segment"))
    span = _span({"startIndex": 0, **segment}, "startIndex", "endIndex")
    if span is None:
        return support
    start, end = offsets.bytes_span(*span)
    return {
        **support,
        "segment": {**_without(segment, "startIndex"), **({"startIndex": start} if start else {}), "endIndex": end},
    }


def _span(fields: Mapping[str, Any], start: str, end: str) -> tuple[int, int] | None:
    """Return two offsets if they are a span."""
    begin, stop = fields.get(start), fields.get(end)
    is_span = type(begin) is int and type(stop) is int and 0 <= begin <= stop
    return (begin, stop) if is_span else None  # type: ignore[return-value]  # mypy does not narrow by `type`
