"""The table of providers: created by name, imported at first use, without keys in their representation."""

import subprocess
import sys

import pytest

from citestream.providers import PROVIDERS, provider
from citestream.providers.errors import NotSupported
from citestream.providers.events import RelayRequest
from citestream.providers.settings import Settings


@pytest.mark.parametrize("kind", PROVIDERS)
async def test_every_provider_is_made_by_its_name(kind: str) -> None:
    made = provider(kind)
    assert made.native == (kind if kind in {"openai", "ollama", "gemini", "anthropic"} else "")
    if not made.native:
        await made.reach()
        with pytest.raises(NotSupported):
            await made.relay(RelayRequest(b"", ""))
        with pytest.raises(NotSupported):
            await made.embeddings([], model="m")
    await made.aclose()


def test_an_unknown_provider_is_told_what_exists() -> None:
    with pytest.raises(ValueError, match="unknown provider 'x'; there are: anthropic, extractive, gemini"):
        provider("x")


@pytest.mark.parametrize("kind", PROVIDERS)
def test_making_a_provider_imports_no_sdk(kind: str) -> None:
    script = f"import sys, providers; providers.provider({kind!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert not {"openai", "ollama", "google.genai", "anthropic", "httpx", "httpx2"} & set(loaded)


def test_a_key_is_in_no_text_form() -> None:
    settings = Settings(api_key="sk-secret", headers={"x-key": "secret"})
    assert "secret" not in repr(settings)
