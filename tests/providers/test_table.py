"""Providers are created by name and imported at first use, and their representation contains no keys."""

import subprocess
import sys

import pytest

from citestream.providers import PROVIDERS, provider
from citestream.providers.errors import NotSupported
from citestream.providers.events import RelayRequest
from citestream.providers.settings import Settings


@pytest.mark.parametrize("kind", PROVIDERS)
async def test_every_provider_is_created_by_name(kind: str) -> None:
    created = provider(kind)
    assert created.native == (kind if kind in {"openai", "ollama", "gemini", "anthropic"} else "")
    if not created.native:
        await created.reach()
        with pytest.raises(NotSupported):
            await created.relay(RelayRequest(b"", ""))
        with pytest.raises(NotSupported):
            await created.embeddings([], model="m")
    await created.aclose()


def test_the_error_for_an_unknown_provider_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown provider 'x'; there are: anthropic, extractive, gemini"):
        provider("x")


@pytest.mark.parametrize("kind", PROVIDERS)
def test_creating_a_provider_imports_no_sdk(kind: str) -> None:
    script = f"import sys, providers; providers.provider({kind!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert not {"openai", "ollama", "google.genai", "anthropic", "httpx", "httpx2"} & set(loaded)


def test_the_representation_of_settings_contains_no_keys() -> None:
    settings = Settings(api_key="sk-secret", headers={"x-key": "secret"})
    assert "secret" not in repr(settings)
