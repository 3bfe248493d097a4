"""CohereEncoder: the events of a stream and the complete answer, for any deltas of the provider."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence, EvidenceLimits
from citestream.citation.options import Options
from citestream.citation.support.scorers import scorer
from citestream.providers.events import Event, OtherDelta, Usage
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.cohere.cohere_documents import collect_documents
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.deciding.scoring import Scoring
from citestream.proxy.pipeline.outgoing import Outgoing
from citestream.proxy.pipeline.request.job import Job
from citestream.proxy.pipeline.respond import respond
from tests.proxy.answers import cohere_message
from tests.proxy.pipeline.test_respond import ENVELOPE, HOLD_SECONDS, NO_MODELS, chunk, deltas, finish, played

Fields = dict[str, Any]

EVIDENCE, _ = collect_documents(
    [
        {"id": "opened", "data": {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."}},
        {"data": {"snippet": "The bridge carries two lanes of traffic and eight railway tracks.", "year": 1999}},
    ],
    [],
    (),
    EvidenceLimits(items=9, characters=9_999),
)
FIRST, SECOND = "The Harlan bridge was opened on 4 May 1932.", "It carries two lanes and eight railway tracks."
ANSWER = f"🌉 Yes. {FIRST[:-1]} [1]. {SECOND} I like it."
SHOWN = f"🌉 Yes. {FIRST} {SECOND} I like it."
SOURCES = {
    "opened": {"id": "opened", "text": EVIDENCE[0].text},
    "doc:1": {
        "id": "doc:1",
        "snippet": "The bridge carries two lanes of traffic and eight railway tracks.",
        "year": 1999,
    },
}
REASONING = OtherDelta(chunk({"reasoning": "Let me see."}), (0,))


def call(index: int, name: str, *arguments: str) -> list[Event]:
    first = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": part}} for part in arguments]
    return [OtherDelta(chunk({"tool_calls": [one]}), (0,)) for one in (first, *rest)]


CALLS = [*call(0, "weather", '{"city": ', '"Ulm"}'), *call(1, "time", "{}")]
USAGE = Usage({**ENVELOPE, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}})


def encoded(events: list[Event], *, release: str = "sentence", **request: Any) -> tuple[list[Fields], Fields]:
    """Return the events of a stream and the complete answer."""
    body = {"model": "m", "messages": [{"role": "user", "content": "q"}], **request}
    job = CohereApi().parse(body, Options(), EvidenceLimits(items=9, characters=99))
    options = Options(marker="none", release=release)  # type: ignore[arg-type]
    stream = asyncio.run(streamed(events, job, Response(EVIDENCE, options)))
    return stream, asyncio.run(complete(events, job, Response(EVIDENCE, options)))


async def streamed(events: list[Event], job: Job, response: Response) -> list[Fields]:
    chunks = Chunks(response, usage=True)
    encoder, stream = CohereApi().encoder(job, chunks), b""
    async for event in outgoing(events, response):
        stream += encoder.chunks(chunks.of(event))
    *written, last, rest = (stream + encoder.end()).decode().split("\n\n")
    assert (last, rest) == ("data: [DONE]", "")
    return [json.loads(one.partition("\ndata: ")[2]) for one in written]


async def complete(events: list[Event], job: Job, response: Response) -> Fields:
    chunks = Chunks(response, usage=True, streamed=False)
    encoder, completion = CohereApi().encoder(job, chunks), Completion()
    async for event in outgoing(events, response):
        made = chunks.of(event)
        for one in made:
            completion.add(one)
        encoder.observe(made)
    return encoder.body(completion)


async def outgoing(events: list[Event], response: Response) -> AsyncIterator[Outgoing]:
    """Yield the events of the pipeline, each rendered when it is requested, as in a server."""
    evidence = [*response.references.evidence.values()]
    scoring = Scoring(scorer("lexical"), evidence, NO_MODELS)
    async for batch in respond(played(events), response, scoring, HOLD_SECONDS):
        for event in batch:
            yield event


def cited(message: Fields) -> list[tuple[str, list[str]]]:
    return [(one["text"], [source["id"] for source in one["sources"]]) for one in message["citations"]]


CUTS = st.lists(st.integers(min_value=1, max_value=len(ANSWER) - 1), max_size=12).map(lambda cuts: sorted({*cuts}))


@given(cuts=CUTS, release=st.sampled_from(["sentence", "live"]))
def test_the_message_does_not_depend_on_the_deltas(cuts: list[int], release: str) -> None:
    parts = [ANSWER[start:end] for start, end in zip([0, *cuts], [*cuts, len(ANSWER)], strict=True)]
    events, whole = encoded([REASONING, *deltas(parts), finish(), USAGE], release=release)
    message = cohere_message(events)
    assert message == whole["message"]
    assert message["content"] == [{"type": "thinking", "thinking": "Let me see."}, {"type": "text", "text": SHOWN}]
    assert cited(message) == [(FIRST, ["opened"]), (SECOND, ["doc:1"])]
    assert {one["content_index"] for one in message["citations"]} == {1}
    documents = [source["document"] for one in message["citations"] for source in one["sources"]]
    assert documents == [*SOURCES.values()]


def test_the_last_event_has_reason_usage_references_and_grounding() -> None:
    events, whole = encoded([*deltas([ANSWER]), finish("length"), USAGE])
    last = events[-1]
    counts = {"input_tokens": 9, "output_tokens": 7}
    usage = {"billed_units": counts, "tokens": counts}
    assert last["delta"] == {"finish_reason": "MAX_TOKENS", "usage": usage}
    assert [one["id"] for one in last["references"]] == ["opened", "doc:1"]
    assert last["grounding"]["supported"] == 2
    assert (whole["finish_reason"], whole["usage"]) == ("MAX_TOKENS", usage)
    assert whole["references"] == last["references"]


def test_a_text_between_thoughts_is_a_block_with_its_own_offsets() -> None:
    events, whole = encoded([*deltas([f"{FIRST} "]), REASONING, *deltas([SECOND]), finish()])
    message = cohere_message(events)
    assert message == whole["message"]
    assert [block["type"] for block in message["content"]] == ["text", "thinking", "text"]
    assert [(one["content_index"], one["start"], one["end"]) for one in message["citations"]] == [
        (0, 0, len(FIRST)),
        (2, 0, len(SECOND)),
    ]


def test_a_refusal_is_a_separate_block_and_does_not_change_offsets() -> None:
    refusal = OtherDelta(chunk({"refusal": "I cannot say more. "}), (0,))
    events, whole = encoded([refusal, *deltas([FIRST]), finish()])
    assert cohere_message(events) == whole["message"]
    assert whole["message"]["content"][0] == {"type": "text", "text": "I cannot say more. "}
    assert cited(whole["message"]) == [(FIRST, ["opened"])]


def test_tool_calls_are_sent_one_after_the_other() -> None:
    events, whole = encoded([*deltas([FIRST]), *CALLS, finish("tool_calls")])
    message = cohere_message(events)
    assert message == whole["message"]
    assert [(one["id"], one["function"]) for one in message["tool_calls"]] == [
        ("call_0", {"name": "weather", "arguments": '{"city": "Ulm"}'}),
        ("call_1", {"name": "time", "arguments": "{}"}),
    ]
    assert cited(message) == [(FIRST, ["opened"])]
    assert whole["finish_reason"] == events[-1]["delta"]["finish_reason"] == "TOOL_CALL"


REQUIRED: Fields = {"tools": [{"type": "function", "function": {"name": "weather"}}], "tool_choice": "REQUIRED"}


def test_the_text_before_a_required_tool_call_is_its_plan() -> None:
    events, whole = encoded([*deltas([FIRST]), *CALLS, finish("tool_calls")], **REQUIRED)
    message = cohere_message(events)
    assert message == whole["message"]
    assert message["tool_plan"] == FIRST
    assert "content" not in message
    assert [(one["text"], one["type"]) for one in message["citations"]] == [(FIRST, "PLAN")]


def test_the_text_of_a_model_that_makes_no_required_call_is_the_answer() -> None:
    events, whole = encoded([*deltas([ANSWER]), finish()], **REQUIRED)
    message = cohere_message(events)
    assert message == whole["message"] == encoded([*deltas([ANSWER]), finish()])[1]["message"]
    assert message["content"] == [{"type": "text", "text": SHOWN}]


def test_an_answer_without_text_has_an_empty_text() -> None:
    events, whole = encoded([finish()])
    assert (
        cohere_message(events) == whole["message"] == {"role": "assistant", "content": [{"type": "text", "text": ""}]}
    )


def test_log_probabilities_come_with_their_text() -> None:
    words = ["Yes", ".", "\n[9]"]
    parts = deltas(["Yes.", "\n[9]"])
    for delta, tokens in zip(parts, (words[:2], words[2:]), strict=True):
        scores: list[Fields] = [
            {"token": token, "logprob": -0.5, "bytes": None, "top_logprobs": []} for token in tokens
        ]
        delta.chunk["choices"][0]["logprobs"] = {"content": scores}  # type: ignore[union-attr]
    events, whole = encoded([*parts, finish()])
    first, *others = [event["logprobs"] for event in events if event["type"] == "content-delta"]
    assert first == {"text": "Yes.", "token_ids": [], "logprobs": [-0.5, -0.5]}
    assert [one["text"] for one in others] == words[2:]  # those of the removed marker
    assert [one["text"] for one in whole["logprobs"]] == words


REASONS = {
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "content_filter": "ERROR",
    "new_reason": "NEW_REASON",
}


@pytest.mark.parametrize("reason", REASONS)
def test_finish_reasons_have_the_names_of_cohere(reason: str) -> None:
    events, whole = encoded([*deltas(["Yes."]), finish(reason)])
    assert events[-1]["delta"]["finish_reason"] == whole["finish_reason"] == REASONS[reason]


STOPPED: dict[str, Fields] = {
    "as Anthropic reports it": {"native_finish_reason": "stop_sequence"},
    "as vLLM reports it": {"stop_reason": "END"},
}


@pytest.mark.parametrize("case", STOPPED)
def test_the_end_at_a_stop_sequence_has_its_own_reason(case: str) -> None:
    ending = finish()
    ending.chunk["choices"][0] |= STOPPED[case]  # type: ignore[union-attr]
    _, whole = encoded([*deltas(["Yes."]), ending])
    assert whole["finish_reason"] == "STOP_SEQUENCE"


def test_other_evidence_is_a_source_with_its_own_fields() -> None:
    job = CohereApi().parse(
        {"model": "m", "messages": [{"role": "user", "content": "q"}]}, Options(), EvidenceLimits(items=9, characters=9)
    )
    evidence = [Evidence(1, FIRST, "e1", title="Bridges", url="https://ex.org/a", metadata={"cohere": {"id": "x"}})]
    response = Response(evidence, Options(marker="none"))
    whole = asyncio.run(complete([*deltas([FIRST]), finish()], job, response))
    data = {"id": "e1", "title": "Bridges", "url": "https://ex.org/a", "text": FIRST}
    assert whole["message"]["citations"][0]["sources"] == [{"type": "document", "id": "e1", "document": data}]
