"""Tenants: a stored answer belongs to the key that requested it, whatever the names of the keys are."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app

Fields = dict[str, Any]

EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."}]
QUESTION = "When was the Harlan bridge opened?"
CONFIGURATIONS: dict[str, Fields] = {
    "two keys with the same name": {
        "server": {
            "keys": [{"name": "team", "key": "sk-client-0123456-a"}, {"name": "team", "key": "sk-client-0123456-b"}]
        }
    },
    "a name that equals the default name of another key": {
        "server": {"keys": [{"name": "key 2", "key": "sk-client-0123456-a"}, {"key": "sk-client-0123456-b"}]}
    },
    "keys that are passed to a provider": {
        "providers": {
            "extractive": {"kind": "extractive"},
            "openai": {"kind": "openai", "base_url": "http://127.0.0.1:9", "pass_client_key": True},
        }
    },
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
async def test_another_key_finds_neither_references_nor_conversations(configuration: Fields) -> None:
    config = parse({"providers": {"extractive": None}, **configuration})
    alice, mallory = ({"Authorization": f"Bearer sk-client-0123456-{name}"} for name in "ab")
    request = {"model": "extractive", "input": QUESTION, "evidence": EVIDENCE}
    async with TestClient(TestServer(make_app(config))) as client:
        response = await (await client.post("/v1/responses", json=request, headers=alice)).json()
        follow_up = {**request, "input": "And by whom?", "previous_response_id": response["id"]}
        path = f"/v1/references/{response['id']}"
        assert [(await client.get(path, headers=key)).status for key in (alice, mallory)] == [200, 404]
        statuses = [
            (await client.post("/v1/responses", json=follow_up, headers=key)).status for key in (alice, mallory)
        ]
        assert statuses == [200, 400]


async def test_without_configured_keys_the_key_of_a_client_is_ignored() -> None:
    config = parse({"providers": {"extractive": None}})
    request = {"model": "extractive", "messages": [{"role": "user", "content": QUESTION}], "evidence": EVIDENCE}
    async with TestClient(TestServer(make_app(config))) as client:
        sent = await client.post("/v1/chat/completions", json=request, headers={"Authorization": "Bearer none"})
        assert (await client.get(f"/v1/references/{(await sent.json())['id']}")).status == 200
