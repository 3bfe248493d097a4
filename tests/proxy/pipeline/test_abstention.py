"""`release: whole` and `abstain_below`: a message replaces an answer of which too few claims are supported."""

import asyncio
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from random import Random
from typing import Any

import pytest
import yaml

from citestream.citation.answers.response import Response
from citestream.citation.options import Options
from citestream.citation.support.scorers import scorer
from citestream.providers.errors import IncompleteAnswer, ProviderError
from citestream.providers.events import Event, Finish, OtherDelta, TextDelta, Usage
from citestream.proxy.config import ConfigError, parse
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.deciding.scoring import Scoring
from citestream.proxy.pipeline.outgoing import Failed, Outgoing, TextOut
from citestream.proxy.pipeline.respond import respond
from tests.conftest import Chunkings, Launch
from tests.proxy.answers import Shown
from tests.proxy.pipeline.test_respond import EVIDENCE, NO_MODELS, answered, chunk, deltas, finish, outgoing, text_of
from tests.proxy.pipeline.test_streamed_equals_whole import APIS, normalized, send_request
from tests.upstreams.scripted import Answer, Fields, Upstream
from tests.upstreams.wire import serving

MESSAGE = "I do not know."
SUPPORTED = "The Harlan bridge was opened on 4 May 1932 [1]. "
UNSUPPORTED = "Penguins fly over Harlan [2]. "
QUESTION = "What do you think? "


def options(threshold: float, **others: Any) -> Options:
    return Options(release="whole", abstain_below=threshold, abstain_message=MESSAGE, **others)


# The answer, the threshold, and whether a message replaces the answer.
ANSWERS: dict[str, tuple[str, float, bool]] = {
    "an answer without support": (UNSUPPORTED, 0.5, True),
    "an answer whose share is lower": (SUPPORTED + UNSUPPORTED * 2, 0.5, True),
    "an answer whose share is equal": (SUPPORTED + UNSUPPORTED, 0.5, False),
    "an answer whose share is higher": (SUPPORTED, 1.0, False),
    "an answer of which one claim is not supported, if all must be": (SUPPORTED * 3 + UNSUPPORTED, 1.0, True),
    "sentences that state nothing do not count": (SUPPORTED + QUESTION * 5, 1.0, False),
    "an answer without a claim": ("Hello! Do you like it?", 1.0, False),
    "an answer that misses information": ("The sources do not say how high it is.", 1.0, False),
    "no threshold": (UNSUPPORTED, 0.0, False),
    "an empty answer": ("", 1.0, False),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_message_replaces_an_answer_with_too_little_support(case: str, chunkings: Chunkings) -> None:
    text, threshold, replaced = ANSWERS[case]
    shown = text_of(answered([*deltas([text] if text else []), finish()])) if text else None
    for parts in chunkings(text, Random(1)):
        body = answered([*deltas(parts), finish()], options(threshold))
        assert body["choices"][0]["message"]["content"] == (MESSAGE if replaced else shown)
        assert body["grounding"]["abstained"] == ([0] if replaced else [])


# The answer, and the share of supported claims.
SHARES: dict[str, tuple[str, float | None]] = {
    "all are supported": (SUPPORTED, 1.0),
    "a third is supported": (SUPPORTED + UNSUPPORTED * 2, 0.3333),
    "none is supported": (UNSUPPORTED, 0.0),
    "there is no claim": (QUESTION, None),
}


@pytest.mark.parametrize("case", SHARES)
def test_the_report_has_the_share_of_supported_claims(case: str) -> None:
    text, share = SHARES[case]
    for chosen in (Options(), options(0.5), Options(unsupported="drop"), Options(release="live")):
        assert answered([*deltas([text]), finish()], chosen)["grounding"]["supported_share"] == share


def test_a_replaced_answer_has_no_citations_and_its_report_has_empty_spans() -> None:
    body = answered([*deltas([SUPPORTED + UNSUPPORTED * 2 + "See [9]."]), finish()], options(0.5))
    message, grounding = body["choices"][0]["message"], body["grounding"]
    assert (body["references"], message["references"], message["annotations"]) == ([], [], [])
    assert (body["citations"], body["search_results"]) == ([], [])
    assert (grounding["claims"], grounding["supported"]) == (3, 1)
    assert grounding["quotations"] == []
    assert {(one["start"], one["end"]) for one in grounding["verdicts"] + grounding["unsupported"]} == {(0, 0)}
    assert [one["verdict"] for one in grounding["verdicts"]] == ["supported", "unsupported", "unsupported"]
    assert {one["number"] for one in grounding["rejected"]} >= {2}


def test_the_text_arrives_when_the_answer_is_complete() -> None:
    events = [
        OtherDelta(chunk({"role": "assistant"}), (0,)),
        OtherDelta(chunk({"reasoning": "hm"}), (0,)),
        *deltas([SUPPORTED, UNSUPPORTED]),
        OtherDelta(chunk({"reasoning": "well"}), (0,)),
        *deltas([SUPPORTED]),
        finish(),
        Usage({"choices": [], "usage": {"total_tokens": 1}}),
    ]
    read: list[str] = []

    async def played() -> Any:
        for event in events:
            read.append(type(event).__name__)
            yield event

    async def counts() -> list[tuple[str, int]]:
        scoring = Scoring(scorer("lexical"), EVIDENCE, NO_MODELS)
        batches = respond(played(), Response(EVIDENCE, options(0.1)), scoring, 20.0)
        return [(type(event).__name__, len(read)) async for batch in batches for event in batch]

    found = asyncio.run(counts())
    assert found[:2] == [("OtherDelta", 1), ("OtherDelta", 2)], "what precedes the text passes at once"
    assert [name for name, _ in found[2:]] == ["TextOut", "TextOut", "OtherDelta", "TextOut", "Finish", "Usage"]
    assert min(count for _, count in found[2:]) >= 7


def test_thoughts_are_not_replaced() -> None:
    thought = OtherDelta(chunk({"reasoning": "hm"}), (0,))
    for events in ([thought, *deltas([UNSUPPORTED])], [*deltas([UNSUPPORTED]), thought]):
        message = answered([*events, finish()], options(0.5))["choices"][0]["message"]
        assert (message["content"], message["reasoning"]) == (MESSAGE, "hm")


CALL = {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}


def test_an_answer_with_a_tool_call_is_not_replaced() -> None:
    call = OtherDelta(chunk(CALL), (0,))
    for events in (
        [*deltas([UNSUPPORTED]), call],
        [call, *deltas([UNSUPPORTED])],
        [*deltas([UNSUPPORTED]), call, *deltas([UNSUPPORTED])],
    ):
        body = answered([*events, finish("tool_calls")], options(1.0))
        assert text_of(body) == text_of(answered([*events, finish("tool_calls")]))
        assert body["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "f"
        assert body["grounding"]["abstained"] == []


def test_structured_output_is_not_replaced() -> None:
    text = '{"height": "Penguins fly over Harlan.", "year": "It was opened in 1777."}'
    for as_json in (True, False):
        body = answered([*deltas(list(text)), finish()], options(1.0), json=as_json)
        assert (text_of(body), body["grounding"]["abstained"]) == (text, [])
        assert body["grounding"]["supported"] < body["grounding"]["claims"]


def test_each_choice_is_decided_by_itself() -> None:
    events = [
        *deltas([UNSUPPORTED], 1),
        *deltas([SUPPORTED], 0),
        finish(index=0),
        Finish(1, "stop", chunk({}, "stop", 1), last=True),
    ]
    body = answered(events, options(0.5))
    assert text_of(body, 0).startswith("The Harlan bridge was opened on 4 May 1932. [1]")
    assert text_of(body, 1) == MESSAGE
    assert body["grounding"]["abstained"] == [1]
    assert body["grounding"]["supported_share"] == 0.5


def test_an_answer_that_broke_off_is_replaced_too() -> None:
    events: list[Event | ProviderError] = [*deltas([UNSUPPORTED, "It was"]), IncompleteAnswer("cut")]
    sent: list[Outgoing] = asyncio.run(outgoing(events, options(0.5)))
    assert [event.text for event in sent if isinstance(event, TextOut)] == [MESSAGE]
    assert isinstance(sent[-1], Failed)


def test_citations_and_probabilities_of_the_provider_go_with_the_text() -> None:
    scored = chunk({"content": UNSUPPORTED})
    scored["choices"][0]["logprobs"] = {"content": [{"token": "x"}]}
    delta = TextDelta(0, UNSUPPORTED, scored)
    page = {"url": "https://o.org", "title": "O", "start_index": 0, "end_index": 3}
    cited = OtherDelta(chunk({"annotations": [{"type": "url_citation", "url_citation": page}]}), (0,))
    choice = answered([delta, cited, finish()], options(0.5))["choices"][0]
    assert (choice["message"]["content"], choice["message"]["annotations"]) == (MESSAGE, [])
    assert choice["logprobs"] is None


def test_no_list_of_references_follows_the_message() -> None:
    text = f"{SUPPORTED}{UNSUPPORTED * 2}\n\nReferences:\n[1] Bridges\n"
    assert text_of(answered([*deltas([text]), finish()], options(0.5, references_in_text=True))) == MESSAGE


CONFIGURATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "the default release": ({"citations": {"abstain_below": 0.5}}, "citations.abstain_below: requires release"),
    "a live release": (
        {"citations": {"abstain_below": 0.5, "release": "live"}},
        "citations.abstain_below: requires release",
    ),
    "an alias with another release": (
        {
            "citations": {"abstain_below": 0.5, "release": "whole"},
            "models": {"fast": {"model": "extractive", "citations": {"release": "live"}}},
            "providers": {"extractive": {"kind": "extractive"}},
        },
        "models.fast.citations.abstain_below: requires release",
    ),
}


@pytest.mark.parametrize("case", CONFIGURATIONS)
def test_a_configuration_that_cannot_hold_answers_is_refused(case: str) -> None:
    raw, message = CONFIGURATIONS[case]
    with pytest.raises(ConfigError, match=message):
        parse(raw)


@pytest.fixture(scope="module")
def client_and_upstreams(
    launch: Launch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[HTTPConnection, dict[str, Upstream]]]:
    folder = tmp_path_factory.mktemp("abstention")
    upstream = Upstream("openai")
    chosen = {"release": "whole", "abstain_below": 0.5, "abstain_message": MESSAGE}
    with serving(upstream) as server:
        providers: dict[str, Any] = {"openai": {"base_url": server.url, "api_key": "k", "responses": False}}
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}, "citations": chosen}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, folder / "log") as address:
            client = HTTPConnection(address.removeprefix("http://"))
            yield client, {"openai": upstream}
            client.close()


def text_in(api: str, shown: Shown) -> str:
    match api:
        case "chat completions":
            text = shown["choices"][0]["text"]
        case "responses":
            text = shown["output"][0]["content"][0]["text"]
        case "messages":
            text = "".join(block["text"] for block in shown["content"])
        case "cohere":
            text = shown["message"]["content"][0]["text"]
        case "ollama's chat" | "ollama's generate":
            text = shown["content"]
        case _:
            text = shown["candidates"][0]["text"]
    return str(text)


@pytest.mark.parametrize("api", APIS)
def test_every_client_api_receives_the_message(
    client_and_upstreams: tuple[HTTPConnection, dict[str, Upstream]], api: str
) -> None:
    client, upstreams = client_and_upstreams
    evidence: Fields = {"evidence": [{"text": item.text} for item in EVIDENCE]}
    client_api = APIS[api]
    for text, is_replaced in ((UNSUPPORTED + SUPPORTED + UNSUPPORTED, True), (SUPPORTED, False)):
        upstreams["openai"].answer = Answer(tuple(("text", character) for character in text), (), "stop", (3, 4))
        path, body = client_api.streamed
        streamed = client_api.read_stream(send_request(client, path, {**body, **evidence}, "openai/m"))
        path, body = client_api.whole
        whole = client_api.read_whole(send_request(client, path, {**body, **evidence}, "openai/m"))
        assert normalized(streamed) == normalized(whole)
        assert (text_in(api, streamed) == MESSAGE) is is_replaced


def test_an_answer_without_evidence_passes_through(
    client_and_upstreams: tuple[HTTPConnection, dict[str, Upstream]],
) -> None:
    client, upstreams = client_and_upstreams
    upstreams["openai"].answer = Answer((("text", UNSUPPORTED),), (), "stop", None)
    path, body = APIS["chat completions"].streamed
    for ours in ({}, {"evidence": [{"text": "x"}], "citations": {"enabled": False}}):
        shown = APIS["chat completions"].read_stream(send_request(client, path, {**body, **ours}, "openai/m"))
        assert text_in("chat completions", shown) == UNSUPPORTED


def test_the_message_is_sent_in_one_chunk_before_the_finish_chunk() -> None:
    response = Response(EVIDENCE, options(0.5))
    chunks, completion = Chunks(response, usage=False), Completion()
    sent = [
        one
        for event in asyncio.run(outgoing([*deltas(list(UNSUPPORTED)), finish()], options(0.5), response))
        for one in chunks.of(event)
    ]
    for one in sent:
        completion.add(one)
    contents = [one["choices"][0]["delta"].get("content") for one in sent]
    assert contents == [MESSAGE, None]
    assert sent[-1]["choices"][0]["finish_reason"] == "stop"
