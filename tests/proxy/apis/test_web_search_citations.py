"""Citations of Anthropic's web search stay at their text, and reach the clients of other APIs."""

import json
from random import Random
from typing import Any

import anthropic
import pytest

from tests.conftest import Chunkings
from tests.proxy.apis.test_provider_citations import OPENED, Fields, added, chat, gemini, native, proxy, responses
from tests.upstreams.wire import Answer, sse

Block = tuple[str, bool]  # text, and whether a web page is cited
CITATION = {
    "type": "web_search_result_location",
    "cited_text": "x",
    "url": "https://o.org",
    "title": "O",
    "encrypted_index": "abc",
}
# The provider's blocks, and those that a client of Anthropic reads: text, citations of the page, citations of evidence
MESSAGES: dict[str, tuple[list[Block], list[tuple[str, int, int]]]] = {
    "a cited sentence between two others": (
        [("It is old. ", False), ("It was struck by lightning twice.", True), (" Bananas are purple on Mars.", False)],
        [("It is old. ", 0, 0), ("It was struck by lightning twice.", 1, 0), (" Bananas are purple on Mars.", 0, 0)],
    ),
    "a cited sentence after one that the evidence supports": (
        [(f"{OPENED} ", False), ("It was struck by lightning twice.", True), (" So it goes.", False)],
        [(f"{OPENED} ", 0, 1), ("It was struck by lightning twice.", 1, 0), (" So it goes.", 0, 0)],
    ),
    "a cited sentence that the evidence supports": (
        [("Yes. ", False), (OPENED, True), (" So it goes.", False)],
        [("Yes. ", 0, 0), (OPENED, 1, 1), (" So it goes.", 0, 0)],
    ),
    "two cited sentences in one block": (
        [("Yes. ", False), ("It is red. It is long.", True), (" So it goes.", False)],
        [("Yes. ", 0, 0), ("It is red. It is long.", 1, 0), (" So it goes.", 0, 0)],
    ),
    "the last sentence": (
        [("It is old. ", False), ("It was struck by lightning twice.", True)],
        [("It is old. ", 0, 0), ("It was struck by lightning twice.", 1, 0)],
    ),
    "a part of a sentence": (
        [("The bridge was ", False), ("struck by lightning twice", True), (". So it goes.", False)],
        [("The bridge was ", 0, 0), ("struck by lightning twice", 1, 0), (". So it goes.", 0, 0)],
    ),
    "a part of a sentence that the evidence supports": (
        [("The Harlan bridge was ", False), ("opened on 4 May 1932 by the mayor", True), (". So it goes.", False)],
        [
            ("The Harlan bridge was ", 0, 1),
            ("opened on 4 May 1932 by the mayor", 1, 1),
            (". So it goes.", 0, 0),
        ],
    ),
    "markers of the model": (
        [(f"{OPENED[:-1]} [1]. ", False), ("It was struck by lightning [2].", True), (" So it goes.", False)],
        [(f"{OPENED} ", 0, 1), ("It was struck by lightning.", 1, 0), (" So it goes.", 0, 0)],
    ),
}


def of_anthropic(blocks: list[Block], rng: Random, chunkings: Chunkings, way: int) -> Answer:
    """Return a stream of the blocks. `way`: how their texts are divided. Citations come before or after the text."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
    events: list[Fields] = [{"type": "message_start", "message": message}]
    for index, (text, is_cited) in enumerate(blocks):
        empty = {"type": "text", "text": "", **({"citations": []} if is_cited else {})}
        deltas: list[Fields] = [{"type": "text_delta", "text": part} for part in [*chunkings(text, rng)][way]]
        if is_cited:
            deltas.insert(rng.choice((0, len(deltas))), {"type": "citations_delta", "citation": CITATION})
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": index},
        ]
    events.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return sse(*[f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events])


async def messages(url: str, extra: Fields, *, stream: bool) -> list[Any]:
    """Return the content blocks of a message."""
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k") as client:
        arguments: Any = {"model": "up/m", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
        if not stream:
            return list((await client.messages.create(**arguments, extra_body=extra)).content)
        async with client.messages.stream(**arguments, extra_body=extra) as events:
            return list((await events.get_final_message()).content)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("case", MESSAGES)
async def test_citations_stay_at_the_text_of_their_block(case: str, stream: bool, chunkings: Chunkings) -> None:
    blocks, expected = MESSAGES[case]
    for way in range(5):
        async with proxy("anthropic", of_anthropic(blocks, Random(case), chunkings, way)) as url:
            content = await messages(url, added("sentence"), stream=stream)
        found = []
        for block in content:
            kinds = [one.type for one in block.citations or ()]
            web = [one for one in block.citations or () if one.type == CITATION["type"]]
            assert all(one.encrypted_index == "abc" for one in web)
            found.append((block.text, len(web), len(kinds) - len(web)))
        assert found == expected


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("case", MESSAGES)
async def test_no_citation_is_lost_if_text_is_sent_at_once(case: str, stream: bool, chunkings: Chunkings) -> None:
    blocks, _ = MESSAGES[case]
    for way in range(5):
        async with proxy("anthropic", of_anthropic(blocks, Random(case), chunkings, way)) as url:
            content = await messages(url, added("live"), stream=stream)
        web = [block for block in content for one in block.citations or () if one.type == CITATION["type"]]
        assert len(web) == 1
        assert "So it goes" not in web[0].text
        assert "".join(block.text for block in content).startswith(blocks[0][0][:8])


@pytest.mark.parametrize("evidence", [True, False], ids=["with evidence", "without evidence"])
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("case", MESSAGES)
async def test_clients_of_other_apis_get_the_pages_at_the_same_words(
    case: str, release: str, stream: bool, evidence: bool, chunkings: Chunkings
) -> None:
    blocks, _ = MESSAGES[case]
    (cited,) = [text for text, is_cited in blocks if is_cited]
    expected = cited.replace(" [2]", "") if evidence else cited
    extra = added(release) if evidence else {}
    for way in range(5):
        async with proxy("anthropic", of_anthropic(blocks, Random(case), chunkings, way)) as url:
            for api in (chat, responses):
                shown, annotations, _ = await api(url, extra, stream=stream)
                covered = [shown[one["start_index"] : one["end_index"]] for one in native(annotations)]
                assert [without_ours(text) for text in covered] == [expected]
            written, supports = await gemini(url, extra, stream=stream)
            segments = [one.segment for one in supports]
            assert [without_ours(one.text) for one in segments] == [expected]
            assert [written[one.start_index or 0 : one.end_index].decode() for one in segments] == [
                one.text for one in segments
            ]


def without_ours(text: str) -> str:
    return text.replace(" [1]", "")
