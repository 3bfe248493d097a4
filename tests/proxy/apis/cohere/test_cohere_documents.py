"""Documents of Cohere's requests as evidence: their texts, ids, sources, and the limits for results of tools."""

import json
from typing import Any

import pytest

from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.cohere.cohere_documents import collect_documents, source_of

Fields = dict[str, Any]

TEXTS: dict[str, tuple[Any, str]] = {
    "a string": ("Ice melts.", "Ice melts."),
    "data with a text": ({"data": {"text": "Ice melts."}}, "Ice melts."),
    "data with a snippet": ({"data": {"snippet": "Ice melts."}}, "Ice melts."),
    "data that is a text": ({"data": "Ice melts."}, "Ice melts."),
    "data that is JSON": ({"data": '{"text": "Ice melts."}'}, "Ice melts."),
    "the data itself": ({"id": "a", "text": "Ice melts."}, "Ice melts."),
    "further keys": (
        {"data": {"text": "Ice melts.", "year": 1999, "tags": ["a"]}},
        'Ice melts.\nyear: 1999\ntags: ["a"]',
    ),
    "keys without a value": ({"data": {"text": "Ice melts.", "year": None, "tags": [], "note": " "}}, "Ice melts."),
    "no text": ({"data": {"city": "Ulm", "temperature": "20 °C"}}, "city: Ulm\ntemperature: 20 °C"),
    "a title and no text": ({"data": {"title": "Ice"}}, "title: Ice"),
    "an empty text and a snippet": ({"data": {"text": " ", "snippet": "Ice melts."}}, "Ice melts."),
    "a page that is a text": ({"data": {"text": "Ice melts.", "page_number": "iv"}}, "Ice melts.\npage_number: iv"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_the_text_of_a_document(case: str) -> None:
    document, text = TEXTS[case]
    (evidence,), _ = collected([document])
    assert evidence.text == text


def collected(
    documents: Any = None, messages: Any = (), given: tuple[Evidence, ...] = (), limit: int = 9
) -> tuple[tuple[Evidence, ...], dict[str, tuple[int, ...]]]:
    return collect_documents(documents, messages, given, EvidenceLimits(items=limit, characters=500))


def result(call: str, *documents: Any) -> Fields:
    content = [{"type": "document", "document": document} for document in documents]
    return {"role": "tool", "tool_call_id": call, "content": content}


def test_fields_of_evidence_are_not_part_of_the_text() -> None:
    data = {"text": "Ice melts.", "title": "Ice", "url": "https://ex.org/a", "page_number": 3}
    (evidence,), _ = collected([{"id": "a", "data": data}])
    assert (evidence.text, evidence.title, evidence.url, evidence.page_number) == (
        "Ice melts.",
        "Ice",
        "https://ex.org/a",
        3,
    )
    assert source_of(evidence) == {"type": "document", "id": "a", "document": {"id": "a", **data}}


def test_ids_are_those_of_the_documents_or_their_positions() -> None:
    evidence, _ = collected(["a", {"id": "b", "data": {"text": "b"}}, {"data": {"id": "c", "text": "c"}}, "d"])
    assert [one.id for one in evidence] == ["doc:0", "b", "c", "doc:3"]


def test_a_generated_id_is_never_one_of_the_request() -> None:
    evidence, _ = collected(["a", {"id": "doc:0", "data": {"text": "b"}}], given=(Evidence(1, "c", "doc:1"),))
    assert [one.id for one in evidence] == ["doc:1", "doc:0_", "doc:0"]
    assert len({one.number for one in evidence}) == 3


def test_documents_of_tools_are_numbered_after_those_of_the_request() -> None:
    messages = [result("c1", {"data": {"text": "b"}}), result("c2", {"id": "x", "data": {"text": "c"}}, "d")]
    evidence, by_call = collected(["a"], messages)
    assert [one.id for one in evidence] == ["doc:0", "c1:0", "x", "c2:1"]
    assert by_call == {"c1": (2,), "c2": (3, 4)}
    assert source_of(evidence[2]) == {"type": "tool", "id": "x", "tool_output": {"text": "c"}}


def test_a_document_in_two_results_has_one_number() -> None:
    same = {"id": "x", "data": {"text": "b"}}
    evidence, by_call = collected(None, [result("c1", same), result("c2", same, {"id": "x", "data": {"text": "c"}})])
    assert [(one.id, one.text) for one in evidence] == [("x", "b"), ("x_", "c")]
    assert by_call == {"c1": (1,), "c2": (1, 2)}
    assert source_of(evidence[1])["id"] == "x_"


def test_above_the_limit_the_oldest_results_are_left_out() -> None:
    messages = [result(f"c{number}", {"data": {"text": f"text {number}"}}, "and more") for number in range(3)]
    evidence, by_call = collected(["a"], messages, limit=5)
    assert list(by_call) == ["c1", "c2"]
    assert len(evidence) == 5


def test_evidence_from_the_text_of_a_result_is_an_output_of_its_tool() -> None:
    evidence = Evidence(1, "It is warm in Ulm.", "e1", title="weather", document_id="c1")
    assert source_of(evidence, {"c1"}) == {"type": "tool", "id": "e1", "tool_output": {"content": "It is warm in Ulm."}}
    assert source_of(evidence, {"c2"})["type"] == "document"


def test_results_without_documents_are_no_evidence() -> None:
    texts = [{"type": "text", "text": "It is warm in Ulm."}]
    messages = [
        {"role": "tool", "tool_call_id": "c1", "content": "It is warm in Ulm."},
        {"role": "tool", "tool_call_id": "c2", "content": texts},
        result("c3", {"data": {}}),
    ]
    assert collected(None, messages) == ((), {})


REFUSED: dict[str, tuple[Any, str]] = {
    "too many": (["a"] * 10, "documents"),
    "too long": (["a" * 501], "documents[0].text"),
    "no text": ([{"data": {"text": ""}}], "documents[0].data"),
    "an id that is a number": ([{"id": 7, "data": {"text": "a"}}], "documents[0].id"),
    "a list as data": ([{"data": ["a"]}], "documents[0].data"),
    "a duplicate id": ([{"id": "a", "data": {"text": "b"}}] * 2, "documents[1].id"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_documents_are_refused_with_their_path(case: str) -> None:
    documents, path = REFUSED[case]
    with pytest.raises(FieldError) as caught:
        collected(documents)
    assert caught.value.path == path


def parsed(**more: Any) -> Any:
    body = {"model": "m", "messages": [{"role": "user", "content": "q"}], **more}
    return CohereApi().parse(body, Options(), EvidenceLimits(items=9, characters=99))


@pytest.mark.parametrize("enabled", [True, False])
def test_documents_that_are_evidence_are_not_repeated_in_the_tools_message(enabled: bool) -> None:
    message = result("c1", {"data": {"text": "It is warm."}})
    message["content"].append({"type": "text", "text": "One result."})
    job = parsed(messages=[{"role": "user", "content": "q"}, message], citations={"enabled": enabled})
    documents = "" if enabled else "\n" + json.dumps([{"data": {"text": "It is warm."}}], separators=(",", ":"))
    assert job.messages[1] == {"role": "tool", "tool_call_id": "c1", "content": f"One result.{documents}"}


RELEASES: dict[str, tuple[Fields, str]] = {
    "by default": ({}, "sentence"),
    "fast citations": ({"citation_options": {"mode": "FAST"}}, "live"),
    "fast citations in lower case": ({"citation_options": {"mode": "fast"}}, "live"),
    "accurate citations": ({"citation_options": {"mode": "ACCURATE"}}, "sentence"),
    "no citations": ({"citation_options": {"mode": "OFF"}}, "live"),
    "an option of the request": (
        {"citation_options": {"mode": "FAST"}, "citations": {"release": "sentence"}},
        "sentence",
    ),
    "sentences that may be dropped": (
        {"citation_options": {"mode": "FAST"}, "citations": {"unsupported": "drop"}},
        "sentence",
    ),
}


@pytest.mark.parametrize("case", RELEASES)
def test_the_mode_of_citations_decides_when_text_is_sent(case: str) -> None:
    request, release = RELEASES[case]
    options = parsed(**request).options
    assert (options.release, options.marker) == (release, "none")


def test_the_text_has_no_markers_even_if_the_request_sets_them() -> None:
    options = parsed(citations={"marker": "link", "dialect": "ragflow"}).options
    assert (options.marker, options.dialect) == ("none", "openai")
