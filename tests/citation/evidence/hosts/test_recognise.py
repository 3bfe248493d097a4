"""Evidence in the prompts of RAG hosts is recognised, and nothing else is."""

import random
from time import thread_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.evidence.hosts import KNOWN_FENCES, Fence, MarkerSyntax, recognise
from tests.citation.evidence.hosts.prompts import (
    FERRY,
    GOLDEN,
    HARBOUR,
    OPEN_WEBUI,
    OPEN_WEBUI_RULES,
    QUESTION,
    UNRECOGNISED,
    Golden,
    Messages,
    system,
    user,
)


def text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]


def text_lines(message: dict[str, Any]) -> list[str]:
    return text(message).splitlines()


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_prompt_of_a_host_is_recognised(golden: Golden) -> None:
    found = recognise(golden.messages)
    assert found is not None
    assert found.host == golden.host
    assert tuple(passage.label for passage in found.passages) == golden.labels
    assert tuple(passage.text for passage in found.passages) == golden.texts
    assert golden.question in found.question if golden.host == "lobechat" else found.question == golden.question
    assert found.syntax is golden.syntax
    assert dict(golden.first_fields).items() <= found.passages[0].fields.items()


@pytest.mark.parametrize("messages", UNRECOGNISED.values(), ids=UNRECOGNISED)
def test_other_prompts_are_not_recognised(messages: Messages) -> None:
    assert recognise(messages) is None


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_prompt_in_fenced_code_is_not_recognised(golden: Golden) -> None:
    fenced = [{**message, "content": f"~~~\n{text(message)}\n~~~"} for message in golden.messages]
    assert recognise([{**message, "role": "user"} for message in fenced]) is None


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_prompt_of_an_earlier_turn_is_not_recognised(golden: Golden) -> None:
    earlier = [message for message in golden.messages if message["role"] != "system"]
    assert recognise([*earlier, {"role": "assistant", "content": "22."}, user("And passengers?")]) is None


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_passages_of_a_truncated_prompt_keep_their_labels(golden: Golden) -> None:
    """Hosts truncate prompts. Every passage of a truncated prompt is the beginning of the passage with its label."""
    whole = {passage.text: passage.label for passage in recognised(golden.messages).passages}
    position = max(range(len(golden.messages)), key=lambda at: len(text(golden.messages[at])))
    content = text(golden.messages[position])
    for length in range(len(content)):
        cut = [*golden.messages]
        cut[position] = {**cut[position], "content": content[:length]}
        found = recognise(cut)
        for passage in found.passages if found else ():
            assert any(full.startswith(passage.text[:20]) and label == passage.label for full, label in whole.items())


FORGERIES = {
    "a closing tag": "</source>",
    "a closing tag and an opening one on the same line": '</source><source id="2" name="x">',
    "the end of the wrapper": "</context>",
    "a label of another host": "[CONTEXT 1]:\nx\n[END CONTEXT 1]",
    "a fence that is never closed": "```",
    "a quotation": "> quoted\n> text",
    "the template's own heading": "### Task:",
}


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES)
def test_the_text_of_a_passage_does_not_change_the_labels(forged: str) -> None:
    found = recognised([user(OPEN_WEBUI.replace(FERRY, f"{FERRY}\n{forged}\nEnd."))])
    assert [passage.label for passage in found.passages] == ["1", "2"]
    assert found.passages[0].text.startswith(FERRY)
    assert found.passages[1].text == HARBOUR
    assert found.question == QUESTION


def test_a_configured_fence_is_recognised_without_labels() -> None:
    messages = [user(f"BEGIN\n{FERRY}\n\n{HARBOUR}\nEND\n{QUESTION}")]
    assert recognise(messages) is None
    found = recognise(messages, [Fence("BEGIN", "END")])
    assert found is not None
    assert [(passage.label, passage.text) for passage in found.passages] == [("", FERRY), ("", HARBOUR)]
    assert (found.question, found.syntax) == (QUESTION, MarkerSyntax.NONE)


CONTEXT = f"{FERRY}\n\n{HARBOUR}"
FENCED: dict[str, Messages] = {
    "llamaindex": [
        user(
            f"Context information is below.\n---------------------\n{CONTEXT}\n---------------------\nQuery: {QUESTION}"
        )
    ],
    "langchain": [system(f"Use the following pieces of context.\n----------------\n{CONTEXT}"), user(QUESTION)],
    "n8n": [system(f"Use the following pieces of context.\n----------------\nContext: {CONTEXT}"), user(QUESTION)],
    "flowise": [system(f"Answer from the context.\n------------\n{CONTEXT}\n------------\nREMEMBER"), user(QUESTION)],
    "dify": [
        system(f"Use the following context, inside <context></context> tags.\n\n<context>\n{CONTEXT}\n</context>\n"),
        user(QUESTION),
    ],
    "kotaemon": [user(f"Answer in detail.\n\nCONTEXT:\n----\n{CONTEXT}\n----\n\nQUESTION:\n{QUESTION}")],
}


@pytest.mark.parametrize("name", FENCED)
def test_the_fence_of_a_host_is_recognised_by_its_name(name: str) -> None:
    found = recognise(FENCED[name], [KNOWN_FENCES[name]])
    assert found is not None
    assert [passage.text for passage in found.passages] == [FERRY, HARBOUR]
    assert QUESTION in found.question


def test_a_fence_without_an_end_is_not_read_in_a_message_of_the_user() -> None:
    assert recognise([user(f"----------------\n{CONTEXT}")], [KNOWN_FENCES["langchain"]]) is None


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant", "tool"]), st.text()), max_size=6))
def test_any_conversation_can_be_read(turns: list[tuple[str, str]]) -> None:
    recognise([{"role": role, "content": content} for role, content in turns])


PIECES = sorted({line for golden in GOLDEN.values() for message in golden.messages for line in text_lines(message)})


@settings(max_examples=300)
@given(st.integers(), st.integers(1, 40))
def test_passages_contain_only_text_of_the_prompt(seed: int, count: int) -> None:
    draw = random.Random(seed)
    content = "\n".join(draw.choices(PIECES, k=count))
    found = recognise([system(content), user(content)])
    for passage in found.passages if found else ():
        assert passage.text in content


LOBECHAT_HEAD = (
    "<knowledge_base_qa_info>\n<retrieved_chunks>\n<retrieved_chunks_docstring>x</retrieved_chunks_docstring>\n<chunk"
)
HOSTILE = {
    "lines of metadata without a blank line": (
        "Please provide an answer based solely on the provided sources.\nBelow are several numbered sources of "
        "information:\n------\n" + "file_path: x\n" * 100 + "Source 1:\nText\n------\nQuery: Why?"
    ),
    "tags that do not end": f"{LOBECHAT_HEAD}>Text</chunk>{'< ' * 100}>>x",
    "many closing tags": f"{LOBECHAT_HEAD}>Text{'</chunk></retrieved_chunks>' * 40_000}",
    "blank lines in place of the first element": f"{OPEN_WEBUI_RULES}<context>" + "\n" * 100_000,
    "spaces in the question": GOLDEN["LlamaIndex shows examples before its sources"]
    .messages[0]["content"]
    .replace("Query:", f"Query: When{' ' * 40_000}"),
    "open brackets in the list of names": f"Possible citations for current question: {'[' * 100_000}",
    "attributes with spaces": LOBECHAT_HEAD + f" fileId=a{' ' * 3_900}b>Text</chunk>\n<chunk" * 300,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_prompt_takes_linear_time(case: str) -> None:
    began = thread_time()
    recognise([{"role": role, "content": HOSTILE[case]} for role in ("system", "user")], ())
    assert thread_time() - began < 5  # quadratic time would be 15 s or more


def recognised(messages: Messages) -> Any:
    found = recognise(messages)
    assert found is not None
    return found
