"""End-to-end tests with a real model: the official OpenAI client, Citestream and llama.cpp.

The answers of such a small model are often wrong; no test depends on their content. They are recorded between
Citestream and llama.cpp, because the prompt, and therefore the answer, differs slightly for every request.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

pytestmark = [pytest.mark.llm, pytest.mark.timeout(300)]

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
QUESTION: list[ChatCompletionMessageParam] = [
    {"role": "user", "content": "How tall was the Saturn V, and how many times did it fly?"}
]
ROOT = Path(__file__).parents[2]
SAMPLING = {"temperature": 0, "seed": 1, "max_tokens": 40}


class Recorder(Protocol):
    """Records the bytes that llama.cpp sends to Citestream; see conftest.py."""

    def answer_text(self) -> str: ...


class Streamed:
    """A streamed answer as the client received it, and the text that llama.cpp sent."""

    def __init__(self, client: OpenAI, recorder: Recorder, **extra: Any) -> None:
        stream = client.chat.completions.create(
            model="llama/smollm2",
            messages=QUESTION,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=SAMPLING | extra,
        )
        self.chunks: list[ChatCompletionChunk] = list(stream)
        self.upstream = recorder.answer_text()
        self.text = "".join(choice.delta.content or "" for chunk in self.chunks for choice in chunk.choices)
        (finish,) = [chunk for chunk in self.chunks if chunk.choices and chunk.choices[0].finish_reason]
        self.fields: dict[str, Any] = finish.model_extra or {}


def without_markers(text: str) -> str:
    return re.sub(r" ?\[[\d, ]+\]", "", text)


@pytest.fixture(scope="module")
def answer(proxied: OpenAI, recorder: Recorder) -> Streamed:
    return Streamed(proxied, recorder, evidence=EVIDENCE)


def test_without_evidence_deltas_pass_unchanged(proxied: OpenAI, direct: OpenAI, recorder: Recorder) -> None:
    straight = direct.chat.completions.create(
        model="smollm2", messages=QUESTION, stream=True, stream_options={"include_usage": True}, extra_body=SAMPLING
    )
    deltas = [choice.delta for chunk in straight for choice in chunk.choices]
    through = Streamed(proxied, recorder)
    assert [choice.delta for chunk in through.chunks for choice in chunk.choices] == deltas
    assert through.text == through.upstream != ""


def test_a_streamed_answer_differs_from_the_models_only_in_markers(answer: Streamed) -> None:
    assert answer.text.strip()
    assert without_markers(answer.text) == without_markers(answer.upstream)


def test_a_complete_answer_differs_from_the_models_only_in_markers(proxied: OpenAI, recorder: Recorder) -> None:
    whole = proxied.chat.completions.create(
        model="llama/smollm2", messages=QUESTION, extra_body=SAMPLING | {"evidence": EVIDENCE}
    )
    shown, fields = whole.choices[0].message.content or "", whole.model_extra or {}
    assert without_markers(shown) == without_markers(recorder.answer_text())
    assert_references_match(shown, fields)


def test_without_visible_markers_the_text_is_exactly_the_models(proxied: OpenAI, recorder: Recorder) -> None:
    unmarked = Streamed(proxied, recorder, evidence=EVIDENCE, citations={"marker": "none"})
    assert unmarked.text == without_markers(unmarked.upstream)


def test_live_release_streams_tokens(proxied: OpenAI, recorder: Recorder) -> None:
    live = Streamed(proxied, recorder, evidence=EVIDENCE, citations={"release": "live"})
    assert without_markers(live.text) == without_markers(live.upstream)
    assert_references_match(live.text, live.fields)
    assert len(live.chunks) > 10


def test_the_stream_ends_with_references_then_usage(answer: Streamed) -> None:
    assert_references_match(answer.text, answer.fields)
    usage = answer.chunks[-1]
    assert usage.choices == []
    assert usage.usage is not None
    assert usage.usage.completion_tokens > 10


def assert_references_match(shown: str, fields: dict[str, Any]) -> None:
    references = fields["references"]
    assert [reference["number"] for reference in references] == list(range(1, len(references) + 1))
    assert {int(marker) for marker in re.findall(r"\[(\d+)\]", shown)} == {item["number"] for item in references}
    assert fields["grounding"]["evidence"]["injected"] == len(EVIDENCE)
    for reference in references:
        evidence = EVIDENCE[reference["evidence_number"] - 1]
        assert reference["id"] == evidence["id"]
        assert evidence["text"][reference["snippet_start"] : reference["snippet_end"]] == reference["snippet"]
        for span in reference["spans"]:
            assert shown[span["start"] : span["end"]].strip()
            assert f"[{reference['number']}]" in shown[span["start"] :]


def test_judge_check_runs_with_a_real_model(llama: str) -> None:
    """The verdicts are not tested, because such a small model judges badly."""
    environment = {**os.environ, "OPENAI_BASE_URL": f"{llama}/v1", "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-m", "citestream", "judge-check", "openai/smollm2", "--sample", "1", "--json"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["answers"] == 1
    judge = report["judge"]
    assert judge["calls"] > 0
    assert judge["tokens"] > 0 or judge["late"] == judge["calls"]


@pytest.mark.usefixtures("llama_packages")
def test_the_demo_shows_retrieval_a_cited_text_and_an_answer_of_the_model() -> None:
    command = [sys.executable, "-m", "examples.demo_llm"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = " ".join(done.stdout.split())
    retrieved, cited, answered = re.split(r" [23]\. Citation ", shown)
    assert "moon-landings.md, excerpt 2: The Apollo programme used the Saturn V" in retrieved
    assert (
        "The Saturn V was 110.6 metres tall. [1] Apollo 12 was struck by lightning twice in the first minute. [2]"
        in cited
    )
    assert "Apollo 13 was struck by lightning as well. References" in cited
    assert "2 of 3 claims are supported. The given text's own citation [1] was removed" in cited
    assert "Asking openai/smollm2 with 1 excerpt: How tall was the Saturn V?" in answered
