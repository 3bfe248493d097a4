"""Earlier answers of ours that clients send back reach providers as the provider wrote them."""

from typing import Any

import pytest

from citestream.proxy.apis.earlier_answers import strip_items, strip_messages

CITATION = {"url": "u", "title": "t", "start_index": 0, "end_index": 3}
OPENAIS = {"type": "url_citation", "url_citation": CITATION}
OURS = {"type": "url_citation", "url_citation": {**CITATION, "content": "the passage"}}
PLAIN: dict[str, Any] = {"role": "assistant", "content": "Water boils. [1]", "tool_calls": None, "reasoning": "hm"}

MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "references and annotations go": ({**PLAIN, "references": [{}], "annotations": [OURS]}, PLAIN),
    "so they do where nothing was cited": ({**PLAIN, "references": [], "annotations": []}, PLAIN),
    "and where a client keeps only annotations": ({**PLAIN, "annotations": [OURS]}, PLAIN),
    "what LiteLLM did not know goes along": (
        {**PLAIN, "annotations": [OURS], "provider_specific_fields": {"references": [{}]}},
        PLAIN,
    ),
    "what dialects add goes along": ({**PLAIN, "references": [], "reference": {}, "graph_data": {}}, PLAIN),
    "a provider's own annotations stay": ({**PLAIN, "annotations": [OPENAIS]}, {**PLAIN, "annotations": [OPENAIS]}),
    "an empty list of a provider's stays": ({**PLAIN, "annotations": []}, {**PLAIN, "annotations": []}),
    "null stays": ({**PLAIN, "annotations": None}, {**PLAIN, "annotations": None}),
    "annotations of another shape stay": ({**PLAIN, "annotations": ["a"]}, {**PLAIN, "annotations": ["a"]}),
    "a provider's own reference stays": ({**PLAIN, "reference": {"a": 1}}, {**PLAIN, "reference": {"a": 1}}),
    "a user's message is nobody's answer": (
        {"role": "user", "content": "?", "references": []},
        {"role": "user", "content": "?", "references": []},
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_what_we_added_is_taken_off(case: str) -> None:
    given, expected = MESSAGES[case]
    before = dict(given)
    assert strip_messages([given]) == [expected]
    assert given == before


FLAT = {"type": "url_citation", **CITATION}


def test_items_of_the_responses_api_keep_a_providers_annotations_only() -> None:
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
