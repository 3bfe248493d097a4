"""Sentences of a passage: repetitions of the claim, which need no comparison, and very long sentences."""

import pytest

from citestream.citation.support.gates.statements import repeats, statement
from citestream.citation.text import analyze_text

CLAIM = "The bridge opened in 1932."


@pytest.mark.parametrize(
    ("sentences", "claim", "expected"),
    [
        (["It rained. ", f"{CLAIM} "], CLAIM, True),
        ([f"{CLAIM}\n"], f"{CLAIM} ", True),
        (["The bridge opened in 1933."], CLAIM, False),
        ([f"It is false that {CLAIM[0].lower()}{CLAIM[1:]}"], CLAIM, False),
        (["Did it open in 1932? "], "Did it open in 1932?", False),
        (["这座桥是1932年通车的吗。"], "这座桥是1932年通车的吗。", False),
        (["| bridge | 1932 |\n"], "| bridge | 1932 |", False),
        (["1. The bridge opened in 1932.\n"], "1. The bridge opened in 1932.", False),
        ([], CLAIM, False),
    ],
)
def test_only_an_equal_statement_repeats_a_claim(sentences: list[str], claim: str, expected: bool) -> None:
    text, spans = "", []
    for sentence in sentences:
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence
    assert repeats(text, spans, claim) is expected


def test_the_end_of_a_very_long_sentence_is_not_parsed() -> None:
    text = f"In 1932, {'the pumps and ' * 200}the bridge carried twelve trains in the morning."
    parsed = statement(text, 0, len(text), "en", analyze_text(text, "en").quantities)
    assert [q.values for q in parsed.quantities] == [(1932.0,)]
