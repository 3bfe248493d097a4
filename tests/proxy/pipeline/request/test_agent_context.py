"""The context that coding agents write into the messages of a user is no part of the question."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.proxy.pipeline.request.agent_context import without_agent_context
from citestream.proxy.pipeline.request.questions import question, search_query

ASKED = "When was the bridge opened?"
FILE = "import socket\n\n" + "def serve(port: int) -> None:\n    print(port)\n" * 20

MESSAGES = {
    "a reminder before it": f"<system-reminder>\nUse the tools.\n</system-reminder>\n{ASKED}",
    "a reminder after it": f"{ASKED}\n<system-reminder>The file a.py was opened.</system-reminder>",
    "several reminders": f"<system-reminder>a</system-reminder>{ASKED}<system-reminder>b</system-reminder>",
    "an element with attributes": f'<ide_selection path="a.py" lines="1">x = 1</ide_selection>\n{ASKED}',
    "the environment": f"{ASKED}\n<environment_details>\n# Files\nsrc/App.tsx\n</environment_details>",
    "the environment, in a task": (
        f"<task>\n{ASKED}\n</task>\n<environment_details>\nCurrent time: 5\n</environment_details>"
    ),
    "the environment of Codex": f"<environment_context>\n  <cwd>/src</cwd>\n</environment_context>\n{ASKED}",
    "rules of an editor": f"<rules>Be brief.</rules>\n<user_query>\n{ASKED}\n</user_query>",
    "a command": f"<command-name>/ask</command-name>\n<command-args>x</command-args>\n{ASKED}",
    "a file": f"server.py\n```python\n{FILE}```\n{ASKED}",
    "files and a note": f"I have added these files to the chat so you can edit.\n\na/b.py\n```\n{FILE}```\n{ASKED}",
    "a repository map": f"src/main.rs:\n⋮\n│fn main() {{\n│struct Config {{\n⋮\n{ASKED}",
}
UNCHANGED = {
    "a plain question": ASKED,
    "a name of an element": "What does <system-reminder> mean?",
    "an element that is not closed": "<env> is a tag. Why?",
    "another element": "Why is <b>this</b> bold?",
    "short code": "Why does this fail?\n\n```python\ndata = json.loads(text)\n```",
    "a comparison": "Is 3 < 5 and 7 > 6?",
}


@pytest.mark.parametrize("text", MESSAGES.values(), ids=MESSAGES)
def test_the_question_is_what_remains_without(text: str) -> None:
    assert question([{"role": "user", "content": text}]).strip() == ASKED


@pytest.mark.parametrize("text", UNCHANGED.values(), ids=UNCHANGED)
def test_a_question_keeps(text: str) -> None:
    assert without_agent_context(text) == text


def test_a_message_of_context_alone_is_not_the_question() -> None:
    reminder = {"role": "user", "content": "<system-reminder>Use the tools.</system-reminder>"}
    assert search_query([{"role": "user", "content": ASKED}, reminder]) == (ASKED, False)
    assert search_query([reminder]) == ("", False)


PIECES = ["<env>", "</env>", "```\n", "a.py\n", "İ", " ", "⋮\n", "<task>", "</task>", "x"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_what_remains_was_in_the_text(text: str) -> None:
    assert len(without_agent_context(text)) <= len(text)


@pytest.mark.parametrize("piece", ["<env>", "<env></env>", "```\n", "<task>", "⋮\n", "a:\n", "<env "])
def test_the_time_grows_with_the_length(piece: str) -> None:
    began = thread_time()
    without_agent_context(piece * (10**6 // len(piece)))
    assert thread_time() - began < 5
