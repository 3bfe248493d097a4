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
from tests.proxy.apis.fields.tables import Row, compared, rows
from tests.proxy.apis.fields.world import ANSWERS, CLIENTS, World, running

ROWS = list(rows())


@pytest.fixture(scope="module")
def world(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running(launch, tmp_path_factory.mktemp("fields")) as world:
        yield world


def cases(kind: str) -> list[Any]:
    found = [row for row in ROWS if row.table.startswith(kind)]
    assert found, f"docs/fields.md has no table of {kind}"
    return [
        pytest.param(
            row, column, fate, id=f"{row.table.removeprefix(kind)} {row.field} {json.dumps(row.example)} {column}"
        )
        for row in found
        for column, fate in row.fates.items()
    ]


@pytest.mark.parametrize(("row", "provider", "fate"), cases("Requests: "))
def test_a_field_of_a_request_reaches_the_provider_as_documented(
    world: World, row: Row, provider: str, fate: str
) -> None:
    path = row.table.removeprefix("Requests: ").strip("`")
    status, sent = world.sent(path, provider, row)
    if fate.isdecimal():
        assert (status, bool(sent.get("error") or sent["message"])) == (int(fate), True), sent
    else:
        came, meant = compared(fate, world.sent_without(path, provider), sent, row)
        assert came == meant


@pytest.mark.parametrize(("row", "client", "fate"), cases("Answers: "))
def test_a_field_of_an_answer_reaches_the_client_as_documented(world: World, row: Row, client: str, fate: str) -> None:
    provider = row.table.removeprefix("Answers: ")
    status, shown = world.shown(client, provider, row)
    if fate.isdecimal():
        assert status == int(fate), shown
    else:
        came, meant = compared(fate, world.shown_without(client, provider), shown, row)
        assert came == meant


MESSAGE = {"role": "assistant", "refusal": None}
CHOICE = {"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}
PART = {"type": "output_text", "logprobs": []}
ITEM = {"id": "msg_new", "type": "message", "role": "assistant", "status": "completed", "content": [PART]}
UNASKED = (
    *("background", "instructions", "max_output_tokens", "max_tool_calls", "previous_response_id", "prompt_cache_key"),
    *("prompt_cache_retention", "reasoning", "safety_identifier", "store", "temperature", "top_logprobs", "top_p"),
    *("truncation", "user"),
)
LINE = {"created_at": "now", "done": True, "done_reason": "stop"}
# Fields of an answer that consists of text only, besides that text and the fields of citations.
# `null` and empty lists stand where the API's own servers write them.
BARE: dict[str, dict[str, Any]] = {
    "chat": {"object": "chat.completion", "model": "m", "system_fingerprint": None, "choices": [CHOICE]},
    "responses": {
        **dict.fromkeys((*UNASKED, "error", "incomplete_details", "service_tier", "usage")),
        "id": "resp_new",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "m",
        "output": [ITEM],
        "metadata": {},
        "text": {"format": {"type": "text"}},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    },
    "ollama": {**LINE, "message": {"role": "assistant"}},
    "generate": LINE,
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{}]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "m",
    },
    "messages": {
        "type": "message",
        "role": "assistant",
        "model": "m",
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
# Names of the answer, and a provider's own word for the reason; each API has one of them, each provider gives another.
GIVEN = {
    "chat": ("id", "created"),
    "ollama": ("model",),
    "generate": ("model",),
    "gemini": ("responseId",),
    "messages": ("id",),
}


@pytest.mark.parametrize("provider", ANSWERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_is_made_up(world: World, client: str, provider: str) -> None:
    status, shown = world.shown(client, provider)
    assert status == 200
    for name in GIVEN.get(client, ()):
        assert shown.pop(name) is not None
    assert bare(shown) == BARE[client]


def test_what_gemini_says_of_a_candidate_stands_beside_what_it_says_of_the_answer(world: World) -> None:
    row = Row("", "candidates[0].safetyRatings", [{"category": "HARM_CATEGORY_HARASSMENT"}], {})
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ANSWERS["gemini"], "usageMetadata", usage)
        _, shown = world.shown("responses", "gemini", row)
    assert shown["google"] == {"safetyRatings": row.example, "usageMetadata": usage}


def bare(value: Any) -> Any:
    """Without texts, and without what we found out."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    left = {
        key: bare(one) for key, one in value.items() if key not in OURS and not (key in TEXTS and isinstance(one, str))
    }
    return {key: one for key, one in left.items() if key != "native_finish_reason"}
