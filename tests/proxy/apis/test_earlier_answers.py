"""Earlier answers that clients send back reach the provider without the fields that Citestream added."""

from typing import Any

import pytest

from citestream.proxy.apis.earlier_answers import strip_items, strip_messages

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
