"""Transport: one session for all, certificates verified, authorities of one's own."""

import datetime
import ipaddress
import ssl
from pathlib import Path

import pytest

from providers.errors import Unreachable
from providers.transport import Call, Timeouts, Transport, body
from tests.upstreams.wire import Server, script, whole

x509 = pytest.importorskip("cryptography.x509")

OK = script(whole("200 OK", b"ok", "Set-Cookie: a=b"))


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody has signed but itself; (certificate, key) as PEM files."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "upstream")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = tmp_path / "certificate.pem", tmp_path / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return public, private


async def fetched(transport: Transport, url: str, ca_file: str = "") -> bytes:
    async with transport.open(Call("GET", url, ca_file=ca_file), Timeouts(connect=2)) as response:
        return await body(response, 1000, 2)


async def test_a_provider_has_to_prove_who_it_is(certificate: tuple[Path, Path]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    transport = Transport()
    async with Server(OK, context) as server:
        with pytest.raises(Unreachable) as raised:
            await fetched(transport, server.url)
        assert raised.value.code == "provider_certificate"
        assert await fetched(transport, server.url, str(certificate[0])) == b"ok"
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
