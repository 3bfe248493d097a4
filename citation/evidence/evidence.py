"""Evidence: a numbered source passage shown to the model, and the reading of it from a request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

MAX_EVIDENCE = 200  # pieces a request may bring; more than any model cites, and what one prompt can hold
MAX_CHARACTERS = 2_000_000  # of all texts together: about 500,000 tokens, beyond every context window in use

LABELS: Mapping[str, str] = {
    "source": "Source text",
    "generated": "Generated {kind}",  # an artifact of a known kind; {kind} is its `artifact_kind`
    "aid": "Generated retrieval aid",  # an artifact without a kind
}


class FieldError(ValueError):
    """A field of a request is wrong: `path` names it as the client wrote it (`evidence[3].text`). Answered with 400."""

    def __init__(self, path: str, message: str) -> None:
        """`message` completes the sentence that the path begins."""
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage. `number` is the label in `[n]`, 1..N in the order given; `text` is what the model is shown."""

    number: int
    text: str
    id: str
    document_id: str | None = None
    file_name: str | None = None
    title: str | None = None
    url: str | None = None
    chunk_index: int | None = None
    page_number: int | None = None
    score: float | None = None
    chunk_type: str = "source"
    is_generated_artifact: bool = False
    artifact_kind: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def characters(self) -> int:
        """Of all its texts: a title can be as long as what it stands over."""
        names = (self.id, self.document_id, self.file_name, self.title, self.url, self.chunk_type, self.artifact_kind)
        return len(self.text) + sum(len(name) for name in names if name)


def parse_sources(
    evidence: object = None,
    documents: object = None,
    *,
    limit: int = MAX_EVIDENCE,
    max_characters: int = MAX_CHARACTERS,
) -> tuple[Evidence, ...]:
    """Read both fields of a request, numbered on from one to the other. Raises FieldError."""
    found = [] if evidence is None else _read_all(evidence, "evidence", _evidence_fields, limit)
    if documents is not None:
        found += _read_all(documents, "documents", _document_fields, limit - len(found))
    return _number(found, (), max_characters)


def parse_evidence(
    raw: object,
    path: str = "evidence",
    limit: int = MAX_EVIDENCE,
    max_characters: int = MAX_CHARACTERS,
    after: Sequence[Evidence] = (),
) -> tuple[Evidence, ...]:
    """Read a list of evidence objects; numbering goes on behind `after`. Raises FieldError with the field's path."""
    return _number(_read_all(raw, path, _evidence_fields, limit - len(after)), after, max_characters)


def parse_documents(
    raw: object,
    path: str = "documents",
    limit: int = MAX_EVIDENCE,
    max_characters: int = MAX_CHARACTERS,
    after: Sequence[Evidence] = (),
) -> tuple[Evidence, ...]:
    """Read documents as Cohere and vLLM take them: strings, `{id?, title?, text}`, `{id?, data: {...}}`."""
    return _number(_read_all(raw, path, _document_fields, limit - len(after)), after, max_characters)


def label(evidence: Evidence, names: Mapping[str, str] = LABELS) -> str:
    """What a page shows it as. `names`: the keys of LABELS, and any artifact kind that has a name of its own."""
    if not evidence.is_generated_artifact:
        return names.get("source", LABELS["source"])
    kind = evidence.artifact_kind
    if not kind:
        return names.get("aid", LABELS["aid"])
    if kind in names and kind not in LABELS:
        return names[kind]
    return names.get("generated", LABELS["generated"]).replace("{kind}", kind.replace("_", " "))


Fields = dict[str, Any]


def _read_all(raw: object, path: str, read: Callable[[object, str], Fields], limit: int) -> list[tuple[str, Fields]]:
    """Each entry's path and its checked fields."""
    if not isinstance(raw, list | tuple):
        raise FieldError(path, "must be a list")
    if len(raw) > limit:
        raise FieldError(path, f"has {len(raw)} entries; at most {max(limit, 0)} are taken")
    return [(f"{path}[{index}]", read(entry, f"{path}[{index}]")) for index, entry in enumerate(raw)]


def _number(found: list[tuple[str, Fields]], after: Sequence[Evidence], max_characters: int) -> tuple[Evidence, ...]:
    """Number the entries and name those without an id, so that no two share one."""
    ids = {item.id for item in after}
    room = max_characters - sum(item.characters for item in after)
    for path, fields in found:
        room -= sum(len(value) for value in fields.values() if isinstance(value, str))
        if room < 0:
            raise FieldError(
                f"{path}.text", f"goes beyond the {max_characters} characters of evidence a request may have"
            )
        given = fields.get("id")
        if given in ids:
            raise FieldError(f"{path}.id", f"is used twice: {given!r}")
        if given is not None:
            ids.add(given)
    numbered = []
    for number, (_, fields) in enumerate(found, len(after) + 1):
        if "id" not in fields:
            fields = {**fields, "id": _free_id(number, ids)}
            ids.add(fields["id"])
        numbered.append(Evidence(number, **fields))
    return tuple(numbered)


def _free_id(number: int, taken: set[str]) -> str:
    name = f"e{number}"
    while name in taken:
        name += "_"
    return name


def _evidence_fields(entry: object, path: str) -> Fields:
    if not isinstance(entry, Mapping):
        raise FieldError(path, "must be an object")
    for key in entry:
        if key not in _CHECKS:
            raise FieldError(f"{path}.{key}", f"is not a field of evidence; there are: {', '.join(_CHECKS)}")
    if "text" not in entry:
        raise FieldError(f"{path}.text", "is missing")
    return _checked(entry, path)


def _document_fields(entry: object, path: str) -> Fields:
    if isinstance(entry, str):
        return _checked({"text": entry}, path)
    if not isinstance(entry, Mapping):
        raise FieldError(path, "must be a string or an object")
    for key in entry:
        if key not in _DOCUMENT_KEYS:
            raise FieldError(f"{path}.{key}", f"is not a field of a document; there are: {', '.join(_DOCUMENT_KEYS)}")
    if "data" not in entry:
        return _with_text({key: value for key, value in entry.items() if key != "id"}, entry.get("id"), path, path)
    for key in entry:
        if key not in ("id", "data"):
            raise FieldError(f"{path}.{key}", "belongs into data where a document has data")
    data = {"text": entry["data"]} if isinstance(entry["data"], str) else entry["data"]
    if not isinstance(data, Mapping):
        raise FieldError(f"{path}.data", "must be an object or a string")
    return _with_text(data, entry.get("id"), path, f"{path}.data")


def _with_text(data: Mapping[str, Any], given: object, path: str, data_path: str) -> Fields:
    """Take `text` or `snippet`, the fields evidence has, and whatever else there is as metadata."""
    key = "text" if data.get("text") is not None else "snippet"
    if data.get(key) is None:
        raise FieldError(f"{data_path}.text", "is missing")
    known: Fields = {name: value for name, value in data.items() if name in _CHECKS and name not in ("text", "id")}
    others = {name: value for name, value in data.items() if name not in _CHECKS and name != "snippet"}
    fields = _checked(known, data_path)
    fields["text"] = _CHECKS["text"](data[key], f"{data_path}.{key}")
    # Cohere's own data may carry the id too; the outer one names the document
    inner = data.get("id")
    chosen, chosen_path = (given, path) if given is not None else (inner, data_path)
    if chosen is not None:
        fields["id"] = _CHECKS["id"](chosen, f"{chosen_path}.id")
    if others:
        fields["metadata"] = {**others, **fields.get("metadata", {})}
    return fields


def _checked(entry: Mapping[str, Any], path: str) -> Fields:
    """The fields that have a value, each of its type; `text` must have one."""
    return {
        key: _CHECKS[key](value, f"{path}.{key}") for key, value in entry.items() if value is not None or key == "text"
    }


def _string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise FieldError(path, "must be a string")
    return value


def _filled(value: object, path: str) -> str:
    text = _string(value, path)
    if not text.strip():
        raise FieldError(path, "must not be empty")
    return text


def _whole(value: object, path: str) -> int:
    if isinstance(value, float) and value.is_integer():  # 3.0 is whole in JSON, and some clients write it so
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FieldError(path, "must be a whole number")
    return value


def _number_of(value: object, path: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:  # a whole number beyond every float
        number = nan
    if not isfinite(number):
        raise FieldError(path, "must be a number")
    return number


def _boolean(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise FieldError(path, "must be true or false")
    return value


def _object(value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FieldError(path, "must be an object")
    return value


_CHECKS: dict[str, Callable[[object, str], Any]] = {
    "text": _filled,
    "id": _filled,
    "document_id": _string,
    "file_name": _string,
    "title": _string,
    "url": _string,
    "chunk_index": _whole,
    "page_number": _whole,
    "score": _number_of,
    "chunk_type": _filled,
    "is_generated_artifact": _boolean,
    "artifact_kind": _string,
    "metadata": _object,
}

_DOCUMENT_KEYS = ("id", "title", "text", "snippet", "url", "data")
