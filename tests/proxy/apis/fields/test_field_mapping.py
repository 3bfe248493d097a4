"""Check docs/fields.md: every field of its tables is sent, and the output is compared with its row.

A cell is `kept` (same place, same value), the places of the value in the output (`` `path` ``, or `` `path`: `value` ``
if it is written differently), `dropped`, or the status of the response. The whole output is compared with the output
without the field, so a cell must list all differences.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Launch
from tests.proxy.apis.fields.proxy import ANSWERS, CLIENTS, FieldProxy, running
from tests.proxy.apis.fields.tables import Row, actual_and_expected, rows

ROWS = list(rows())


@pytest.fixture(scope="module")
def field_proxy(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FieldProxy]:
    with running(launch, tmp_path_factory.mktemp("fields")) as field_proxy:
        yield field_proxy


def cases(kind: str) -> list[Any]:
    found = [row for row in ROWS if row.table.startswith(kind)]
    assert found, f"docs/fields.md has no table of {kind}"
    return [
        pytest.param(
            row, column, outcome, id=f"{row.table.removeprefix(kind)} {row.field} {json.dumps(row.example)} {column}"
        )
        for row in found
        for column, outcome in row.outcomes.items()
    ]


@pytest.mark.parametrize(("row", "provider", "outcome"), cases("Requests: "))
def test_a_field_of_a_request_reaches_the_provider_as_documented(
    field_proxy: FieldProxy, row: Row, provider: str, outcome: str
) -> None:
    path = row.table.removeprefix("Requests: ").strip("`")
    status, sent = field_proxy.sent(path, provider, row)
    if outcome.isdecimal():
        assert (status, bool(sent.get("error") or sent["message"])) == (int(outcome), True), sent
    else:
        actual, expected = actual_and_expected(outcome, field_proxy.sent_without(path, provider), sent, row)
        assert actual == expected


@pytest.mark.parametrize(("row", "client", "outcome"), cases("Answers: "))
def test_a_field_of_an_answer_reaches_the_client_as_documented(
    field_proxy: FieldProxy, row: Row, client: str, outcome: str
) -> None:
    provider = row.table.removeprefix("Answers: ")
    status, shown = field_proxy.shown(client, provider, row)
    if outcome.isdecimal():
        assert status == int(outcome), shown
    else:
        actual, expected = actual_and_expected(outcome, field_proxy.shown_without(client, provider), shown, row)
        assert actual == expected


MESSAGE = {"role": "assistant", "refusal": None}
CHOICE = {"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}
PART = {"type": "output_text", "logprobs": []}
ITEM = {"id": "msg_new", "type": "message", "role": "assistant", "status": "completed", "content": [PART]}
NOT_REQUESTED = (
    *("instructions", "max_output_tokens", "max_tool_calls", "previous_response_id", "prompt_cache_key"),
    *("prompt_cache_retention", "safety_identifier", "user"),
)
# Values in the response to a request without these fields.
DEFAULTS = {
    "background": False,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
    "reasoning": {"effort": None, "summary": None},
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
}
LAST_LINE = {"created_at": "now", "done": True, "done_reason": "stop"}
# Fields of an answer that consists of text only, besides that text and the fields of citations.
# It has `null` and empty lists where the servers of that API write them.
WITHOUT_TEXT: dict[str, dict[str, Any]] = {
    "chat": {"object": "chat.completion", "model": "m", "system_fingerprint": None, "choices": [CHOICE]},
    "responses": {
        **dict.fromkeys((*NOT_REQUESTED, "error", "incomplete_details", "usage")),
        **DEFAULTS,
        "id": "resp_new",
        "object": "response",
        "created_at": 0,
        "completed_at": 0,
        "status": "completed",
        "model": "m",
        "output": [ITEM],
        "metadata": {},
        "text": {"format": {"type": "text"}},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    },
    "ollama": {**LAST_LINE, "message": {"role": "assistant"}},
    "generate": LAST_LINE,
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{}]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "m",
    },
    "messages": {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    },
    "cohere": {
        "id": "new",
        "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": [{"type": "text"}]},
    },
}
OURS = {"references", "grounding", "citations", "search_results", "annotations", "groundingMetadata"}
TEXTS = {"text", "content", "response"}
# Ids, times and names of models: each API has at least one of them, and their values differ between providers.
ALWAYS_SET = {
    "chat": ("id", "created"),
    "ollama": ("model",),
    "generate": ("model",),
    "gemini": ("responseId",),
    "messages": ("id", "model"),
}


@pytest.mark.parametrize("provider", ANSWERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_no_value_is_invented(field_proxy: FieldProxy, client: str, provider: str) -> None:
    status, shown = field_proxy.shown(client, provider)
    assert status == 200
    for name in ALWAYS_SET.get(client, ()):
        assert shown.pop(name) is not None
    assert without_text(shown) == WITHOUT_TEXT[client]


def test_fields_of_a_gemini_candidate_and_of_its_answer_are_combined(field_proxy: FieldProxy) -> None:
    row = Row("", "candidates[0].safetyRatings", [{"category": "HARM_CATEGORY_HARASSMENT"}], {})
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ANSWERS["gemini"], "usageMetadata", usage)
        _, shown = field_proxy.shown("responses", "gemini", row)
    assert shown["google"] == {"safetyRatings": row.example, "usageMetadata": usage}


def without_text(value: Any) -> Any:
    """Return an answer without its texts and without the fields of citations."""
    if isinstance(value, list):
        return [without_text(one) for one in value]
    if not isinstance(value, dict):
        return value
    remaining = {
        key: without_text(one)
        for key, one in value.items()
        if key not in OURS and not (key in TEXTS and isinstance(one, str))
    }
    return {key: one for key, one in remaining.items() if key != "native_finish_reason"}
