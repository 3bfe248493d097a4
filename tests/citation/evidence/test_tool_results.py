"""Extraction of passages from the results of retrieval tools."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import parse_evidence
from citestream.citation.evidence.tool_results import extract_passages

A = "The Harlan bridge was opened on 4 May 1932."
B = "It carries two lanes and eight railway tracks."

SHAPES: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "a text": (A, [{"text": A}]),
    "a text in quotation marks, as JSON": (json.dumps(A), [{"text": A}]),
    "a text in a function response (pydantic-ai with Google)": ({"return_value": A}, [{"text": A}]),
    "passages in a function response (pydantic-ai with Google)": (
        {"return_value": [{"title": "Harlan", "text": A}, {"title": "Lanes", "text": B}]},
        [{"text": A, "title": "Harlan"}, {"text": B, "title": "Lanes"}],
    ),
    "a list of texts": ([A, B], [{"text": A}, {"text": B}]),
    "results of a web search (Tavily)": (
        {
            "query": "bridge",
            "results": [
                {"title": "Harlan", "url": "https://ex.org/a", "content": A, "score": 0.9, "raw_content": None}
            ],
        },
        [{"text": A, "title": "Harlan", "url": "https://ex.org/a", "score": 0.9}],
    ),
    "results of a web search (Brave)": (
        {"web": {"results": [{"title": "Harlan", "url": "https://ex.org/a", "description": A, "extra_snippets": [B]}]}},
        [{"text": f"{B}\n{A}", "title": "Harlan", "url": "https://ex.org/a"}],
    ),
    "results of a web search (Serper, SerpAPI)": (
        {"organic": [{"title": "Harlan", "link": "https://ex.org/a", "snippet": A, "position": 1}]},
        [{"text": f"{A}\nposition: 1", "title": "Harlan", "url": "https://ex.org/a"}],
    ),
    "results of a web search (Bing)": (
        {"webPages": {"value": [{"name": "Harlan", "url": "https://ex.org/a", "snippet": A}]}},
        [{"text": A, "title": "Harlan", "url": "https://ex.org/a"}],
    ),
    "LangChain's documents": (
        [{"page_content": A, "metadata": {"source": "docs/a.md", "page": 3, "author": "Ada"}, "type": "Document"}],
        [{"text": f"{A}\nauthor: Ada", "file_name": "docs/a.md", "page_number": 4}],
    ),
    "LangChain's documents of a PDF file": (
        [{"page_content": A, "metadata": {"source": "a.pdf", "page": 0, "total_pages": 9, "page_label": "1"}}],
        [{"text": f"{A}\ntotal_pages: 9", "file_name": "a.pdf", "page_number": 1}],
    ),
    "LangChain's documents with a page number of their own": (
        [{"page_content": A, "metadata": {"source": "a.pdf", "page": 3, "page_label": "3"}}],
        [{"text": A, "file_name": "a.pdf", "page_number": 3}],
    ),
    "metadata with another title than its document": (
        [{"text": A, "title": "Harlan", "metadata": {"title": "Lanes"}}],
        [{"text": f"{A}\nmetadata.title: Lanes", "title": "Harlan"}],
    ),
    "a passage with another score than its wrapper": (
        [{"node": {"text": A, "score": 0.5}, "score": 0.9}],
        [{"text": f"{A}\nouter.score: 0.9", "score": 0.5}],
    ),
    "values that are empty or of another type": (
        [{"text": A, "title": "", "url": " ", "score": "0.9", "page": "12345678901"}],
        [{"text": f"{A}\nurl: \nscore: 0.9\npage: 12345678901"}],
    ),
    "a field with a list as JSON": (
        {"result": json.dumps([{"text": A}, {"text": B}]), "took": 3},
        [{"text": A}, {"text": B}],
    ),
    "LangChain's documents, serialized": (
        [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "document", "Document"],
                "kwargs": {"page_content": A, "metadata": {"source": "https://ex.org/a"}},
            }
        ],
        [{"text": f'{A}\nid: ["langchain", "schema", "document", "Document"]', "url": "https://ex.org/a"}],
    ),
    "LlamaIndex's nodes": (
        {
            "source_nodes": [
                {
                    "node": {
                        "id_": "n1",
                        "text": A,
                        "embedding": [0.1] * 1000,
                        "metadata": {"file_name": "a.pdf", "page_label": "12"},
                        "relationships": {"1": {}},
                        "class_name": "TextNode",
                    },
                    "score": 0.8,
                }
            ]
        },
        [{"text": A, "id": "n1", "file_name": "a.pdf", "page_number": 12, "score": 0.8}],
    ),
    "Cohere's documents": (
        [
            {"id": "d1", "data": {"title": "Harlan", "snippet": A}},
            {"type": "document", "document": {"data": {"text": B}}},
        ],
        [{"text": A, "id": "d1", "title": "Harlan"}, {"text": B}],
    ),
    "RAGFlow's chunks": (
        {
            "chunks": [
                {
                    "id": "c1",
                    "content": A,
                    "document_id": "d1",
                    "document_name": "a.pdf",
                    "dataset_id": "k1",
                    "similarity": 0.7,
                    "vector_similarity": 0.6,
                    "positions": [[1, 2, 3, 4, 5]],
                }
            ]
        },
        [{"text": A, "id": "c1", "document_id": "d1", "file_name": "a.pdf", "score": 0.7}],
    ),
    "OpenAI's file search": (
        {"results": [{"file_id": "f1", "filename": "a.txt", "score": 0.5, "text": A, "attributes": {"year": 1932}}]},
        [{"text": f"{A}\nyear: 1932", "document_id": "f1", "file_name": "a.txt", "score": 0.5}],
    ),
    "OpenAI's vector store search": (
        {
            "object": "vector_store.search_results.page",
            "data": [{"file_id": "f1", "filename": "a.txt", "score": 0.5, "content": [{"type": "text", "text": A}]}],
        },
        [{"text": A, "document_id": "f1", "file_name": "a.txt", "score": 0.5}],
    ),
    "MCP's parts": (
        {"content": [{"type": "text", "text": A}, {"type": "text", "text": B}], "isError": False},
        [{"text": A}, {"text": B}],
    ),
    "MCP's parts with JSON in them": (
        [{"type": "text", "text": json.dumps({"documents": [{"title": "Harlan", "text": A}]})}],
        [{"text": A, "title": "Harlan"}],
    ),
    "Anthropic's search results": (
        [
            {
                "type": "search_result",
                "source": "https://ex.org/a",
                "title": "H",
                "content": [{"type": "text", "text": A}],
            }
        ],
        [{"text": A, "title": "H", "url": "https://ex.org/a"}],
    ),
    "Mistral's numbered results": (
        {"0": {"url": "https://ex.org/a", "title": "H", "snippets": [[A]], "description": B}},
        [{"text": f'{B}\nsnippets: [["{A}"]]', "title": "H", "url": "https://ex.org/a"}],
    ),
    "hits of Elasticsearch": (
        {"hits": {"hits": [{"_id": "7", "_score": 2.5, "_source": {"title": "H", "body": A}}]}},
        [{"text": A, "id": "7", "title": "H", "score": 2.5}],
    ),
    "points of Qdrant": (
        {"points": [{"id": 7, "score": 0.5, "payload": {"page_content": A, "metadata": {"source": "a.md"}}}]},
        [{"text": A, "id": "7", "file_name": "a.md", "score": 0.5}],
    ),
    "matches of Pinecone": (
        {"matches": [{"id": "v1", "score": 0.5, "metadata": {"text": A}}]},
        [{"text": A, "id": "v1", "score": 0.5}],
    ),
    "columns of Chroma": (
        {"ids": [["a", "b"]], "documents": [[A, B]], "distances": [[0.1, 0.2]]},
        [{"text": A}, {"text": B}],
    ),
    "a text in an output field (clients of Gemini)": ({"output": A}, [{"text": A}]),
    "a page that was fetched": (
        {"title": "Harlan", "url": "https://ex.org/a", "content": A},
        [{"text": A, "title": "Harlan", "url": "https://ex.org/a"}],
    ),
    "artifacts with the field names of our evidence": (
        [{"text": A, "is_generated_artifact": True, "artifact_kind": "profile", "chunk_type": "artifact"}],
        [{"text": A, "is_generated_artifact": True, "artifact_kind": "profile", "chunk_type": "artifact"}],
    ),
    "unknown fields, which are appended to the passage": (
        [{"title": "Ticket", "text": A, "price": 3.5, "open": ["Mo", "Tu"], "note": None}],
        [{"text": f'{A}\nprice: 3.5\nopen: ["Mo", "Tu"]', "title": "Ticket"}],
    ),
}

NONE: dict[str, Any] = {
    "nothing": "",
    "a number": "42",
    "a number as long as a passage": "-12345678901234567.5",
    "a status": "done",
    "true": "true",
    "an empty list": [],
    "a list of names": ["Paris", "Rome"],
    "an object without text": {"temperature": 21.5, "city": "Bern", "conditions": {"wind": 3}},
    "an error": {"error": {"message": "The index does not exist, sorry for that."}},
    "a list with an entry that is not a passage": [{"text": A}, {"temperature": 21.5}],
    "a passage with a field that is too long": [{"text": A, "table": [[1, 2, 3]] * 1000}],
    "objects that are nested too deeply": json.loads('{"data":' * 20 + json.dumps(A) + "}" * 20),
    "a result that is nested too deeply": json.loads("[" * 20 + json.dumps(A) + "]" * 20),
}


def encoded(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result)


@pytest.mark.parametrize(("result", "expected"), SHAPES.values(), ids=SHAPES)
def test_passages_are_extracted(result: Any, expected: list[dict[str, Any]]) -> None:
    found = extract_passages(encoded(result))
    assert found
    assert [{key: value for key, value in one.items() if key != "metadata"} for one in found.passages] == expected


@pytest.mark.parametrize("result", NONE.values(), ids=NONE)
def test_a_result_without_passages_is_unchanged(result: Any) -> None:
    assert extract_passages(encoded(result)) is None


def test_other_fields_of_the_result_are_returned() -> None:
    found = extract_passages(
        json.dumps({"results": [{"title": "H", "content": A}], "answer": "In 1932.", "images": []})
    )
    assert found
    assert json.loads(found.remainder) == {"answer": "In 1932."}


def test_fields_of_the_same_name_are_all_in_the_metadata() -> None:
    found = extract_passages(json.dumps([{"text": A, "lang": "en", "metadata": {"lang": "de"}}]))
    assert found
    assert found.passages[0]["metadata"] == {"lang": "en", "metadata.lang": "de"}


def test_fields_that_ragflow_pages_need_are_metadata() -> None:
    found = extract_passages(encoded(SHAPES["RAGFlow's chunks"][0]))
    assert found
    assert found.passages[0]["metadata"] == {
        "dataset_id": "k1",
        "vector_similarity": 0.6,
        "positions": [[1, 2, 3, 4, 5]],
    }


words = st.sampled_from([A, B, "https://ex.org/a", "42", "", "7", 3, 0.5, None, True, float("nan")])
keys = st.sampled_from(
    [
        *("text", "content", "results", "documents", "data", "metadata", "node", "title", "url", "source", "score"),
        *("page", "id", "type", "x", "chunks", "snippets"),
    ]
)
values = st.recursive(
    words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


def values_of(value: Any) -> set[str]:
    """Return all texts and numbers of a result."""
    if isinstance(value, dict | list):
        return set().union(*map(values_of, value.values() if isinstance(value, dict) else value))
    return {json.dumps(value).strip('"')} if value not in (None, "") and value == value else set()


@given(values)
def test_passages_are_valid_evidence_and_no_value_is_lost(result: Any) -> None:
    found = extract_passages(json.dumps(result))
    if found is None:
        return
    evidence = parse_evidence([{key: one for key, one in p.items() if key != "id"} for p in found.passages])
    assert len(evidence) >= 1
    kept = json.dumps([found.passages, found.remainder]).replace("\\", "")
    assert {one for one in values_of(result) if one not in kept and f"{one}.0" not in kept} == set()


@given(st.text(max_size=40))
def test_any_text_can_be_a_result(text: str) -> None:
    found = extract_passages(text)
    assert found is None or found.passages
