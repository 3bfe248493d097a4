"""Transport: one session for all, certificates verified, authorities of one's own."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from providers.errors import Unreachable
from providers.transport import Call, Timeouts, Transport, body
from tests.upstreams.wire import Server, script, whole

OK = script(whole("200 OK", b"ok", "Set-Cookie: a=b"))


async def fetched(transport: Transport, url: str, ca_file: str = "") -> bytes:
    async with transport.open(Call("GET", url, ca_file=ca_file), Timeouts(connect=2)) as response:
        return await body(response, 1000, 2)


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


async def test_many_streams_need_no_place_in_a_pool() -> None:
    transport = Transport()
    assert transport.session.connector
    assert transport.session.connector.limit == 0
    await transport.aclose()
