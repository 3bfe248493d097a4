"""Search services over HTTP, with their documented answers, and failures."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

import numpy as np
import pytest

from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError, TimedOut
from citestream.providers.retrieval import Retrieved, retriever
from citestream.providers.retrieval.http import MAX_ANSWER_BYTES, Settings
from tests.clock import Clock, timing_out
from tests.providers.retrieval import services
from tests.upstreams.wire import Answer, Break, Server, Step, chunk, head, script, whole

QUESTION = 'When was the "bridge" opened?'
ONE, TWO = "The bridge was opened on 4 May 1932.", "Bananas grow in the tropics."
OK = "200 OK"


class Vectors:
    """An embedder with the same vector for all texts."""

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.array([[0.5, -1.0]] * len(texts), dtype=np.float32)


@asynccontextmanager
async def searching(answer: Answer, **settings: Any) -> AsyncIterator[tuple[Server, Any]]:
    """Yield the server, and a function that searches for a question and a number of excerpts."""
    async with Server(answer) as server:
        created = retriever("http", settings=Settings(server.url, **settings), embedder=cast("Embedder", Vectors()))
        async with aclosing(created):
            yield server, created.retrieve


def answering(body: bytes, status: str = OK) -> Answer:
    return script(whole(status, body, "Content-Type: application/json"))


ANSWERS: dict[str, tuple[bytes, dict[str, Any], dict[str, Any]]] = {
    "ragflow": (
        services.RAGFLOW,
        {"id": "d78435d142bd5cf6704da62c778795c5", "document_id": "5c5999ec7be811ef9cab0242ac120005",
         "file_name": "bridge.pdf", "page_number": 12, "score": 0.9669436601210759},
        {"id": "b1", "document_id": "77", "file_name": "1.txt", "score": 0.31},
    ),
    "elasticsearch": (
        services.ELASTICSEARCH,
        {"id": "fBk1", "score": 7.2081, "title": "Bridge", "file_name": "bridge.pdf", "page_number": 12},
        {"id": "fBk2", "score": 0.31, "url": "https://wiki.example/fruit"},
    ),
    "opensearch": (
        services.ELASTICSEARCH,
        {"id": "fBk1", "score": 7.2081, "title": "Bridge", "file_name": "bridge.pdf", "page_number": 12},
        {"id": "fBk2", "score": 0.31, "url": "https://wiki.example/fruit"},
    ),
    "qdrant": (
        services.QDRANT,
        {"id": "5c56c793-69f3-4fbf-87e6-c4bf54c28c26", "score": 0.8421, "title": "Bridge", "file_name": "bridge.pdf",
         "page_number": 12},
        {"id": "42", "score": 0.31},
    ),
    "weaviate": (
        services.WEAVIATE,
        {"id": "0002bf92-80c8-5d94-af34-0d6c5fea1aaf", "score": 0.9669437},
        {"id": "2", "score": 0.31},
    ),
    "azure": (
        services.AZURE,
        {"id": "7a_pages_0", "score": 2.87, "title": "Bridge", "document_id": "7a"},
        {"id": "8", "score": 0.31},
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "body", "first", "second"), [(n, *rest) for n, rest in ANSWERS.items()], ids=ANSWERS
)
async def test_answers_of_services_become_evidence(
    preset: str, body: bytes, first: dict[str, Any], second: dict[str, Any]
) -> None:
    async with searching(answering(body), preset=preset, index="Docs") as (_, ask):
        found: Retrieved = await ask(QUESTION, 5)
    assert found.entries == [{"text": ONE, **first}, {"text": TWO, **second}]
    assert found.matched == 2
    assert found.notes["search_ms"] > 0


SEARCHED = {
    "query": {
        "multi_match": {
            "query": QUESTION,
            "fields": ["title^2", "text", "content", "body", "page_content"],
            "type": "most_fields",
            "lenient": True,
        }
    },
    "size": 5,
}
REQUESTS: dict[str, tuple[str, dict[str, Any], tuple[str, str]]] = {
    "ragflow": (
        "/api/v1/retrieval",
        {"question": QUESTION, "page": 1, "page_size": 5, "similarity_threshold": 0.2, "dataset_ids": ["d1"]},
        ("authorization", "Bearer k"),
    ),
    "elasticsearch": ("/Docs/_search", SEARCHED | {"dataset_ids": ["d1"]}, ("authorization", "ApiKey k")),
    "opensearch": ("/Docs/_search", SEARCHED | {"dataset_ids": ["d1"]}, ("authorization", "Bearer k")),
    "qdrant": (
        "/collections/Docs/points/query",
        {"query": [0.5, -1.0], "limit": 5, "with_payload": True, "dataset_ids": ["d1"]},
        ("api-key", "k"),
    ),
    "weaviate": (
        "/v1/graphql",
        {
            "query": '{ Get { Docs(hybrid: { query: "When was the \\"bridge\\" opened?" }, limit: 5) '
            "{ text _additional { id score } } } }",
            "dataset_ids": ["d1"],
        },
        ("authorization", "Bearer k"),
    ),
    "azure": (
        "/indexes/Docs/docs/search?api-version=2024-07-01",
        {"search": QUESTION, "top": 5, "dataset_ids": ["d1"]},
        ("api-key", "k"),
    ),
}


@pytest.mark.parametrize(
    ("preset", "target", "body", "key"), [(n, *rest) for n, rest in REQUESTS.items()], ids=REQUESTS
)
async def test_a_service_receives_the_request_of_its_preset(
    preset: str, target: str, body: dict[str, Any], key: tuple[str, str]
) -> None:
    settings = {"api_key": "k", "headers": {"X-Team": "a"}, "body": {"dataset_ids": ["d1"]}}
    async with searching(answering(ANSWERS[preset][0]), preset=preset, index="Docs", **settings) as (server, ask):
        await ask(QUESTION, 5)
    (request,) = server.requests
    assert (request.method, request.target, request.json) == ("POST", target, body)
    assert request.headers[key[0]] == key[1]
    assert (request.headers["x-team"], request.headers["content-type"]) == ("a", "application/json")


async def test_another_service_is_configured_by_a_template_and_paths() -> None:
    settings = {"body": {"q": "{query}", "n": "{top_k}"}, "entries": "found", "fields": {"text": "said", "title": "h1"}}
    body = (
        b'{"found":[{"said":"A.","h1":["One","Two"],"score":"0.5","page":"3"},{"said":" "},7,{"said":"B.","id":true}]}'
    )
    async with searching(answering(body), **settings) as (server, ask):
        found = await ask("x", 1)
    assert server.requests[0].json == {"q": "x", "n": 1}
    assert found.entries == [{"text": "A.", "title": "One\nTwo", "score": 0.5, "page_number": 3}]
    assert (found.matched, found.notes["without_text"]) == (4, 2)


async def test_a_distance_is_not_used_as_score() -> None:
    """A lower distance is better, but the excerpts with the lowest scores are dropped first."""
    async with searching(
        answering(b'[{"text":"A.","distance":0.1},{"text":"B.","distance":0.8,"similarity":0.2}]')
    ) as (
        _,
        ask,
    ):
        found = await ask("x", 2)
    assert found.entries == [{"text": "A."}, {"text": "B.", "score": 0.2}]


FAILED = {
    "ragflow, with status 200": ("ragflow", services.RAGFLOW_FAILED, OK, "`dataset_ids` is required."),
    "weaviate, with status 200": (
        "weaviate",
        services.WEAVIATE_FAILED,
        OK,
        'Cannot query field "Docs" on type "GetObjectsObj".',
    ),
    "elasticsearch": ("elasticsearch", services.ELASTICSEARCH_FAILED, "404 Not Found", "404: no such index [docs]"),
    "qdrant": ("qdrant", services.QDRANT_FAILED, "404 Not Found", "404: Not found: Collection `docs` doesn't exist!"),
    "azure": ("azure", services.AZURE_FAILED, "404 Not Found", "404: The index 'docs' for service 's' was not found."),
    "a web page": ("qdrant", b"<html>Sign in</html>", OK, "not JSON"),
    "a web page of a proxy": ("qdrant", b"<html>Bad</html>", "502 Bad Gateway", "502: no explanation"),
    "another service": ("qdrant", b'{"hits":[]}', OK, "no list at result.points"),
    "an error that is long": ("azure", b'{"error":"%s"}' % (b"x" * 5000), "400 Bad", "400: " + "x" * 300),
}


@pytest.mark.parametrize(("preset", "body", "status", "expected"), FAILED.values(), ids=FAILED)
async def test_the_error_contains_the_message_of_the_service(
    preset: str, body: bytes, status: str, expected: str
) -> None:
    async with searching(answering(body, status), preset=preset, index="Docs") as (_, ask):
        with pytest.raises(ProviderError) as error:
            await ask(QUESTION, 5)
    assert expected in error.value.message
    assert len(error.value.message) < 400


BROKEN: dict[str, tuple[tuple[Step, ...], type[ProviderError]]] = {
    "a truncated answer": ((head(OK, "Content-Length: 900") + b'{"result":', Break.CLOSE), ProviderError),
    "a reset": ((Break.RESET,), ProviderError),
    "silence": ((Break.STALL,), TimedOut),
    "silence in the answer": ((head(OK, "Content-Length: 900") + b"{", Break.STALL), TimedOut),
    "a redirect": ((whole("302 Found", b"", "Location: http://127.0.0.1:1/"),), ProviderError),
    "an answer that is too large": (
        (head(OK, "Transfer-Encoding: chunked"), *[chunk(b" " * 2**20)] * (MAX_ANSWER_BYTES // 2**20 + 1)),
        ProviderError,
    ),
}


@pytest.mark.parametrize(("steps", "kind"), BROKEN.values(), ids=BROKEN)
async def test_a_failed_search_is_an_error_and_the_next_search_works(
    steps: tuple[Step, ...], kind: type[ProviderError], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]

    async def answer(_: Any) -> AsyncIterator[Step]:
        for step in steps if broken.pop() else [whole(OK, services.QDRANT)]:
            yield step

    async with searching(timing_out(answer, Clock(monkeypatch)), preset="qdrant", index="Docs") as (_, ask):
        with pytest.raises(kind):
            await ask(QUESTION, 5)
        broken.append(False)
        assert len((await ask(QUESTION, 5)).entries) == 2


async def test_a_service_that_cannot_be_reached_is_an_error() -> None:
    async with searching(answering(b"")) as (server, _):
        pass
    created = retriever("http", settings=Settings(server.url, preset="qdrant", index="Docs"), embedder=None)
    with pytest.raises(ProviderError, match="no embedder is configured"):
        await created.retrieve(QUESTION, 5)
    created = retriever("http", settings=Settings(server.url, preset="azure", index="Docs"))
    with pytest.raises(ProviderError):
        await created.retrieve(QUESTION, 5)
    await created.aclose()


def test_the_representation_of_settings_contains_no_keys() -> None:
    assert "sesame" not in repr(Settings("http://x", api_key="sesame", headers={"cookie": "sesame"}))


def test_the_error_for_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown preset 'solr'; there are: ragflow, elasticsearch"):
        retriever("http", settings=Settings("http://x", preset="solr"))
