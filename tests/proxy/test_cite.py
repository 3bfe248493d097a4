"""`POST /v1/cite` and the library's own call: finished texts, sentences already cut."""

from aiohttp.test_utils import TestClient, TestServer

from citation import Evidence, cite
from proxy.app import make_app
from proxy.config import Config, ProviderConfig

TEXT = "The Harlan bridge was opened on 4 May 1932 [2]. It carries two lanes and eight railway tracks. I like it."
EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."},
    {"text": "The bridge carries two lanes of traffic and eight railway tracks."},
]


async def answered(body: object) -> tuple[int, dict[str, object]]:
    config = Config(providers={"extractive": ProviderConfig(kind="extractive")})
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
    assert {"evidence_number", "support", "status"} == set(supports[0][0])
    assert body["text"] == f"{sentences[0]} [1] {sentences[1]} {sentences[2]} [2]"


async def test_what_is_wrong_is_named() -> None:
    for body, param in (
        ({"evidence": EVIDENCE}, "text"),
        ({"text": "a", "sentences": ["a"], "evidence": EVIDENCE}, "text"),
        ({"sentences": [1], "evidence": EVIDENCE}, "sentences[0]"),
        ({"text": "a"}, "evidence"),
        ({"text": "a", "evidence": EVIDENCE, "txet": 1}, "txet"),
    ):
        status, answer = await answered(body)
        assert status == 400
        error = answer["error"]
        assert isinstance(error, dict)
        assert error["param"] == param


def test_the_library_cites_in_one_call() -> None:
    evidence = [Evidence(number, entry["text"], f"e{number}") for number, entry in enumerate(EVIDENCE, 1)]
    cited = cite(TEXT, evidence)
    assert cited.text.startswith("The Harlan bridge was opened on 4 May 1932. [1] It")
    assert [reference["evidence_number"] for reference in cited.fields["references"]] == [1, 2]
