"""The tools `search` and `fetch`: the configured sources of evidence, in the form that ChatGPT expects.

The id of a result names its source and its document. That of a source without documents of its own, such as a search
engine, contains the query too, so that any worker can find the result again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, unquote

from citestream.citation.evidence import Evidence, FieldError

from ...app import App
from ...pipeline.request.job import Job, JobEvidence, Retrieval

Fields = dict[str, Any]

MAX_DOCUMENT_CHARACTERS: Final = 200_000  # characters of a fetched document; hosts show less to their models
MAX_RESULTS: Final = 50


async def search(app: App, arguments: Mapping[str, Any]) -> Fields:
    """Return the documents with the best passages for a query."""
    query = required(arguments, "query")
    source = _source(app, arguments.get("source"))
    limit = arguments.get("limit") or 10
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_RESULTS:
        raise FieldError("limit", f"must be a whole number from 1 to {MAX_RESULTS}")
    results: dict[str, Fields] = {}
    for item in await _found(app, source, query, limit):
        name = _result_id(app, source, item, query)
        results.setdefault(name, {"id": name, "title": _title(item), "url": _url(item), "text": item.text})
    return {"results": [*results.values()]}


async def fetch(app: App, arguments: Mapping[str, Any]) -> Fields:
    """Return the text of a document that `search` found."""
    name = required(arguments, "id")
    source, _, remainder = name.partition("/")
    document, _, query = remainder.partition("?q=")
    source, document = _source(app, unquote(source)), unquote(document)
    if query:
        items = await _found(app, source, unquote(query), MAX_RESULTS)
        entries = [(item.text, item) for item in items if _document(item) == document]
        if not entries:
            raise FieldError("id", "no result of this search has this id any more")
        text, item = "\n\n".join(text for text, _ in entries), entries[0][1]
        return _document_fields(name, _title(item), _url(item), text, dict(item.metadata or {}))
    excerpts = (await app.retrievers.document(source, document)).entries
    if not excerpts:
        raise FieldError("id", "there is no such document; use an id that search returned")
    first = excerpts[0]
    url = first.get("url") or f"urn:citestream:document:{quote(document)}"
    text = "\n\n".join(entry["text"] for entry in excerpts)
    return _document_fields(name, first.get("file_name") or document, url, text, {"excerpts": len(excerpts)})


async def passages_for(app: App, queries: Sequence[str], source: str) -> tuple[Evidence, ...]:
    """Return the passages for several queries, each once and numbered, as many as a request can contain."""
    chosen = _source(app, source)
    limit = app.config.evidence.limits.items
    passages: dict[tuple[str, str], Evidence] = {}
    for query in queries:
        for item in await _found(app, chosen, query, 0):
            passages.setdefault((_document(item), item.text), item)
    items = [*passages.values()][:limit]
    return tuple(replace(item, number=number, id=f"e{number}") for number, item in enumerate(items, 1))


def required(arguments: Mapping[str, Any], key: str) -> str:
    """Return an argument. Raise FieldError unless it is a text."""
    value = arguments.get(key)
    if not isinstance(value, str) or not value.strip():
        raise FieldError(key, "must be a text that is not empty")
    return value


async def _found(app: App, source: str, query: str, limit: int) -> tuple[Evidence, ...]:
    retrieval = Retrieval(source=source, query=query, top_k=limit)
    job = Job("", [{"role": "user", "content": query}], retrieval=retrieval)
    return (await app.retrievers.search(job, JobEvidence())).evidence


def _source(app: App, name: Any) -> str:
    """Return the name of a source, by default the one for requests without evidence."""
    if not isinstance(name, str | None):
        raise FieldError("source", "must be a string")
    chosen = name or app.config.default_retriever or next(iter(app.config.retrievers), "")
    if not chosen:
        raise FieldError("evidence", "is missing, and no documents are indexed; run `citestream index DIR`")
    if chosen not in app.config.retrievers:
        names = ", ".join(app.config.retrievers) or "none"
        raise FieldError("source", f"there is no source {chosen!r}; there are: {names}")
    return chosen


def _result_id(app: App, source: str, item: Evidence, query: str) -> str:
    name = f"{quote(source, safe='')}/{quote(_document(item))}"
    return name if app.config.retrievers[source].kind == "folder" else f"{name}?q={quote(query, safe='')}"


def _document(item: Evidence) -> str:
    return item.document_id or item.url or item.file_name or item.id


def _title(item: Evidence) -> str:
    return item.title or item.file_name or item.url or item.id


def _url(item: Evidence) -> str:
    return item.url or f"urn:citestream:document:{quote(_document(item))}"


def _document_fields(name: str, title: str, url: str, text: str, metadata: Fields) -> Fields:
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        metadata = metadata | {"truncated_from": len(text)}
    return {"id": name, "title": title, "url": url, "text": text[:MAX_DOCUMENT_CHARACTERS], "metadata": metadata}
