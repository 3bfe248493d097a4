"""Citations of the provider itself, of a search that it made: they are held, and move with the text that they mark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from citestream.citation.answers.offset_map import OffsetMap
from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import as_list, as_object

Fields = dict[str, Any]

MAX_MOVED = 1_000  # citations of one choice; each takes up to 10 ms if our markers are inside


class ProviderSpan(NamedTuple):
    """A stretch of text that a provider cites, in code points. Anthropic's citations belong to blocks of text."""

    start: int | None  # None: not shown yet
    end: int | None  # None: not shown yet, or open
    citations: Sequence[Any] = ()


class ProviderCitations:
    """The annotations, the grounding metadata and the cited blocks of one answer, by choice.

    Their offsets are known in the shown text when all text is shown, and clients read them once per stream. They are
    therefore sent with the end of their choice; in Anthropic's API, with the text.
    """

    def __init__(self) -> None:
        """Create an empty collection."""
        self._annotations: dict[int, list[Any]] = {}
        self._metadata: dict[int, Fields] = {}
        self._spans: dict[int, list[ProviderSpan]] = {}  # with offsets in the provider's text

    def take(self, chunk: Chunk) -> Chunk | None:
        """Take the citations of a chunk. Return the chunk without them, None if it had only cited blocks."""
        choices = chunk.get("choices") or []
        without = [self._take(choice) for choice in choices]
        if all(changed is choice for changed, choice in zip(without, choices, strict=True)):
            return chunk
        had_blocks = any("anthropic" in (choice.get("delta") or {}) for choice in choices)
        return None if had_blocks and not any(map(_has_content, without)) else chunk | {"choices": without}

    @property
    def has_spans(self) -> bool:
        """Whether there are cited blocks."""
        return any(span.citations for spans in self._spans.values() for span in spans)

    def observe(self, chunk: Chunk) -> None:
        """See the cited blocks of a chunk, which stay in it."""
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta")
            if delta and "anthropic" in delta:
                self._take_blocks(choice.get("index", 0), delta)

    def _take(self, choice: Fields) -> Fields:
        index, delta, google = choice.get("index", 0), choice.get("delta"), choice.get("google")
        if delta and "annotations" in delta:
            self._annotations.setdefault(index, []).extend(as_list(delta["annotations"]))
            choice = choice | {"delta": _without(delta, "annotations")}
        if metadata := as_object(as_object(google).get("groundingMetadata")):
            self._metadata.setdefault(index, {}).update(metadata)
            choice = choice | {"google": _without(as_object(google), "groundingMetadata")}
        if delta and (native := as_object(delta.get("anthropic"))):
            blocks = as_list(native.get("content"))
            if len(uncited := self._take_blocks(index, delta)) < len(blocks):
                remaining = {**native, "content": uncited} if uncited else _without(native, "content")
                delta = _without(choice["delta"], "anthropic")
                choice = choice | {"delta": {**delta, **({"anthropic": remaining} if remaining else {})}}
        return choice

    def _take_blocks(self, choice: int, delta: Mapping[str, Any] | None) -> list[Any]:
        """Take the cited blocks of Anthropic's messages; return the other ones."""
        uncited, spans = [], self._spans.setdefault(choice, [])
        for block in as_list(as_object((delta or {}).get("anthropic")).get("content")):
            if "text_start" in block:
                spans.append(ProviderSpan(block["text_start"], None))
            elif "text_end" in block and spans:
                spans[-1] = ProviderSpan(spans[-1].start, block["text_end"], block.get("citations") or ())
            else:
                uncited.append(block)
        return uncited

    def spans(self, choice: int, first: int, offsets: OffsetMap) -> list[ProviderSpan]:
        """Return the cited blocks of a choice from the one with the number `first`, with offsets in the shown text."""
        return [_shown_span(span, offsets) for span in self._spans.get(choice, ())[first:]]

    def annotations(self, choice: int, offsets: OffsetMap | None) -> list[Any]:
        """Return the annotations of a choice, with offsets in the shown text. `offsets`: None if it is unchanged."""
        annotations = self._annotations.get(choice, [])[:MAX_MOVED]
        annotations += [
            annotation for span in self._spans.get(choice, ())[:MAX_MOVED] for annotation in _annotations_of(span)
        ]
        return [_moved_annotation(annotation, offsets) for annotation in annotations] if offsets else annotations

    def choice_fields(self, choice: int, offsets: OffsetMap) -> Fields:
        """Return the other fields of a choice, with offsets in the shown text."""
        metadata = self._metadata.get(choice)
        if metadata is None:
            return {}
        supports = [
            _moved_support(support, offsets) for support in as_list(metadata.get("groundingSupports"))[:MAX_MOVED]
        ]
        return {"groundingMetadata": metadata | ({"groundingSupports": supports} if supports else {})}


def with_offsets(chunk: Chunk, received: Callable[[int], int]) -> Chunk:
    """Return a chunk whose announced blocks have offsets.

    `received`: returns the number of code points of a choice so far.
    """
    choices = chunk.get("choices") or []
    if not any("anthropic" in (choice.get("delta") or ()) for choice in choices):
        return chunk
    return chunk | {"choices": [_with_offset(choice, received(choice.get("index", 0))) for choice in choices]}


def _with_offset(choice: Fields, offset: int) -> Fields:
    native = as_object(choice["delta"].get("anthropic"))
    blocks = [
        {name: offset if name in ("text_start", "text_end") else value for name, value in block.items()}
        for block in as_list(native.get("content"))
    ]
    return choice | {"delta": {**choice["delta"], "anthropic": {**native, "content": blocks}}} if blocks else choice


def _has_content(choice: Fields) -> bool:
    return bool(choice.get("delta")) or choice.get("finish_reason") is not None


def _shown_span(span: ProviderSpan, offsets: OffsetMap) -> ProviderSpan:
    """Return a span of the provider's text in the shown text, as far as it is shown."""
    start, end, citations = span
    if start is None or start > offsets.source_end:
        return ProviderSpan(None, None, citations)
    is_shown = end is not None and end <= offsets.source_end
    first, last = offsets.span(start, end if end is not None and is_shown else start)
    return ProviderSpan(first, last if is_shown else None, citations)


def _annotations_of(span: ProviderSpan) -> Iterator[Fields]:
    """Yield Anthropic's citations of web pages as annotations of Chat Completions."""
    for citation in map(as_object, span.citations if span.end is not None else ()):
        url = citation.get("url") or citation.get("source")
        if isinstance(url, str) and url.startswith(("http://", "https://")):
            place = {"start_index": span.start, "end_index": span.end}
            yield {"type": "url_citation", "url_citation": {"url": url, "title": citation.get("title") or url, **place}}


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
