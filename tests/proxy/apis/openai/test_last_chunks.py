"""The last chunks of a streamed chat completion, as the official SDK receives them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from openai import APIError, AsyncOpenAI

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Break, Server, Step, sse

Fields = dict[str, Any]

PAGE = "https://example.org/harlan"
EVIDENCE: list[Fields] = [
    {
        "id": "report",
        "document_id": "d1",
        "file_name": "report.pdf",
        "title": "Harlan bridge",
        "url": PAGE,
        "chunk_index": 7,
        "page_number": 12,
        "score": 0.5,
        "text": "It was a rainy year. The Harlan bridge was opened on 4 May 1932. The mayor of Harlan cut the ribbon.",
    },
    {"text": "The bridge carries two lanes of traffic and eight railway tracks.", "url": PAGE},
    {"text": "Harlan has 64,000 inhabitants.", "is_generated_artifact": True, "artifact_kind": "town_profile"},
]
PARTS = [
    "The mayor cut a ribbon in Harlan [1]. The Harlan bridge was opened on 4 May 1932 [1]. ",
    "The bridge carries two lanes of traffic [1]. Harlan has 64,000",
]
LAST_PART = " inhabitants."
SHOWN = (
    "The mayor cut a ribbon in Harlan. [1] The Harlan bridge was opened on 4 May 1932. [1] "
    "The bridge carries two lanes of traffic. [2] Harlan has 64,000 inhabitants. [3]"
)
USAGE = {"prompt_tokens": 9, "completion_tokens": 30, "total_tokens": 39}


def event(choices: list[Fields], **more: Any) -> bytes:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": choices, **more}
    return b"data: %s\n\n" % json.dumps(chunk).encode()


def delta(text: str, reason: str | None = None) -> bytes:
    return event([{"index": 0, "delta": {"content": text}, "finish_reason": reason}])


COMPLETE = [*map(delta, PARTS), delta(LAST_PART, "stop"), event([], usage=USAGE), b"data: [DONE]\n\n"]
CUT: list[Step] = [*map(delta, PARTS), Break.CLOSE]


async def send_request(
    steps: Sequence[Step], given: list[Fields] = EVIDENCE, **settings: Any
) -> tuple[list[Fields], APIError | None]:
    """Return the chunks of an answer, and the error that ended it. `settings`: sections of the configuration."""
    chunks: list[Fields] = []
    async with Server(sse(*steps)) as provider:
        own = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "retries": {"most": 0}}
        async with (
            TestServer(make_app(parse({"providers": {"own": own}, **settings}))) as server,
            AsyncOpenAI(base_url=str(server.make_url("/v1")), api_key="k", max_retries=0) as client,
        ):
            stream = await client.chat.completions.create(
                model="own/m",
                messages=[{"role": "user", "content": "What do you know about Harlan?"}],
                stream=True,
                stream_options={"include_usage": True},
                extra_body={"evidence": given},
            )
            try:
                while chunk := await anext(stream, None):
                    chunks.append(chunk.model_dump(exclude_unset=True))
            except APIError as error:
                return chunks, error
    return chunks, None


def text_of(chunks: list[Fields]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


async def test_the_finish_chunk_has_references_and_no_text_even_if_the_providers_has_text() -> None:
    (*texts, finish, _), _ = await send_request(COMPLETE)
    (choice,) = finish["choices"]
    assert (choice["finish_reason"], set(choice["delta"])) == ("stop", {"annotations", "references"})
    assert {"references", "grounding", "citations", "search_results"} <= set(finish)
    assert text_of(texts) == SHOWN
    assert all(one["choices"][0]["finish_reason"] is None for one in texts)


async def test_the_usage_chunk_is_the_providers_own() -> None:
    chunks, _ = await send_request(COMPLETE)
    envelope = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    assert chunks[-1] == {**envelope, "choices": [], "usage": USAGE}


async def test_each_annotation_has_a_link_of_its_own_and_the_place_of_the_first_marker() -> None:
    (*_, finish, _), _ = await send_request(COMPLETE)
    found = [one["url_citation"] for one in finish["choices"][0]["delta"]["annotations"]]
    assert [one["url"] for one in found] == [PAGE, f"{PAGE}#e2", "urn:citestream:evidence:e3"]
    assert finish["citations"] == [one["url"] for one in found]
    assert [SHOWN[one["start_index"] : one["end_index"]] for one in found] == ["[1]", "[2]", "[3]"]
    assert [one["start_index"] for one in found] == [SHOWN.index(one) for one in ("[1]", "[2]", "[3]")]
    assert [one["content"] for one in found] == [one["spans"][0]["quote"] for one in finish["references"]]


async def test_the_first_reference_has_all_fields_of_its_evidence() -> None:
    (*_, finish, _), _ = await send_request(COMPLETE)
    first = finish["references"][0]
    text = EVIDENCE[0]["text"]
    _, best = first["spans"]
    assert first == {
        **{key: value for key, value in EVIDENCE[0].items() if key != "text"},
        "number": 1,
        "evidence_number": 1,
        "chunk_type": "source",
        "label": "Source text",
        "is_generated_artifact": False,
        "artifact_kind": None,
        "row": None,
        "link": f"{PAGE}#page=12",
        "support": best["support"],
        "snippet": best["quote"],
        "snippet_start": best["quote_start"],
        "snippet_end": best["quote_end"],
        "selector": {
            "exact": best["quote"],
            "prefix": "It was a rainy year. ",
            "suffix": text[best["quote_end"] :][:32],
        },
        "spans": first["spans"],
    }
    assert best["support"] == max(span["support"] for span in first["spans"])
    assert [SHOWN[span["start"] : span["end"]] for span in first["spans"]] == [
        "The mayor cut a ribbon in Harlan.",
        "The Harlan bridge was opened on 4 May 1932.",
    ]
    assert [span["quote"] for span in first["spans"]] == [
        "The mayor of Harlan cut the ribbon.",
        "The Harlan bridge was opened on 4 May 1932.",
    ]
    assert all(span["quote"] == text[span["quote_start"] : span["quote_end"]] for span in first["spans"])


async def test_the_other_references_have_null_for_what_their_evidence_lacks() -> None:
    (*_, finish, _), _ = await send_request(COMPLETE)
    first, second, third = finish["references"]
    assert set(first) == set(second) == set(third)
    assert (second["id"], second["file_name"], second["title"], second["page_number"]) == ("e2", None, None, None)
    assert (third["url"], third["label"], third["artifact_kind"]) == (None, "Generated town profile", "town_profile")


async def test_the_grounding_report_has_these_fields() -> None:
    (*_, finish, _), _ = await send_request(COMPLETE)
    grounding = finish["grounding"]
    assert grounding.pop("timings_ms")
    verdicts = grounding.pop("verdicts")
    assert [one["verdict"] for one in verdicts] == ["supported"] * 4
    assert verdicts[0].keys() == {"choice", "start", "end", "verdict", "evidence", "conflict"}
    assert grounding == {
        "claims": 4,
        "supported": 4,
        "supported_share": 1.0,
        "abstained": [],
        "unsupported": [],
        "rejected": [{"choice": 0, "number": 1, "reason": "number_mismatch"}],
        "quotations": [],
        "indirect": 1,
        "scorer": "lexical",
        "degraded": False,
        "evidence": {"received": 3, "injected": 3, "dropped": 0},
    }


async def test_evidence_without_room_in_the_prompt_is_counted_and_not_cited() -> None:
    long = {"text": "Harlan has nine harbours. " * 200}
    steps = [*map(delta, PARTS), delta(LAST_PART + " Harlan has nine harbours [4].", "stop"), b"data: [DONE]\n\n"]
    (*texts, finish), _ = await send_request(steps, [*EVIDENCE, long], evidence={"max_tokens": 1_000})
    assert text_of(texts) == f"{SHOWN} Harlan has nine harbours."
    assert finish["grounding"]["evidence"] == {"received": 4, "injected": 3, "dropped": 1}
    assert {"choice": 0, "number": 4, "reason": "unknown_number"} in finish["grounding"]["rejected"]


async def test_the_configuration_names_the_labels_and_the_note_on_unsupported_sentences() -> None:
    steps = [*map(delta, PARTS), delta(LAST_PART + " It has nine harbours.", "stop"), b"data: [DONE]\n\n"]
    (*texts, finish), _ = await send_request(
        steps,
        evidence={"labels": {"source": "Excerpt", "town_profile": "Portrait of a town"}},
        citations={"unsupported": "flag", "unsupported_note": "(no proof)"},
    )
    assert text_of(texts) == f"{SHOWN} It has nine harbours. (no proof)"
    assert [one["label"] for one in finish["references"]] == ["Excerpt", "Excerpt", "Portrait of a town"]


async def test_an_answer_that_breaks_off_ends_with_its_references_and_an_error() -> None:
    (*texts, last), error = await send_request(CUT)
    assert text_of([*texts, last]) == SHOWN.removesuffix(" inhabitants. [3]")
    (choice,) = last["choices"]
    assert (choice["finish_reason"], set(choice["delta"])) == (None, {"annotations", "references"})
    assert [one["number"] for one in last["references"]] == [1, 2]
    assert last["grounding"]["claims"] == 3
    assert error is not None
    assert error.code == "incomplete_answer"


@pytest.mark.parametrize("steps", [COMPLETE, CUT], ids=["complete", "cut"])
async def test_an_answer_without_citations_has_empty_lists(steps: Sequence[Step]) -> None:
    chunks, _ = await send_request(steps, [{"text": "Bananas grow in the tropics."}])
    (last,) = [chunk for chunk in chunks if "references" in chunk]
    delta = last["choices"][0]["delta"]
    assert (last["references"], last["citations"], delta["references"], delta["annotations"]) == ([], [], [], [])
