"""The pipeline: the events of a provider, and the events for the client. No network, no mocks."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Unsupported
from citestream.citation.support.features.index import Index
from citestream.citation.support.scorers import Claim, PreparedEvidence, Scorer, Scores, scorer
from citestream.citation.support.scorers.lexical import LexicalPrepared
from citestream.providers.errors import IncompleteAnswer, ProviderError
from citestream.providers.events import Event, Finish, Idle, OtherDelta, TextDelta, Usage
from citestream.providers.wire.openai_chunks import ChunkReader
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks, UncitedChunks
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.outgoing import Failed, Outgoing, TextOut
from citestream.proxy.pipeline.respond import pass_through, respond

EVIDENCE = (
    Evidence(1, "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan.", "e1", title="Bridges"),
    Evidence(2, "The bridge carries two lanes of traffic and eight railway tracks.", "e2", url="https://ex.org/lanes"),
    Evidence(3, "Harlan has 64,000 inhabitants and lies at the river Oda.", "e3", file_name="harlan.txt"),
)
HOLD_SECONDS = 20.0
NO_MODELS = ExternalModels(deadline=2.0)
ENVELOPE = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "system_fingerprint": "fp"}


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    return {**ENVELOPE, "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}]}


def deltas(parts: Sequence[str], index: int = 0) -> list[Event]:
    return [TextDelta(index, part, chunk({"content": part}, index=index)) for part in parts]


def finish(reason: str = "stop", index: int = 0) -> Event:
    return Finish(index, reason, chunk({}, reason, index))


async def played(events: Sequence[Event | ProviderError]) -> AsyncGenerator[Event, None]:
    for event in events:
        if isinstance(event, ProviderError):
            raise event
        yield event


async def outgoing(
    events: Sequence[Event | ProviderError],
    options: Options,
    response: Response | None = None,
    hold_seconds: float = HOLD_SECONDS,
) -> list[Outgoing]:
    response = response or Response(EVIDENCE, options)
    scoring = Scoring(scorer("lexical"), EVIDENCE, NO_MODELS)
    batches = respond(played(events), response, scoring, hold_seconds)
    return [event async for batch in batches for event in batch]


def answered(
    events: Sequence[Event | ProviderError], options: Options | None = None, *, json: bool = False
) -> dict[str, Any]:
    """Return the complete answer, as a client without streaming receives it."""
    options = options or Options()
    response = Response(EVIDENCE, options, json=json)
    chunks, completion = Chunks(response, usage=True), Completion()
    for event in asyncio.run(outgoing(events, options, response)):
        for one in chunks.of(event):
            completion.add(one)
    return completion.body()


def text_of(body: dict[str, Any], index: int = 0) -> str:
    content: str = body["choices"][index]["message"]["content"]
    return content


ANSWER = "The Harlan bridge was opened on 4 May 1932 [1]. It carries two lanes and eight railway tracks. I like it."
SHOWN = "The Harlan bridge was opened on 4 May 1932. [1] It carries two lanes and eight railway tracks. [2] I like it."


def test_each_sentence_is_sent_once_with_its_markers() -> None:
    sent = asyncio.run(outgoing([*deltas(list(ANSWER)), finish()], Options()))
    texts = [event.text for event in sent if isinstance(event, TextOut)]
    assert "".join(texts) == SHOWN
    assert len(texts) == 3


def test_sentences_that_arrive_together_get_their_references_one_by_one() -> None:
    response = Response(EVIDENCE, Options())

    async def annotation_counts() -> list[int]:
        scoring = Scoring(scorer("lexical"), EVIDENCE, NO_MODELS)
        batches = respond(played([*deltas([ANSWER]), finish()]), response, scoring, HOLD_SECONDS)
        return [
            len(response.references.annotations(0))
            async for batch in batches
            for event in batch
            if isinstance(event, TextOut)
        ]

    assert asyncio.run(annotation_counts()) == [1, 2, 2]


def test_references_have_the_quotes_and_spans_of_the_cited_sentences() -> None:
    body = answered([*deltas([ANSWER]), finish()])
    references = body["references"]
    assert [(r["number"], r["evidence_number"], r["spans"][0]["status"]) for r in references] == [
        (1, 1, "verified"),
        (2, 2, "added"),
    ]
    for reference in references:
        evidence = EVIDENCE[reference["evidence_number"] - 1]
        assert evidence.text[reference["snippet_start"] : reference["snippet_end"]] == reference["snippet"]
        for span in reference["spans"]:
            assert text_of(body)[span["start"] : span["end"]] in ANSWER.replace(" [1]", "")
    assert body["citations"] == ["urn:citestream:evidence:e1", "https://ex.org/lanes"]
    message = body["choices"][0]["message"]
    for annotation, mark in zip(message["annotations"], ("[1]", "[2]"), strict=True):
        found = annotation["url_citation"]
        assert text_of(body)[found["start_index"] : found["end_index"]] == mark


REFUSED = {
    "another year": ("The Harlan bridge was opened on 4 May 1933 [1].", "number_mismatch"),
    "the opposite": ("The Harlan bridge was not opened on 4 May 1932 [1].", "negation"),
    "a claim without support": ("Penguins are flightless birds of the southern hemisphere [3].", "no_support"),
    "a number without evidence": ("The Harlan bridge was opened on 4 May 1932 [7].", "unknown_number"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_citation_of_the_model_is_removed(text: str, reason: str) -> None:
    body = answered([*deltas([text]), finish()])
    assert reason in [rejection["reason"] for rejection in body["grounding"]["rejected"]]
    assert "[7]" not in text_of(body)
    if reason != "unknown_number":
        assert body["references"] == []
        assert text_of(body) == text.replace(" [1]", "").replace(" [3]", "")


def test_any_way_of_cutting_gives_the_same_answer() -> None:
    expected = answered([*deltas([ANSWER]), finish()])
    rng = Random(1)
    for options in (Options(release="sentence"), Options(release="live")):
        for _ in range(20):
            cuts = sorted(rng.sample(range(1, len(ANSWER)), rng.randint(1, 40)))
            parts = [ANSWER[a:b] for a, b in zip([0, *cuts], [*cuts, len(ANSWER)], strict=True)]
            body = answered([*deltas(parts), finish()], options)
            body["grounding"]["timings_ms"] = expected["grounding"]["timings_ms"]
            assert body == expected


def test_live_lets_tokens_flow_before_the_sentence_ends() -> None:
    sent = asyncio.run(outgoing([*deltas(ANSWER.split(" ")), finish()], Options(release="live")))
    assert len([event for event in sent if isinstance(event, TextOut)]) > 6


def test_other_deltas_follow_the_open_sentence() -> None:
    call = chunk({"tool_calls": [{"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}]})
    sent = asyncio.run(outgoing([*deltas(["I look it up"]), OtherDelta(call, (0,)), finish("tool_calls")], Options()))
    assert [type(event).__name__ for event in sent] == ["TextOut", "OtherDelta", "Finish"]


def test_a_broken_stream_ends_with_the_received_text_and_a_failure() -> None:
    events = [*deltas(["The Harlan bridge was opened on 4 May 1932. It car"]), IncompleteAnswer("the stream was cut")]
    response = Response(EVIDENCE, Options())
    sent = asyncio.run(outgoing(events, Options(), response))
    assert "".join(event.text for event in sent if isinstance(event, TextOut)).endswith("[1] It car")
    assert isinstance(sent[-1], Failed)
    (last,) = Chunks(response, usage=False).of(sent[-1])
    assert last["choices"][0]["finish_reason"] is None
    assert [reference["number"] for reference in last["references"]] == [1]


def test_an_error_after_the_end_of_a_choice_does_not_repeat_its_lists() -> None:
    """Clients join the lists of all deltas of a choice."""
    body = answered([*deltas([ANSWER]), finish(), IncompleteAnswer("the stream was cut")])
    assert [len(body["choices"][0]["message"][key]) for key in ("references", "annotations")] == [2, 2]
    assert len(body["references"]) == 2


def test_an_error_does_not_repeat_the_fields_of_the_last_chunk() -> None:
    response = Response(EVIDENCE, Options())
    given = TextDelta(0, ANSWER, chunk({"content": ANSWER}) | {"own": [1]})
    sent = asyncio.run(outgoing([given, IncompleteAnswer("the stream was cut")], Options(), response))
    chunks = Chunks(response, usage=False)
    *texts, last = [one for event in sent for one in chunks.of(event)]
    assert [one["own"] for one in texts if "own" in one] == [[1]]
    assert "own" not in last
    assert last["id"] == ENVELOPE["id"]


def test_a_provider_cannot_invent_references_or_grounding() -> None:
    own = {"references": [{"number": 7, "id": "invented"}], "grounding": {"claims": 99}}
    given: list[Event] = [
        OtherDelta(chunk({"reasoning": "hm", **own}) | own, (0,)),
        TextDelta(0, ANSWER, chunk({"content": ANSWER}) | own),
        Finish(0, "stop", chunk(own, "stop") | own, last=False),
        Finish(1, "stop", chunk({}, "stop", 1) | own),
    ]
    response = Response(EVIDENCE, Options())
    chunks = Chunks(response, usage=False)
    sent = [one for event in asyncio.run(outgoing(given, Options(), response)) for one in chunks.of(event)]
    assert "invented" not in str(sent)
    assert [one["grounding"]["claims"] for one in sent if "grounding" in one] == [3]


def test_an_error_before_the_answer_is_raised() -> None:
    with pytest.raises(ProviderError):
        asyncio.run(outgoing([IncompleteAnswer("nothing came")], Options()))


def test_log_probabilities_are_sent_with_their_text() -> None:
    words = ["The", " Harlan", " bridge", " was", " opened", ".", " Then", " it", " rained", "."]
    events: list[Event] = []
    for word in words:
        one = chunk({"content": word})
        one["choices"][0]["logprobs"] = {"content": [{"token": word, "logprob": -0.1}], "refusal": None}
        events.append(TextDelta(0, word, one))
    sent = [e for e in asyncio.run(outgoing([*events, finish()], Options())) if isinstance(e, TextOut)]
    tokens = [[entry["token"] for entry in (event.logprobs or {})["content"]] for event in sent]
    assert [token for group in tokens for token in group] == words
    assert "".join(tokens[0]) == "The Harlan bridge was opened."


@pytest.mark.parametrize("release", ["sentence", "live"])
def test_log_probabilities_of_a_removed_marker_are_sent_without_text(release: Any) -> None:
    words = ["Harlan", " is", " old", ".", "\n", "[", "9", "]"]
    events: list[Event] = []
    for number, word in enumerate(words):
        one = chunk({"content": word})
        one["choices"][0]["logprobs"] = {"content": [{"token": word, "logprob": -0.1}], "refusal": None}
        one["choices"][0]["token_ids"] = [number]
        events.append(TextDelta(0, word, one))
    body = answered([*events, finish()], Options(release=release))
    assert text_of(body).strip() == "Harlan is old."
    assert [entry["token"] for entry in body["choices"][0]["logprobs"]["content"]] == words
    assert body["choices"][0]["token_ids"] == [*range(len(words))]


def test_json_is_unchanged_and_has_references() -> None:
    text = '{"answer": "The Harlan bridge was opened on 4 May 1932.", "n": [1, 2]}'
    body = answered([*deltas(list(text)), finish()], json=True)
    assert text_of(body) == text
    (span,) = body["references"][0]["spans"]
    assert text[span["start"] : span["end"]] == "The Harlan bridge was opened on 4 May 1932."


def test_two_choices_share_the_numbers_but_not_the_text() -> None:
    first = "The Harlan bridge was opened on 4 May 1932."
    second = "The bridge carries two lanes of traffic. The bridge was opened on 4 May 1932 by the mayor of Harlan."
    events = [*deltas([first], 0), *deltas([second], 1), finish(index=0), finish(index=1)]
    body = answered(events)
    assert text_of(body, 0) == f"{first} [2]"  # the other choice's first sentence was complete earlier
    assert "[1] The bridge was opened on 4 May 1932 by the mayor of Harlan. [2]" in text_of(body, 1)
    assert [r["number"] for r in body["choices"][0]["message"]["references"]] == [2]
    assert [r["number"] for r in body["choices"][1]["message"]["references"]] == [1, 2]


def test_the_fields_of_all_choices_are_sent_once() -> None:
    reader = ChunkReader(3)
    text = "The Harlan bridge was opened on 4 May 1932."
    read = [event for index in range(3) for event in reader.take(chunk({"content": text}, "stop", index))]
    response = Response(EVIDENCE, Options())
    chunks = Chunks(response, usage=False)
    found = asyncio.run(outgoing([*read, *reader.end()], Options(), response))
    ends = [made for event in found if isinstance(event, Finish) for made in chunks.of(event)]
    assert ["references" in end for end in ends] == [False, False, True]
    assert [len(end["choices"][0]["delta"]["references"]) for end in ends] == [1, 1, 1]


def test_unsupported_claims_can_be_flagged_or_dropped() -> None:
    text = "The Harlan bridge was opened on 4 May 1932. Harlan has 99,000 inhabitants."
    flagged = answered([*deltas([text]), finish()], Options(unsupported="flag"))
    assert text_of(flagged).endswith("Harlan has 99,000 inhabitants. (no supporting source)")
    dropped = answered([*deltas([text]), finish()], Options(unsupported="drop"))
    assert text_of(dropped).rstrip() == "The Harlan bridge was opened on 4 May 1932. [1]"


def test_a_list_of_references_can_be_appended_to_the_text() -> None:
    body = answered([*deltas([ANSWER]), finish()], Options(references_in_text=True))
    assert "[lanes]" in text_of(body) or "https://ex.org/lanes" in text_of(body)
    assert text_of(body).startswith(SHOWN)


def test_the_list_of_references_does_not_repeat_the_fields_of_the_last_chunk() -> None:
    last = chunk({}, "stop")
    last["choices"][0]["token_ids"] = [7]
    body = answered([*deltas([ANSWER]), Finish(0, "stop", last)], Options(references_in_text=True))
    assert body["choices"][0]["token_ids"] == [7]


def test_a_sentence_is_not_held_longer_than_its_time() -> None:
    sent = asyncio.run(outgoing([*deltas(["Half a sentence"]), Idle(), finish()], Options(), hold_seconds=0.0))
    assert isinstance(sent[0], TextOut)


def test_a_sentence_of_a_slow_model_is_released_in_words_and_cited_at_its_end() -> None:
    text = "The Harlan bridge was opened on 4 May 1932 by the mayor."
    sent = asyncio.run(outgoing([*deltas(list(text)), finish()], Options(), hold_seconds=0.0))
    pieces = [event.text for event in sent if isinstance(event, TextOut)]
    assert len(pieces) > 5
    assert "".join(pieces) == f"{text} [1]"
    assert not any(one[-1:].isalnum() and other[:1].isalnum() for one, other in pairwise(pieces)), "cut inside a word"
    assert all("[" not in piece for piece in pieces[:-1])


@pytest.mark.parametrize("end", [IncompleteAnswer("cut"), finish("length"), finish("content_filter")])
def test_a_sentence_that_the_end_cuts_off_is_not_cited(end: Event | ProviderError) -> None:
    whole, cut = (
        "The bridge carries two lanes of traffic.",
        " The Harlan bridge was opened on 4 May 1932 by the mayor of",
    )
    sent = asyncio.run(outgoing([*deltas([whole, cut]), end], Options()))
    assert "".join(event.text for event in sent if isinstance(event, TextOut)) == f"{whole} [1]{cut}"


def test_usage_is_sent_only_if_the_client_asks_for_it() -> None:
    usage = Usage({**ENVELOPE, "choices": [], "usage": {"total_tokens": 3}})
    response = Response(EVIDENCE, Options())
    events = asyncio.run(outgoing([*deltas(["Hello there."]), finish(), usage], Options(), response))
    with_usage, without_usage = Chunks(response, usage=True), Chunks(response, usage=False)
    assert [c for e in events for c in with_usage.of(e)][-1]["usage"] == {"total_tokens": 3}
    assert all("usage" not in c for e in events for c in without_usage.of(e))


def test_chunks_have_a_null_usage_if_the_provider_sends_it_and_the_client_asked() -> None:
    events = [*deltas(["Hello there. I am"]), OtherDelta(chunk({"reasoning": "hm"}), (0,)), finish()]
    for event in events:
        assert not isinstance(event, Usage | Idle)
        event.chunk["usage"] = None
    for requested in (True, False):
        response = Response(EVIDENCE, Options())
        chunks = Chunks(response, usage=requested)
        sent = [c for e in asyncio.run(outgoing(events, Options(), response)) for c in chunks.of(e)]
        assert len(sent) == 4
        assert all(("usage" in c) is requested for c in sent)
        (passed,) = UncitedChunks(usage=requested).of(OtherDelta(events[0].chunk))  # type: ignore[union-attr]
        assert ("usage" in passed) is requested


class BrokenScorer(Scorer):
    """A scorer that cannot prepare evidence."""

    name = "broken"

    def prepare(self, evidence: Sequence[Evidence], vectors: object = None) -> PreparedEvidence:
        raise ZeroDivisionError


@pytest.mark.parametrize("unsupported", ["keep", "flag", "drop"])
def test_a_scorer_that_fails_does_not_fail_the_answer(unsupported: Unsupported) -> None:
    response = Response(EVIDENCE, Options(unsupported=unsupported))

    async def sent() -> list[Outgoing]:
        scoring = Scoring(BrokenScorer(), EVIDENCE, NO_MODELS)
        batches = respond(played([*deltas([ANSWER]), finish()]), response, scoring, HOLD_SECONDS)
        return [event async for batch in batches for event in batch]

    texts = [event.text for event in asyncio.run(sent()) if isinstance(event, TextOut)]
    assert "".join(texts) == ANSWER.replace(" [1]", "")
    assert response.grounding.as_dict()["degraded"] is True


class FailsForOneSentence(LexicalPrepared):
    """Evidence for which the scores of one sentence cannot be computed."""

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        if any("railway" in claim.text for claim in claims):
            raise ZeroDivisionError
        return super().score_all(claims)


class PartlyFailingScorer(Scorer):
    name = "lexical"

    def prepare(self, evidence: Sequence[Evidence], vectors: object = None) -> FailsForOneSentence:
        return FailsForOneSentence(Index(evidence))


def test_a_sentence_that_cannot_be_scored_does_not_change_other_citations() -> None:
    response = Response(EVIDENCE, Options())
    more = f"{ANSWER} Harlan has 64,000 inhabitants."

    async def sent() -> list[Outgoing]:
        scoring = Scoring(PartlyFailingScorer(), EVIDENCE, NO_MODELS)
        batches = respond(played([*deltas([more]), finish()]), response, scoring, HOLD_SECONDS)
        return [event async for batch in batches for event in batch]

    texts = [event.text for event in asyncio.run(sent()) if isinstance(event, TextOut)]
    assert "".join(texts) == f"{SHOWN.replace(' [2]', '')} Harlan has 64,000 inhabitants. [2]"
    assert response.grounding.as_dict()["degraded"] is True


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "tool_calls"])
def test_an_answer_has_references_for_every_finish_reason(reason: str) -> None:
    body = answered([*deltas(["The Harlan bridge was opened on 4 May 1932. It car"]), finish(reason)])
    assert body["choices"][0]["finish_reason"] == reason
    assert text_of(body).endswith("[1] It car")
    assert [reference["number"] for reference in body["references"]] == [1]


def test_an_answer_without_text_has_empty_references() -> None:
    body = answered([OtherDelta(chunk({"role": "assistant", "content": ""}), (0,)), finish()])
    assert (body["references"], body["grounding"]["claims"]) == ([], 0)


def test_reasoning_is_forwarded_at_once_and_not_cited() -> None:
    thought = OtherDelta(chunk({"reasoning": "The Harlan bridge was opened on 4 May 1932."}), (0,))
    sent = asyncio.run(outgoing([thought, *deltas(["I am sure of it, since I have read it."]), finish()], Options()))
    assert sent[0] is thought
    body = answered([thought, *deltas(["I am sure of it, since I have read it."]), finish()])
    assert body["choices"][0]["message"]["reasoning"].endswith("1932.")
    assert body["references"] == []


def test_tool_calls_are_collected_from_their_fragments() -> None:
    first = {"tool_calls": [{"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": ""}}]}
    second = {"tool_calls": [{"index": 0, "function": {"arguments": '{"x":1}'}}]}
    body = answered([OtherDelta(chunk(first), (0,)), OtherDelta(chunk(second), (0,)), finish("tool_calls")])
    (call,) = body["choices"][0]["message"]["tool_calls"]
    assert call == {"id": "t", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


async def uncited(events: Sequence[Event | ProviderError]) -> list[list[str]]:
    """Return the types of the events in each batch of an answer that needs no citations."""
    return [[type(event).__name__ for event in batch] async for batch in pass_through(played(events))]


async def test_an_uncited_answer_that_breaks_off_ends_with_the_failure() -> None:
    sent = await uncited([*deltas(["Half a "]), IncompleteAnswer("the stream was cut")])
    assert sent == [["OtherDelta"], ["Failed"]]


async def test_an_error_before_an_uncited_answer_is_raised() -> None:
    with pytest.raises(IncompleteAnswer):
        await uncited([Idle(), IncompleteAnswer("nothing came")])


async def test_events_of_one_read_are_passed_on_together() -> None:
    first, second, third = (TextDelta(0, text, chunk({"content": text}), more=text == "a") for text in "abc")
    assert await uncited([first, second, third]) == [["OtherDelta", "OtherDelta"], ["OtherDelta"]]
