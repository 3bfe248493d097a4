"""read_body yields bytes as they arrive, and ticks during silence. Cancellation of the caller is not swallowed."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import aiohttp
import pytest

from citestream.providers.errors import IncompleteAnswer, TimedOut
from citestream.providers.events import Wakeup
from citestream.providers.transport import TICK, Timeouts, Watch, read_body
from tests.clock import Clock
from tests.upstreams.wire import chunk, head

HEAD = head("200 OK", "Content-Type: text/event-stream")
SOON = Wakeup(lambda: 0.01)
CHUNKED = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")


@asynccontextmanager
async def answering(
    first: bytes = HEAD,
) -> AsyncIterator[tuple[aiohttp.ClientResponse, Callable[[bytes], None], Callable[[], None]]]:
    """Yield an answer whose headers have arrived, a function that sends bytes, and one that closes the connection."""
    connected: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(first)
        await connected.put(writer)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    unlimited = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=unlimited) as session, session.get(address) as response:
        writer = await connected.get()
        try:
            yield response, writer.write, writer.close
        finally:
            writer.close()
            server.close()


def watch(**settings: float) -> Watch:
    return Watch(Timeouts(**settings), asyncio.get_running_loop().time())


async def test_bytes_and_ticks_are_yielded_in_order() -> None:
    async with answering() as (response, send, end), aclosing(read_body(response, watch(), SOON)) as received:
        found = []
        for text in (b"one", b"two", b"three"):
            send(text)
            while (data := await anext(received)) == TICK:
                pass
            found += [data, await anext(received), await anext(received)]
        end()
        found += [data async for data in received if data]
        assert found == [b"one", TICK, TICK, b"two", TICK, TICK, b"three", TICK, TICK]


async def test_a_cancelled_reader_stays_cancelled() -> None:
    async with answering() as (response, _, _):
        first_tick = asyncio.Event()

        async def reading() -> None:
            async with aclosing(read_body(response, watch(), SOON)) as received:
                async for _ in received:
                    first_tick.set()

        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(reading())
            await first_tick.wait()
            task.cancel()
        assert task.cancelled()


async def test_a_timeout_around_a_read_is_raised_and_loses_no_bytes() -> None:
    async with answering() as (response, send, _), aclosing(read_body(response, watch(), SOON)) as received:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                while True:
                    assert await anext(received) == TICK
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        send(b"late")
        assert response.content.at_eof() is False
        assert await response.content.readany() == b"late"


async def test_no_tick_is_early(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with (
        answering() as (response, send, _),
        aclosing(read_body(response, watch(), Wakeup(lambda: 5.0))) as received,
    ):
        for _ in range(3):
            clock.advance(4.9)
            send(b"data")
            assert await anext(received) == b"data"
        clock.advance_soon(5)
        assert await anext(received) == TICK


async def test_a_silent_answer_without_a_wakeup_yields_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with answering() as (response, send, _), aclosing(read_body(response, watch(idle=60))) as received:
        async with asyncio.TaskGroup() as tasks:
            read = tasks.create_task(data_of(received, ticks=False))
            for _ in range(59):
                clock.advance_soon(1)
                await asyncio.sleep(0)
            assert not read.done()
            send(b"late")
        assert read.result() == b"late"


# A limit of 60 seconds, the seconds after each byte, and the error.
LIMITS: dict[str, tuple[str, list[int], str]] = {
    "silence": ("idle", [59, 61], "The provider stopped answering."),
    "bytes without an event": ("first_token", [20, 20, 21], "The provider did not begin to answer in time."),
    "an answer without an end": ("total", [20, 20, 21], "The provider's answer takes longer than it may."),
}


@pytest.mark.parametrize("case", LIMITS)
async def test_a_limit_ends_the_answer_after_the_received_bytes(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, pauses, message = LIMITS[case]
    clock = Clock(monkeypatch)
    async with answering() as (response, send, _), aclosing(read_body(response, watch(**{limit: 60}))) as received:
        for pause in pauses:
            send(b"x")
            assert await data_of(received) == b"x"
            clock.advance_soon(pause)
        with pytest.raises(TimedOut, match=message):
            await anext(received)


async def test_slow_bytes_do_not_exceed_the_idle_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    wakeup = Wakeup(lambda: 50.0)
    async with answering() as (response, send, _), aclosing(read_body(response, watch(idle=60), wakeup)) as received:
        for _ in range(4):
            clock.advance_soon(59)
            assert await anext(received) == TICK
            send(b"x")
            assert await data_of(received) == b"x"


async def test_the_time_between_reads_does_not_count_as_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with answering() as (response, send, _), aclosing(read_body(response, watch(idle=60))) as received:
        for _ in range(2):  # before the first bytes, and between bytes
            clock.advance(61)
            send(b"x")
            assert await data_of(received) == b"x"


@pytest.mark.parametrize("fault", ["the connection ends", "the framing is wrong"])
async def test_bytes_before_a_broken_connection_are_not_lost(fault: str) -> None:
    async with answering(CHUNKED) as (response, send, end), aclosing(read_body(response, watch())) as received:
        send(chunk(b"one"))
        assert await data_of(received) == b"one"
        send(chunk(b"two"))
        if fault == "the framing is wrong":
            send(b"no chunk size")
        end()
        connection = response.connection
        assert connection is not None
        while response.content.exception() is None and connection.transport is not None:  # noqa: ASYNC110 # it has no event
            await asyncio.sleep(0)
        assert await anext(received) == b"two"
        with pytest.raises(IncompleteAnswer):
            await anext(received)


async def data_of(received: AsyncGenerator[bytes, None], *, ticks: bool = True) -> bytes:
    """Return the next bytes, or the next ones that are not a tick if there may be `ticks`."""
    while (data := await anext(received)) == TICK and ticks:
        pass
    return data
