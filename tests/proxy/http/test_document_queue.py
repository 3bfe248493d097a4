"""Documents wait outside of the streams, and one client leaves readers and places to the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.document_queue import CLIENT_PLACES, DOCUMENTS, PLACES, READERS, DocumentQueue
from citestream.proxy.http.error_responses import RequestError
from citestream.proxy.http.middleware.admission import Admission

KEYS = {"ann": "ck-" + "a" * 43, "bob": "ck-" + "b" * 43}
CITE = {"text": "It opened in 1932.", "evidence": [{"text": "The bridge was opened in 1932."}]}


class Upload:
    """A document whose last byte is not sent before `finish` is set."""

    def __init__(self) -> None:
        self.finish = asyncio.Event()

    async def body(self) -> AsyncIterator[bytes]:
        yield b"Of the sea."
        await self.finish.wait()
        yield b"\n"


async def read(client: Any, data: Any, key: str = "ann") -> int:
    headers = {"Authorization": f"Bearer {KEYS[key]}"}
    async with client.post("/v1/evidence/read?file_name=a.txt", data=data, headers=headers) as answer:
        if answer.status == 503:
            assert int(answer.headers["Retry-After"]) >= 1
            assert "too many documents" in (await answer.json())["error"]["message"]
        status: int = answer.status
        return status


async def cite(client: Any) -> int:
    async with client.post("/v1/cite", json=CITE, headers={"Authorization": f"Bearer {KEYS['bob']}"}) as answer:
        status: int = answer.status
        return status


async def test_documents_of_one_client_take_neither_streams_nor_the_places_of_others() -> None:
    keys = [{"name": name, "key": key} for name, key in KEYS.items()]
    app = make_app(parse({"server": {"max_streams": 1, "keys": keys}}))
    upload = Upload()
    async with TestClient(TestServer(app)) as client, asyncio.TaskGroup() as tasks:
        uploads = [tasks.create_task(read(client, upload.body())) for _ in range(CLIENT_PLACES)]
        while app[DOCUMENTS]._places.total() < CLIENT_PLACES:
            assert (await client.get("/healthz")).status == 200  # meanwhile, the uploads arrive
        assert await read(client, b"Of the tide.") == 503
        assert await read(client, b"Of the tide.", "bob") == 200
        assert await cite(client) == 200
        upload.finish.set()
        assert [await one for one in uploads] == [200] * CLIENT_PLACES
        assert await read(client, b"Of the tide.") == 200


def queue(*, is_shared: bool = True) -> DocumentQueue:
    return DocumentQueue(Admission(1), is_shared=is_shared)


async def test_all_places_have_a_limit() -> None:
    documents = queue()
    with ExitStack() as places:
        for number in range(PLACES):
            places.enter_context(documents.place(f"client {number}"))
        with pytest.raises(RequestError) as refused, documents.place("another"):
            pass
        assert refused.value.status == 503
    with documents.place("another"):
        assert len(documents._places) == 1  # nothing stays of the others


async def test_clients_take_turns() -> None:
    documents = queue()
    turns: list[str] = []

    async def use(client: str) -> None:
        with documents.place(client):
            async with documents.turn(client):
                turns.append(client)
                await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for client in "aaaabbcd":
            tasks.create_task(use(client))
    assert "".join(sorted(turns[:4])) == "abcd"
    assert sorted(turns) == sorted("aaaabbcd")


@pytest.mark.parametrize(("is_shared", "expected"), [(True, READERS - 1), (False, READERS)])
async def test_one_of_several_clients_leaves_a_reader_free(is_shared: bool, expected: int) -> None:
    documents = queue(is_shared=is_shared)
    async with AsyncExitStack() as readers, asyncio.TaskGroup() as tasks:
        for _ in range(expected):
            await readers.enter_async_context(documents.turn("a"))
        waiting = tasks.create_task(use(documents, "a"))
        await asyncio.sleep(0)
        assert not waiting.done()
        if is_shared:
            await readers.enter_async_context(documents.turn("b"))
        waiting.cancel()
    async with documents.turn("a"):
        assert documents._running.total() == 1  # the cancelled one took nothing


async def use(documents: DocumentQueue, client: str) -> None:
    async with documents.turn(client):
        pass


async def test_a_server_that_stops_waits_for_documents() -> None:
    admission = Admission(1)
    with ExitStack() as requests:
        admission._counts[0] += 1  # as the middleware does
        requests.enter_context(DocumentQueue(admission).place("a"))
        assert not admission.idle
    assert not admission.idle  # it is a running request again
