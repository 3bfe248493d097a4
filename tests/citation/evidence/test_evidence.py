"""Parsing of evidence: errors have the path of the invalid field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError, label, parse_evidence, parse_sources

WRONG_EVIDENCE: dict[str, tuple[Any, str]] = {
    "the list is an object": ({}, "evidence"),
    "the list is a string": ("text", "evidence"),
    "the list is null": (None, "evidence"),
    "an entry is a string": (["text"], "evidence[0]"),
    "the text is missing": ([{"id": "a"}], "evidence[0].text"),
    "the text is empty": ([{"text": ""}], "evidence[0].text"),
    "the text is null": ([{"text": None}], "evidence[0].text"),
    "the text is a number": ([{"text": 5}], "evidence[0].text"),
    "a key is unknown": ([{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d", "txet": "e"}], "evidence[3].txet"),
    "the id is a number": ([{"text": "a", "id": 7}], "evidence[0].id"),
    "the id is empty": ([{"text": "a", "id": ""}], "evidence[0].id"),
    "an id is used twice": ([{"text": "a", "id": "x"}, {"text": "b", "id": "x"}], "evidence[1].id"),
    "the page is blank": ([{"text": "a", "page_number": " "}], "evidence[0].page_number"),
    "the page is a list": ([{"text": "a", "page_number": [3]}], "evidence[0].page_number"),
    "the page is true": ([{"text": "a", "page_number": True}], "evidence[0].page_number"),
    "the page is a fraction": ([{"text": "a", "page_number": 1.5}], "evidence[0].page_number"),
    "the chunk index is false": ([{"text": "a", "chunk_index": False}], "evidence[0].chunk_index"),
    "the score is a string": ([{"text": "a", "score": "0.5"}], "evidence[0].score"),
    "the score is true": ([{"text": "a", "score": True}], "evidence[0].score"),
    "the score is not a number": ([{"text": "a", "score": float("nan")}], "evidence[0].score"),
    "the score is infinite": ([{"text": "a", "score": float("inf")}], "evidence[0].score"),
    "the score is beyond every float": ([{"text": "a", "score": 10**400}], "evidence[0].score"),
    "the artifact flag is a number": ([{"text": "a", "is_generated_artifact": 1}], "evidence[0].is_generated_artifact"),
    "the artifact kind is a list": ([{"text": "a", "artifact_kind": []}], "evidence[0].artifact_kind"),
    "the chunk type is empty": ([{"text": "a", "chunk_type": ""}], "evidence[0].chunk_type"),
    "the metadata is a list": ([{"text": "a", "metadata": []}], "evidence[0].metadata"),
    "there are too many": ([{"text": "a"}] * 201, "evidence"),
}


@pytest.mark.parametrize("case", WRONG_EVIDENCE)
def test_invalid_evidence_is_reported_with_the_path_of_the_field(case: str) -> None:
    raw, path = WRONG_EVIDENCE[case]
    with pytest.raises(FieldError) as refused:
        parse_evidence(raw)
    assert refused.value.path == path
    assert str(refused.value).startswith(path)


WRONG_DOCUMENTS: dict[str, tuple[Any, str]] = {
    "the list is an object": ({"text": "a"}, "documents"),
    "a document is a number": ([1], "documents[0]"),
    "a document is an empty string": (["a", ""], "documents[1].text"),
    "a document has no text": ([{"title": "a"}], "documents[0].text"),
    "the data has no text": ([{"data": {"title": "a"}}], "documents[0].data.text"),
    "the data is a number": ([{"data": 3}], "documents[0].data"),
    "the snippet is empty": ([{"data": {"snippet": ""}}], "documents[0].data.snippet"),
    "a key is unknown": ([{"text": "a", "body": "b"}], "documents[0].body"),
    "a title is next to the data": ([{"title": "t", "data": {"text": "a"}}], "documents[0].title"),
    "the title is a number": ([{"text": "a", "title": 3}], "documents[0].title"),
    "the page in the data is a list": (
        [{"data": {"text": "a", "page_number": ["1"]}}],
        "documents[0].data.page_number",
    ),
    "an id is used twice": ([{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], "documents[1].id"),
    "the id is a number": ([{"id": 1, "text": "a"}], "documents[0].id"),
}


@pytest.mark.parametrize("case", WRONG_DOCUMENTS)
def test_invalid_documents_are_reported_with_the_path_of_the_field(case: str) -> None:
    raw, path = WRONG_DOCUMENTS[case]
    with pytest.raises(FieldError) as refused:
        parse_sources(documents=raw)
    assert refused.value.path == path


def test_every_field_of_evidence_is_parsed() -> None:
    fields = {
        "text": "Sales rose.", "id": "a", "document_id": "d1", "file_name": "report.pdf", "title": "Annual report",
        "url": "https://example.org/r", "chunk_index": 7, "page_number": 12, "score": 0.5, "chunk_type": "entity",
        "is_generated_artifact": True, "artifact_kind": "profile", "metadata": {"year": 2023},
    }  # fmt: skip
    assert parse_evidence([fields]) == (Evidence(**{"number": 1, **fields}),)  # type: ignore[arg-type]


def test_null_means_that_an_optional_field_has_no_value() -> None:
    (evidence,) = parse_evidence([{"text": "a", "id": None, "score": None, "chunk_type": None, "metadata": None}])
    assert evidence == Evidence(1, "a", "e1")


PAGES: dict[str, tuple[Any, int | None, dict[str, Any]]] = {
    "a number": (3, 3, {}),
    "a number in a string": ("3", 3, {}),
    "a Roman number": ("iv", None, {"page_label": "iv"}),
    "a label of an appendix": (" A-2 ", None, {"page_label": "A-2"}),
}


@pytest.mark.parametrize(("page", "number", "metadata"), PAGES.values(), ids=PAGES)
def test_the_label_of_a_page_is_metadata(page: Any, number: int | None, metadata: dict[str, Any]) -> None:
    (evidence,) = parse_evidence([{"text": "a", "page_number": page}])
    assert (evidence.page_number, evidence.metadata or {}) == (number, metadata)


def test_blank_passages_are_skipped_and_the_others_keep_their_numbers() -> None:
    found = parse_sources([{"text": " \n"}, {"text": "a"}, {"text": "\u3000"}], [" ", "b"])
    assert [(item.number, item.id, item.text) for item in found] == [(2, "e2", "a"), (5, "e5", "b")]
    assert parse_evidence([{"text": "\t"}]) == ()


def test_the_text_is_not_changed() -> None:
    (evidence,) = parse_evidence([{"text": "  a\r\n\u200bb [1] "}])
    assert evidence.text == "  a\r\n\u200bb [1] "


DOCUMENTS: dict[str, tuple[Any, Evidence]] = {
    "a bare string": ("Sales rose.", Evidence(1, "Sales rose.", "e1")),
    "text and title": ({"title": "T", "text": "a"}, Evidence(1, "a", "e1", title="T")),
    "an id": ({"id": "d", "text": "a"}, Evidence(1, "a", "d")),
    "data with text": ({"id": "d", "data": {"text": "a", "title": "T"}}, Evidence(1, "a", "d", title="T")),
    "data with a snippet": ({"data": {"snippet": "a", "url": "u"}}, Evidence(1, "a", "e1", url="u")),
    "data that is a string": ({"data": "a"}, Evidence(1, "a", "e1")),
    "data with more": (
        {"data": {"text": "a", "author": "B", "page_number": 3}},
        Evidence(1, "a", "e1", page_number=3, metadata={"author": "B"}),
    ),
    "data with an id": ({"data": {"text": "a", "id": "x"}}, Evidence(1, "a", "x")),
    "the outer id takes precedence": ({"id": "o", "data": {"text": "a", "id": "x"}}, Evidence(1, "a", "o")),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_documents_are_parsed_as_evidence(case: str) -> None:
    raw, expected = DOCUMENTS[case]
    assert parse_sources(documents=[raw]) == (expected,)


def test_evidence_and_documents_are_numbered_as_one_list() -> None:
    sources = parse_sources([{"text": "a"}, {"text": "b"}], ["c", {"id": "x", "text": "d"}])
    assert [(item.number, item.text) for item in sources] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_a_default_id_is_never_equal_to_a_given_id() -> None:
    sources = parse_sources([{"text": "a"}, {"text": "b", "id": "e1"}], [{"text": "c", "id": "e4"}, "d"])
    assert len({item.id for item in sources}) == 4
    assert [item.id for item in sources][1:3] == ["e1", "e4"]


def test_numbers_continue_after_the_first_list() -> None:
    first = parse_evidence([{"text": "a", "id": "x"}])
    assert [(item.number, item.id) for item in parse_evidence([{"text": "b"}], after=first)] == [(2, "e2")]
    with pytest.raises(FieldError, match=r"evidence\[0\]\.id"):
        parse_evidence([{"id": "x", "text": "b"}], after=first)


def test_a_second_list_shares_the_limits_with_the_first() -> None:
    first = parse_evidence([{"text": "aaaa"}])
    with pytest.raises(FieldError, match="evidence: has 2 entries; at most 1"):
        parse_evidence([{"text": "b"}] * 2, limits=EvidenceLimits(items=2), after=first)
    with pytest.raises(FieldError, match=r"evidence\[0\]\.text: goes beyond the 9 characters"):
        parse_evidence([{"text": "bbbb"}], limits=EvidenceLimits(characters=9), after=first)


def test_evidence_and_documents_share_the_limits() -> None:
    with pytest.raises(FieldError, match="documents: has 2 entries; at most 1"):
        parse_sources([{"text": "a"}], ["b", "c"], EvidenceLimits(items=2))
    with pytest.raises(FieldError, match=r"documents\[1\]\.text: goes beyond the 10 characters"):
        parse_sources([{"text": "aaaa"}], ["bbbb", "cccc"], EvidenceLimits(characters=10))


@given(st.lists(st.one_of(st.none(), st.sampled_from(["e1", "e2", "e3", "e2_", "x"])), max_size=6))
def test_ids_are_unique_and_given_ids_are_kept(ids: list[str | None]) -> None:
    entries = [{"text": "a", "id": given_id} for given_id in ids]
    has_duplicates = len([name for name in ids if name]) != len({name for name in ids if name})
    if has_duplicates:
        with pytest.raises(FieldError):
            parse_evidence(entries)
        return
    parsed = parse_evidence(entries)
    assert len({item.id for item in parsed}) == len(parsed)
    assert all(item.id == name for item, name in zip(parsed, ids, strict=True) if name)


LABELLED: dict[str, tuple[Evidence, dict[str, str] | None, str]] = {
    "source text": (Evidence(1, "a", "x"), None, "Source text"),
    "a profile": (
        Evidence(1, "a", "x", is_generated_artifact=True, artifact_kind="book-club profile"),
        None,
        "Generated book-club profile",
    ),
    "a kind with an underscore": (
        Evidence(1, "a", "x", is_generated_artifact=True, artifact_kind="chapter_summary"),
        None,
        "Generated chapter summary",
    ),
    "an artifact without a kind": (Evidence(1, "a", "x", is_generated_artifact=True), None, "Generated retrieval aid"),
    "a kind without the flag": (Evidence(1, "a", "x", artifact_kind="profile"), None, "Source text"),
    "renamed source": (Evidence(1, "a", "x"), {"source": "Quelltext"}, "Quelltext"),
    "renamed artifact": (
        Evidence(1, "a", "x", is_generated_artifact=True, artifact_kind="profile"),
        {"generated": "Erzeugt: {kind}"},
        "Erzeugt: profile",
    ),
    "a renamed kind": (
        Evidence(1, "a", "x", is_generated_artifact=True, artifact_kind="profile"),
        {"profile": "Steckbrief"},
        "Steckbrief",
    ),
    "a kind with braces": (
        Evidence(1, "a", "x", is_generated_artifact=True, artifact_kind="{0.__class__}"),
        None,
        "Generated {0.  class  }",
    ),
}


@pytest.mark.parametrize("case", LABELLED)
def test_the_label_names_the_kind_of_evidence(case: str) -> None:
    evidence, names, expected = LABELLED[case]
    assert (label(evidence, names) if names is not None else label(evidence)) == expected
