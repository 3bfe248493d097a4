"""The official clients of three vendors with servers that imitate these vendors."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from citestream.providers.embedding import Embedder, embedder
from citestream.providers.errors import ProviderError, Rejected, Unreachable
from citestream.providers.settings import Settings
from tests.upstreams.embeddings import KEY, Embeddings, vector
from tests.upstreams.wire import Break, Server, script, whole

ROOT = Path(__file__).parents[3]
TEXTS = ["Water boils.", "at 100 °C", "水"]
KINDS = ("openai", "ollama", "gemini")


def make_embedder(kind: str, url: str, key: str = KEY) -> Embedder:
    base = f"{url}/v1" if kind == "openai" else url
    return embedder(kind, "a-model", Settings(base_url=base, api_key=key))


@pytest.mark.parametrize("kind", KINDS)
async def test_every_text_gets_its_own_vector_of_unit_length(kind: str) -> None:
    upstream = Embeddings()
    async with Server(upstream) as server:
        instance = make_embedder(kind, server.url)
        found = await instance.embed([*TEXTS, TEXTS[0]])
        await instance.aclose()
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)
    expected = np.array([vector(text) for text in [*TEXTS, TEXTS[0]]])
    assert found == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert upstream.batches == [TEXTS], "each text is sent once"


async def test_a_server_without_base64_is_supported() -> None:
    async with Server(Embeddings(base64=False)) as server:
        instance = make_embedder("openai", server.url)
        assert (await instance.embed(TEXTS)).shape == (3, 3)
        await instance.aclose()


async def test_a_batch_that_is_too_large_is_halved_until_it_fits() -> None:
    upstream = Embeddings(most=2)
    async with Server(upstream) as server:
        instance = make_embedder("openai", server.url)
        texts = [f"text number {n}" for n in range(7)]
        assert (await instance.embed(texts)).shape == (7, 3)
        await instance.aclose()
    assert [text for batch in upstream.batches for text in batch] == texts
    assert max(map(len, upstream.batches)) == 2


async def test_a_wrong_key_is_an_error_of_the_embedder() -> None:
    async with Server(Embeddings()) as server:
        instance = make_embedder("openai", server.url, key="wrong")
        with pytest.raises(Rejected) as caught:
            await instance.embed(TEXTS)
        await instance.aclose()
    assert caught.value.status == 401


@pytest.mark.parametrize("kind", KINDS)
async def test_the_message_names_the_embedder_if_it_cannot_be_reached(kind: str) -> None:
    async with Server(Embeddings()) as server:
        url = server.url
    instance = make_embedder(kind, url)
    with pytest.raises(Unreachable, match=r"^The embedder could not be reached"):
        await instance.embed(TEXTS)
    await instance.aclose()


ANSWERS = {
    "one vector too few": b'{"object":"list","data":[{"index":0,"embedding":[1,2]}],"model":"m"}',
    "vectors of two lengths": b'{"object":"list","data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}',
    "strings instead of numbers": b'{"data":[{"index":0,"embedding":["a"]},{"index":1,"embedding":["b"]}]}',
    "not a number": b'{"object":"list","data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}',
    "no data": b'{"object":"list"}',
    "not JSON": b"<html>",
}


@pytest.mark.parametrize("case", ANSWERS)
async def test_an_answer_without_a_vector_for_each_text_is_an_error(case: str) -> None:
    async with Server(script(whole("200 OK", ANSWERS[case], "Content-Type: application/json"))) as server:
        instance = make_embedder("openai", server.url)
        with pytest.raises(ProviderError):
            await instance.embed(TEXTS[:2])
        await instance.aclose()


async def test_a_broken_connection_is_an_error() -> None:
    async with Server(script(Break.RESET)) as server:
        instance = make_embedder("ollama", server.url)
        with pytest.raises(ProviderError):
            await instance.embed(TEXTS)
        await instance.aclose()


@pytest.mark.parametrize(("kind", "module"), [("openai", "openai"), ("ollama", "ollama"), ("gemini", "google.genai")])
def test_the_client_library_is_imported_in_the_background(kind: str, module: str) -> None:
    """A new process imports only the library of the requested kind."""
    code = (
        "import sys, threading\nfrom citestream.providers.embedding import embedder\n"
        f"embedder({kind!r})\n"
        "[thread.join() for thread in threading.enumerate() if thread.name.startswith('import')]\n"
        "print(*[name for name in ('openai', 'ollama', 'google.genai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [module]
