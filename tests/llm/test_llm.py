"""End to end with a real model: the official OpenAI client, Citestream, llama.cpp, real tokens.

Temperature 0 makes the model say the same thing every time, so answers can be compared. What a model this small says is
often wrong, and nothing here depends on it being right.
"""

import re
from typing import Any

import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionChunk

pytestmark = [pytest.mark.llm, pytest.mark.timeout(300)]

QUESTION = "How tall was the Saturn V, and how many times did it fly?"
EVIDENCE = [
    {
        "id": "rocket",
        "file_name": "moon-landings.md",
        "text": "The Apollo programme used the Saturn V, a rocket of three stages that was 110.6 metres tall. "
        "It flew thirteen times between 1967 and 1973.",
    },
    {
        "id": "tides",
        "file_name": "tides.md",
        "text": "From one high tide to the next twelve hours and twenty-five minutes pass on average.",
    },
]
OURS = re.compile(r" ?\[\d+\]")


def ask(client: OpenAI, model: str, **extra: Any) -> list[ChatCompletionChunk]:
    stream = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": QUESTION}],
        temperature=0,
        seed=1,
        max_tokens=60,
        stream=True,
        stream_options={"include_usage": True},
        extra_body=extra,
    )
    return list(stream)


def text(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


def last(chunks: list[ChatCompletionChunk]) -> dict[str, Any]:
    """The fields of ours on the finish chunk."""
    finish = [chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    assert len(finish) == 1
    return finish[0].model_extra or {}


@pytest.fixture(scope="module")
def streamed(proxied: OpenAI) -> list[ChatCompletionChunk]:
    return ask(proxied, "llama/smollm2", evidence=EVIDENCE)


def test_without_evidence_every_token_passes_unchanged(proxied: OpenAI, direct: OpenAI) -> None:
    through, straight = ask(proxied, "llama/smollm2"), ask(direct, "smollm2")
    assert text(through) == text(straight) != ""
    assert len(through) == len(straight)


def test_with_evidence_real_tokens_arrive_as_sentences(streamed: list[ChatCompletionChunk]) -> None:
    assert text(streamed).strip()
    assert streamed[-1].usage is not None
    assert streamed[-1].usage.completion_tokens > 10


def test_streamed_and_collected_answers_are_the_same(proxied: OpenAI, streamed: list[ChatCompletionChunk]) -> None:
    whole = proxied.chat.completions.create(
        model="llama/smollm2",
        messages=[{"role": "user", "content": QUESTION}],
        temperature=0,
        seed=1,
        max_tokens=60,
        extra_body={"evidence": EVIDENCE},
    )
    assert whole.choices[0].message.content == text(streamed)
    assert (whole.model_extra or {})["references"] == last(streamed)["references"]


def test_the_text_is_the_models_apart_from_markers(proxied: OpenAI, streamed: list[ChatCompletionChunk]) -> None:
    unmarked = ask(proxied, "llama/smollm2", evidence=EVIDENCE, citations={"marker": "none"})
    assert OURS.sub("", text(streamed)) == text(unmarked)


def test_references_end_the_stream_and_point_into_the_shown_text(streamed: list[ChatCompletionChunk]) -> None:
    shown, fields = text(streamed), last(streamed)
    assert fields["grounding"]["claims"] >= len(fields["references"])
    assert [reference["number"] for reference in fields["references"]] == list(range(1, len(fields["references"]) + 1))
    for reference in fields["references"]:
        evidence = EVIDENCE[reference["evidence_number"] - 1]
        assert reference["id"] == evidence["id"]
        assert evidence["text"][reference["snippet_start"] : reference["snippet_end"]] == reference["snippet"]
        for span in reference["spans"]:
            assert shown[span["start"] : span["end"]].strip()
            assert f"[{reference['number']}]" in shown[span["end"] :]


def test_every_marker_shown_belongs_to_a_reference(streamed: list[ChatCompletionChunk]) -> None:
    numbers = {reference["number"] for reference in last(streamed)["references"]}
    assert {int(found) for found in re.findall(r"\[(\d+)\]", text(streamed))} == numbers
