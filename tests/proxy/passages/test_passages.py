"""Pages of cited passages: their links need no key, cannot be forged and expire."""

import json
import logging
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.steps import complete
from citestream.proxy.config import ConfigError, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.serving.workers import _shared
from citestream.proxy.passages import PassageLinks
from citestream.proxy.passages.passage_page import PIECE_CHARACTERS, passage_page
from tests.upstreams.redis import running

Client = TestClient[web.Request, web.Application]
Fields = dict[str, Any]

PUBLIC = "https://cite.example/rag"
KEY = "the key of a client"
HEIGHT = "The Saturn V was 110.6 metres tall."
HOSTILE = "<script>alert(1)</script>\"'&lt;\x00\x1b[31m\u202e"
TEXT = f"{HOSTILE} It flew thirteen times.\n\n{HEIGHT} Ten of its engines are in museums."
EVIDENCE: list[Fields] = [
    {"id": "moon", "text": TEXT, "title": f"Rockets {HOSTILE}", "file_name": "moon.pdf", "page_number": 12},
    {"id": "apollo", "text": "Apollo 12 was struck by lightning twice.", "url": "https://example.org/apollo-12"},
]
QUESTION = "How tall was the Saturn V, and which mission was struck by lightning?"
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "p", "bdi", "article", "mark"}


def client(**config: Any) -> Client:
    server = {"public_url": PUBLIC, "keys": [{"name": "app", "key": KEY}], **config.pop("server", {})}
    return TestClient(TestServer(make_app(parse({"providers": {"extractive": {}}, "server": server, **config}))))


async def ask(client: Client, **more: Any) -> Fields:
    body = {"model": "extractive", "messages": [{"role": "user", "content": QUESTION}], "evidence": EVIDENCE, **more}
    async with client.post("/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {KEY}"}) as answer:
        assert answer.status == 200
        completion: Fields = await answer.json()
    return completion


def links(completion: Fields) -> list[str]:
    return [one["url_citation"]["url"] for one in completion["choices"][0]["message"]["annotations"]]


def path(link: str) -> str:
    """Return the path below the public address, as a reverse proxy forwards it."""
    assert link.startswith(f"{PUBLIC}/passages/")
    return urlsplit(link.removeprefix(PUBLIC)).path


class Page(HTMLParser):
    """The elements and texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self.attributes: dict[str, dict[str, str | None]] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.setdefault(tag, dict(attrs))
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.texts[tag] = self.texts.get(tag, "") + data


async def test_a_link_opens_the_passage_with_the_cited_sentence_marked_and_needs_no_key() -> None:
    async with client() as server:
        first, second = links(await ask(server))
        assert second == EVIDENCE[1]["url"]
        assert urlsplit(first).fragment == "quote"
        async with server.get(path(first)) as response:
            assert (response.status, response.content_type) == (200, "text/html")
            page = Page(await response.text())
    assert page.texts["mark"] == HEIGHT
    assert page.attributes["mark"]["id"] == "quote"
    assert page.texts["article"] == TEXT.replace("\x00", " ").replace("\x1b", " ").replace("\u202e", "")
    assert "Page 12" in page.texts["main"]
    assert "moon.pdf" in page.texts["main"]
    assert "Source text" in page.texts["main"]
    assert page.texts["h1"].startswith("Rockets <script>")


async def test_all_lists_and_markers_of_an_answer_have_the_same_links() -> None:
    async with client() as server:
        completion = await ask(server, citations={"marker": "link", "references_in_text": True})
    link = links(completion)[0]
    text = completion["choices"][0]["message"]["content"]
    assert completion["citations"][0] == completion["search_results"][0]["url"] == link
    assert text.count(f"]({link})") == 2  # the marker and the list
    assert completion["references"][0]["url"] is None  # the evidence itself has none


async def test_a_link_opens_while_the_answer_streams() -> None:
    async with (
        client() as server,
        openai.AsyncOpenAI(base_url=str(server.make_url("/v1")), api_key=KEY) as sdk,
        await sdk.chat.completions.create(
            model="extractive",
            messages=[{"role": "user", "content": QUESTION}],
            stream=True,
            extra_body={"evidence": EVIDENCE, "citations": {"marker": "link"}},
        ) as stream,
    ):
        text = ""
        async for chunk in stream:
            text += chunk.choices[0].delta.content or ""
            if found := re.search(r"\]\((https://cite.example[^)]*)\)", text):
                break
        assert found
        async with server.get(path(found[1])) as response:
            assert response.status == 200


async def test_a_page_loads_nothing_and_is_not_stored() -> None:
    async with client() as server, server.get(path(links(await ask(server))[0])) as response:
        headers, page = response.headers, Page(await response.text())
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "private, no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "noindex" in headers["X-Robots-Tag"]
    assert set(page.tags) <= TAGS


async def test_forged_links_are_not_found() -> None:
    async with client() as server:
        link = path(links(await ask(server))[0])
        token, number, signature = link.removeprefix("/passages/").split(".")
        swapped = signature[:-2] + ("A" if signature[-2] != "A" else "B") + signature[-1]
        forgeries = [
            f"{token}.2.{signature}",  # the other evidence of the same answer
            f"{token[::-1]}.{number}.{signature}",
            f"{token}.{number}.{swapped}",
            f"{token}.{number}.",
            f"{token}.0{number}.{signature}",
            f"{token}.{number}.{signature}.",
            f"{token}.{number}.{signature}%0a",
            f"{token}.{number}.{signature}/x",
            "x" * 5000,
            "%00",
            "é",
            json.dumps({"a": 1}),
        ]
        for forged in forgeries:
            async with server.get(f"/passages/{forged}") as response:
                assert (response.status, response.content_type) == (404, "text/plain"), forged
                assert "110.6" not in await response.text()
        async with server.post(link) as response:
            assert response.status == 405


async def test_a_link_of_another_server_does_not_open() -> None:
    async with client() as one, client() as other:
        link = path(links(await ask(one))[0])
        async with other.get(link) as response:  # its secret is different
            assert response.status == 404


async def test_a_link_expires_with_the_references_of_its_answer() -> None:
    async with client(references={"keep": 1}) as server:
        first = await ask(server)
        second = await ask(server)
        async with server.get(path(links(first)[0])) as response:
            assert (response.status, response.content_type) == (410, "text/plain")
            assert "expired" in await response.text()
        async with server.get(path(links(second)[0])) as response:
            assert response.status == 200
        authorized = {"Authorization": f"Bearer {KEY}"}
        for completion, status in ((first, 404), (second, 200)):
            async with server.get(f"/v1/references/{completion['id']}", headers=authorized) as response:
                assert response.status == status


async def test_the_stored_passages_are_not_references_of_a_client() -> None:
    async with client() as server:
        token = path(links(await ask(server))[0]).removeprefix("/passages/").split(".")[0]
        async with server.get(f"/v1/references/{token}", headers={"Authorization": f"Bearer {KEY}"}) as response:
            assert response.status == 404


async def test_the_log_does_not_contain_links(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with client() as server:
            link = path(links(await ask(server))[0])
            async with server.get(link) as response:
                assert response.status == 200
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("citestream")]
    assert any("GET /passages/... 200" in line for line in logged)
    assert not any(link.removeprefix("/passages/")[:22] in line for line in logged)


async def test_without_a_public_address_there_are_no_links() -> None:
    async with client(server={"public_url": ""}) as server:
        assert links(await ask(server))[0] == "urn:citestream:evidence:moon"


async def test_machines_that_share_a_store_share_links() -> None:
    with running() as redis:
        shared = {"store": {"url": redis.url}, "server": {"link_secret": "shared-secret-0123"}}
        async with (
            client(**shared) as here,
            client(**shared) as there,
            there.get(path(links(await ask(here))[0])) as response,
        ):
            assert response.status == 200
        with pytest.raises(ConfigError, match=r"server\.link_secret"):
            client(store={"url": redis.url})


def test_workers_share_a_secret(tmp_path: Any) -> None:
    first, second = (_shared(parse({"server": {"public_url": PUBLIC, "workers": 2}}), tmp_path) for _ in range(2))
    assert len(first.server.link_secret) > 30
    assert first.server.link_secret != second.server.link_secret
    assert (
        _shared(parse({"server": {"link_secret": "my-own-secret-0123"}}), tmp_path).server.link_secret
        == "my-own-secret-0123"
    )
    assert first.server.link_secret not in repr(first)


ADDRESSES = {
    "no scheme": "cite.example",
    "another scheme": "ftp://cite.example",
    "no host": "https:///passages",
    "a user name": "https://me@cite.example",
    "a query": "https://cite.example/?a=1",
    "a fragment": "https://cite.example/#a",
    "a bracket that ends a link": "https://cite.example/a)b",
    "a line break": "https://cite.example/a\nb",
}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_an_invalid_public_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.public_url"):
        parse({"server": {"public_url": address}})


@given(st.text())
def test_only_signed_ids_are_read(text: str) -> None:
    found = PassageLinks(PUBLIC, "secret")
    assert found.parse(text) is None
    passages = found.of_answer()
    assert passages
    signed = passages.link(7).rpartition("/")[2].partition("#")[0]
    assert found.parse(signed) == (passages.token, 7)
    assert found.parse(signed + text) == (None if text else (passages.token, 7))


def test_a_long_text_is_escaped_in_pieces() -> None:
    text = "<b>&\n" * 20_000
    names = dict.fromkeys(("title", "file_name", "id", "label"), "")
    fields = {**names, "text": text, "page_number": None, "chunk_index": 0}
    for span in ({"quote_start": 3, "quote_end": len(text) - 1}, {"quote_start": 0, "quote_end": PIECE_CHARACTERS}):
        pieces = complete(passage_page({**fields, "spans": [span]}))
        assert max(map(len, pieces)) <= len("&amp;") * PIECE_CHARACTERS
        page = Page(b"".join(pieces).decode())
        assert page.texts["mark"] == text[span["quote_start"] : span["quote_end"]]


@given(st.text(), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda two: (min(two), max(two)))))
def test_any_text_is_shown_as_text(text: str, quotes: list[tuple[int, int]]) -> None:
    spans = [{"quote_start": start, "quote_end": end} for start, end in quotes if end <= len(text)]
    names = dict.fromkeys(("title", "file_name", "id", "label"), text)
    fields = {**names, "text": text, "page_number": None, "chunk_index": 0, "spans": spans}
    page = Page(b"".join(complete(passage_page(fields))).decode())
    assert set(page.tags) <= TAGS
    marked = {at for span in spans for at in range(span["quote_start"], span["quote_end"])}
    shown = page.texts.get("mark", "")
    assert len(shown) <= len(marked)
