"""grounding_metadata: references as `groundingChunks` and `groundingSupports`, whose offsets count bytes of UTF-8."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of the answer. `part`: the index of the part that holds it; in a stream, all text counts as one."""

    part: int
    start: int  # in the answer, code points
    text: str
    before: int = 0  # bytes of other text in its part, ahead of it


def grounding_metadata(
    message: Mapping[str, Any], choice: int, texts: Sequence[Text], theirs: Mapping[str, Any]
) -> Fields:
    """For one candidate. `theirs`: what Gemini found itself, by a search of its own; {} where there is nothing."""
    references = message.get("references") or []
    links = [annotation["url_citation"]["url"] for annotation in message.get("annotations") or ()]
    chunks = [
        _chunk(reference, links[position] if position < len(links) else None)
        for position, reference in enumerate(references)
    ]
    supports = _ours(references, choice, texts) + _theirs(theirs.get("groundingSupports"), texts, len(chunks))
    return {
        **theirs,
        "groundingChunks": [*chunks, *(theirs.get("groundingChunks") or ())],
        "groundingSupports": supports,
    }


def _chunk(reference: Fields, link: str | None) -> Fields:
    return {
        "retrievedContext": {
            "uri": link
            or reference["url"]
            or f"urn:citestream:evidence:{quote(reference['id'], safe='', errors='replace')}",
            "title": reference["title"] or reference["file_name"] or reference["id"],
            "text": reference["snippet"],
        }
    }


def _ours(references: Sequence[Fields], choice: int, texts: Sequence[Text]) -> list[Fields]:
    """One support for each cited sentence, in the order of the text."""
    supports: dict[tuple[int, int], Fields] = {}
    for position, reference in enumerate(references):
        for span in reference["spans"]:
            if span["choice"] == choice:
                place = (span["start"], span["end"])
                support = supports.setdefault(place, {"groundingChunkIndices": [], "confidenceScores": []})
                support["groundingChunkIndices"].append(position)
                support["confidenceScores"].append(round(span["support"], 4))
    return [{"segment": _segment(*place, texts), **supports[place]} for place in sorted(supports)]


def _segment(start: int, end: int, texts: Sequence[Text]) -> Fields:
    """Where a span of the answer is: its part, and bytes from the beginning of that."""
    held = next(text for text in reversed(texts) if text.start <= start)
    return _located(held, start - held.start, end - held.start)


def _located(held: Text, start: int, end: int) -> Fields:
    before, sentence = held.text[:start], held.text[start:end]
    begin = held.before + size(before)
    bounds = {"startIndex": begin, "endIndex": begin + size(sentence)}
    return {**({"partIndex": held.part} if held.part else {}), **bounds, "text": sentence}  # Google leaves a 0 out


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def _theirs(supports: Any, texts: Sequence[Text], shift: int) -> list[Fields]:
    """Gemini's own supports where their text stands now, which our markers have moved; without those they cut."""
    found = []
    for support in supports if isinstance(supports, list) else ():
        segment = support.get("segment") or {}
        said = segment.get("text") or ""
        place = next(((text, at) for text in texts if said and (at := text.text.find(said)) >= 0), None)
        if place:
            moved = segment | _located(place[0], place[1], place[1] + len(said))
            indices = [shift + index for index in support.get("groundingChunkIndices") or ()]
            found.append({**support, "segment": moved, "groundingChunkIndices": indices})
    return found
