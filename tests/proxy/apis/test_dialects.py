"""Dialects: the additional fields for each group of clients."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.dialects import dialect
from citestream.citation.evidence import Evidence, EvidenceLimits
from citestream.citation.options import Options, parse_options
from citestream.proxy.apis.extensions import parse_extensions
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from tests.proxy.pipeline.test_respond import ANSWER, EVIDENCE, deltas, finish, outgoing


def chunks_of(
    name: str, evidence: tuple[Evidence, ...] = EVIDENCE, *, streamed: bool = True, **more: Any
) -> list[dict[str, Any]]:
    """Return the chunks of the answer in a dialect."""
    options = parse_options({"dialect": name, **more}, parse_options(dict(dialect(name).options), Options()))
    response = Response(evidence, options)
    chunks = Chunks(response, usage=False, streamed=streamed)
    return [
        one
        for event in asyncio.run(outgoing([*deltas([ANSWER]), finish()], options, response))
        for one in chunks.of(event)
    ]


def text_of(chunks: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


def test_openai_adds_nothing() -> None:
    last = chunks_of("openai")[-1]
    assert set(last["choices"][0]["delta"]) == {"annotations", "references"}


def test_ragflow_markers_are_indexes_of_its_chunks_from_zero() -> None:
    chunks = chunks_of("ragflow")
    text, reference = text_of(chunks), chunks[-1]["choices"][0]["delta"]["reference"]
    assert "1932. [ID:0] It" in text
    assert "tracks. [ID:1] I" in text
    assert [chunk["content"] for chunk in reference["chunks"]] == [EVIDENCE[0].text, EVIDENCE[1].text]
    assert reference["doc_aggs"] == [
        {"doc_name": "Bridges", "doc_id": None, "count": 1},
        {"doc_name": "https://ex.org/lanes", "doc_id": None, "count": 1},
    ]


def test_ragflow_with_evidence_numbers_lists_all_evidence() -> None:
    chunks = chunks_of("ragflow", numbering="evidence")
    assert len(chunks[-1]["choices"][0]["delta"]["reference"]["chunks"]) == len(EVIDENCE)


def test_writer_lists_files_and_pages_separately() -> None:
    chunks = chunks_of("writer")
    found = chunks[-1]["choices"][0]["delta"]["graph_data"]["references"]
    assert "1932. [Bridges](e1) It" in text_of(chunks)
    assert "(https://ex.org/lanes)" in text_of(chunks)
    assert [(entry["cite"], entry["fileId"]) for entry in found["files"]] == [("e1", "e1")]
    assert [entry["url"] for entry in found["web"]] == ["https://ex.org/lanes"]


HOSTILE_NAMES = {
    "an id with spaces and parentheses": {"id": "report (final) [1].pdf"},
    "an id that looks like a URL": {"id": "javascript:alert(1)"},
    "an id that is encoded already": {"id": "a%20b"},
    "an address with parentheses": {"url": "https://en.example.org/wiki/Bridge_(Harlan)"},
    "an address in capitals with spaces around it": {"url": "  HTTPS://EX.ORG/a b "},
    "an address that cannot be linked": {"url": "file:///etc/passwd"},
}


@pytest.mark.parametrize("fields", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_the_identifier_of_writer_is_that_of_the_marker(fields: dict[str, str]) -> None:
    chunks = chunks_of("writer", evidence=(replace(EVIDENCE[0], **fields), *EVIDENCE[1:]))  # type: ignore[arg-type]
    found = chunks[-1]["choices"][0]["delta"]["graph_data"]["references"]
    linked = re.findall(r"\]\(([^()\s]+)\)", text_of(chunks))
    assert len(linked) == 2
    assert {*(one["cite"] for one in found["files"]), *(one["url"] for one in found["web"])} == set(linked)


def test_a_query_config_selects_the_dialect_of_writer() -> None:
    body = {"model": "m", "query_config": {"inline_citations": True}, "evidence": [{"text": "a"}]}
    rest, ours = parse_extensions(body, Options(), EvidenceLimits(items=9, characters=9))
    assert rest == {"model": "m"}
    assert (ours.options.dialect, ours.options.marker) == ("writer", "name")


def test_perplexity_lists_all_evidence_on_the_first_chunk_and_keeps_the_numbers() -> None:
    chunks = chunks_of("perplexity")
    assert chunks[0]["citations"] == [
        "urn:citestream:evidence:e1",
        "https://ex.org/lanes",
        "urn:citestream:evidence:e3",
    ]
    assert len(chunks[0]["search_results"]) == len(EVIDENCE)
    assert all("citations" not in chunk for chunk in chunks[1:-1])
    assert chunks[-1]["citations"] == chunks[0]["citations"]


def test_openwebui_gets_a_source_event_a_reference_and_no_annotations() -> None:
    chunks = chunks_of("openwebui")
    events = [chunk["event"] for chunk in chunks if "event" in chunk]
    assert [event["data"]["document"] for event in events] == [[EVIDENCE[0].text], [EVIDENCE[1].text]]
    assert len({event["data"]["metadata"][0]["source"] for event in events}) == 2
    assert "annotations" not in chunks[-1]["choices"][0]["delta"]
    assert all(chunk["choices"][0]["delta"] == {} for chunk in chunks if "event" in chunk)


def test_a_complete_answer_for_openwebui_has_its_sources_at_the_top_level() -> None:
    events = [chunk["event"]["data"] for chunk in chunks_of("openwebui") if "event" in chunk]
    completion = Completion()
    for chunk in chunks_of("openwebui", streamed=False):
        completion.add(chunk)
    body = completion.body()
    assert body["sources"] == events
    assert len(events) == 2
    assert "event" not in body
    assert "annotations" not in body["choices"][0]["message"]


def test_options_of_the_request_override_those_of_the_dialect() -> None:
    body = {"citations": {"dialect": "ragflow", "marker": "number"}}
    _, ours = parse_extensions(body, Options(), EvidenceLimits(items=9, characters=9))
    assert (ours.options.dialect, ours.options.marker) == ("ragflow", "number")
