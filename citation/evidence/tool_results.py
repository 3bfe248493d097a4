"""Results: the passages in what a tool answered, as fields of evidence, whatever shape retrieval tools gave them.

Known are lists of strings or objects under any of the names in `LISTS`, and objects with text under any of the names in
`TEXTS`: LangChain's and LlamaIndex's documents, Cohere's, RAGFlow's chunks, OpenAI's file search, MCP's content parts,
the hits of vector stores and of search engines for the web. A text is one passage.

Nothing a tool said is lost: what has no field of evidence stays below the passage it belongs to, what stands beside the
passages is handed back as `rest`, and a result of any other shape is no result at all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]

SHORTEST = 16  # characters; less is a status or a number, not a passage
DEEPEST = 8  # levels of lists, objects and JSON inside of text
LONGEST_NUMBER = 10  # digits of a page
LARGEST = 1e300  # of a score: what a float holds, and no NaN
LONGEST_LINE = 2000  # characters of a field that stays below its passage; longer, and the object is no passage

LISTS = (
    *("results", "result", "documents", "docs", "chunks", "nodes", "source_nodes", "sources", "passages", "hits"),
    *("matches", "points", "records", "items", "organic", "organic_results", "search_results", "web", "webPages"),
    *("news", "value", "data", "output", "response", "context", "contexts", "content", "references", "citations"),
    *("structuredContent", "source_documents"),
)
WRAPPERS = ("node", "document", "data", "kwargs", "_source", "payload", "segment", "resource", "chunk", "fields")
ASIDE = ("metadata", "meta", "attributes", "extra_info")  # objects whose fields say more about the passage
TEXTS = (
    *("text", "content", "page_content", "pageContent", "content_with_weight", "passage", "chunk_text", "chunk"),
    *("raw_content", "body", "snippet", "snippets", "excerpt", "highlights", "extra_snippets"),
)
VAGUE_TEXTS = ("description", "summary")  # a passage only beside a title or an address
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
WHERE_FROM = "source"  # an address, or the name of a file
WHOLE = frozenset({"page_number", "chunk_index"})
PARTS = ("text", "input_text", "output_text")
NAMED = frozenset({"title", "url", "file_name"})
VECTORS = frozenset({"embedding", "embeddings", "vector", "vectors", "sparse_vector"})
# What machines note for themselves: no reader needs it.
TECHNICAL = VECTORS | {
    *("positions", "relationships", "class_name", "lc", "type", "object", "mimetype", "mimeType", "annotations"),
    *("start_char_idx", "end_char_idx", "metadata_seperator", "metadata_template", "text_template", "version"),
    *("excluded_embed_metadata_keys", "excluded_llm_metadata_keys", "hash", "doc_hash", "favicon", "thumbnail"),
    *("image_id", "dataset_id", "kb_id", "_index", "vector_similarity", "term_similarity"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """The passages of a result, each as fields of evidence; `rest`: what else it said, as JSON, or nothing."""

    passages: list[Fields]
    rest: str = ""


def passages(result: str) -> Found | None:
    """What of a tool's answer can be cited; None where it holds no passage."""
    return _found(result, DEEPEST)


def _found(value: Any, depth: int) -> Found | None:
    match value:
        case str() if depth:
            inner = _json(value)
            if isinstance(inner, list | dict | str) and inner != value:
                return _found(inner, depth - 1)
            return Found([{"text": value}]) if inner is None and len(value.strip()) >= SHORTEST else None
        case list() if depth:
            return _of_list(value, depth - 1)
        case dict() if depth:
            return _of_object(value, depth - 1)
        case _:
            return None


def _of_list(entries: list[Any], depth: int) -> Found | None:
    """Every entry has to be a passage or to hold some; else nothing is taken, so that nothing gets lost."""
    found: list[Fields] = []
    for entry in entries:
        inner = _found(entry, depth) if entry is not None else Found([])
        if inner is None or inner.rest:
            return None
        found += inner.passages
    return Found(found) if found else None


def _of_object(value: Fields, depth: int) -> Found | None:
    if value and all(key.isdecimal() for key in value):  # Mistral's: {"0": {...}, "1": {...}}
        return _of_list(list(value.values()), depth)
    if value.keys() == {"type", "text"} and value["type"] in PARTS:  # its text may be JSON
        return _found(value["text"], depth)
    held = {key: inner for key in LISTS if _holds(value.get(key)) and (inner := _found(value[key], depth))}
    whole = _passage(value)
    if whole and (held.keys() <= set(WRAPPERS) or (held.keys() <= set(TEXTS) and whole.keys() & NAMED)):
        return Found([whole])
    if not held:
        filled = {key: one for key, one in value.items() if _filled(one)}
        (only,) = filled if len(filled) == 1 else ("",)  # {"output": "text"}, {"result": "text"}
        return _found(filled[only], depth) if only in LISTS else None
    rest = {key: one for key, one in value.items() if key not in held and _filled(one)}
    rest |= {key: _json(inner.rest) for key, inner in held.items() if inner.rest}
    found = [passage for inner in held.values() for passage in inner.passages]
    return Found(found, json.dumps(rest, ensure_ascii=False) if rest else "")


def _holds(value: Any) -> bool:
    """Whether passages may be in there, not only be there: a text in the field `content` is the object's own."""
    return isinstance(value, list | dict) or (isinstance(value, str) and value.lstrip()[:1] in ("[", "{"))


def _passage(value: Fields) -> Fields | None:
    """The object as fields of evidence, if it is a passage."""
    flat, aside = _flat(value)
    passage: Fields = {}
    used: set[str] = set()
    for field, names in NAMES.items():
        for name in names:
            if (read := _read(field, flat.get(name))) is not None and passage.setdefault(field, read) == read:
                used.add(name)
    origin = flat.get(WHERE_FROM)
    if (address := _read("url", origin)) is not None:
        kind = "url" if _is_address(address) else "file_name"
        used |= {WHERE_FROM} if passage.setdefault(kind, address) == address else set()
    named = passage.keys() & NAMED
    for name in (*TEXTS, *(VAGUE_TEXTS if named else ())):
        if text := _text(flat.get(name)):
            used.add(name)
            passage.setdefault("text", text)
            if text not in passage["text"]:
                passage["text"] += f"\n{text}"
    others = {key: one for key, one in flat.items() if key not in used and key not in TECHNICAL}
    lines = [_line(key, one) for key, one in others.items() if _filled(one)]
    if "text" not in passage or None in lines or not (named or len(passage["text"].strip()) >= SHORTEST):
        return None
    passage["text"] = "\n".join([passage["text"], *(line for line in lines if line)])
    metadata = {key: one for key, one in {**flat, **aside}.items() if key not in used and key not in VECTORS}
    return passage | ({"metadata": metadata} if metadata else {})


def _flat(value: Fields) -> tuple[Fields, Fields]:
    """An object's fields with those of the objects it wraps, the innermost text first; and what was said aside."""
    flat = dict(value)
    aside: Fields = {}
    for _ in range(DEEPEST):
        inner = next((key for key in (*WRAPPERS, *ASIDE) if isinstance(flat.get(key), dict)), None)
        if inner is None:
            break
        fields = flat.pop(inner)
        if inner in ASIDE:
            aside |= fields
        flat = _joined(flat, fields, inner) if inner in ASIDE else _joined(fields, flat, "outer")
    return flat, aside


def _joined(first: Fields, second: Fields, name: str) -> Fields:
    """Both; what the second calls as the first calls something else is told apart by `name`."""
    others = {key if first.get(key, one) == one else f"{name}.{key}": one for key, one in second.items()}
    return {**others, **first}


def _read(field: str, value: Any) -> Any:
    """A value as that field of evidence takes it, or None."""
    match value:
        case bool():
            return value if field == "is_generated_artifact" else None
        case str() if field in WHOLE:
            return int(value) if value.isdecimal() and len(value) < LONGEST_NUMBER else None
        case str() if value.strip() and field not in ("score", "is_generated_artifact"):
            return value
        case int() | float() if field == "score":
            return float(value) if abs(value) < LARGEST else None
        case int() if field in WHOLE:
            return value
        case int() if field in ("id", "document_id"):
            return str(value)
        case _:
            return None


def _text(value: Any) -> str:
    """A text, or the texts of a list of strings and content parts, one below the other."""
    if isinstance(value, str):
        return value.strip("\n") if value.strip() else ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in value] if isinstance(value, list) else []
    texts = [part for part in parts if isinstance(part, str) and part.strip()]
    return "\n".join(texts) if all(isinstance(part, str) for part in parts) else ""


def _line(key: str, value: Any) -> str | None:
    """`key: value`, to stand below the passage; None where that is too much for a line."""
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{key}: {' '.join(said.split())}" if len(said) <= LONGEST_LINE else None


def _filled(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _json(text: str) -> Any:
    """What a text is as JSON; None where it is none, or only looks like it."""
    if text.lstrip()[:1] not in ("[", "{", '"'):
        return None if not _is_scalar(text) else 0
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_scalar(text: str) -> bool:
    return text.strip() in ("null", "true", "false") or text.strip().lstrip("-").replace(".", "", 1).isdecimal()
