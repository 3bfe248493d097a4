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


async def test_the_certificate_of_a_provider_is_verified(tmp_path: Path) -> None:
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


async def test_a_certificate_for_another_name_or_an_expired_one_is_refused(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for certificate in (authority.issue_cert("other.example"), authority.issue_cert("127.0.0.1", not_after=yesterday)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        transport = Transport()
        async with Server(OK, context) as server:
            with pytest.raises(Unreachable) as raised:
                await fetched(transport, server.url, str(tmp_path / "ca.pem"))
            assert raised.value.code == "provider_certificate"
            assert server.requests == []
        await transport.aclose()


async def test_an_unreadable_ca_file_is_an_error_without_its_path(tmp_path: Path) -> None:
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


UNREQUESTED = {
    "a timeout of the server": whole("408 Request Timeout", b"", "Connection: close"),
    "another answer": whole("200 OK", b"of someone else"),
    "bytes that are not HTTP": b"0\r\n\r\n",
}


@pytest.mark.parametrize("case", UNREQUESTED)
async def test_an_unrequested_answer_is_not_used_for_the_next_request(case: str) -> None:
    idle, sent = asyncio.Event(), asyncio.Event()

    async def answer(request: Request) -> AsyncIterator[bytes]:
        yield whole("200 OK", request.target.encode())
        if request.target == "/one":
            await idle.wait()
            yield UNREQUESTED[case]
            sent.set()

    transport = Transport()
    async with Server(answer) as server:
        assert await fetched(transport, f"{server.url}/one") == b"/one"
        idle.set()
        await sent.wait()
        for _ in range(3):
            await asyncio.sleep(0)  # the bytes arrive
        assert await fetched(transport, f"{server.url}/two") == b"/two"
        assert await fetched(transport, f"{server.url}/three") == b"/three"
        assert server.connections == 2
        await transport.aclose()


async def test_the_number_of_connections_is_not_limited() -> None:
    transport = Transport()
    assert transport.session.connector
    assert transport.session.connector.limit == 0
    await transport.aclose()
