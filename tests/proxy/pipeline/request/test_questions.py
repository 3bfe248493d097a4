"""Background requests of chat pages, distinguished from questions. The prompts contain only the recognised phrases."""

import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import yaml

from citestream.proxy.pipeline.request.questions import (
    MAX_MESSAGES,
    MAX_READ,
    MAX_READ_IN_ALL,
    is_background_request,
    question,
)

Launch = Callable[..., AbstractContextManager[str]]
HISTORY = "<chat_history>\nUSER: How tall is it?\nASSISTANT: 110 metres [1].\n</chat_history>"

BACKGROUND_PROMPTS = {
    "a title for Open WebUI": f"### Task:\nName it.\n### Output:\nJSON\n### Chat History:\n{HISTORY}",
    "tags for Open WebUI": f"### Task:\nFind one to three tags.\n\n### Output:\nJSON\n\n### Chat History:\n{HISTORY}",
    "follow-ups for Open WebUI": f"\n### Task:\nSuggest what to ask next.\n### Chat History:\n{HISTORY}\n",
    "search queries for Open WebUI": f"### Task:\nDecide whether to search.\n### Chat History:\n{HISTORY}",
    "a completion for Open WebUI": "### Task:\nYou are an autocompletion system.\n<text>How t</text>\n#### Output:",
    "an emoji for Open WebUI": "Your task is to reflect the speaker's likely facial expression through a fitting emoji",
    "a title for LibreChat": (
        "Analyze this conversation and provide:\n1. Its language\n2. A short title in the detected language\n\n"
        "User: How tall is it?"
    ),
    "a plain title for LibreChat": "Provide a concise, 5-word-or-less title for the conversation, only that.\n\nHi",
    "an older title for LibreChat": "Please generate a concise, 5-word-or-less title for the conversation, please.",
    "a title for NextChat": "Please generate a four to five word title summarizing our conversation without more.",
    "a summary for NextChat": (
        "Summarize the discussion briefly in 200 words or less to use as a prompt for future context."
    ),
}
QUESTIONS = {
    "a question": "How tall is it?",
    "a question with documents by Open WebUI": (
        "### Task:\nAnswer with the context.\n### Output:\nClear.\n<context>\nTall.\n</context>\n\nHow tall?"
    ),
    "a question about titles": "What makes a concise, 5-word-or-less title for the conversation good?",
    "a task that a person wrote": "### Task:\nSummarise the report.\n### Output:\nA table.",
    "a request for a title, in a person's words": "Please write a title for our conversation about bridges.",
    "a question that quotes a prompt": "Why does Open WebUI send '### Task:' prompts that end with </chat_history>",
    "an empty message": "",
}


def user(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}]


def test_a_list_of_attached_files_is_not_a_part_of_the_question() -> None:
    files = '<attached_files>\n<file type="file" id="f1" name="tall towers.pdf"/>\n</attached_files>\n\n'
    assert question([{"role": "user", "content": f"{files}How tall is it?"}]) == "How tall is it?"
    assert question([{"role": "user", "content": "<attached_files> is a tag"}]) == "<attached_files> is a tag"


LONG = "The harbour was deep. " * 100_000
LONG_QUESTIONS = {
    "before a long text": f"How tall is it?\n{LONG}",
    "after a long text": f"{LONG}\nHow tall is it?",
    "before a long context of an agent": f"How tall is it?\n<environment_details>{LONG}</environment_details>",
    "after a long context of an agent": f"<environment_details>{LONG}</environment_details>\nHow tall is it?",
}


@pytest.mark.parametrize("text", LONG_QUESTIONS.values(), ids=LONG_QUESTIONS)
def test_a_question_is_found(text: str) -> None:
    found = question(user(text))
    assert "How tall is it?" in found
    assert len(found) <= MAX_READ + 1
    assert ("<environment" in text) == (found.strip() == "How tall is it?")


class Counted(list[dict[str, Any]]):
    """Messages that count how often they are read, and how many characters."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        super().__init__(messages)
        self.messages = self.characters = 0

    def __getitem__(self, index: Any) -> Any:
        message = super().__getitem__(index)
        self.messages += 1
        self.characters += len(message["content"])
        return message


CONTEXT = {"role": "user", "content": "<env>a</env>"}
CALLS = {"role": "assistant", "content": "Calling tools:\n[{'id': 'c'}]"}
CONVERSATIONS = {
    "of contexts of agents": [CONTEXT] * 100_000,
    "of answers": [{"role": "assistant", "content": "a"}] * 100_000,
    "of observations": [CALLS, {"role": "user", "content": "Observation:\na"}] * 50_000,
}


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_little_of_a_long_conversation_is_read(messages: list[dict[str, Any]]) -> None:
    counted = Counted(*messages)
    assert question(counted) == ""
    assert counted.messages <= 2 * MAX_MESSAGES
    assert counted.characters < MAX_READ_IN_ALL


def test_a_question_is_found_before_the_steps_of_an_agent() -> None:
    steps = [CALLS, {"role": "user", "content": "Observation:\na"}] * 50
    assert question([*user("How tall is it?"), CONTEXT, *steps, CONTEXT]) == "How tall is it?"


@pytest.mark.parametrize("text", BACKGROUND_PROMPTS.values(), ids=BACKGROUND_PROMPTS)
def test_background_prompts_are_recognised(text: str) -> None:
    assert is_background_request(user(text), {})
    assert is_background_request([{"role": "user", "content": [{"type": "text", "text": text}]}], {})
    assert is_background_request(user(text.upper().replace(" ", "  ")), {})


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_questions_are_not_taken_for_background_requests(text: str) -> None:
    assert not is_background_request(user(text), {})


def test_only_the_last_user_message_counts() -> None:
    earlier = [*user(BACKGROUND_PROMPTS["a title for NextChat"]), {"role": "assistant", "content": "Tall rockets"}]
    assert not is_background_request([*earlier, *user("How tall is it?")], {})
    assert is_background_request([*user("How tall is it?"), *earlier], {})


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"task": "title_generation"}, True),
        ({"task": "tags_generation"}, True),
        ({"task": "moa_response_generation"}, False),
        ({"task": ["title_generation"]}, False),
        ("title_generation", False),
        (None, False),
    ],
)
def test_the_task_in_the_metadata_is_recognised(metadata: Any, expected: bool) -> None:
    assert is_background_request(user("How tall is it?"), {"metadata": metadata}) is expected


def test_further_prompts_can_be_configured() -> None:
    ours = "Name this  Conversation"
    assert not is_background_request(user("name this conversation: hello"), {})
    assert is_background_request(user("name this conversation: hello"), {}, [ours])


@pytest.mark.parametrize("skipped", [True, False])
def test_a_title_gets_no_evidence_and_no_citations(launch: Launch, tmp_path: Path, skipped: bool) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump({"evidence": {"skip_housekeeping": skipped}}))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    evidence = [{"text": "It is tall."}]
    body = {"model": "extractive", "messages": user(BACKGROUND_PROMPTS["a title for Open WebUI"]), "evidence": evidence}
    with launch(command, tmp_path / "log") as url:
        request = Request(f"{url}/v1/chat/completions", json.dumps(body).encode())  # noqa: S310 - our own address
        with urlopen(request) as answer:  # noqa: S310
            completion = json.loads(answer.read())
    assert ("references" in completion) is not skipped
