"""read_body: yield bytes as they arrive and ticks during silence; a cancellation from outside is kept."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import aiohttp
import pytest

from citestream.providers.transport import TICK, Timeouts, Watch, read_body

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@asynccontextmanager
async def answering() -> AsyncIterator[tuple[aiohttp.ClientResponse, Callable[[bytes], None], Callable[[], None]]]:
    """An answer that has begun; what sends on; and what ends it."""
    connected: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        await connected.put(writer)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with aiohttp.ClientSession() as session, asyncio.timeout(20), session.get(address) as response:
        writer = await connected.get()
        try:
            yield response, writer.write, writer.close
        finally:
            writer.close()
            server.close()


def watch(**settings: float) -> Watch:
    return Watch(Timeouts(**settings), asyncio.get_running_loop().time())


async def test_ticks_come_in_silence_and_bytes_between_them() -> None:
    async with answering() as (response, send, end), aclosing(read_body(response, watch(tick=0.01))) as received:
        found = []
        for text in (b"one", b"two", b"three"):
            send(text)
            while (data := await anext(received)) == TICK:
                pass
            found += [data, await anext(received), await anext(received)]
        end()
        found += [data async for data in received if data]
        assert found == [b"one", TICK, TICK, b"two", TICK, TICK, b"three", TICK, TICK]


async def test_who_is_cancelled_while_it_waits_stays_cancelled() -> None:
    async with answering() as (response, _, _):
        began = asyncio.Event()

        async def reading() -> None:
            async with aclosing(read_body(response, watch(tick=0.01))) as received:
                async for _ in received:
                    began.set()

        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(reading())
            await began.wait()
            task.cancel()
        assert task.cancelled()


async def test_limits_of_time_around_a_wait_are_kept_and_nothing_is_lost_by_them() -> None:
    async with answering() as (response, send, _), aclosing(read_body(response, watch(tick=0.01))) as received:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                while True:
                    assert await anext(received) == TICK
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        send(b"late")
        assert response.content.at_eof() is False
        assert await response.content.readany() == b"late"
