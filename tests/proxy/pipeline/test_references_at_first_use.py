"""References at first use: a client that stops an answer has received the reference of every marker that it shows."""

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.response import Response
from citestream.citation.dialects import dialect
from citestream.citation.options import Options, parse_options
from citestream.citation.support.scorers import scorer
from citestream.providers.errors import IncompleteAnswer
from citestream.providers.events import Event, OtherDelta, TextDelta
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.deciding.scoring import Scoring
from citestream.proxy.pipeline.respond import respond
from tests.proxy.pipeline.test_respond import (
    ANSWER,
    EVIDENCE,
    HOLD_SECONDS,
    NO_MODELS,
    SHOWN,
    chunk,
    deltas,
    finish,
    played,
)

Fields = dict[str, Any]

TWICE = ANSWER + " The Harlan bridge was opened by the mayor of Harlan [1]. Harlan has 64,000 inhabitants [3]."
AT_FIRST_USE: Fields = {"references_when": "first_use"}
MARKER = re.compile(r"\[(?:ID:)?(\d+)\]")


def streamed(events: list[Event | Any], *, json: bool = False, streamed: bool = True, **citations: Any) -> list[Fields]:
    """Return the chunks of an answer, each made when its event is released."""
    given = dict(dialect(citations.get("dialect", "openai")).options) | citations
    options = parse_options(given, Options())
    response = Response(EVIDENCE, options, json=json)
    chunks = Chunks(response, usage=True, streamed=streamed)

    async def made() -> list[Fields]:
        scoring = Scoring(scorer("lexical"), EVIDENCE, NO_MODELS)
        batches = respond(played(events), response, scoring, HOLD_SECONDS)
        return [one async for batch in batches for event in batch for one in chunks.of(event)]

    sent = asyncio.run(made())
    for one in sent:
        one.get("grounding", {}).pop("timings_ms", None)
    return sent


def text_of(chunks: list[Fields]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


def numbers(chunks: list[Fields]) -> list[list[int]]:
    """Return the numbers in the references of each chunk that has any."""
    return [[one["number"] for one in chunk["references"]] for chunk in chunks if "references" in chunk]


def test_the_chunk_of_a_sentence_that_cites_new_evidence_has_the_references_so_far() -> None:
    chunks = streamed([*deltas([TWICE]), finish()], **AT_FIRST_USE)
    assert numbers(chunks) == [[1], [1, 2], [1, 2, 3], [1, 2, 3]]
    first, second, third, last = [chunk for chunk in chunks if "references" in chunk]
    assert text_of([first]) == "The Harlan bridge was opened on 4 May 1932. [1] "
    assert text_of([second]).endswith("tracks. [2] ")
    assert text_of([third]).endswith("inhabitants. [3]")
    assert last is chunks[-1]
    assert first["references"][0]["spans"] == last["references"][0]["spans"][:1]


def test_the_delta_has_references_only_once_because_the_openai_client_fails_on_a_second_list() -> None:
    chunks = streamed([*deltas([TWICE]), finish()], **AT_FIRST_USE)
    carrying = [chunk for chunk in chunks if "references" in chunk["choices"][0]["delta"]]
    assert carrying == chunks[-1:]


def test_by_default_only_the_finish_chunk_has_references() -> None:
    chunks = streamed([*deltas([TWICE]), finish()])
    assert [chunk for chunk in chunks if "references" in chunk] == chunks[-1:]


def test_a_complete_answer_is_the_same_with_both_options() -> None:
    events = [*deltas([TWICE]), finish()]
    assert streamed(events, streamed=False, **AT_FIRST_USE) == streamed(events, streamed=False)


def test_the_rest_of_the_stream_is_the_same_with_both_options() -> None:
    events = [*deltas(list(TWICE)), finish()]
    late, early = streamed(events), streamed(events, **AT_FIRST_USE)
    for one in late[:-1] + early[:-1]:
        one.pop("references", None)
    assert early == late


def test_openwebui_gets_each_source_before_the_first_sentence_that_cites_it() -> None:
    chunks = streamed([*deltas([TWICE]), finish()], dialect="openwebui")
    order = ["source" if "event" in chunk else text_of([chunk])[-4:] for chunk in chunks]
    assert order == ["source", "[1] ", "source", "[2] ", "it. ", "[1] ", "source", " [3]", ""]
    sources = [chunk for chunk in chunks if "event" in chunk]
    assert [one["event"]["data"]["document"] for one in sources] == [[evidence.text] for evidence in EVIDENCE]
    assert all(one["choices"][0]["delta"] == {} for one in sources)


def test_fields_of_the_text_are_not_repeated_on_the_chunk_of_a_source() -> None:
    sent = chunk({"content": ANSWER}) | {"usage": None, "token_ids": [7], "service_tier": "flex"}
    chunks = streamed([TextDelta(0, ANSWER, sent), finish()], dialect="openwebui")
    assert [one.get("token_ids") for one in chunks if "event" in one] == [None, None]
    assert [one.get("service_tier") for one in chunks if "event" in one] == ["flex", "flex"]


def test_a_broken_stream_has_sent_the_sources_of_its_markers() -> None:
    chunks = streamed([*deltas([TWICE]), IncompleteAnswer("cut")], dialect="openwebui")
    assert len([chunk for chunk in chunks if "event" in chunk]) == 3
    assert numbers(chunks) == [[1, 2, 3]]


def test_two_choices_announce_their_common_reference_once() -> None:
    sentence = "The Harlan bridge was opened on 4 May 1932 [1]. "
    events = [*deltas([sentence]), *deltas([sentence], index=1), finish(), finish(index=1)]
    chunks = streamed(events, dialect="openwebui")
    assert len([chunk for chunk in chunks if "event" in chunk]) == 1


def test_json_gets_its_sources_before_the_finish_chunk() -> None:
    answer = '{"opened": "The Harlan bridge was opened on 4 May 1932."}'
    chunks = streamed([*deltas([answer]), finish()], json=True, dialect="openwebui", **AT_FIRST_USE)
    assert ["event" in chunk for chunk in chunks] == [False, True, False]
    assert numbers(chunks) == [[1]]


def test_a_tool_call_between_sentences_does_not_delay_a_reference() -> None:
    call = OtherDelta(
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}), (0,)
    )
    chunks = streamed([*deltas([ANSWER]), call, finish("tool_calls")], **AT_FIRST_USE)
    assert numbers(chunks) == [[1], [1, 2], [1, 2]]


@pytest.mark.parametrize("parts", [[ANSWER], list(ANSWER)], ids=["in one piece", "in single characters"])
def test_perplexity_has_its_lists_on_the_first_chunk_too(parts: list[str]) -> None:
    first, *_, last = streamed([*deltas(parts), finish()], dialect="perplexity", **AT_FIRST_USE)
    assert first["citations"] == last["citations"]
    assert [one["number"] for one in first["references"]] == [1]


CUTS = st.lists(st.integers(min_value=1, max_value=len(TWICE) - 1), max_size=12).map(lambda cuts: sorted({*cuts}))


@given(
    cuts=CUTS,
    release=st.sampled_from(["sentence", "live"]),
    placement=st.sampled_from(["after", "before"]),
    numbering=st.sampled_from(["first_use", "evidence"]),
    name=st.sampled_from(["openai", "ragflow", "perplexity", "openwebui"]),
)
def test_wherever_an_answer_is_stopped_its_markers_have_references(
    cuts: list[int], release: str, placement: str, numbering: str, name: str
) -> None:
    parts = [TWICE[start:end] for start, end in zip([0, *cuts], [*cuts, len(TWICE)], strict=True)]
    options: Fields = {"release": release, "placement": placement, "numbering": numbering, "dialect": name}
    chunks = streamed([*deltas(parts), finish()], **options, **AT_FIRST_USE)
    text, known, sources = "", list[int](), 0
    base = 1 if name == "ragflow" else 0
    for one in chunks:
        text += text_of([one])
        known = [reference["number"] for reference in one.get("references", ())] or known
        sources += "event" in one
        shown = {int(number) + base for number in MARKER.findall(text)}
        assert shown <= {*known}
        assert name != "openwebui" or sources >= len(shown)
    assert len({*known}) == 3


@given(CUTS)
def test_spans_on_every_chunk_are_the_cited_sentences(cuts: list[int]) -> None:
    parts = [TWICE[start:end] for start, end in zip([0, *cuts], [*cuts, len(TWICE)], strict=True)]
    chunks, text = streamed([*deltas(parts), finish()], **AT_FIRST_USE), ""
    for one in chunks:
        text += text_of([one])
        for reference in one.get("references", ()):
            for span in reference["spans"]:
                assert text[span["start"] : span["end"]].endswith(".")
                assert text[span["end"] :].startswith(" [")
    assert text.startswith(SHOWN)
