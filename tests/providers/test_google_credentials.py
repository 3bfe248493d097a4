"""Vertex AI without a key: the Google credentials of the machine."""

import json
from pathlib import Path

import pytest

from citestream.providers.errors import Unreachable
from citestream.providers.google_credentials import AccessTokens
from tests.providers.recorded_answer import make_provider
from tests.upstreams.gemini import MODEL, Gemini
from tests.upstreams.wire import Server, script, serving, whole

pytest.importorskip("cryptography")


def write_account(path: Path, token_uri: str) -> None:
    """Write the key file of a service account in Google's format."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain).decode()
    fields = {"type": "service_account", "private_key_id": "1", "private_key": pem, "client_email": "a@p.iam.example"}
    path.write_text(json.dumps({**fields, "token_uri": token_uri, "project_id": "p"}))


async def test_the_token_of_a_service_account_is_fetched_once_and_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "account.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    granted = b'{"access_token": "ya29.granted", "expires_in": 3600, "token_type": "Bearer"}'
    token_server = script(whole("200 OK", granted, "Content-Type: application/json"))
    with serving(token_server) as tokens:
        write_account(file, f"{tokens.url}/token")
        async with Server(Gemini()) as server:
            provider = make_provider("gemini", f"{server.url}/v1/projects/p/locations/l", vertex=True, api_key="")
            for _ in range(2):
                assert await provider.models() == [MODEL]
            await provider.aclose()
        assert len(tokens.requests) == 1
    assert server.requests[0].headers["authorization"] == "Bearer ya29.granted"


async def test_the_error_without_credentials_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(Unreachable, match="GOOGLE_APPLICATION_CREDENTIALS") as raised:
        await AccessTokens().current()
    assert str(tmp_path) not in raised.value.message
