"""Tool results that keep the labels of their host, and ordinary results, which must not get labels."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.host_labels import HostLabels
from citestream.citation.answers.response import Response
from citestream.citation.evidence import EvidenceLimits, parse_evidence
from citestream.citation.evidence.hosts import PromptEvidence, recognise
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision, Status, Support
from tests.citation.evidence.hosts.prompts import QUESTION, Golden, Messages, system, tool, user
from tests.citation.evidence.hosts.tool_prompts import (
    MORPHIC_RULES,
    ONYX_RULES,
    TAG,
    TOOL_GOLDEN,
    TOOL_UNRECOGNISED,
    sources,
)


@pytest.mark.parametrize("golden", TOOL_GOLDEN.values(), ids=TOOL_GOLDEN)
def test_results_of_a_host_keep_its_labels(golden: Golden) -> None:
    found = recognise(golden.messages)
    assert found is not None
    assert found.host == golden.host
    assert tuple(passage.label for passage in found.passages) == golden.labels
    assert tuple(passage.text for passage in found.passages) == golden.texts
    assert found.question == golden.question
    assert found.syntax is golden.syntax
    assert dict(golden.first_fields).items() <= found.passages[0].fields.items()


@pytest.mark.parametrize("messages", TOOL_UNRECOGNISED.values(), ids=TOOL_UNRECOGNISED)
def test_other_results_get_no_labels(messages: Messages) -> None:
    assert recognise(messages) is None


@pytest.mark.parametrize("golden", TOOL_GOLDEN.values(), ids=TOOL_GOLDEN)
def test_passages_of_a_truncated_result_keep_their_labels(golden: Golden) -> None:
    whole = dict(zip(golden.texts, golden.labels, strict=True))
    last = golden.messages[-1]["content"]
    for length in range(len(last)):
        found = recognise([*golden.messages[:-1], tool(last[:length])])
        for passage in found.passages if found else ():
            assert any(text.startswith(passage.text[:20]) and passage.label == label for text, label in whole.items())


def shown(found: PromptEvidence, deltas: list[str], supported: int) -> str:
    """Return the text that the host shows if every claim is supported by this evidence."""
    evidence = parse_evidence(
        [{"text": one.text, **one.fields} for one in found.passages], limits=EvidenceLimits(items=9, characters=9999)
    )
    answer = Response(evidence, Options(), host=HostLabels.from_prompt(found)).answer(0)
    assert isinstance(answer, Answer)
    support = Support(supported, 0.9, Status.VERIFIED, 0, len(evidence[supported - 1].text))
    drafts = [draft for delta in deltas for draft in answer.feed(delta)] + answer.flush()
    return "".join(answer.cite(draft, Decision((support,))) for draft in drafts)


MORPHIC: dict[str, tuple[str, str]] = {
    "the right link": ("It carries 22 cars [1](#call_1).", "It carries 22 cars. [1](#call_1)"),
    "a link to another call": ("It carries 22 cars [1](#call_2).", "It carries 22 cars. [1](#call_1)"),
    "a link to nothing": ("It carries 22 cars [7](#call_9).", "It carries 22 cars. [1](#call_1)"),
    "two links": ("It carries 22 cars [1](#call_1)[2](#call_2).", "It carries 22 cars. [1](#call_1)"),
    "no link": ("It carries 22 cars.", "It carries 22 cars. [1](#call_1)"),
    "a link of another kind": (
        "It carries [22 cars](https://example.org/a).",
        "It carries [22 cars](https://example.org/a). [1](#call_1)",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MORPHIC.values(), ids=MORPHIC)
def test_links_to_calls_of_morphic_are_recognised_and_replaced(text: str, expected: str) -> None:
    found = recognise(TOOL_GOLDEN["Morphic numbers each call and links to it"].messages)
    assert found
    assert shown(found, [text], 1) == shown(found, list(text), 1) == expected


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["results", "document", "content", "source", "file_id", "id", "toolCallId", "url", "title"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON_VALUES, st.sampled_from(["", "Be brief.", "Cite your sources.", "Use markers such as [1]."]))
def test_ordinary_json_is_never_labelled(value: Any, rules: str) -> None:
    assert recognise([system(rules), user(QUESTION), tool(json.dumps(value))]) is None


@given(JSON_VALUES)
def test_labelled_passages_contain_only_text_of_the_tool(value: Any) -> None:
    text = json.dumps(value)
    tagged = sources(TAG.format(1, "0", "u1", ""), TAG.format(2, "a", "0", ""))
    for messages in ([system(f"{ONYX_RULES} {MORPHIC_RULES}"), user(QUESTION), tool(text)], [tagged, tool(text)]):
        found = recognise(messages)
        for passage in found.passages if found else ():
            assert json.dumps(passage.text)[1:-1] in text
