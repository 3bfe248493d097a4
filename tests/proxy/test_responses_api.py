"""The Responses API in front of any provider, through the official client."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from openai import BadRequestError, OpenAI

Launch = Callable[..., AbstractContextManager[str]]

EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor.", "url": "https://ex.org/a", "title": "A"},
    {"text": "The Harlan bridge carries two lanes of traffic."},
]
ASKED: dict[str, Any] = {
    "model": "extractive",
    "input": "When was the Harlan bridge opened, and how many lanes of traffic does the bridge carry?",
    "extra_body": {"evidence": EVIDENCE},
}


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with launch([sys.executable, "-m", "proxy", "serve", "--port", "0"], log) as url:
        yield url


@pytest.fixture
def sdk(server: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_streamed_helper_and_whole_are_the_same_answer(sdk: OpenAI) -> None:
    whole = sdk.responses.create(**ASKED)
    events = list(sdk.responses.create(stream=True, **ASKED))
    with sdk.responses.stream(**ASKED) as stream:
        final = stream.get_final_response()
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert whole.output_text == final.output_text == text
    assert "[1]" in text
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"
    completed = events[-1].response
    assert (completed.model_extra or {})["references"] == (whole.model_extra or {})["references"]
    assert completed.usage == whole.usage
    assert completed.output[0].model_dump(exclude={"id"}) == whole.output[0].model_dump(exclude={"id"})


def test_an_annotation_follows_the_text_it_marks(sdk: OpenAI) -> None:
    events = list(sdk.responses.create(stream=True, **ASKED))
    kinds = [event.type for event in events]
    added = [event for event in events if event.type == "response.output_text.annotation.added"]
    assert kinds.index("response.output_text.annotation.added") == kinds.index("response.output_text.delta") + 1
    (message,) = events[-1].response.output
    (part,) = message.content
    assert len(part.annotations) == len(added) >= 1
    for number, annotation in enumerate(part.annotations, 1):
        marked = part.text[annotation.start_index : annotation.end_index]
        assert marked == f"[{number}]"


def test_a_conversation_goes_on_by_items(sdk: OpenAI) -> None:
    first = sdk.responses.create(**ASKED)
    history: list[Any] = [
        {"role": "user", "content": ASKED["input"]},
        *[item.model_dump() for item in first.output],
        {"role": "user", "content": [{"type": "input_text", "text": "When was the Harlan bridge opened?"}]},
    ]
    second = sdk.responses.create(**{**ASKED, "input": history})
    assert second.output_text.startswith("The Harlan bridge was opened on 4 May 1932 by the mayor. [1]")


def test_what_cannot_be_done_is_said(sdk: OpenAI) -> None:
    with pytest.raises(BadRequestError, match="previous_response_id"):
        sdk.responses.create(previous_response_id="resp_1", **ASKED)
    with pytest.raises(BadRequestError, match=r"input\[0\]"):
        sdk.responses.create(**{**ASKED, "input": [1]})
