"""Transport: one shared session, verified certificates, private certificate authorities."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from citestream.providers.errors import Unreachable
from citestream.providers.transport import Call, Timeouts, Transport, read_all
from tests.upstreams.wire import Request, Server, script, whole

OK = script(whole("200 OK", b"ok", "Set-Cookie: a=b"))


async def fetched(transport: Transport, url: str, ca_file: str = "") -> bytes:
    async with transport.open(Call("GET", url, ca_file=ca_file), Timeouts(connect=2)) as response:
        return await read_all(response, 1000, 2)


async def test_a_provider_has_to_prove_who_it_is(tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    transport = Transport()
    async with Server(OK, context) as server:
        with pytest.raises(Unreachable) as raised:
            await fetched(transport, server.url)
        assert raised.value.code == "provider_certificate"
        assert await fetched(transport, server.url, str(tmp_path / "ca.pem")) == b"ok"
    await transport.aclose()


async def test_a_certificate_of_another_name_or_of_yesterday_is_refused(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for made in (authority.issue_cert("other.example"), authority.issue_cert("127.0.0.1", not_after=yesterday)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.configure_cert(context)
        transport = Transport()
        async with Server(OK, context) as server:
            with pytest.raises(Unreachable) as raised:
                await fetched(transport, server.url, str(tmp_path / "ca.pem"))
            assert raised.value.code == "provider_certificate"
            assert server.requests == []
        await transport.aclose()


async def test_an_authority_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    transport = Transport()
    with pytest.raises(Unreachable, match="ca_file") as raised:
        await fetched(transport, "https://127.0.0.1:1/", str(tmp_path / "missing.pem"))
    assert str(tmp_path) not in raised.value.message
    await transport.aclose()


async def test_a_closed_transport_opens_again() -> None:
    transport = Transport()
    async with Server(OK) as server:
        for _ in range(2):
            assert await fetched(transport, server.url) == b"ok"
            await transport.aclose()


UNASKED = {
    "a time-out of the server": whole("408 Request Timeout", b"", "Connection: close"),
    "another answer": whole("200 OK", b"of someone else"),
    "no HTTP": b"0\r\n\r\n",
}


@pytest.mark.parametrize("case", UNASKED)
async def test_what_nobody_asked_for_is_no_answer_to_the_next_question(case: str) -> None:
    idle, said = asyncio.Event(), asyncio.Event()

    async def answer(request: Request) -> AsyncIterator[bytes]:
        yield whole("200 OK", request.target.encode())
        if request.target == "/one":
            await idle.wait()
            yield UNASKED[case]
            said.set()

    transport = Transport()
    async with Server(answer) as server:
        assert await fetched(transport, f"{server.url}/one") == b"/one"
        idle.set()
        await said.wait()
        for _ in range(3):
            await asyncio.sleep(0)  # the bytes arrive
        assert await fetched(transport, f"{server.url}/two") == b"/two"
        assert await fetched(transport, f"{server.url}/three") == b"/three"
        assert server.connections == 2
        await transport.aclose()


async def test_many_streams_need_no_place_in_a_pool() -> None:
    transport = Transport()
    assert transport.session.connector
    assert transport.session.connector.limit == 0
    await transport.aclose()
