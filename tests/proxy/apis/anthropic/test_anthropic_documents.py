"""The cited documents of a Messages request: their pieces, their locations, and what stays in the messages."""

import asyncio
import base64
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.proxy.apis.anthropic.citation_location import InBlock, InResult, InText, OnPage
from citestream.proxy.apis.anthropic.document_evidence import documents_to_read, take_documents
from citestream.proxy.apis.anthropic.document_reader import DECODED_CHARACTERS, MANY_PIECES, DocumentReader, _decode
from citestream.proxy.http.document_queue import CLIENT_PLACES, DocumentQueue
from citestream.proxy.http.middleware.admission import Admission
from tests.providers.retrieval.readers.documents import pdf

Fields = dict[str, Any]
CITED = {"enabled": True}
LIMITS = EvidenceLimits(items=200, characters=2_000_000)


def text_document(text: str, **fields: Any) -> Fields:
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source, "citations": CITED, **fields}


def pdf_document(path: Path, *pages: str) -> Fields:
    pdf(path, [*pages])
    data = base64.b64encode(path.read_bytes()).decode()
    return {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": data},
        "citations": CITED,
    }


def request(*blocks: Fields) -> Fields:
    return {"messages": [{"role": "user", "content": [*blocks]}]}


async def collected(body: Fields, reader: DocumentReader | None = None) -> Any:
    reader = reader or DocumentReader(DocumentQueue(Admission(1)))
    return take_documents(body, await reader.read(documents_to_read(body)))


TEXTS = st.lists(
    st.sampled_from(
        ["# Title\n\n", "One sentence. ", "Two, 水在 100 °C 🙂.\n\n", "- item\n", "  \n", "x" * 900, "\r\n"]
    ),
    max_size=12,
).map("".join)


@given(st.lists(TEXTS, max_size=4))
def test_offsets_are_positions_in_the_document(texts: list[str]) -> None:
    found = asyncio.run(collected(request(*map(text_document, texts))))
    evidence, locations = found.evidence((), LIMITS)
    for one in evidence:
        location = locations.by_number[one.number]
        assert isinstance(location, InText)
        assert texts[location.document][location.start :].startswith(one.text)
    assert {locations.by_number[one.number].document for one in evidence} == {
        number for number, text in enumerate(texts) if text.strip()
    }


async def test_documents_and_search_results_have_separate_indexes_that_include_uncited_ones() -> None:
    blocks = {"type": "content", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "Red."}]}
    result = {"type": "search_result", "source": "a.md", "title": "A", "content": [{"type": "text", "text": "Blue."}]}
    inner = {"type": "tool_result", "tool_use_id": "t1", "content": [{**result, "citations": CITED}]}
    found = await collected(
        request(
            text_document("Not cited.", citations={"enabled": False}),
            result,
            text_document("", source=blocks, title="B"),
            inner,
        )
    )
    evidence, locations = found.evidence((), LIMITS)
    assert [one.text for one in evidence] == ["Red.", "Blue."]
    assert locations.by_number == {1: InBlock(1, "B", 1), 2: InResult(1, "A", "a.md", 0)}
    assert (locations.results, found.by_call) == (2, {"t1": [1]})
    kept = found.messages[0]["content"]
    assert [block["type"] for block in kept] == ["document", "search_result", "tool_result"]
    assert kept[2]["content"] == []


async def test_the_pages_of_a_pdf_are_evidence(tmp_path: Path) -> None:
    document = pdf_document(tmp_path / "a.pdf", "The sea is blue.", "The tide turns.")
    evidence, locations = (await collected(request(document))).evidence((), LIMITS)
    assert [(one.text, one.page_number) for one in evidence] == [("The sea is blue.", 1), ("The tide turns.", 2)]
    assert [*locations.by_number.values()] == [OnPage(0, None, 1), OnPage(0, None, 2)]


async def test_a_pdf_without_text_stays_in_the_message(tmp_path: Path) -> None:
    found = await collected(request(pdf_document(tmp_path / "a.pdf", "")))
    assert found.passages == []
    assert [block["type"] for block in found.messages[0]["content"]] == ["document"]


async def test_a_pdf_is_read_once(tmp_path: Path) -> None:
    document = pdf_document(tmp_path / "a.pdf", "The sea is blue.")
    queue = DocumentQueue(Admission(1))
    reader = DocumentReader(queue)
    first = await collected(request(document), reader)
    with ExitStack() as places:
        for _ in range(CLIENT_PLACES):  # no further document can be read
            places.enter_context(queue.place(""))
        assert (await collected(request(document), reader)).passages == first.passages


async def test_a_pdf_that_two_requests_read_concurrently_is_counted_once(tmp_path: Path) -> None:
    document = pdf_document(tmp_path / "a.pdf", "The sea is blue.")
    reader, other = DocumentReader(DocumentQueue(Admission(1))), DocumentReader(DocumentQueue(Admission(1)))
    first, second = await asyncio.gather(collected(request(document), reader), collected(request(document), reader))
    assert first.passages == second.passages == (await collected(request(document), other)).passages
    assert reader._cached_characters == other._cached_characters


@pytest.mark.parametrize("width", [75, 76, 100_000])
def test_base64_is_decoded_in_pieces_and_can_have_line_breaks(width: int) -> None:
    content = bytes(range(256)) * (DECODED_CHARACTERS // 100)
    data = base64.b64encode(content).decode()
    lines = "\r\n".join(data[at : at + width] for at in range(0, len(data), width))
    assert len(lines) > 3 * DECODED_CHARACTERS
    assert _decode(lines) == (content, sha256(content).digest())


async def test_long_documents_have_longer_pieces() -> None:
    paragraph = "The bridge carries eight railway tracks and two lanes of traffic. " * 12
    found = await collected(request(text_document(f"{paragraph}\n\n" * 600)))
    assert MANY_PIECES / 2 < len(found.passages) < 1.5 * MANY_PIECES


UNREADABLE = {
    "invalid base64": ("A", "messages[0].content[0].source.data: is not base64"),
    "an invalid PDF": ("AAAA", "messages[0].content[0].source.data: is a broken PDF"),
}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_the_error_names_an_unreadable_pdf(name: str) -> None:
    data, message = UNREADABLE[name]
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    with pytest.raises(FieldError) as raised:
        await collected(request(text_document("", source=source)))
    assert str(raised.value).startswith(message)


async def test_too_many_documents_are_refused() -> None:
    found = await collected(request(*[text_document("Red.")] * 3))
    with pytest.raises(FieldError, match="messages: has too many documents: has 3 entries; at most 2 are taken"):
        found.evidence((), EvidenceLimits(items=2, characters=100))
