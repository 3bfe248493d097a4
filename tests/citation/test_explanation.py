"""Explanations agree with the citations and contain the deciding reason."""

import json
from collections.abc import Sequence

import pytest

from citestream.citation import Evidence, Options, cite
from citestream.citation.answers.response import Response
from citestream.citation.cite import drafts_of, scored
from citestream.citation.explanation import Explained, explain_drafts
from citestream.citation.support.scorers import scorer

TEXT = "# Bridge\n\nThe Harlan bridge was opened on 4 May 1932. [2] It was opened in 1999. [1] [7] Hello!\n"
EVIDENCE = (
    Evidence(1, "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan.", "e1"),
    Evidence(2, "Bananas grow in the tropics.", "e2"),
)


def explain_text(text: str, evidence: Sequence[Evidence], options: Options) -> list[Explained]:
    """Explain what `cite` decides about this text."""
    prepared = scorer(options.scorer).prepare(evidence)
    drafts = drafts_of(Response(evidence, options).answer(0), text)
    scores = scored([draft.claim for draft in drafts], prepared, options.strictness)
    return explain_drafts(drafts, scores, prepared, options.max_per_sentence)


def test_every_sentence_is_explained_as_it_is_cited() -> None:
    explained = explain_text(TEXT, EVIDENCE, Options())
    cited = cite(TEXT, EVIDENCE)
    assert [tuple(support.number for support in supports) for supports in cited.supports] == [
        tuple(verdict.number for verdict in one.verdicts if verdict.cited) for one in explained
    ]
    claims = [one for one in explained if one.verdicts]
    assert [(one.text.strip(), one.cited, one.unknown) for one in claims] == [
        ("The Harlan bridge was opened on 4 May 1932.", (2,), ()),
        ("It was opened in 1999.", (1,), (7,)),
    ]
    assert all(len(one.verdicts) == len(EVIDENCE) for one in claims)


def test_an_explanation_contains_the_deciding_reason() -> None:
    right, wrong = (one.verdicts[0] for one in explain_text(TEXT, EVIDENCE, Options()) if one.verdicts)
    assert right.summary == "supports"
    assert wrong.findings
    assert wrong.as_dict()["threshold"] == wrong.threshold > 0
    assert "1999" in wrong.findings[0].detail


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("The Harlan bridge never carried railway tracks.", "only the sentence denies it: “never carried”"),
        ("Traffic rose from 9 % to 4 %.", "the passage says 4 % to 9 %, not 9 % to 4 %"),
    ],
)
def test_a_refusal_quotes_the_text(text: str, detail: str) -> None:
    evidence = [Evidence(1, "The Harlan bridge carried railway tracks. Traffic rose from 4 % to 9 %.", "e1")]
    (claim,) = (one for one in explain_text(text, evidence, Options()) if one.verdicts)
    assert claim.verdicts[0].findings[0].detail == detail


def test_an_explanation_is_valid_json() -> None:
    decoded = json.loads(json.dumps([one.as_dict() for one in explain_text(TEXT, EVIDENCE, Options())]))
    claims = [one for one in decoded if one["claim"]]
    assert claims[1]["evidence"][0]["gate"]["reason"] == "number_mismatch"
    assert claims[0]["evidence"][0]["features"]


def test_explanations_do_not_change_decisions() -> None:
    plain = cite(TEXT, EVIDENCE)
    cited = cite(TEXT, EVIDENCE, Options(explain=True))
    explained = cited.fields.pop("explained")
    assert (cited.text, cited.supports, cited.fields) == (plain.text, plain.supports, plain.fields)
    assert [one["text"] for one in explained["evidence"]] == [one.text for one in EVIDENCE]
    claims = explained["claims"]
    assert [cited.text[claim["start"] : claim["end"]] for claim in claims] == [
        "The Harlan bridge was opened on 4 May 1932.",
        "It was opened in 1999.",
    ]
    assert [[one["evidence_number"] for one in claim["evidence"] if one["cited"]] for claim in claims] == [[1], []]
    assert claims[1]["evidence"][0]["gate"]["reason"] == "number_mismatch"
