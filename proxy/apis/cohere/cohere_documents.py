"""Evidence from the documents of a request: those in `documents`, and those in the results of tools.

The source of each document, as citations name it, is in the metadata of its evidence.
"""

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from typing import Any

from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError, check_count, parse_evidence
from citestream.providers.wire.cohere.chat_request import tool_documents
from citestream.providers.wire.cohere.documents import document_data, evidence_fields, source
from citestream.providers.wire.json_text import WrongField

Fields = dict[str, Any]

SOURCE = "cohere"  # key of the source in the metadata of evidence


def collect_documents(
    documents: Any,
    messages: Sequence[Mapping[str, Any]],
    earlier: tuple[Evidence, ...],
    limits: EvidenceLimits,
) -> tuple[tuple[Evidence, ...], dict[str, tuple[int, ...]]]:
    """Return the evidence `earlier` and that of all documents, and the numbers of those in tool results, by tool call.

    Tool results that exceed the limits are left out, the oldest first, and so are their documents without a text. Raise
    FieldError if an entry of `documents` is invalid.
    """
    evidence = earlier
    if documents is not None:
        if isinstance(documents, list):
            check_count(documents, "documents", limits.remaining(earlier).items)
        entries = _request_documents(documents, {item.id for item in earlier})
        evidence += parse_evidence(entries, "documents", limits, after=evidence)
    texts_by_id = {item.id: (item.number, item.text) for item in evidence}
    new: list[Fields] = []
    by_call: dict[str, tuple[int, ...]] = {}
    for call, entries in _tool_results(messages, limits.remaining(evidence)):
        numbers = []
        for entry in entries:
            if texts_by_id.get(entry["id"], ("", ""))[1] != entry["text"]:
                entry = _with_id(entry, _free_id(entry["id"], texts_by_id))
                new.append(entry)
                texts_by_id[entry["id"]] = (len(evidence) + len(new), entry["text"])
            numbers.append(texts_by_id[entry["id"]][0])
        by_call[call] = tuple(dict.fromkeys([*by_call.get(call, ()), *numbers]))
    return evidence + parse_evidence(new, "messages", limits, evidence), by_call


def source_of(evidence: Evidence, calls: Container[str | None] = ()) -> Fields:
    """Return the evidence as a source of a citation.

    `calls`: ids of the tool calls in the request. With `evidence.from_tools`, the texts of their results are evidence
    too. Other evidence that is no document has its own fields as data.
    """
    stored_source = evidence.metadata.get(SOURCE)
    if isinstance(stored_source, dict) and stored_source.get("id") == evidence.id:
        return stored_source
    if evidence.document_id in calls:
        return source("tool", evidence.id, {"content": evidence.text})
    named = {"title": evidence.title, "url": evidence.url, "file_name": evidence.file_name, "text": evidence.text}
    return source("document", evidence.id, {key: value for key, value in named.items() if value})


def _request_documents(documents: Any, taken: set[str]) -> list[Fields]:
    """Return the documents of the request as fields of evidence. Those without an id get Cohere's: `doc:0`."""
    if not isinstance(documents, list):
        raise FieldError("documents", "must be a list")
    try:
        parsed = [document_data(document, f"documents[{index}]") for index, document in enumerate(documents)]
        taken = taken | {name for name, _ in parsed if name}
        entries = []
        for index, (name, data) in enumerate(parsed):
            entry = evidence_fields(data, f"documents[{index}]")
            entries.append(_entry(entry, name or _free_id(f"doc:{index}", taken), "document", data))
    except WrongField as error:
        raise FieldError(error.path, error.message) from None
    return entries


def _tool_results(messages: Sequence[Mapping[str, Any]], limits: EvidenceLimits) -> list[tuple[str, list[Fields]]]:
    """Return (id of the tool call, fields of evidence) of the latest tool messages that fit into the limits.

    Raise WrongField for a document of the wrong type.
    """
    results: list[tuple[str, list[Fields]]] = []
    items, characters = limits.items, limits.characters
    for position, message in reversed([*enumerate(messages)]):
        documents = tool_documents(message.get("content")) if message.get("role") == "tool" else []
        call = message.get("tool_call_id") or ""
        items -= len(documents)
        if items < 0:
            break
        path = f"messages[{position}].content"
        entries = []
        for index, document in documents:
            document_id, data = document_data(document, f"{path}[{index}].document")
            with suppress(WrongField):  # no text, such as an empty result
                entries.append(
                    _entry(evidence_fields(data, path), document_id or f"{call or 'tool'}:{index}", "tool", data)
                )
        characters -= sum(len(value) for entry in entries for value in entry.values() if isinstance(value, str))
        if characters < 0:
            break
        results += [(call, entries)] if entries else []
    return results[::-1]


def _entry(fields: Fields, name: str, kind: str, data: Fields) -> Fields:
    return {**fields, "id": name, "metadata": {SOURCE: source(kind, name, data)}}


def _with_id(entry: Fields, name: str) -> Fields:
    return {**entry, "id": name, "metadata": {SOURCE: {**entry["metadata"][SOURCE], "id": name}}}


def _free_id(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
