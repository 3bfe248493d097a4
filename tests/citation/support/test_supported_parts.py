"""The parts of a sentence that each of several excerpts supports."""

from itertools import chain
from random import Random

import pytest

from citestream.citation import Options
from citestream.citation.answers.response import Response
from citestream.citation.cite import decide, scored
from citestream.citation.evidence import Evidence
from citestream.citation.support.features.index import Index
from citestream.citation.support.scorers import scorer
from citestream.citation.support.supported_parts import supported_parts
from tests.conftest import Chunkings

PUMP = "The pump weighs 12 kg. It is painted blue."
VALVE = "The valve costs 40 euros. Delivery takes two days."

# claim, passages, and the parts of the claim that each of them supports
PARTS: dict[str, tuple[str, list[str], list[list[str]]]] = {
    "two clauses rest on two excerpts": (
        "The pump weighs 12 kg and the valve costs 40 euros.",
        [PUMP, VALVE],
        [["pump weighs 12 kg"], ["valve costs 40 euros"]],
    ),
    "both excerpts support all of it": (
        "The pump weighs 12 kg.",
        [PUMP, f"{PUMP} The box is red."],
        [["pump weighs 12 kg"], ["pump weighs 12 kg"]],
    ),
    "an excerpt supports two parts": (
        "The pump weighs 12 kg, the valve costs 40 euros, and the pump is painted blue.",
        [PUMP, VALVE],
        [["pump weighs 12 kg", "pump is painted blue"], ["valve costs 40 euros"]],
    ),
    "words that no excerpt has do not divide a part": (
        "The pump reportedly weighs 12 kg, whereas the valve costs 40 euros.",
        [PUMP, VALVE],
        [["pump reportedly weighs 12 kg"], ["valve costs 40 euros"]],
    ),
    "an excerpt has nothing in common with it": (
        "The pump weighs 12 kg.",
        [PUMP, "Rain fell on Oslo."],
        [["pump weighs 12 kg"], []],
    ),
    "the language has no spaces": (
        "水泵重12公斤，阀门售价40欧元。",
        ["水泵重12公斤。", "阀门售价40欧元。"],
        [["水泵重12公斤"], ["阀门售价40欧元"]],
    ),
}


@pytest.mark.parametrize("case", PARTS)
def test_each_excerpt_supports_its_parts_if(case: str) -> None:
    claim, passages, expected = PARTS[case]
    index = Index([Evidence(number, text, f"e{number}") for number, text in enumerate(passages, 1)])
    spans = [supported_parts(claim, index, row, 0, len(text)) for row, text in enumerate(passages)]
    assert [[claim[start:end] for start, end in parts] for parts in spans] == expected


def covers_of(deltas: list[str], passages: list[str]) -> dict[int, list[str] | None]:
    """Return the texts of `covers` of the first sentence, by the number of the evidence."""
    evidence = [Evidence(number, text, f"e{number}") for number, text in enumerate(passages, 1)]
    response, prepared = Response(evidence, Options()), scorer("lexical").prepare(evidence)
    answer = response.answer(0)
    drafts = [*chain.from_iterable(map(answer.feed, deltas)), *answer.flush()]
    scores = scored([draft.claim for draft in drafts], prepared)
    shown = "".join(
        answer.cite(draft, decide(draft, of_draft, prepared, Options()))
        for draft, of_draft in zip(drafts, scores, strict=True)
    )
    covers: dict[int, list[str] | None] = {}
    for reference in response.response_fields()["references"]:
        parts = reference["spans"][0]["covers"]
        covers[reference["evidence_number"]] = parts and [shown[start:end] for start, end in parts]
    return covers


JOINT = "The pump weighs 12 kg and the valve costs 40 euros [1][2]."


def test_covers_locates_the_parts_in_the_shown_text() -> None:
    assert covers_of([f"Here is a summary.\n\n- **Data:** {JOINT}"], [PUMP, VALVE]) == {
        1: ["pump weighs 12 kg"],
        2: ["valve costs 40 euros"],
    }


def test_covers_is_null_for_a_sentence_with_one_citation() -> None:
    assert covers_of(["The pump weighs 12 kg [1]."], [PUMP, VALVE]) == {1: None}


def test_covers_does_not_depend_on_the_deltas(chunkings: Chunkings) -> None:
    for deltas in chunkings(JOINT, Random(0)):
        assert covers_of(deltas, [PUMP, VALVE]) == {1: ["pump weighs 12 kg"], 2: ["valve costs 40 euros"]}


def test_covers_of_a_value_in_json_is_the_value() -> None:
    text = '{"summary": "The pump weighs 12 kg and the valve costs 40 euros [1][2]."}'
    assert covers_of([text], [PUMP, VALVE]) == {1: [text[13:-2]], 2: [text[13:-2]]}
