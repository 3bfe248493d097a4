"""`POST /beta/litellm_basic_guardrail_api`, as LiteLLM calls it. `make test-clients` runs a real LiteLLM proxy."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import ClientKey, Config, ProviderConfig, Server
from citestream.proxy.http.application import make_app

CONFIG = Config(providers={"extractive": ProviderConfig(kind="extractive")})
PATH = "/beta/litellm_basic_guardrail_api"
PASSAGE = "The Harlan bridge was opened on 4 May 1932."
CALL = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "When was the Harlan bridge opened?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": json.dumps([{"text": PASSAGE, "title": "Bridge"}])},
]
ANSWER = "The Harlan bridge was opened on 4 May 1932. It is made of green glass."
LIST = "\n\n**References**\n\n- [1] Bridge\n"


def called(kind: str, **fields: Any) -> dict[str, Any]:
    """Return the body of a call, with the fields that LiteLLM 1.106 always sends."""
    body: dict[str, Any] = {
        "input_type": kind,
        "litellm_call_id": "c1",
        "litellm_trace_id": "t1",
        "request_data": {},
        "images": None,
    }
    return body | {"tools": None, "tool_calls": None, "structured_messages": None, "texts": None} | fields


def requested(**fields: Any) -> dict[str, Any]:
    return called("request", **{"structured_messages": MESSAGES, "texts": [MESSAGES[0]["content"]], **fields})


def answered(**fields: Any) -> dict[str, Any]:
    return called("response", **{"texts": [ANSWER], **fields})


def parameters(**fields: Any) -> dict[str, Any]:
    return {"additional_provider_specific_params": fields}


async def replies(*bodies: dict[str, Any], config: Config = CONFIG, keys: tuple[str, ...] = ("", "")) -> list[Any]:
    async with TestClient(TestServer(make_app(config))) as client:
        found = []
        for body, key in zip(bodies, keys, strict=False):
            async with client.post(PATH, json=body, headers={"x-api-key": key}) as answer:
                found.append(await answer.json())
        return found


async def test_an_answer_is_cited_from_the_tool_results_of_its_request() -> None:
    first, second = await replies(requested(), answered())
    assert first == {"action": "NONE"}
    assert second["action"] == "GUARDRAIL_INTERVENED"
    assert second["texts"] == [f"{PASSAGE} [1] It is made of green glass.{LIST}"]
    assert [one["title"] for one in second["references"]] == ["Bridge"]


async def test_the_references_are_stored_under_the_id_of_the_call() -> None:
    async with TestClient(TestServer(make_app(CONFIG))) as client:
        for body in (requested(), answered()):
            await client.post(PATH, json=body)
        async with client.get("/v1/references/c1") as answer:
            assert [one["title"] for one in (await answer.json())["references"]] == ["Bridge"]
        async with client.get("/v1/references/evidence of c1") as answer:
            assert answer.status == 404


async def test_an_answer_with_too_few_supported_claims_is_blocked() -> None:
    for share, action in [(0.5, "GUARDRAIL_INTERVENED"), (0.6, "BLOCKED")]:
        more = parameters(fail_under=share)
        _, reply = await replies(requested(**more), answered(**more))
        assert reply["action"] == action
    assert reply["blocked_reason"] == (
        "The evidence supports 1 of 2 claims of the answer. It does not support: “It is made of green glass.”"
    )


async def test_citations_can_be_configured() -> None:
    more = parameters(citations={"references_in_text": False, "unsupported": "flag"}, other_guardrail={"threshold": 2})
    _, reply = await replies(requested(), answered(**more))
    assert reply["texts"] == [f"{PASSAGE} [1] It is made of green glass. (no supporting source)"]


NOTHING: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "an answer to a request without evidence": ([requested(structured_messages=MESSAGES[:1])], answered()),
    "an answer of another call": ([requested()], answered(litellm_call_id="c2")),
    "an answer whose request was not sent": ([], answered()),
    "an answer without text": ([requested()], answered(texts=[])),
    "an answer without an id": ([requested()], answered(litellm_call_id=None)),
    "an answer without a claim": ([requested()], answered(texts=["Hello!"])),
    "citations that are turned off": ([requested()], answered(**parameters(citations={"enabled": False}))),
}


@pytest.mark.parametrize(("before", "answer"), NOTHING.values(), ids=NOTHING)
async def test_an_answer_stays_as_it_is(before: list[dict[str, Any]], answer: dict[str, Any]) -> None:
    reply = (await replies(*before, answer))[-1]
    assert reply["action"] == "NONE"
    assert "texts" not in reply


async def test_evidence_of_the_configuration_needs_no_first_call() -> None:
    more = parameters(evidence=[{"text": PASSAGE, "title": "Bridge"}])
    (reply,) = await replies(answered(**more))
    assert reply["texts"] == [f"{PASSAGE} [1] It is made of green glass.{LIST}"]


async def test_a_client_cannot_use_the_evidence_of_another_one() -> None:
    keys = ("key-of-the-first-client", "key-of-the-other-client")
    server = Server(keys=tuple(ClientKey(key=key) for key in keys))
    _, reply = await replies(requested(), answered(), config=CONFIG.model_copy(update={"server": server}), keys=keys)
    assert reply == {"action": "NONE"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another kind of call": (called("stream"), "input_type"),
    "texts that are no strings": (answered(texts=[1]), "texts"),
    "messages that are no objects": (requested(structured_messages=["hi"]), "structured_messages"),
    "an id that is a number": (answered(litellm_call_id=7), "litellm_call_id"),
    "parameters that are a list": (
        answered(additional_provider_specific_params=[1]),
        "additional_provider_specific_params",
    ),
    "a share above 1": (answered(**parameters(fail_under=90)), "additional_provider_specific_params.fail_under"),
    "an unknown option": (
        answered(**parameters(citations={"markr": "number"})),
        "additional_provider_specific_params.citations.markr",
    ),
}


@pytest.mark.parametrize(("body", "path"), REFUSED.values(), ids=REFUSED)
async def test_an_invalid_call_names_the_field(body: dict[str, Any], path: str) -> None:
    (reply,) = await replies(body)
    assert reply["error"]["param"] == path
