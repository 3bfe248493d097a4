"""`POST /v1/playground/source`: facts about a source for the first screen of the page."""

from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.playground.source_facts import MAX_CHARACTERS, MAX_EXCERPTS

HTTP_SOURCE = {"kind": "http", "url": "http://127.0.0.1:9/search", "body": {"q": "{query}"}}


async def facts(folder: Path, source: str) -> tuple[int, dict[str, Any]]:
    """Return the status and the body of the response about a source."""
    folders = {name: {"kind": "folder", "store": str(folder / f"{name}.db")} for name in ("filled", "missing")}
    config = parse({"providers": {"extractive": None}, "retrievers": {**folders, "remote": HTTP_SOURCE}})
    async with TestClient(TestServer(make_app(config))) as client:
        response = await client.post("/v1/playground/source", json={"source": source})
        return response.status, await response.json()


async def test_a_folder_has_its_name_its_size_and_samples_of_all_parts(tmp_path: Path) -> None:
    (tmp_path / "company").mkdir()
    (tmp_path / "company/handbook.md").write_text("# Leave\n\nIt is 28 days.\n")
    numbered = "".join(f'{{"text": "{number}: {"It is a fact. " * 60}"}}\n' for number in range(500))
    (tmp_path / "company/facts.jsonl").write_text(numbered)
    store = Store(tmp_path / "filled.db", create=True)
    async for _ in index(store, tmp_path / "company", lambda entry: entry):
        pass
    store.close()
    status, found = await facts(tmp_path, "filled")
    assert status == 200
    assert {key: found[key] for key in ("source", "title", "files")} == {
        "source": "filled",
        "title": "company",
        "files": 2,
    }
    assert len(found["excerpts"]) == MAX_EXCERPTS
    numbers = sorted(int(entry["text"].partition(":")[0]) for entry in found["excerpts"])
    assert len(set(numbers)) == MAX_EXCERPTS
    assert numbers[0] < 50
    assert numbers[-1] > 450
    assert max(len(entry["text"]) for entry in found["excerpts"]) <= MAX_CHARACTERS


async def test_a_source_without_an_index_has_its_name(tmp_path: Path) -> None:
    assert await facts(tmp_path, "missing") == (
        200,
        {"source": "missing", "title": "missing", "files": 0, "excerpts": []},
    )
    assert await facts(tmp_path, "remote") == (
        200,
        {"source": "remote", "title": "remote", "files": None, "excerpts": []},
    )


async def test_an_unknown_source_is_an_error(tmp_path: Path) -> None:
    status, body = await facts(tmp_path, "nothing")
    assert (status, body["error"]["code"]) == (404, "not_found")
