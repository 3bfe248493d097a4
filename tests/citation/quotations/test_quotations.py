"""Which text is a quotation, where it is, and what its comparison with the evidence reports."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream import Evidence, Options, Response, cite
from citestream.citation.answers.draft import UNDECIDED
from tests.conftest import Chunkings

TEXT = "Copper lines the well-known roof of the old mint, which burned on 3 May 1841. It was rebuilt with 40 windows."
EVIDENCE = (Evidence(1, TEXT, "e1"), Evidence(2, "The keeper wrote: “No storm has ever reached the upper lamp.”", "e2"))

# A text, and the quotations in it
QUOTATIONS: dict[str, tuple[str, list[str]]] = {
    "text in straight marks": ('It says "a roof of green copper" there.', ["a roof of green copper"]),
    "text that ends with its own mark": ('It says "a roof of green copper."', ["a roof of green copper."]),
    "a quotation over two sentences": (
        'He said: "It burned down. It was rebuilt."',
        ["It burned down. It was rebuilt."],
    ),
    "the outer of two quotations": ("«He said “never again” to them all»", ["He said “never again” to them all"]),
    "German marks that point inwards": ("Er sagt »ein Dach aus Kupfer« dazu.", ["ein Dach aus Kupfer"]),
    "Swedish marks that both close": ("Han säger ”ett tak av koppar” här.", ["ett tak av koppar"]),
    "marks inside emphasis": ('It says **"a roof of green copper"** there.', ["a roof of green copper"]),
    "marks in a list item": ('- the "roof of green copper" is old\n- so is the wall\n', ["roof of green copper"]),
    "an apostrophe does not close": ("He wrote ‘the mint’s old copper roof’ here.", ["the mint’s old copper roof"]),
    "a block quotation": ("> A tower of\n> green glass.\n", ["A tower of\n> green glass."]),
    "two paragraphs of a block quotation": (
        "> A roof of copper.\n>\n> It burned down.\n",
        ["A roof of copper.", "It burned down."],
    ),
    "a block quotation without its source": ("> A roof of copper.\n> — The Mint, 1900\n", ["A roof of copper."]),
    "a callout is no quotation": ("> [!NOTE]\n> The roof has copper.\n", []),
    "a labelled note is no quotation": ("> **Note:** The roof has copper.\n", []),
    "an opening mark without another": ('It says "a roof of green copper and goes on.', []),
    "a mark does not pair with one of the next paragraph": ('It is "open and long.\n\nIt is closed" and long.', []),
    "a mark does not pair with one of the next item": ('- a "roof of\n- green copper" is old\n', []),
    "text in inline code": ('Run `print "a roof of green copper"` now.', []),
    "text in a block of code": ('```\nprint "a roof of green copper"\n```\n', []),
    "apostrophes are no marks": ("It's the mint's roof, isn't it? The keepers' lamp burns.", []),
    "a decade and a plural are no marks": ("In the '30s and the keepers' years it burned.", []),
}


@pytest.mark.parametrize(("text", "expected"), QUOTATIONS.values(), ids=QUOTATIONS)
def test_the_text_of_each_quotation(text: str, expected: list[str]) -> None:
    assert quoted(cite(text, EVIDENCE)) == expected


def quoted(cited: Any) -> list[str]:
    return [cited.text[one["start"] : one["end"]] for one in cited.fields["grounding"]["quotations"]]


def test_an_altered_quotation_names_the_words_that_differ() -> None:
    cited = cite('It reads "Copper lines the roof of the new mint, which burned on 8 May 1841".', EVIDENCE)
    (quotation,) = cited.fields["grounding"]["quotations"]
    assert [(one["quoted"], one["evidence"]) for one in quotation["changes"]] == [
        ("", "well-known"),
        ("new", "old"),
        ("8", "3"),
    ]
    for change in quotation["changes"]:
        assert cited.text[change["start"] : change["end"]] == change["quoted"]
    (passage,) = quotation["passages"]
    assert passage["quote"] == TEXT[passage["quote_start"] : passage["quote_end"]]
    assert passage["quote"].startswith("Copper lines")
    assert passage["quote"].endswith("1841")


def test_a_stitched_quotation_names_its_passages() -> None:
    cited = cite('"Copper lines the well-known roof. No storm has ever reached the upper lamp."', EVIDENCE)
    (quotation,) = cited.fields["grounding"]["quotations"]
    assert quotation["evidence_number"] is None
    assert [(one["evidence_number"], one["quote"]) for one in quotation["passages"]] == [
        (1, "Copper lines the well-known roof"),
        (2, "No storm has ever reached the upper lamp"),
    ]


CONSECUTIVE: dict[str, tuple[str, str, str, str]] = {
    "excerpts of one document that follow each other": ("a.md", "a.md", "and reached the old harbour in May.", "exact"),
    "excerpts of one document that overlap": ("a.md", "a.md", "the long river and reached the old harbour.", "exact"),
    "excerpts of two documents": ("a.md", "b.md", "and reached the old harbour in May.", "stitched"),
}


@pytest.mark.parametrize(("first", "second", "text", "status"), CONSECUTIVE.values(), ids=CONSECUTIVE)
def test_a_quotation_across_two_excerpts(first: str, second: str, text: str, status: str) -> None:
    evidence = [
        Evidence(1, "In spring the boat followed the long river", "e1", file_name=first),
        Evidence(2, text, "e2", file_name=second),
    ]
    cited = cite('"the boat followed the long river and reached the old harbour"', evidence)
    assert [one["status"] for one in cited.fields["grounding"]["quotations"]] == [status]


def test_words_of_the_question_are_no_quotation_of_the_evidence() -> None:
    text = 'You ask about "the fate of the lost keeper". It says "a thing that is nowhere".'
    cited = cite(text, EVIDENCE, question="What was the fate of the lost keeper?")
    assert quoted(cited) == ["a thing that is nowhere"]


def test_the_title_of_a_source_is_no_quotation() -> None:
    evidence = [Evidence(1, TEXT, "e1", title="Roofs and Ruins of the Old Town", file_name="the-mint-of-harlan.pdf")]
    text = 'The book "Roofs and Ruins" and the file "the-mint-of-harlan.pdf" say "a thing that is nowhere".'
    assert quoted(cite(text, evidence)) == ["a thing that is nowhere"]


def test_a_dropped_sentence_has_no_quotation() -> None:
    text = 'Bananas say "yellow fruit of the south". Copper lines the roof of the old mint.'
    assert quoted(cite(text, EVIDENCE, Options(unsupported="drop"))) == []


@pytest.mark.parametrize("options", [Options(), Options(release="live"), Options(marker="link")], ids=str)
def test_a_stream_has_the_quotations_of_the_whole_text(chunkings: Chunkings, options: Options) -> None:
    text = (
        'He says "Copper lines the well-known roof [1]. It was rebuilt with 40 windows" [1]. So it is.\n\n'
        "> No storm has ever\n> reached the lower lamp. [2]\n\n"
        "The “storm has ever reached which burned on 3 May” is a phrase [1][2]."
    )
    whole = streamed([text], options)
    assert [one["status"] for one in whole] == ["stitched", "altered", "stitched"]
    for deltas in chunkings(text, Random(3)):
        assert streamed(deltas, options) == whole


def streamed(deltas: Sequence[str], options: Options) -> list[dict[str, Any]]:
    """Return the quotations of a stream without decisions, which does not have the offsets of markers."""
    response = Response(EVIDENCE, options)
    answer = response.answer(0)
    for delta in deltas:
        for draft in answer.feed(delta):
            answer.cite(draft, UNDECIDED)
    for draft in answer.flush():
        answer.cite(draft, UNDECIDED)
    quotations: list[dict[str, Any]] = response.response_fields()["grounding"]["quotations"]
    return quotations


WORDS = st.lists(
    st.sampled_from(["copper", "roof", "1841", "3.5", "%", "naïve", "Straße", "河", "水", "well-known"]), min_size=1
)
SPACES = st.sampled_from([" ", "\n", "  ", "\u00a0", " \u200b"])


@given(before=WORDS, words=st.lists(WORDS.map(" ".join), min_size=4), after=WORDS, spaces=st.data())
def test_any_passage_in_quotation_marks_is_exact(
    before: list[str], words: list[str], after: list[str], spaces: Any
) -> None:
    passage = "".join(word + spaces.draw(SPACES) for word in words)
    evidence = [Evidence(1, "Nothing.", "e1"), Evidence(2, f"{' '.join(before)} {passage} {' '.join(after)}", "e2")]
    cited = cite(f"It says “{' '.join(words)}”.", evidence)
    for quotation in cited.fields["grounding"]["quotations"]:
        assert (quotation["status"], quotation["evidence_number"]) == ("exact", 2)


@given(st.text("“”\"'‘’«»>„ \nab.1[]…", max_size=80))
def test_any_text_has_quotations_inside_it(text: str) -> None:
    cited = cite(text, EVIDENCE)
    for quotation in cited.fields["grounding"]["quotations"]:
        assert 0 <= quotation["start"] < quotation["end"] <= len(cited.text)
