"""Locations: where evidence is in the documents of a request, and citations in the formats of Anthropic's API."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from citestream.citation.references import Citation, display_title

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class InText:
    """Text from the offset `start` of a plain text document."""

    document: int  # counts all documents of the request
    title: str | None
    start: int


@dataclass(frozen=True, slots=True)
class OnPage:
    """Text of a page of a PDF. Pages count from 1."""

    document: int
    title: str | None
    page: int


@dataclass(frozen=True, slots=True)
class InBlock:
    """A whole block of a document that consists of blocks."""

    document: int
    title: str | None
    block: int


@dataclass(frozen=True, slots=True)
class InResult:
    """A whole block of a search result."""

    result: int  # counts all search results of the request
    title: str | None
    source: str
    block: int


KNOWN_TO_ALL = ("char_location", "page_location")  # citation types that every client knows
Location = InText | OnPage | InBlock | InResult


@dataclass(frozen=True, slots=True)
class Locations:
    """The locations of evidence by its number.

    `results`: the number of search results in the request. `as_web_results`: the client knows search results of the web
    only.
    """

    by_number: dict[int, Location] = field(default_factory=dict)
    results: int = 0
    as_web_results: bool = False


def native_citations(citations: Sequence[Citation], locations: Locations) -> list[Fields]:
    """Return the citations of one sentence, each passage once."""
    native = [_native_citation(citation, locations) for citation in citations]
    if locations.as_web_results:
        pairs = zip(native, citations, strict=True)
        native = [location if location["type"] in KNOWN_TO_ALL else _of_web(citation) for location, citation in pairs]
    return [location for index, location in enumerate(native) if location not in native[:index]]


def _native_citation(citation: Citation, locations: Locations) -> Fields:
    """Return a citation. `cited_text` is our quote, but the whole block where the format has only whole blocks."""
    evidence = citation.evidence
    match locations.by_number.get(evidence.number):
        case InText(document, title, start):
            begin, end = (start + offset for offset in citation.span.quote)
            place = {"start_char_index": begin, "end_char_index": end}
            return _of_document("char_location", citation.quote, document, title, place)
        case OnPage(document, title, page):
            place = {"start_page_number": page, "end_page_number": page + 1}
            return _of_document("page_location", citation.quote, document, title, place)
        case InBlock(document, title, block):
            place = {"start_block_index": block, "end_block_index": block + 1}
            return _of_document("content_block_location", evidence.text, document, title, place)
        case InResult(result, title, source, block):
            return _of_result(evidence.text, result, source, title, block)
        case None:
            return _of_other(citation, locations)
        case location:
            assert_never(location)


def _of_document(kind: str, text: str, document: int, title: str | None, place: Fields) -> Fields:
    named = {"document_index": document, "document_title": title, "file_id": None}
    return {"type": kind, "cited_text": text, **named, **place}


def _of_result(text: str, result: int, source: str, title: str | None, block: int) -> Fields:
    place = {"start_block_index": block, "end_block_index": block + 1}
    return {
        "type": "search_result_location",
        "cited_text": text,
        "search_result_index": result,
        "source": source,
        "title": title,
        **place,
    }


def _of_other(citation: Citation, locations: Locations) -> Fields:
    """Return the citation of evidence that is not a document of the request, but that of a retriever, for example.

    Such evidence is a search result with one block, numbered after the search results of the request.
    """
    evidence = citation.evidence
    before = sum(number < evidence.number for number in locations.by_number)
    index = locations.results + evidence.number - 1 - before
    return _of_result(citation.quote, index, _source(citation), display_title(evidence), 0)


def _of_web(citation: Citation) -> Fields:
    """Return the citation as that of a web search. `encrypted_index` has a meaning for Anthropic's own search only."""
    return {
        "type": "web_search_result_location",
        "cited_text": citation.quote,
        "url": citation.link,
        "title": display_title(citation.evidence),
        "encrypted_index": "",
    }


def _source(citation: Citation) -> str:
    """Return the address of the evidence, or else the name of its file."""
    evidence, link = citation.evidence, citation.link
    is_page = link.startswith(("http://", "https://"))
    return evidence.url or (link if is_page else evidence.file_name or link)
