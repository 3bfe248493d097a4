"""`POST /v1/evidence/document` and `/v1/evidence/file`: whole documents of an indexed folder."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.proxy.apis.document_endpoint import BEFORE, MAX_EXCERPTS
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.providers.retrieval.readers.documents import pdf

LONG = 1_300  # excerpts of the long document


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """Return a folder with an index in e.db next to it."""
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "bridge.md").write_text("# Bridge\n\nIt is red.\n\n## Opening\n\nIt was opened in 1932.\n")
    (docs / "long.jsonl").write_text("".join(f'{{"text": "Fact {number}."}}\n' for number in range(LONG)))
    pdf(docs / "sub/tides.pdf", ["Of the sea.", "The tide turns every six hours."])
    store = Store(tmp_path / "e.db", create=True)
    async for _ in index(store, docs, lambda entry: entry):
        pass
    store.close()
    return docs


@pytest.fixture
async def client(folder: Path) -> AsyncIterator[TestClient[Any, Any]]:
    retrievers = {"docs": {"kind": "folder", "store": str(folder.parent / "e.db")}}
    config = parse({"providers": {"extractive": None}, "retrievers": retrievers})
    async with TestClient(TestServer(make_app(config))) as opened:
        yield opened


async def read(client: TestClient[Any, Any], document_id: str, **fields: Any) -> ClientResponse:
    body = {"source": "docs", "document_id": document_id, **fields}
    return await client.post("/v1/evidence/document", json=body)


async def test_a_document_has_all_its_excerpts_in_order(client: TestClient[Any, Any]) -> None:
    body = await (await read(client, "docs/bridge.md")).json()
    assert [entry["text"] for entry in body["evidence"]] == ["It is red.", "It was opened in 1932."]
    assert {key: body[key] for key in ("file_name", "first", "total", "has_file")} == {
        "file_name": "bridge.md",
        "first": 0,
        "total": 2,
        "has_file": False,
    }


PARTS = {
    "the beginning": ({}, 0, MAX_EXCERPTS),
    "around an excerpt": ({"excerpt": "docs/long.jsonl#700"}, 700 - BEFORE, MAX_EXCERPTS),
    "the end": ({"excerpt": f"docs/long.jsonl#{LONG - 1}"}, LONG - 1 - BEFORE, BEFORE + 1),
    "an id of its own": ({"excerpt": "fact-700"}, 0, MAX_EXCERPTS),
}


@pytest.mark.parametrize(("fields", "first", "count"), PARTS.values(), ids=PARTS)
async def test_a_long_document_is_cut_around_the_excerpt(
    fields: dict[str, str], first: int, count: int, client: TestClient[Any, Any]
) -> None:
    body = await (await read(client, "docs/long.jsonl", **fields)).json()
    assert (body["first"], body["total"], len(body["evidence"])) == (first, LONG, count)
    assert body["evidence"][0]["text"] == f"Fact {first}."


async def test_a_pdf_has_its_file(client: TestClient[Any, Any], folder: Path) -> None:
    body = await (await read(client, "docs/sub/tides.pdf")).json()
    assert ([entry["page_number"] for entry in body["evidence"]], body["has_file"]) == ([1, 2], True)
    answer = await client.post("/v1/evidence/file", json={"source": "docs", "document_id": "docs/sub/tides.pdf"})
    assert (answer.content_type, await answer.read()) == ("application/pdf", (folder / "sub/tides.pdf").read_bytes())


def replace_by_link(folder: Path) -> None:
    (folder / "sub/tides.pdf").unlink()
    (folder / "sub/tides.pdf").symlink_to("/etc/passwd")


def add_without_indexing(folder: Path) -> None:
    pdf(folder / "new.pdf", ["Secret."])


REFUSED: dict[str, tuple[str, dict[str, Any], Any, int, str]] = {
    "an unknown source": ("document", {"source": "x"}, None, 404, "there is no source 'x'; there are: docs"),
    "no source": ("document", {"source": ""}, None, 400, "source: must be a non-empty string"),
    "no document": ("document", {"document_id": None}, None, 400, "document_id: must be a non-empty string"),
    "an unknown document": ("document", {"document_id": "docs/x.md"}, None, 404, "there is no document 'docs/x.md'"),
    "a file that is no PDF": ("file", {"document_id": "docs/bridge.md"}, None, 404, "only PDF files are returned"),
    "a file outside of the folder": ("file", {"document_id": "docs/../x.pdf"}, None, 404, "there is no document"),
    "a file that is not indexed": (
        "file", {"document_id": "docs/new.pdf"}, add_without_indexing, 404, "there is no document",
    ),
    "a file that was replaced by a link": (
        "file", {"document_id": "docs/sub/tides.pdf"}, replace_by_link, 404, "docs/sub/tides.pdf is a link",
    ),
    "a file that was deleted": (
        "file", {"document_id": "docs/sub/tides.pdf"}, lambda folder: (folder / "sub/tides.pdf").unlink(), 404,
        "docs/sub/tides.pdf cannot be read: No such file",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
async def test_a_request_is_refused_with_the_reason(case: str, client: TestClient[Any, Any], folder: Path) -> None:
    path, fields, change, status, message = REFUSED[case]
    if change:
        change(folder)
    answer = await client.post(
        f"/v1/evidence/{path}", json={"source": "docs", "document_id": "docs/bridge.md", **fields}
    )
    assert (answer.status, (await answer.json())["error"]["message"].startswith(message)) == (status, True)
