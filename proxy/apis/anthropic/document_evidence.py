"""Evidence from the documents and search results of a Messages request that have `citations: {"enabled": true}`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError, parse_evidence
from citestream.providers.wire.openai_messages import content_parts

from .citation_location import InBlock, InResult, InText, Location, Locations, OnPage
from .document_reader import CitedDocument, Piece

Fields = dict[str, Any]
Passage = tuple[Fields, Location]  # the fields of evidence


@dataclass(slots=True)
class CitedDocuments:
    """The cited documents of a request, and the messages without them."""

    messages: list[Fields] = field(default_factory=list)  # without the cited documents
    passages: list[Passage] = field(default_factory=list)
    by_call: dict[str, list[int]] = field(default_factory=dict)  # tool call -> indexes of the passages in its result
    results: int = 0  # search results of the request, cited or not

    def evidence(self, earlier: tuple[Evidence, ...], limits: EvidenceLimits) -> tuple[tuple[Evidence, ...], Locations]:
        """Return the evidence, after that of the request's extensions, and its locations. Raise FieldError."""
        try:
            entries = [fields for fields, _ in self.passages]
            evidence = parse_evidence(entries, "messages", limits, earlier)
        except FieldError as error:
            raise FieldError("messages", f"has too many documents: {error.message}") from None
        locations = {len(earlier) + number: location for number, (_, location) in enumerate(self.passages, 1)}
        return earlier + evidence, Locations(locations, self.results)


def documents_to_read(body: Mapping[str, Any]) -> list[CitedDocument]:
    """Return the documents to read before evidence can be taken from the request."""
    documents = []
    for number, (block, path) in enumerate(_documents(body)):
        source = block.get("source") or {}
        kind, data = source.get("type"), source.get("data")
        if _is_cited(block) and kind in ("text", "base64") and isinstance(data, str):
            documents.append(CitedDocument(number, f"{path}.source.data", data, is_pdf=kind == "base64"))
    return documents


def take_documents(body: Mapping[str, Any], pieces: Mapping[int, list[Piece]]) -> CitedDocuments:
    """Take the cited documents out of the messages.

    `pieces`: those of each document that has been read, by its number. A document at an address or in Anthropic's store
    stays, since only Anthropic reads it. So does the context of a document.
    """
    return _Taker(pieces).take(body)


class _Taker:
    def __init__(self, pieces: Mapping[int, list[Piece]]) -> None:
        self._pieces = pieces
        self._document = 0  # number of the next document
        self._taken = CitedDocuments()

    def take(self, body: Mapping[str, Any]) -> CitedDocuments:
        for message in body["messages"]:
            content = message.get("content")
            if message.get("role") == "assistant" or not isinstance(content, list):
                self._taken.messages.append(message)
            else:
                self._taken.messages.append({**message, "content": [*self._blocks(content)]})
        return self._taken

    def _blocks(self, blocks: list[Fields]) -> Iterator[Fields]:
        for block in blocks:
            match block.get("type"):
                case "tool_result" if isinstance(block.get("content"), list):
                    yield self._tool_result(block)
                case "document":
                    yield from self._replace(block, _numbered(self._document_passages(block)))
                    self._document += 1
                case "search_result":
                    yield from self._replace(block, _numbered([*self._result_passages(block)]))
                    self._taken.results += 1
                case _:
                    yield block

    def _tool_result(self, block: Fields) -> Fields:
        before = len(self._taken.passages)
        content = [*self._blocks(block["content"])]
        if added := range(before, len(self._taken.passages)):
            self._taken.by_call.setdefault(block.get("tool_use_id") or "", []).extend(added)
        return {**block, "content": content}

    def _replace(self, block: Fields, passages: list[Passage]) -> Iterator[Fields]:
        """Yield what stays of a document: its context, or all of it if it is not evidence."""
        if not (_is_cited(block) and passages):
            yield {key: value for key, value in block.items() if key != "citations"}
            return
        self._taken.passages += passages
        if isinstance(context := block.get("context"), str) and context.strip():
            title = f' "{block["title"]}"' if block.get("title") else ""
            yield {"type": "text", "text": f"Context of the document{title}: {context}"}

    def _document_passages(self, block: Fields) -> list[Passage]:
        source, title = block.get("source") or {}, block.get("title")
        pieces = self._pieces.get(self._document, ())
        match source.get("type"):
            case "text":
                return [(self._fields(piece, title), InText(self._document, title, piece.start)) for piece in pieces]
            case "base64":
                located = ((piece, OnPage(self._document, title, piece.page)) for piece in pieces)
                return [(self._fields(piece, title) | {"page_number": piece.page}, place) for piece, place in located]
            case "content":
                blocks = enumerate(content_parts(source.get("content")))
                texts = ((index, Piece(part["text"])) for index, part in blocks if _has_text(part))
                return [(self._fields(piece, title), InBlock(self._document, title, index)) for index, piece in texts]
            case _:
                return []

    def _result_passages(self, block: Fields) -> Iterator[Passage]:
        source, title = block.get("source") or "", block.get("title")
        is_url = source.lower().startswith(("http://", "https://"))
        named: Fields = {"title": title, ("url" if is_url else "file_name"): source or None}
        index = self._taken.results
        for position, part in enumerate(content_parts(block.get("content"))):
            if _has_text(part):
                fields = {"text": part["text"], **named, "document_id": f"search_result_{index}"}
                yield fields, InResult(index, title, source, position)

    def _fields(self, piece: Piece, title: str | None) -> Fields:
        name = " › ".join(filter(None, (title, *piece.headings))) or None
        return {"text": piece.text, "title": name, "document_id": f"document_{self._document}"}


def _numbered(passages: list[Passage]) -> list[Passage]:
    """Return the passages of a document with their index. A single passage has none, which the model would read."""
    if len(passages) == 1:
        return passages
    return [(fields | {"chunk_index": index}, location) for index, (fields, location) in enumerate(passages)]


def _documents(body: Mapping[str, Any]) -> Iterator[tuple[Fields, str]]:
    """Yield all documents of a request in order, with their paths."""
    for position, message in enumerate(body["messages"]):
        content = message.get("content")
        if message.get("role") != "assistant" and isinstance(content, list):
            yield from _documents_of(content, f"messages[{position}].content")


def _documents_of(blocks: list[Fields], path: str) -> Iterator[tuple[Fields, str]]:
    for position, block in enumerate(blocks):
        if block.get("type") == "document":
            yield block, f"{path}[{position}]"
        elif block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            yield from _documents_of(block["content"], f"{path}[{position}].content")


def _is_cited(block: Mapping[str, Any]) -> bool:
    citations = block.get("citations")
    return isinstance(citations, Mapping) and citations.get("enabled") is True


def _has_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and bool(part["text"].strip())
