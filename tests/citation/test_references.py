"""References: numbering, spans, quotes, and unique and safe links."""

from dataclasses import replace
from typing import Any

import pytest

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.references import Reference, Span, unique_links
from citestream.citation.support.decision import Decision, Status, Support

EVIDENCE = (
    Evidence(1, "Alpha is first. " * 3, "a", title="Alpha", url="https://ex.org/a"),
    Evidence(2, "Beta is second.", "b", file_name="beta.pdf", page_number=3, score=0.5),
    Evidence(3, "Gamma is third.", "c", is_generated_artifact=True, artifact_kind="book-club profile"),
)


def support(number: int, score: float = 0.9, start: int = 0, end: int = 5) -> Support:
    return Support(number, score, Status.ADDED, start, end)


def cited(*decisions: tuple[int, ...], text: str = "", options: Options | None = None) -> tuple[str, dict[str, Any]]:
    """Return an answer whose sentences are supported by these evidence numbers, one each."""
    response = Response(EVIDENCE, options or Options())
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    text = text or " ".join(
        f"This is statement number {'one' if i else 'zero'} of them." for i, _ in enumerate(decisions)
    )
    pieces, left = "", list(decisions)
    for draft in answer.feed(text) + answer.flush():
        numbers = left.pop(0) if draft.claim is not None and left else ()
        pieces += answer.cite(draft, Decision(tuple(support(number) for number in numbers)))
    return pieces, response.choice_fields(0) | response.response_fields()


def test_numbers_count_from_one_in_the_order_of_first_use() -> None:
    text, fields = cited((3,), (1,), (3,))
    assert [part[:3] for part in text.split(". ")[1:]] == ["[1]", "[2]", "[1]"]
    assert [(r["number"], r["evidence_number"]) for r in fields["references"]] == [(1, 3), (2, 1)]


def test_numbers_can_be_those_of_the_evidence() -> None:
    text, fields = cited((3,), (1,), options=Options(numbering="evidence"))
    assert "[3]" in text
    assert [(r["number"], r["evidence_number"]) for r in fields["references"]] == [(1, 1), (3, 3)]
    assert len(fields["citations"]) == 3  # clients expect number 3 in the third place


def test_several_markers_are_ordered_best_first() -> None:
    text, fields = cited((2, 1))
    assert text.endswith(". [1][2]")
    assert [r["evidence_number"] for r in fields["references"]] == [2, 1]


def test_one_reference_has_every_sentence_it_supports() -> None:
    text, fields = cited((2,), (2,))
    (reference,) = fields["references"]
    assert [text[span["start"] : span["end"]] for span in reference["spans"]] == [
        "This is statement number zero of them.",
        "This is statement number one of them.",
    ]
    assert len(fields["annotations"]) == 1


def test_brackets_in_code_are_not_references() -> None:
    text, fields = cited((2,), text="```\nx[1] = y[2]\n```\nThis is a statement that stands alone.")
    assert text.startswith("```\nx[1] = y[2]\n```\n")
    assert [r["number"] for r in fields["references"]] == [1]


def test_without_citations_all_lists_are_empty() -> None:
    _, fields = cited((), ())
    assert (fields["references"], fields["annotations"], fields["citations"], fields["search_results"]) == (
        [],
        [],
        [],
        [],
    )


def test_missing_values_are_null() -> None:
    _, fields = cited((2,), (3,))
    first, second = fields["references"]
    assert set(first) == set(second)
    assert (first["url"], first["title"], first["page_number"], first["label"]) == (None, None, 3, "Source text")
    assert second["label"] == "Generated book-club profile"
    assert fields["grounding"]["indirect"] == 1


def test_the_snippet_is_the_best_quote_without_surrounding_space() -> None:
    response = Response(EVIDENCE, Options())
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    for draft, found in zip(
        answer.feed("This is the first statement. This is the second one.") + answer.flush(),
        (support(1, 0.6, 0, 5), support(1, 0.8, 15, 32)),
        strict=True,
    ):
        answer.cite(draft, Decision((found,)))
    (reference,) = response.references.as_list()
    assert (reference["snippet"], reference["support"]) == ("Alpha is first.", 0.8)
    assert EVIDENCE[0].text[reference["snippet_start"] : reference["snippet_end"]] == reference["snippet"]


def test_of_equally_supported_sentences_the_first_has_the_snippet() -> None:
    reference = Reference(1, EVIDENCE[0])
    for place in range(2):
        reference.add(Span(0, 0, 9, 0.8, Status.ADDED, (0, 9), (16 * place, 16 * place + 15)))
    assert reference.snippet == (0, 15)


def test_each_cited_sentence_has_its_own_passage() -> None:
    text = "The harbour bridge was opened in 1932. It rained on that day. Eight lanes of traffic cross the bridge."
    cited = cite("Eight lanes of traffic cross the bridge. The bridge was opened in 1932.", [Evidence(1, text, "e1")])
    (reference,) = cited.fields["references"]
    assert [(span["quote"], text[span["quote_start"] : span["quote_end"]]) for span in reference["spans"]] == [
        ("Eight lanes of traffic cross the bridge.",) * 2,
        ("The harbour bridge was opened in 1932.",) * 2,
    ]
    best = max(reference["spans"], key=lambda span: span["support"])
    assert (reference["snippet"], reference["support"]) == (best["quote"], best["support"])
    (annotation,) = cited.fields["annotations"]
    assert annotation["url_citation"]["content"] == reference["spans"][0]["quote"], "the passage of its first marker"


LINKS = {
    "two links to one page": (["https://ex.org/a", "https://ex.org/a"], ["https://ex.org/a", "https://ex.org/a#e2"]),
    "two links to one anchor of a page": (
        ["https://ex.org/#x", "https://ex.org/#x"],
        ["https://ex.org/#x", "urn:citestream:evidence:e2"],
    ),
    "none": ([None, ""], ["urn:citestream:evidence:e1", "urn:citestream:evidence:e2"]),
    "a script": (["javascript:alert(1)"], ["urn:citestream:evidence:e1"]),
    "data": (["data:text/html,x"], ["urn:citestream:evidence:e1"]),
    "capitals": (["HTTPS://EX.org"], ["HTTPS://EX.org"]),
}


@pytest.mark.parametrize(("urls", "expected"), LINKS.values(), ids=LINKS)
def test_links_are_not_empty_unique_and_safe(urls: list[str | None], expected: list[str]) -> None:
    evidence = [Evidence(number, "x", f"e{number}", url=url) for number, url in enumerate(urls, 1)]
    assert list(unique_links(evidence).values()) == expected


def test_special_characters_of_an_id_are_escaped_in_the_urn() -> None:
    (link,) = unique_links([Evidence(1, "x", "a b/ü")]).values()
    assert link == "urn:citestream:evidence:a%20b%2F%C3%BC"


def test_each_span_and_the_reference_have_a_link_to_their_passage() -> None:
    text = "The harbour bridge was opened in 1932. It rained on that day. Eight lanes of traffic cross the bridge."
    answer = "Eight lanes of traffic cross the bridge. The bridge was opened in 1932."
    (reference,) = cite(answer, [Evidence(1, text, "e1", url="https://ex.org/a")]).fields["references"]
    lanes, opened = reference["spans"]
    assert lanes["link"] == "https://ex.org/a#:~:text=Eight%20lanes%20of%20traffic%20cross%20the%20bridge."
    assert opened["link"] == "https://ex.org/a#:~:text=The%20harbour%20bridge%20was%20opened%20in%201932."
    best = max(reference["spans"], key=lambda span: span["support"])
    assert reference["link"] == best["link"]
    assert reference["selector"]["exact"] == reference["snippet"] == best["quote"]


def test_without_an_address_the_link_is_the_page_of_the_passage_or_null() -> None:
    _, fields = cited((2,))
    assert (fields["references"][0]["link"], fields["references"][0]["spans"][0]["link"]) == (None, None)
    assert "link" not in fields["annotations"][0]["url_citation"]
    references = Response(EVIDENCE, Options(), passage_link=lambda number: f"https://c.org/{number}").references
    references.add(2, Span(0, 0, 9, 0.8, Status.ADDED, (0, 9), (0, 4)))
    assert references.as_list()[0]["link"] == "https://c.org/2"


STYLES: dict[str, tuple[Options, str]] = {
    "number": (Options(), ". [1]"),
    "before": (Options(placement="before"), " [1]."),
    "link": (Options(marker="link"), ". [[1]](https://ex.org/a)"),
    "ragflow": (Options(marker="ragflow"), ". [ID:0]"),
    "name": (Options(marker="name"), ". [Alpha](https://ex.org/a)"),
    "none": (Options(marker="none"), "."),
}


@pytest.mark.parametrize(("options", "end"), STYLES.values(), ids=STYLES)
def test_annotation_covers_the_marker_in_every_style(options: Options, end: str) -> None:
    text, fields = cited((1,), options=options)
    assert text.endswith(f"of them{end}")
    found = fields["annotations"][0]["url_citation"]
    marked = text[found["start_index"] : found["end_index"]]
    assert marked == (end.strip(". ") if options.marker != "none" else text)


@pytest.mark.parametrize(("options", "end"), STYLES.values(), ids=STYLES)
def test_annotation_covers_the_claim_in_every_style(options: Options, end: str) -> None:
    text, fields = cited((1,), (1,), options=replace(options, annotation_span="claim"))
    found = fields["annotations"][0]["url_citation"]
    span = fields["references"][0]["spans"][0]
    claim = text[found["start_index"] : found["end_index"]]
    assert claim == text[span["start"] : span["end"]]
    assert claim == f"This is statement number zero of them{end if options.placement == 'before' else '.'}"
