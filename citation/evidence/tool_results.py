"""Extraction of evidence from the results of retrieval tools.

Recognised are lists of strings or objects under the names in `LISTS`, and objects with a text under the names in
`TEXTS`: documents of LangChain, LlamaIndex and Cohere, RAGFlow's chunks, OpenAI's file search, MCP's content parts, and
hits of vector stores and web search engines. A plain text is one passage.

Nothing is lost: fields that evidence does not have are appended to their passage, everything next to the passages is
returned as `remainder`, and a result of any other shape is left unchanged.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..text.page_numbers import page_number

Fields = dict[str, Any]

MIN_PASSAGE_CHARACTERS = 16  # characters; a shorter text is a status or a number
MAX_DEPTH = 8  # levels of lists, objects and JSON inside of text
MAX_DIGITS = 10  # digits of a page number
MAX_SCORE = 1e300  # within the range of a float, and not NaN
MAX_FIELD_LINE_CHARACTERS = (
    2000  # characters of a field that is appended to its passage; if longer, it is not a passage
)

LISTS = (
    *("results", "result", "documents", "docs", "chunks", "nodes", "source_nodes", "sources", "passages", "hits"),
    *("matches", "points", "records", "items", "organic", "organic_results", "search_results", "web", "webPages"),
    *("news", "value", "data", "output", "response", "context", "contexts", "content", "references", "citations"),
    *("structuredContent", "source_documents", "return_value"),
)
WRAPPERS = ("node", "document", "data", "kwargs", "_source", "payload", "segment", "resource", "chunk", "fields")
METADATA_OBJECTS = ("metadata", "meta", "attributes", "extra_info")  # objects with further fields of the passage
TEXTS = (
    *("text", "content", "page_content", "pageContent", "content_with_weight", "passage", "chunk_text", "chunk"),
    *("raw_content", "body", "snippet", "snippets", "excerpt", "highlights", "extra_snippets"),
)
VAGUE_TEXTS = ("description", "summary")  # a passage only with a title or URL
NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "chunk_id", "id_", "node_id", "_id"),
    "document_id": ("document_id", "doc_id", "file_id", "ref_doc_id"),
    "file_name": ("file_name", "filename", "document_name", "document_keyword", "docnm_kwd", "doc_name", "file"),
    "title": ("title", "headline", "document_title", "name"),
    "url": ("url", "link", "href", "uri", "source_url"),
    "page_number": ("page_number", "page", "page_label"),
    "chunk_index": ("chunk_index", "chunkIndex"),
    "score": ("score", "similarity", "relevance_score", "relevance", "_score", "rerank_score"),
    "chunk_type": ("chunk_type",),
    "is_generated_artifact": ("is_generated_artifact",),
    "artifact_kind": ("artifact_kind",),
}
SOURCE_FIELD = "source"  # a URL or a file name
INTEGER_FIELDS = frozenset({"page_number", "chunk_index"})
CONTENT_PART_TYPES = ("text", "input_text", "output_text")
IDENTIFYING_FIELDS = frozenset({"title", "url", "file_name"})
VECTORS = frozenset({"embedding", "embeddings", "vector", "vectors", "sparse_vector"})
# Technical fields that no reader needs
TECHNICAL = VECTORS | {
    *("positions", "relationships", "class_name", "lc", "type", "object", "mimetype", "mimeType", "annotations"),
    *("start_char_idx", "end_char_idx", "metadata_seperator", "metadata_template", "text_template", "version"),
    *("excluded_embed_metadata_keys", "excluded_llm_metadata_keys", "hash", "doc_hash", "favicon", "thumbnail"),
    *("image_id", "dataset_id", "kb_id", "_index", "vector_similarity", "term_similarity"),
}


@dataclass(frozen=True, slots=True)
class ExtractedPassages:
    """The passages of a result, as fields of evidence, and the rest of it, as JSON or ""."""

    passages: list[Fields]
    remainder: str = ""


def extract_passages(result: str) -> ExtractedPassages | None:
    """Return the passages of a tool's result, or None if it has none."""
    return _extract(result, MAX_DEPTH)


def _extract(value: Any, depth: int) -> ExtractedPassages | None:
    match value:
        case str() if depth:
            inner = _json(value)
            if isinstance(inner, list | dict | str) and inner != value:
                return _extract(inner, depth - 1)
            return (
                ExtractedPassages([{"text": value}])
                if inner is None and len(value.strip()) >= MIN_PASSAGE_CHARACTERS
                else None
            )
        case list() if depth:
            return _extract_list(value, depth - 1)
        case dict() if depth:
            return _extract_object(value, depth - 1)
        case _:
            return None


def _extract_list(entries: list[Any], depth: int) -> ExtractedPassages | None:
    """Extract a list if every entry is or contains a passage; otherwise nothing, so that nothing is lost."""
    passages: list[Fields] = []
    for entry in entries:
        inner = _extract(entry, depth) if entry is not None else ExtractedPassages([])
        if inner is None or inner.remainder:
            return None
        passages += inner.passages
    return ExtractedPassages(passages) if passages else None


def _extract_object(value: Fields, depth: int) -> ExtractedPassages | None:
    if value and all(key.isdecimal() for key in value):  # Mistral's: {"0": {...}, "1": {...}}
        return _extract_list(list(value.values()), depth)
    if value.keys() == {"type", "text"} and value["type"] in CONTENT_PART_TYPES:  # its text may be JSON
        return _extract(value["text"], depth)
    held = {
        key: inner for key in LISTS if _may_contain_passages(value.get(key)) and (inner := _extract(value[key], depth))
    }
    whole = _passage(value)
    if whole and (held.keys() <= set(WRAPPERS) or (held.keys() <= set(TEXTS) and whole.keys() & IDENTIFYING_FIELDS)):
        return ExtractedPassages([whole])
    if not held:
        filled = {key: field for key, field in value.items() if _filled(field)}
        (only,) = filled if len(filled) == 1 else ("",)  # {"output": "text"}, {"result": "text"}
        return _extract(filled[only], depth) if only in LISTS else None
    remaining = {key: field for key, field in value.items() if key not in held and _filled(field)}
    remaining |= {key: _json(inner.remainder) for key, inner in held.items() if inner.remainder}
    passages = [passage for inner in held.values() for passage in inner.passages]
    return ExtractedPassages(passages, json.dumps(remaining, ensure_ascii=False) if remaining else "")


def _may_contain_passages(value: Any) -> bool:
    """Return whether a value may contain passages; a plain text in the field `content` is the object's own."""
    return isinstance(value, list | dict) or (isinstance(value, str) and value.lstrip()[:1] in ("[", "{"))


def _passage(value: Fields) -> Fields | None:
    """Return the object as fields of evidence, or None if it is not a passage."""
    flat = _flatten(value)
    if type(flat.get("page")) is int:
        flat["page"] = page_number(flat["page"], flat)
    passage: Fields = {}
    used: set[str] = set()
    for field, names in NAMES.items():
        for name in names:
            if (parsed := _parse_field(field, flat.get(name))) is not None and passage.setdefault(
                field, parsed
            ) == parsed:
                used.add(name)
    origin = flat.get(SOURCE_FIELD)
    if (url := _parse_field("url", origin)) is not None:
        kind = "url" if _is_url(url) else "file_name"
        used |= {SOURCE_FIELD} if passage.setdefault(kind, url) == url else set()
    named = passage.keys() & IDENTIFYING_FIELDS
    for name in (*TEXTS, *(VAGUE_TEXTS if named else ())):
        if text := _text(flat.get(name)):
            used.add(name)
            passage.setdefault("text", text)
            if text not in passage["text"]:
                passage["text"] += f"\n{text}"
    unused = {key: field for key, field in flat.items() if key not in used and key not in TECHNICAL}
    lines = [_line(key, field) for key, field in unused.items() if _filled(field)]
    if "text" not in passage or None in lines or not (named or len(passage["text"].strip()) >= MIN_PASSAGE_CHARACTERS):
        return None
    passage["text"] = "\n".join([passage["text"], *(line for line in lines if line)])
    metadata = {key: field for key, field in flat.items() if key not in used and key not in VECTORS}
    return passage | ({"metadata": metadata} if metadata else {})


def _flatten(value: Fields) -> Fields:
    """Return the fields of an object, of its metadata and of the objects that it wraps."""
    flat = dict(value)
    for _ in range(MAX_DEPTH):
        inner = next((key for key in (*WRAPPERS, *METADATA_OBJECTS) if isinstance(flat.get(key), dict)), None)
        if inner is None:
            break
        fields = flat.pop(inner)
        flat = _merge(flat, fields, inner) if inner in METADATA_OBJECTS else _merge(fields, flat, "outer")
    return flat


def _merge(first: Fields, second: Fields, name: str) -> Fields:
    """Merge two objects; a field of the second with another value than in the first gets the prefix `name`."""
    merged = {key if first.get(key, value) == value else f"{name}.{key}": value for key, value in second.items()}
    return {**merged, **first}


def _parse_field(field: str, value: Any) -> Any:
    """Return a value in the type of an evidence field, or None."""
    match value:
        case bool():
            return value if field == "is_generated_artifact" else None
        case str() if field in INTEGER_FIELDS:
            return int(value) if value.isdecimal() and len(value) < MAX_DIGITS else None
        case str() if value.strip() and field not in ("score", "is_generated_artifact"):
            return value
        case int() | float() if field == "score":
            return float(value) if abs(value) < MAX_SCORE else None
        case int() if field in INTEGER_FIELDS:
            return value
        case int() if field in ("id", "document_id"):
            return str(value)
        case _:
            return None


def _text(value: Any) -> str:
    """Return a text, or the texts of a list of strings and content parts, joined by line breaks."""
    if isinstance(value, str):
        return value.strip("\n") if value.strip() else ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in value] if isinstance(value, list) else []
    texts = [part for part in parts if isinstance(part, str) and part.strip()]
    return "\n".join(texts) if all(isinstance(part, str) for part in parts) else ""


def _line(key: str, value: Any) -> str | None:
    """Return the line `key: value`, or None if it is too long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{key}: {' '.join(text.split())}" if len(text) <= MAX_FIELD_LINE_CHARACTERS else None


def _filled(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _json(text: str) -> Any:
    """Parse a text as JSON; None if it is not JSON, 0 if it is a scalar."""
    if text.lstrip()[:1] not in ("[", "{", '"'):
        return None if not _is_scalar(text) else 0
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_scalar(text: str) -> bool:
    return text.strip() in ("null", "true", "false") or text.strip().lstrip("-").replace(".", "", 1).isdecimal()
