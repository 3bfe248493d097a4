"""Earlier answers that clients send back reach the provider without the fields that Citestream added."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.apis.earlier_answers import strip_items, strip_messages
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, sse

CITATION = {"url": "u", "title": "t", "start_index": 0, "end_index": 3}
ANNOTATION_OF_OPENAI = {"type": "url_citation", "url_citation": CITATION}
OWN_ANNOTATION = {"type": "url_citation", "url_citation": {**CITATION, "content": "the passage"}}
PLAIN: dict[str, Any] = {"role": "assistant", "content": "Water boils. [1]", "tool_calls": None, "reasoning": "hm"}

MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "references and annotations are removed": ({**PLAIN, "references": [{}], "annotations": [OWN_ANNOTATION]}, PLAIN),
    "empty lists next to references are removed": ({**PLAIN, "references": [], "annotations": []}, PLAIN),
    "annotations are removed without references": ({**PLAIN, "annotations": [OWN_ANNOTATION]}, PLAIN),
    "fields that LiteLLM moves are removed": (
        {**PLAIN, "annotations": [OWN_ANNOTATION], "provider_specific_fields": {"references": [{}]}},
        PLAIN,
    ),
    "fields of dialects are removed": ({**PLAIN, "references": [], "reference": {}, "graph_data": {}}, PLAIN),
    "a provider's own annotations stay": (
        {**PLAIN, "annotations": [ANNOTATION_OF_OPENAI]},
        {**PLAIN, "annotations": [ANNOTATION_OF_OPENAI]},
    ),
    "an empty list of a provider stays": ({**PLAIN, "annotations": []}, {**PLAIN, "annotations": []}),
    "null stays": ({**PLAIN, "annotations": None}, {**PLAIN, "annotations": None}),
    "annotations of another shape stay": ({**PLAIN, "annotations": ["a"]}, {**PLAIN, "annotations": ["a"]}),
    "a provider's own reference stays": ({**PLAIN, "reference": {"a": 1}}, {**PLAIN, "reference": {"a": 1}}),
    "a message of the user is unchanged": (
        {"role": "user", "content": "?", "references": []},
        {"role": "user", "content": "?", "references": []},
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_added_fields_are_removed(case: str) -> None:
    given, expected = MESSAGES[case]
    before = dict(given)
    assert strip_messages([given]) == [expected]
    assert given == before


FLAT = {"type": "url_citation", **CITATION}


def test_items_of_the_responses_api_keep_only_annotations_of_the_provider() -> None:
    part = {
        "type": "output_text",
        "text": "Water boils. [1]",
        "annotations": [FLAT, {**FLAT, "content": "the passage"}],
    }
    message = {"type": "message", "role": "assistant", "id": "msg_1", "content": [part, {"type": "refusal"}]}
    others = [
        "text",
        {"type": "reasoning", "summary": []},
        {"role": "user", "content": [part]},
        {"role": "assistant", "content": "a"},
    ]
    cleaned = {**message, "content": [{**part, "annotations": [FLAT]}, {"type": "refusal"}]}
    assert strip_items([message, *others]) == [cleaned, *others]
    assert len(part["annotations"]) == 2


FLAGGED = "Water boils at 90 °C. (no supporting source) Ice is cold. [1]"
ROLES = [("user", "Boils?"), ("assistant", FLAGGED), ("user", "More?")]
CONVERSATIONS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": role, "content": text} for role, text in ROLES]},
    "/v1/responses": {"input": [{"role": role, "content": text} for role, text in ROLES]},
    "/v1/messages": {"max_tokens": 9, "messages": [{"role": role, "content": text} for role, text in ROLES]},
    "/api/chat": {"stream": False, "messages": [{"role": role, "content": text} for role, text in ROLES]},
    "/v1beta/models/up/m:generateContent": {
        "contents": [
            {"role": {"assistant": "model"}.get(role, role), "parts": [{"text": text}]} for role, text in ROLES
        ]
    },
}
OK = {"id": "c", "choices": [{"index": 0, "delta": {"content": "Ok."}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("path", CONVERSATIONS)
@pytest.mark.parametrize("unsupported", ["flag", "keep"])
async def test_the_provider_receives_earlier_answers_without_our_notes(path: str, unsupported: str) -> None:
    async with Server(sse(f"data: {json.dumps(OK)}\n\ndata: [DONE]\n\n".encode())) as upstream:
        config = parse({"providers": {"up": {"kind": "openai", "base_url": upstream.url, "responses": "off"}}})
        async with TestClient(TestServer(make_app(config))) as client:
            added = {"evidence": [{"text": "Water boils."}], "citations": {"unsupported": unsupported}}
            async with client.post(path, json={"model": "up/m", **CONVERSATIONS[path], **added}) as answer:
                assert answer.status == 200
    sent = [message["content"] for message in upstream.requests[-1].json["messages"] if message["role"] == "assistant"]
    assert sent == ["Water boils at 90 °C. Ice is cold."]
