"""HTTPS: the configured certificate, TLS 1.2 or later, and errors that name a file that cannot be used."""

import ssl
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import trustme
from cryptography.hazmat.primitives import serialization

from citestream.proxy.config import ConfigError, parse
from citestream.proxy.http.serving.server import serve_process

Start = Callable[..., str]


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(authority: trustme.CA, tmp_path: Path) -> dict[str, str]:
    """Return the files of a certificate for this machine and its key."""
    issued = authority.issue_cert("127.0.0.1", "localhost")
    for number, part in enumerate(issued.cert_chain_pems):
        part.write_to_path(str(tmp_path / "chain.pem"), append=number > 0)
    issued.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    return {"certificate": str(tmp_path / "chain.pem"), "private_key": str(tmp_path / "key.pem")}


def status_of(url: str, context: ssl.SSLContext) -> int:
    with urllib.request.urlopen(f"{url}/healthz", context=context) as answer:  # noqa: S310 - our own server
        status: int = answer.status
        return status


@pytest.mark.parametrize("workers", [1, 2])
def test_clients_connect_by_https_and_verify_the_certificate(
    citestream_server: Start, authority: trustme.CA, files: dict[str, str], workers: int
) -> None:
    url = citestream_server({"server": {"tls": files, "workers": workers}})
    assert url.startswith("https://127.0.0.1:")
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    assert status_of(url, trusted) == 200
    with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):
        status_of(url, ssl.create_default_context())
    with pytest.raises((URLError, ConnectionError)):
        status_of(url.replace("https", "http"), trusted)


def test_versions_before_tls_1_2_are_refused(
    citestream_server: Start, authority: trustme.CA, files: dict[str, str]
) -> None:
    url = citestream_server({"server": {"tls": files}})
    old = ssl.create_default_context()
    authority.configure_trust(old)
    old.set_ciphers("DEFAULT:@SECLEVEL=0")  # so that the client does not refuse it first
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(URLError, match=r"(?i)alert|version|protocol|EOF|reset"):
        status_of(url, old)


def test_certificate_and_key_can_be_in_one_file(
    citestream_server: Start, authority: trustme.CA, tmp_path: Path
) -> None:
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "both.pem"))
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    url = citestream_server({"server": {"tls": {"certificate": str(tmp_path / "both.pem")}}})
    assert status_of(url, trusted) == 200


def encrypted(folder: Path, authority: trustme.CA) -> dict[str, str]:
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(str(folder / "chain.pem"))
    key = serialization.load_pem_private_key(issued.private_key_pem.bytes(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"a password"),
    )
    (folder / "locked.pem").write_bytes(locked)
    return {"certificate": str(folder / "chain.pem"), "private_key": str(folder / "locked.pem")}


def swapped(folder: Path, authority: trustme.CA) -> dict[str, str]:
    authority.issue_cert("127.0.0.1").cert_chain_pems[0].write_to_path(str(folder / "chain.pem"))
    authority.issue_cert("127.0.0.1").private_key_pem.write_to_path(str(folder / "key.pem"))
    return {"certificate": str(folder / "chain.pem"), "private_key": str(folder / "key.pem")}


def empty(folder: Path, _: trustme.CA) -> dict[str, str]:
    (folder / "chain.pem").write_text("")
    return {"certificate": str(folder / "chain.pem")}


INVALID: dict[str, Callable[[Path, trustme.CA], dict[str, str]]] = {
    "a key with a password": encrypted,
    "a key of another certificate": swapped,
    "a file without a certificate": empty,
    "no file": lambda folder, _: {"certificate": str(folder / "none.pem")},
}


@pytest.mark.parametrize("case", INVALID)
def test_invalid_files_are_reported_at_the_start(case: str, authority: trustme.CA, tmp_path: Path) -> None:
    tls: dict[str, Any] = INVALID[case](tmp_path, authority)
    config = parse({"server": {"port": 0, "tls": tls}, "providers": {"extractive": None}})
    with pytest.raises(ConfigError, match=r"server\.tls: "):
        serve_process(config, lambda _: pytest.fail("it must not start"))
