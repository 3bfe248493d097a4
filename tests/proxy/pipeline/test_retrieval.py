"""Evidence of a retriever: in every client API, with a report. A policy decides what happens after a failure."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.proxy.cli.index_command import to_evidence
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, serving

TEXTS = {
    "bridge.md": "# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.",
    "sub folder/fruit.txt": "Bananas grow in the tropics.",
}
QUESTION = "When was the Harlan bridge opened?"
REQUEST = {"model": "extractive", "messages": [{"role": "user", "content": QUESTION}]}
MANY = {f"station{n}.txt": f"Station {n} of the Harlan line sells tickets." for n in range(30)}


async def fill(path: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (path / "docs" / name).write_text(text, "utf-8")
    store = Store(path / "e.db", create=True)
    async for _ in index(store, path / "docs", to_evidence):
        pass
    store.close()
    return path / "e.db"


@asynccontextmanager
async def served(store: Path, *, providers: Any = None, default: str = "docs", **settings: Any) -> AsyncIterator[Any]:
    """Yield a function (body, path) that returns the status and the body of the answer."""
    config = parse(
        {
            "providers": {"extractive": {}} | (providers or {}),
            "retrievers": {"docs": {"kind": "folder", "store": str(store), **settings}},
            "default_retriever": default,
        }
    )
    async with TestClient(TestServer(make_app(config))) as client:

        async def ask(body: Any, path: str = "/v1/chat/completions") -> tuple[int, Any]:
            async with client.post(path, json=body) as answer:
                return answer.status, await answer.json()

        yield ask


async def test_a_question_without_evidence_is_answered_from_the_store(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        status, body = await ask(REQUEST)
    assert status == 200
    assert "opened on 4 May 1932" in body["choices"][0]["message"]["content"]
    (reference,) = body["references"]
    assert (reference["file_name"], reference["document_id"]) == ("bridge.md", "docs/bridge.md")
    assert (reference["id"], reference["title"]) == ("docs/bridge.md#0", "Bridge")
    report = body["grounding"]["retrieval"]
    assert (report["source"], report["query"], report["error"]) == ("docs", QUESTION, None)
    assert report["found"] == report["used"] == report["by_words"] == 1
    assert report["scores"] == [reference["score"]]
    assert report["ms"] >= report["search_ms"] > 0


APIS: dict[str, tuple[str, dict[str, Any]]] = {
    "Chat Completions": ("/v1/chat/completions", REQUEST),
    "Responses": ("/v1/responses", {"model": "extractive", "input": QUESTION}),
    "Ollama, chat": ("/api/chat", {**REQUEST, "stream": False}),
    "Ollama, generate": ("/api/generate", {"model": "extractive", "prompt": QUESTION, "stream": False}),
    "Gemini": ("/v1beta/models/extractive:generateContent", {"contents": [{"parts": [{"text": QUESTION}]}]}),
}


@pytest.mark.parametrize(("path", "body"), APIS.values(), ids=APIS)
async def test_every_client_api_answers_from_the_store(path: str, body: dict[str, Any], tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        status, answer = await ask(body, path)
        assert status == 200
        assert "opened on 4 May 1932" in json.dumps(answer)
        assert "bridge.md" in json.dumps(answer)
        status, answer = await ask({**body, "retrieval": False}, path)
        assert "May 1932" not in json.dumps(answer)


async def test_a_request_can_set_the_query(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        _, body = await ask({**REQUEST, "retrieval": {"query": "Where do bananas grow?"}})
    assert body["grounding"]["retrieval"]["query"] == "Where do bananas grow?"
    assert body["grounding"]["evidence"]["injected"] == 1


async def test_evidence_of_the_request_replaces_the_default_source_and_extends_a_named_one(tmp_path: Path) -> None:
    mine = [{"text": "The Harlan bridge was opened by a goat.", "id": "docs/bridge.md#0"}]
    async with served(await fill(tmp_path, TEXTS)) as ask:
        _, body = await ask({**REQUEST, "evidence": mine})
        assert body["grounding"]["evidence"]["received"] == 1
        assert "retrieval" not in body["grounding"]
        _, body = await ask({**REQUEST, "evidence": mine, "retrieval": {"source": "docs"}})
        assert body["grounding"]["evidence"]["received"] == 2
        assert body["grounding"]["retrieval"]["used"] == 1


async def test_without_a_default_source_only_requests_that_name_one_get_evidence(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS), default="") as ask:
        _, body = await ask(REQUEST)
        assert "references" not in body
        _, body = await ask({**REQUEST, "retrieval": {"source": "docs"}})
        assert len(body["references"]) == 1


async def test_nothing_is_retrieved_if_citations_are_disabled(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        _, body = await ask({**REQUEST, "citations": {"enabled": False}})
    assert "grounding" not in body


async def test_top_k_limits_the_number_of_excerpts(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, MANY), top_k=4) as ask:
        request = {"model": "extractive", "messages": [{"role": "user", "content": "Who sells Harlan tickets?"}]}
        _, body = await ask(request)
        assert body["grounding"]["retrieval"]["used"] == 4
        assert body["grounding"]["retrieval"]["found"] == 30
        _, body = await ask({**request, "retrieval": {"top_k": 7.0}})  # as some clients write it
        assert body["grounding"]["retrieval"]["used"] == 7


async def test_excerpts_below_the_minimum_score_are_dropped_and_reported(tmp_path: Path) -> None:
    texts = {**TEXTS, "other.txt": "The mayor likes bananas."}
    async with served(await fill(tmp_path, texts), min_score=0.5) as ask:
        _, body = await ask({**REQUEST, "retrieval": {"query": "When did the mayor of Harlan open the bridge?"}})
    report = body["grounding"]["retrieval"]
    assert report["dropped"] == {"score": 1}
    assert report["used"] == 1
    assert all(score >= 0.5 for score in report["scores"])


ROCKETS = {
    "saturn.md": "# Saturn V\n\nThe rocket was 110.6 metres tall. The Saturn V flew thirteen times.",
    "eiffel.md": "# Eiffel Tower\n\nThe Eiffel Tower is 330 metres tall.",
    "birds.txt": "Swifts have flown for ten months without landing.",
}
TALL = "How tall was the Saturn V?"
CONVERSATIONS: dict[str, tuple[list[str], str, str]] = {
    "a follow-up question": ([TALL, "How often has it flown?"], f"{TALL}\nHow often has it flown?", "saturn.md"),
    "a follow-up of a follow-up": (
        [TALL, "How often has it flown?", "And when?"],
        f"{TALL}\nHow often has it flown?\nAnd when?",
        "saturn.md",
    ),
    "another topic": ([TALL, "How tall is the Eiffel Tower?"], "How tall is the Eiffel Tower?", "eiffel.md"),
    "a follow-up of another topic": (
        [TALL, "Who designed the Eiffel Tower?", "How tall is it?"],
        "Who designed the Eiffel Tower?\nHow tall is it?",
        "eiffel.md",
    ),
    "the first question": (["How often has it flown?"], "How often has it flown?", "birds.txt"),
}


@pytest.mark.parametrize(("questions", "query", "file"), CONVERSATIONS.values(), ids=CONVERSATIONS)
async def test_a_follow_up_question_is_searched_with_the_previous_one(
    tmp_path: Path, questions: list[str], query: str, file: str
) -> None:
    messages = [{"role": "user", "content": questions[0]}]
    for question in questions[1:]:
        messages += [{"role": "assistant", "content": "It is known."}, {"role": "user", "content": question}]
    async with served(await fill(tmp_path, ROCKETS), top_k=1) as ask:
        _, body = await ask({"model": "extractive", "messages": messages})
        report = body["grounding"]["retrieval"]
        assert report["query"] == query
        assert report.get("follow_up", False) == ("\n" in query)
        assert [one["file_name"].rpartition("/")[2] for one in body["references"]] in ([file], [])
        assert report["used"] == 1
        _, body = await ask({"model": "extractive", "messages": messages, "retrieval": {"query": "swifts"}})
        assert body["grounding"]["retrieval"]["query"] == "swifts"


async def test_a_question_without_text_is_not_searched(tmp_path: Path) -> None:
    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]
    messages = [{"role": "user", "content": TALL}, {"role": "user", "content": picture}]
    async with served(await fill(tmp_path, ROCKETS)) as ask:
        _, body = await ask({"model": "extractive", "messages": messages})
    assert "retrieval" not in body.get("grounding", {})


UNRELATED = {
    "a request of a coding agent": "Add type hints to the function parse_args in bridge.py and run the tests.",
    "a file in the prompt": "bridge.py\n```python\ndef opened(day, month, year):\n    return day, month, year\n```\n"
    "Raise a ValueError if the month is not between 1 and 12.",
}


@pytest.mark.parametrize("question", UNRELATED.values(), ids=UNRELATED)
async def test_a_prompt_that_shares_a_word_with_the_folder_gets_no_excerpts(tmp_path: Path, question: str) -> None:
    unrelated = {"model": "extractive", "messages": [{"role": "user", "content": question}]}
    store = await fill(tmp_path, TEXTS)
    async with served(store) as ask:
        _, body = await ask(unrelated)
        assert body["grounding"]["retrieval"]["used"] == 0
        assert body["grounding"]["retrieval"]["dropped"] == {"score": 1}
        _, body = await ask(REQUEST)
        assert body["grounding"]["retrieval"]["used"] == 1
    async with served(store, min_score=0) as ask:
        _, body = await ask(unrelated)
        assert body["grounding"]["retrieval"]["used"] == 1


async def test_a_search_that_was_asked_for_keeps_its_five_best_excerpts(tmp_path: Path) -> None:
    question = "Do the clerks of a small station also sell snacks, newspapers or tickets to passengers?"
    request = {"model": "extractive", "messages": [{"role": "user", "content": question}]}
    async with served(await fill(tmp_path, MANY), min_score=0.99) as ask:
        _, body = await ask(request)
        assert body["grounding"]["retrieval"]["used"] == 0
        _, body = await ask({**request, "retrieval": {"source": "docs"}})
        assert body["grounding"]["retrieval"]["used"] == 5
        assert body["grounding"]["retrieval"]["dropped"] == {"score": 3}


async def test_the_context_of_a_coding_agent_is_not_searched(tmp_path: Path) -> None:
    reminder = "<system-reminder>\nBananas are yellow, and the mayor likes bananas.\n</system-reminder>"
    request = {"model": "extractive", "messages": [{"role": "user", "content": f"{reminder}\n{QUESTION}"}]}
    async with served(await fill(tmp_path, TEXTS)) as ask:
        _, body = await ask(request)
    assert body["grounding"]["retrieval"]["query"].strip() == QUESTION
    assert [one["file_name"] for one in body["references"]] == ["bridge.md"]


async def test_a_search_without_results_gives_an_answer_and_a_report(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        status, body = await ask({"model": "extractive", "messages": [{"role": "user", "content": "Xyzzy?"}]})
    assert status == 200
    assert body["references"] == []
    assert body["grounding"]["retrieval"] | {"ms": 0, "search_ms": 0} == {
        "source": "docs", "query": "Xyzzy?", "found": 0, "used": 0, "dropped": {}, "scores": [], "ms": 0, "error": None,
        "by_words": 0, "by_vectors": 0, "breadth": None, "search_ms": 0,
    }  # fmt: skip


async def test_a_url_prefix_sets_the_urls_of_references(tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS), url_prefix="https://wiki.example/") as ask:
        _, body = await ask({**REQUEST, "messages": [{"role": "user", "content": "Where do bananas grow?"}]})
    assert body["references"][0]["url"] == "https://wiki.example/sub%20folder/fruit.txt"


WRONG = {
    "an unknown source": (
        {"source": "dosc"},
        "retrieval.source",
        "there is no source 'dosc'; there are: docs",
    ),
    "an unknown key": ({"sources": "docs"}, "retrieval.sources", "is not a field; the fields are: source"),
    "a number for a query": ({"query": 5}, "retrieval.query", "must be a string"),
    "zero excerpts": ({"top_k": 0}, "retrieval.top_k", "must be a whole number of at least 1"),
    "a boolean": (True, "retrieval", "must be an object"),
}


@pytest.mark.parametrize(("raw", "path", "message"), WRONG.values(), ids=WRONG)
async def test_the_error_names_the_wrong_field(raw: Any, path: str, message: str, tmp_path: Path) -> None:
    async with served(await fill(tmp_path, TEXTS)) as ask:
        status, body = await ask({**REQUEST, "retrieval": raw})
    assert (status, body["error"]["param"]) == (400, path)
    assert message in body["error"]["message"]


async def test_a_missing_store_follows_the_failure_policy(
    tmp_path: Path,
) -> None:
    async with served(tmp_path / "e.db") as ask:
        status, body = await ask(REQUEST)
        assert status == 502
        assert "does not exist: fill it with `citestream index DIR`" in body["error"]["message"]
        await fill(tmp_path, TEXTS)  # the retriever opens it now
        assert (await ask(REQUEST))[0] == 200
    async with served(tmp_path / "none.db", on_failure="answer") as ask:
        status, body = await ask(REQUEST)
        assert (status, body["references"]) == (200, [])
        assert "does not exist" in body["grounding"]["retrieval"]["error"]


async def test_a_slow_search_follows_the_failure_policy(tmp_path: Path) -> None:
    store = await fill(tmp_path, TEXTS)
    async with served(store, timeout=1e-9) as ask:
        status, body = await ask(REQUEST)
        assert status == 504
        assert body["error"]["message"] == "The search in 'docs' failed: The retriever did not answer in 1e-09 seconds."
    async with served(store, timeout=1e-9, on_failure="answer") as ask:
        status, body = await ask(REQUEST)
        assert status == 200
        assert "did not answer" in body["grounding"]["retrieval"]["error"]


@contextmanager
def rewriting(query: str | None) -> Iterator[tuple[Server, dict[str, Any]]]:
    """Run a model that answers with this query, or closes the connection for None."""

    async def answer(request: Request) -> AsyncIterator[Step]:
        if query is None:
            yield Break.CLOSE
            return
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        event = {"id": "c", "choices": [{"index": 0, "delta": {"content": query}, "finish_reason": "stop"}]}
        yield chunk(f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode())
        yield chunk(b"")

    with serving(answer) as server:
        yield server, {"small": {"kind": "openai", "base_url": f"{server.url}/v1"}}


FOLLOW_UP = [
    {"role": "user", "content": "Tell me about the Harlan bridge."},
    {"role": "assistant", "content": "It is a bridge."},
    {"role": "user", "content": "And when was it finished?"},
]


async def test_a_model_rewrites_a_conversation_as_one_query(tmp_path: Path) -> None:
    store = await fill(tmp_path, TEXTS)
    with rewriting('"When was the Harlan bridge opened?"\n') as (model, providers):
        async with served(store, providers=providers, rewrite="small/any") as ask:
            _, body = await ask({**REQUEST, "messages": FOLLOW_UP})
            assert body["grounding"]["retrieval"]["query"] == QUESTION
            assert body["grounding"]["retrieval"]["rewritten"] is True
            _, body = await ask(REQUEST)  # a first question is complete
            assert body["grounding"]["retrieval"]["rewritten"] is False
            _, body = await ask({**REQUEST, "messages": [{"role": "user", "content": " "}, FOLLOW_UP[-1]]})
            assert body["grounding"]["retrieval"]["rewritten"] is False  # empty messages do not count
        (request,) = model.requests
    assert "user: And when was it finished?" in request.json["messages"][-1]["content"]


@pytest.mark.parametrize("query", [None, "", "word " * 200], ids=["no answer", "empty answer", "too long"])
async def test_if_the_model_fails_the_query_is_built_without_it(query: str | None, tmp_path: Path) -> None:
    store = await fill(tmp_path, TEXTS)
    with rewriting(query) as (_, providers):
        async with served(store, providers=providers, rewrite="small/any") as ask:
            status, body = await ask({**REQUEST, "messages": FOLLOW_UP})
    assert status == 200
    assert body["grounding"]["retrieval"]["query"] == "Tell me about the Harlan bridge.\nAnd when was it finished?"


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"text": "x", "author": "Ann"}, {"text": "x", "metadata": {"author": "Ann"}}),
        ({"text": "x", "artifact_kind": "k", "is_generated_artifact": True}, None),
        ({"text": "x", "id": "7", "page_number": 3, "title": "T"}, None),
        ({"text": "x", "url": None}, {"text": "x"}),
    ],
)
def test_entries_of_files_become_evidence(entry: dict[str, Any], found: dict[str, Any] | None) -> None:
    assert to_evidence(entry) == (found or entry)


def test_an_invalid_entry_is_an_error_with_the_reason() -> None:
    with pytest.raises(ValueError, match=r"^page_number: must be a whole number or the label of a page$"):
        to_evidence({"text": "x", "page_number": [3]})
