"""Evidence, the numbered source passages shown to the model, and its validation."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

MAX_EVIDENCE = 200  # per request; more than any model cites, and about as many as one prompt can hold
MAX_CHARACTERS = 2_000_000  # total of all texts: about 500,000 tokens, more than common context windows

LABELS: Mapping[str, str] = {
    "source": "Source text",
    "generated": "Generated {kind}",  # an artifact of a known kind; {kind} is its `artifact_kind`
    "aid": "Generated retrieval aid",  # an artifact without a kind
}


class FieldError(ValueError):
    """A field of a request is invalid; status 400. `path` is the field as the client wrote it: `evidence[3].text`."""

    def __init__(self, path: str, message: str) -> None:
        """Store the path and a message that continues the sentence beginning with it."""
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage. `number` is the label in `[n]`, 1..N in the given order; `text` is shown to the model."""

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
        """The total length of all its strings; a title can be as long as the text."""
        names = (self.id, self.document_id, self.file_name, self.title, self.url, self.chunk_type, self.artifact_kind)
        return len(self.text) + sum(len(name) for name in names if name)


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """The maximum size of all evidence of one request."""

    items: int = MAX_EVIDENCE
    characters: int = MAX_CHARACTERS  # see Evidence.characters

    def remaining(self, evidence: Sequence[Evidence]) -> "EvidenceLimits":
        """Return what the given evidence leaves of the limits; negative if it exceeds them."""
        return EvidenceLimits(self.items - len(evidence), self.characters - sum(item.characters for item in evidence))


DEFAULT_LIMITS = EvidenceLimits()


def parse_sources(
    evidence: object = None, documents: object = None, limits: EvidenceLimits = DEFAULT_LIMITS
) -> tuple[Evidence, ...]:
    """Parse both fields of a request, numbered in their order. Raise FieldError if a field is invalid.

    A blank text is skipped, as retrievers return them for empty pages. Its number is not used.

    `documents`, as in Cohere and vLLM: strings, `{id?, title?, text}` or `{id?, data: {...}}`.
    """
    entries = [] if evidence is None else _parse_all(evidence, "evidence", _evidence_fields, limits.items)
    if documents is not None:
        entries += _parse_all(documents, "documents", _document_fields, limits.items - len(entries))
    return _number(entries, (), limits)


def parse_evidence(
    raw: object,
    path: str = "evidence",
    limits: EvidenceLimits = DEFAULT_LIMITS,
    after: Sequence[Evidence] = (),
) -> tuple[Evidence, ...]:
    """Parse a list of evidence objects; numbers continue after those of `after`. Raise FieldError if one is invalid."""
    return _number(_parse_all(raw, path, _evidence_fields, limits.items - len(after)), after, limits)


def label(evidence: Evidence, names: Mapping[str, str] = LABELS) -> str:
    """Return the label that a page shows. `names`: the keys of LABELS, and names of single artifact kinds."""
    if not evidence.is_generated_artifact:
        return names.get("source", LABELS["source"])
    kind = evidence.artifact_kind
    if not kind:
        return names.get("aid", LABELS["aid"])
    if kind in names and kind not in LABELS:
        return names[kind]
    return names.get("generated", LABELS["generated"]).replace("{kind}", kind.replace("_", " "))


Fields = dict[str, Any]


def check_count(entries: Sequence[object], path: str, limit: int) -> None:
    """Raise FieldError if there are more entries than the limit."""
    if len(entries) > limit:
        raise FieldError(path, f"has {len(entries)} entries; at most {max(limit, 0)} are taken")


Entries = list[tuple[str, Fields]]  # the path and the validated fields of each entry


def _parse_all(raw: object, path: str, parse: Callable[[object, str], Fields], limit: int) -> Entries:
    """Return the path and the validated fields of each entry."""
    if not isinstance(raw, list | tuple):
        raise FieldError(path, "must be a list")
    check_count(raw, path, limit)
    return [(f"{path}[{index}]", parse(entry, f"{path}[{index}]")) for index, entry in enumerate(raw)]


def _number(entries: Entries, after: Sequence[Evidence], limits: EvidenceLimits) -> tuple[Evidence, ...]:
    """Return the entries that are not blank as evidence, with numbers, and unique ids for those without one."""
    ids = {item.id for item in after}
    characters = limits.remaining(after).characters
    for path, fields in entries:
        characters -= sum(len(value) for value in fields.values() if isinstance(value, str))
        if characters < 0:
            raise FieldError(
                f"{path}.text", f"goes beyond the {limits.characters} characters of evidence a request may have"
            )
        own_id = fields.get("id")
        if own_id in ids:
            raise FieldError(f"{path}.id", f"is used twice: {own_id!r}")
        if own_id is not None:
            ids.add(own_id)
    numbered = []
    for number, (_, fields) in enumerate(entries, after[-1].number + 1 if after else 1):
        if not fields["text"].strip():
            continue
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
    _check_names(entry, path, _CHECKS, "evidence")
    if "text" not in entry:
        raise FieldError(f"{path}.text", "is missing")
    return _checked(entry, path)


def _document_fields(entry: object, path: str) -> Fields:
    if isinstance(entry, str):
        return _checked({"text": entry}, path)
    if not isinstance(entry, Mapping):
        raise FieldError(path, "must be a string or an object")
    _check_names(entry, path, _DOCUMENT_KEYS, "a document")
    if "data" not in entry:
        return _with_text({key: value for key, value in entry.items() if key != "id"}, entry.get("id"), path, path)
    for key in entry:
        if key not in ("id", "data"):
            raise FieldError(f"{path}.{key}", "belongs inside data if a document has data")
    data = {"text": entry["data"]} if isinstance(entry["data"], str) else entry["data"]
    if not isinstance(data, Mapping):
        raise FieldError(f"{path}.data", "must be an object or a string")
    return _with_text(data, entry.get("id"), path, f"{path}.data")


def _check_names(entry: Mapping[str, Any], path: str, names: Collection[str], kind: str) -> None:
    for key in entry:
        if key not in names:
            raise FieldError(f"{path}.{key}", f"is not a field of {kind}; there are: {', '.join(names)}")


def _with_text(data: Mapping[str, Any], document_id: object, path: str, data_path: str) -> Fields:
    """Return `text` or `snippet`, the fields of evidence, and all others as metadata."""
    key = "text" if data.get("text") is not None else "snippet"
    if data.get(key) is None:
        raise FieldError(f"{data_path}.text", "is missing")
    own_fields: Fields = {name: value for name, value in data.items() if name in _CHECKS and name not in ("text", "id")}
    metadata = {name: value for name, value in data.items() if name not in _CHECKS and name != "snippet"}
    fields = _checked(own_fields, data_path)
    fields["text"] = _CHECKS["text"](data[key], f"{data_path}.{key}")
    # Cohere allows an id in the data too; the outer one takes precedence.
    inner = data.get("id")
    chosen, chosen_path = (document_id, path) if document_id is not None else (inner, data_path)
    if chosen is not None:
        fields["id"] = _CHECKS["id"](chosen, f"{chosen_path}.id")
    if metadata:
        fields["metadata"] = {**metadata, **fields.get("metadata", {})}
    return fields


def _checked(entry: Mapping[str, Any], path: str) -> Fields:
    """Return the fields that have a value, validated; `text` must have one. The label of a page is metadata."""
    fields = {
        key: _CHECKS[key](value, f"{path}.{key}") for key, value in entry.items() if value is not None or key == "text"
    }
    if isinstance(fields.get("page_number"), str):
        fields["metadata"] = {"page_label": fields.pop("page_number"), **fields.get("metadata", {})}
    return fields


def _string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise FieldError(path, "must be a string")
    return value


def _filled(value: object, path: str) -> str:
    text = _string(value, path)
    if not text.strip():
        raise FieldError(path, "must not be empty")
    return text


def _passage(value: object, path: str) -> str:
    text = _string(value, path)
    if not text:
        raise FieldError(path, "must not be empty")
    return text


def _page(value: object, path: str) -> int | str:
    """Return a page number, or the label of a page: "iv"."""
    if isinstance(value, str) and value.strip():
        return int(value) if value.strip().isdecimal() else value.strip()
    try:
        return _whole(value, path)
    except FieldError:
        raise FieldError(path, "must be a whole number or the label of a page") from None


def _whole(value: object, path: str) -> int:
    if isinstance(value, float) and value.is_integer():  # some clients write whole numbers as 3.0
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FieldError(path, "must be a whole number")
    return value


def _number_of(value: object, path: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:  # an integer too large for a float
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
    "text": _passage,
    "id": _filled,
    "document_id": _string,
    "file_name": _string,
    "title": _string,
    "url": _string,
    "chunk_index": _whole,
    "page_number": _page,
    "score": _number_of,
    "chunk_type": _filled,
    "is_generated_artifact": _boolean,
    "artifact_kind": _string,
    "metadata": _object,
}

_DOCUMENT_KEYS = ("id", "title", "text", "snippet", "url", "data")
