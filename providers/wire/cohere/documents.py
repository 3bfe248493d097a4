"""Documents of Cohere's API as fields of evidence. Their data is an object with any keys."""

from collections.abc import Mapping
from typing import Any

from ..json_text import WrongField, dumps, loads

Fields = dict[str, Any]

# Keys of the text: in documents of Cohere's guides, and in the tool results of its guides and of LangChain.
TEXTS = ("text", "snippet", "content", "output", "result")
# Keys of the data that evidence has too, with their type. A value of another type is a line of the text.
SAME_FIELDS: Mapping[str, type] = {
    "title": str,
    "url": str,
    "file_name": str,
    "document_id": str,
    "page_number": int,
    "chunk_index": int,
}


def document_data(document: Any, path: str) -> tuple[str | None, Fields]:
    """Return (id, data) of a document: a string, `{"id"?, "data"}`, or an object that is the data itself.

    The id is that of the document, or else that in its data. Raise WrongField if it is none of these.
    """
    if isinstance(document, str):
        return None, {"text": document}
    if not isinstance(document, Mapping):
        raise WrongField(path, "must be a string or an object")
    data = document.get("data", {key: value for key, value in document.items() if key != "id"})
    if isinstance(data, str):  # Cohere's guides write the data of tool results as JSON text
        decoded, _ = loads(data.encode("utf-8", "surrogatepass"))
        data = decoded if isinstance(decoded, dict) else {"text": data}
    if not isinstance(data, Mapping):
        raise WrongField(f"{path}.data", "must be an object or a string")
    name = document.get("id") if document.get("id") is not None else data.get("id")
    if name is not None and not isinstance(name, str):
        raise WrongField(f"{path}.id", "must be a string")
    return (name or "").strip() or None, {key: value for key, value in data.items() if key != "id"}


def evidence_fields(data: Mapping[str, Any], path: str) -> Fields:
    """Return the fields of evidence of a document. Raise WrongField if it has no text.

    Cohere's models read all keys and values, so those that evidence does not have are lines at the end of the text. A
    document without a text consists of such lines only.
    """
    key = next((name for name in TEXTS if isinstance(data.get(name), str) and data[name].strip()), None)
    fields = {
        name: data[name]
        for name, kind in SAME_FIELDS.items()
        if key and type(data.get(name)) is kind and data[name] != ""
    }
    lines = [_line(name, value) for name, value in data.items() if name != key and name not in fields]
    text = "\n".join([*([data[key]] if key else []), *filter(None, lines)])
    if not text.strip():
        raise WrongField(f"{path}.data", "contains no text")
    return {"text": text, **fields}


def _line(name: str, value: Any) -> str:
    """Return the line of a key and its value, or "" if there is no value."""
    if value is None or value in ([], {}) or (isinstance(value, str) and not value.strip()):
        return ""
    return f"{name}: {value if isinstance(value, str) else dumps(value).decode()}"


def source(kind: str, name: str, data: Mapping[str, Any]) -> Fields:
    """Return a source of a citation. `kind`: `document`, or `tool` for a document in the result of a tool."""
    if kind == "tool":
        return {"type": "tool", "id": name, "tool_output": dict(data)}
    return {"type": "document", "id": name, "document": {"id": name, **data}}
