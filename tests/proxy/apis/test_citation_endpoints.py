"""`POST /v1/cite` and the function of the library: finished texts, and lists of sentences."""

import asyncio
from socket import socket
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.citation import Evidence, cite
from citestream.citation.options import Options
from citestream.proxy.config import Config, EvidenceConfig, ProviderConfig, ScoringConfig
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.cite_text import score_text

TEXT = "The Harlan bridge was opened on 4 May 1932 [2]. It carries two lanes and eight railway tracks. I like it."
EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."},
    {"text": "The bridge carries two lanes of traffic and eight railway tracks."},
]


async def answered(body: object, config: Config | None = None) -> tuple[int, dict[str, object]]:
    config = config or Config(providers={"extractive": ProviderConfig(kind="extractive")})
    async with TestClient(TestServer(make_app(config))) as client, client.post("/v1/cite", json=body) as answer:
        return answer.status, await answer.json()


async def test_a_text_gets_markers_references_and_grounding() -> None:
    status, body = await answered({"text": TEXT, "evidence": EVIDENCE})
    assert status == 200
    assert body["text"] == (
        "The Harlan bridge was opened on 4 May 1932. [1] It carries two lanes and eight railway tracks. [2] I like it."
    )
    assert {"references", "grounding", "citations", "search_results", "annotations"} <= set(body)
    grounding = body["grounding"]
    assert isinstance(grounding, dict)
    assert [rejection["number"] for rejection in grounding["rejected"]] == [2]


async def test_sentences_get_their_supports_one_by_one() -> None:
    sentences = [
        "The Harlan bridge was opened on 4 May 1932.",
        "It was opened in 1999.",
        "The bridge carries two lanes.",
    ]
    status, body = await answered({"sentences": sentences, "evidence": EVIDENCE})
    assert status == 200
    supports = body["supports"]
    assert isinstance(supports, list)
    assert [[support["evidence_number"] for support in found] for found in supports] == [[1], [], [2]]
    (first,) = supports[0]
    assert set(first) == {"evidence_number", "support", "status", "quote", "quote_start", "quote_end"}
    text = EVIDENCE[0]["text"]
    assert first["quote"] == text[first["quote_start"] : first["quote_end"]]
    assert body["text"] == f"{sentences[0]} [1] {sentences[1]} {sentences[2]} [2]"


async def test_sentences_that_are_headings_or_code_make_no_claim() -> None:
    sentences = [
        "# The Harlan bridge was opened on 4 May 1932\n\n",
        "The Harlan bridge was opened on 4 May 1932.\n\n",
        "- The bridge carries two lanes.\n\n",
        "```\nThe Harlan bridge was opened on 4 May 1932.\n```\n",
    ]
    _, body = await answered({"sentences": sentences, "evidence": EVIDENCE})
    supports = body["supports"]
    assert isinstance(supports, list)
    assert [[support["evidence_number"] for support in found] for found in supports] == [[], [1], [2], []]
    assert body["text"] == "".join(
        [sentences[0], sentences[1].replace(".", ". [1]"), sentences[2].replace(".", ". [2]"), sentences[3]]
    )


async def test_references_have_the_labels_of_the_configuration() -> None:
    config = Config(
        providers={"extractive": ProviderConfig(kind="extractive")},
        evidence=EvidenceConfig(labels={"source": "Excerpt"}),
    )
    _, body = await answered({"text": TEXT, "evidence": EVIDENCE}, config)
    references = body["references"]
    assert isinstance(references, list)
    assert [one["label"] for one in references] == ["Excerpt", "Excerpt"]


async def test_the_question_does_not_change_the_citations() -> None:
    request_fields = {"text": TEXT, "evidence": EVIDENCE}
    answers = [await answered({**request_fields, **more}) for more in ({}, {"question": "When?"}, {"question": None})]
    texts = [(status, body["text"], body["references"]) for status, body in answers]
    assert texts[0] == texts[1] == texts[2]


async def test_an_unknown_field_lists_all_fields() -> None:
    _, answer = await answered({"text": "a", "evidence": EVIDENCE, "retrieval": {}})
    error = answer["error"]
    assert isinstance(error, dict)
    assert error["message"].startswith("retrieval: is not a field of this request")
    assert error["message"].endswith("citations, documents, evidence, query_config, question, sentences, text")


async def test_the_error_names_the_wrong_field() -> None:
    for body, param in (
        ({"evidence": EVIDENCE}, "text"),
        ({"text": "a", "sentences": ["a"], "evidence": EVIDENCE}, "text"),
        ({"sentences": [1], "evidence": EVIDENCE}, "sentences[0]"),
        ({"text": "a"}, "evidence"),
        ({"text": "a", "evidence": EVIDENCE, "txet": 1}, "txet"),
        ({"text": "a", "evidence": EVIDENCE, "question": 1}, "question"),
        ({"text": None, "evidence": EVIDENCE}, "text"),
        ({"sentences": "a", "evidence": EVIDENCE}, "sentences"),
        ({"text": "a", "evidence": [{"text": ""}]}, "evidence[0].text"),
        ({"text": "a", "evidence": [{"text": "a"}] * 201}, "evidence"),
        ({"text": "a", "evidence": EVIDENCE, "citations": {"scorer": "psychic"}}, "citations.scorer"),
    ):
        status, answer = await answered(body)
        assert status == 400
        error = answer["error"]
        assert isinstance(error, dict)
        assert error["param"] == param


async def test_every_sentence_has_a_list_of_supports() -> None:
    sentences = ["", " ", "```", "Bananas are\nyellow. They are sweet.", "The bridge carries two lanes. [7]", "Is it?"]
    status, body = await answered({"sentences": sentences, "evidence": EVIDENCE})
    assert status == 200
    supports = body["supports"]
    assert isinstance(supports, list)
    assert [bool(found) for found in supports] == [False] * 4 + [True, False]


async def test_a_text_without_claims_has_empty_references() -> None:
    for text, supports in (({"text": ""}, None), ({"sentences": []}, []), ({"text": "Hello!"}, None)):
        status, body = await answered({**text, "evidence": EVIDENCE})
        assert status == 200
        assert body["references"] == []
        assert body.get("supports") == supports


async def test_options_and_documents_are_accepted_as_in_a_completion() -> None:
    status, body = await answered(
        {
            "text": "The bridge carries two lanes.",
            "documents": ["The bridge carries two lanes of traffic."],
            "citations": {"marker": "ragflow", "dialect": "ragflow", "references_in_text": True},
            "question": "How many lanes?",
        }
    )
    assert status == 200
    assert str(body["text"]).startswith("The bridge carries two lanes. [ID:0]")
    assert len(str(body["text"])) > 60
    assert "reference" in body


async def test_a_long_text_does_not_delay_other_requests() -> None:
    sentence = "The bridge carries two lanes of traffic and eight railway tracks. "
    config = Config(providers={"extractive": ProviderConfig(kind="extractive")})
    async with TestClient(TestServer(make_app(config))) as client, asyncio.TaskGroup() as tasks:
        long = tasks.create_task(_text(client, {"text": sentence * 1500, "evidence": EVIDENCE}))
        other_answers = 0
        while not long.done():
            async with client.get("/healthz") as alive:
                assert alive.status == 200
            other_answers += 1
        assert long.result().count(" [1]") == 1500
        assert other_answers > 5, "other requests are answered between the steps"  # 1 or 2 without steps


async def _text(client: TestClient[Any, Any], body: object) -> str:
    async with client.post("/v1/cite", json=body) as answer:
        return str((await answer.json())["text"])


@pytest.mark.parametrize("length", [1, 1000, 20_000, 20_001])
async def test_the_server_and_the_library_cite_a_text_in_the_same_way(length: int) -> None:
    text = (TEXT + "\n\n" + "x" * 700 + " ") * 40
    evidence = tuple(Evidence(number, entry["text"], f"e{number}") for number, entry in enumerate(EVIDENCE, 1))
    cited = await (await score_text(text[:length], evidence, Options())).cited()
    alone = cite(text[:length], evidence)
    assert (cited.text, cited.supports) == (alone.text, alone.supports)


def test_the_library_cites_in_one_call() -> None:
    evidence = [Evidence(number, entry["text"], f"e{number}") for number, entry in enumerate(EVIDENCE, 1)]
    cited = cite(TEXT, evidence)
    assert cited.text.startswith("The Harlan bridge was opened on 4 May 1932. [1] It")
    assert [reference["evidence_number"] for reference in cited.fields["references"]] == [1, 2]


async def test_a_scorer_without_its_embedder_is_reported_as_degraded() -> None:
    with socket() as not_listening:  # bound, but it accepts no connections
        not_listening.bind(("127.0.0.1", 0))
        unreachable = ProviderConfig(kind="ollama", base_url=f"http://127.0.0.1:{not_listening.getsockname()[1]}")
        config = Config(providers={"unreachable": unreachable}, scoring=ScoringConfig(embedder="unreachable/a-model"))
        request = {"text": TEXT, "evidence": EVIDENCE, "citations": {"scorer": "ragflow"}}
        _, body = await answered(request, config)
    grounding = body["grounding"]
    assert isinstance(grounding, dict)
    assert (grounding["scorer"], grounding["degraded"]) == ("ragflow", True)  # without an embedder, tokens decide
