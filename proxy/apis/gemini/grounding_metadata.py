"""References as Gemini's `groundingChunks` and `groundingSupports`. Their offsets count bytes of UTF-8."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from citestream.providers.wire.json_text import as_list, as_object

Fields = dict[str, Any]
Passage = tuple[int, str]  # position of a reference, and a quote of it

BLOCK = 1_000  # code points whose bytes are counted at a time: a text may have 100,000 cited sentences
MAX_OWN_SUPPORTS = 1_000  # supports of Gemini's own search; each is searched in the whole answer


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of the answer's text. `part`: the index of its part; all text of a stream is in part 0."""

    part: int
    start: int  # offset in the answer, in code points
    text: str
    before: int = 0  # bytes of other text before it in its part
    _blocks: list[int] = field(default_factory=lambda: [0])  # bytes before each block that was counted

    def bytes_before(self, offset: int) -> int:
        """Return the number of bytes in the part before this offset in the text."""
        while len(self._blocks) <= offset // BLOCK:
            start = (len(self._blocks) - 1) * BLOCK
            self._blocks.append(self._blocks[-1] + byte_length(self.text[start : start + BLOCK]))
        start = offset // BLOCK * BLOCK
        return self.before + self._blocks[offset // BLOCK] + byte_length(self.text[start:offset])


def grounding_metadata(
    message: Mapping[str, Any], choice: int, texts: Sequence[Text], native: Mapping[str, Any]
) -> Fields:
    """Return the grounding metadata of one candidate.

    `native`: Gemini's own metadata of a search that it made, {} if there is none. Its chunks and supports follow ours.
    """
    references = message.get("references") or []
    # Those of the references come first. The provider's own may have other forms.
    annotated = (annotation["url_citation"]["url"] for annotation in message.get("annotations") or ())
    urls = [next(annotated, None) if _is_in_text(reference, choice) else None for reference in references]
    passages = _passages(references, choice)
    chunks = [_chunk(references[position], urls[position], passage) for position, passage in passages]
    supports = _supports(references, choice, texts, passages)
    pages, of_pages = _of_pages(message, texts, len(chunks))
    before = len(chunks) + len(pages)
    return {
        **native,
        "groundingChunks": [*chunks, *pages, *as_list(native.get("groundingChunks"))],
        "groundingSupports": supports + of_pages + _moved(native.get("groundingSupports"), texts, before),
    }


def _of_pages(message: Mapping[str, Any], texts: Sequence[Text], before: int) -> tuple[list[Fields], list[Fields]]:
    """Return the chunks and supports of web pages that another provider cites. Our own annotations have a passage."""
    pages: dict[str, int] = {}
    chunks, supports = list[Fields](), list[Fields]()
    size = texts[-1].start + len(texts[-1].text)
    for annotation in as_list(message.get("annotations"))[:MAX_OWN_SUPPORTS]:
        page = as_object(as_object(annotation).get("url_citation"))
        url, start, end = page.get("url"), page.get("start_index"), page.get("end_index")
        if not isinstance(url, str) or "content" in page or type(start) is not int or type(end) is not int:
            continue
        if not 0 <= start < end <= size:
            continue
        if url not in pages:
            pages[url] = before + len(pages)
            chunks.append({"web": {"uri": url, "title": page.get("title") or url}})
        supports.append({"segment": _segment_at(start, end, texts), "groundingChunkIndices": [pages[url]]})
    return chunks, supports


def _is_in_text(reference: Fields, choice: int) -> bool:
    """Return whether a sentence of the text cites it, and not only one in the arguments of a call."""
    return any(span["choice"] == choice and "tool_call" not in span for span in reference["spans"])


def _passages(references: Sequence[Fields], choice: int) -> list[Passage]:
    """Return the position of the reference and the text of each chunk.

    Chunk `n - 1` is the reference `[n]` with the quote of its first sentence. If other sentences cite other passages of
    the same reference, these are further chunks after all references.
    """
    quotes = [
        list(dict.fromkeys(span["quote"] for span in reference["spans"] if span["choice"] == choice))
        or [reference["snippet"]]
        for reference in references
    ]
    further = [(position, quote) for position, passages in enumerate(quotes) for quote in passages[1:]]
    return [(position, passages[0]) for position, passages in enumerate(quotes)] + further


def _chunk(reference: Fields, url: str | None, passage: str) -> Fields:
    return {
        "retrievedContext": {
            "uri": url
            or reference["url"]
            or f"urn:citestream:evidence:{quote(reference['id'], safe='', errors='replace')}",
            "title": reference["title"] or reference["file_name"] or reference["id"],
            "text": passage,
        }
    }


def _supports(
    references: Sequence[Fields], choice: int, texts: Sequence[Text], passages: Sequence[Passage]
) -> list[Fields]:
    """Return one support for each cited sentence, in the order of the text."""
    chunks = {passage: index for index, passage in enumerate(passages)}
    supports: dict[tuple[int, int], Fields] = {}
    for position, reference in enumerate(references):
        for span in reference["spans"]:
            if span["choice"] == choice and "tool_call" not in span:
                bounds = (span["start"], span["end"])
                support = supports.setdefault(bounds, {"groundingChunkIndices": [], "confidenceScores": []})
                support["groundingChunkIndices"].append(chunks[position, span["quote"]])
                support["confidenceScores"].append(round(span["support"], 4))
    return [{"segment": _segment_at(*bounds, texts), **supports[bounds]} for bounds in sorted(supports)]


def _segment_at(start: int, end: int, texts: Sequence[Text]) -> Fields:
    """Return the segment of a span of the answer, which is given in code points."""
    text = texts[bisect_right(texts, start, key=lambda candidate: candidate.start) - 1]
    return _segment(text, start - text.start, end - text.start)


def _segment(text: Text, start: int, end: int) -> Fields:
    """Return the segment `text[start:end]`. Its indexes are bytes from the start of its part."""
    sentence = text.text[start:end]
    begin = text.bytes_before(start)
    bounds = {"startIndex": begin, "endIndex": begin + byte_length(sentence)}
    return {**({"partIndex": text.part} if text.part else {}), **bounds, "text": sentence}  # Google leaves out 0


def byte_length(text: str) -> int:
    """Return the length in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def _moved(supports: Any, texts: Sequence[Text], chunks_before: int) -> list[Fields]:
    """Return Gemini's own supports in the parts of this answer. Their offsets count the bytes of its whole text.

    Some versions of Gemini count differently. The text of the segment then decides. A support is left out if its words
    are not in the answer.
    """
    written = "".join(text.text for text in texts).encode("utf-8", "surrogatepass")
    moved = []
    for support in map(as_object, as_list(supports)[:MAX_OWN_SUPPORTS]):
        segment = as_object(support.get("segment"))
        bounds = _bounds(segment, written, texts)
        if bounds:
            own_indices = [index for index in as_list(support.get("groundingChunkIndices")) if isinstance(index, int)]
            indices = [chunks_before + index for index in own_indices]
            fields = {name: value for name, value in segment.items() if name not in ("partIndex", "startIndex")}
            placed = {**fields, **_segment_at(*bounds, texts)}
            moved.append({**support, "segment": placed, "groundingChunkIndices": indices})
    return moved


def _bounds(segment: Mapping[str, Any], written: bytes, texts: Sequence[Text]) -> tuple[int, int] | None:
    """Return the span of a segment of Gemini's own in the answer, in code points."""
    start, end, quoted = segment.get("startIndex", 0), segment.get("endIndex"), segment.get("text")
    if type(start) is int and type(end) is int and 0 <= start < end <= len(written):
        marked = written[start:end].decode("utf-8", "replace")
        if not isinstance(quoted, str) or _has_words(marked, quoted):
            before = len(written[:start].decode("utf-8", "replace"))
            return before, before + len(marked)
    if not isinstance(quoted, str) or not quoted:
        return None
    matches = (
        (text.start + position, text.start + position + len(quoted))
        for text in texts
        if (position := text.text.find(quoted)) >= 0
    )
    return next(matches, None)


def _has_words(marked: str, quoted: str) -> bool:
    """Return whether a text begins and ends like another one; markers may be inside."""
    words, quoted_words = marked.split(), quoted.split()
    return bool(words and quoted_words) and words[0] == quoted_words[0] and words[-1] == quoted_words[-1]
