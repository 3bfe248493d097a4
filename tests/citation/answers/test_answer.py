"""Answers contain all words, none of the model's markers, and our markers at the positions that the spans name."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Release
from citestream.citation.support.decision import Decision, Status, Support
from citestream.citation.text.segmentation import SegmentLimits
from tests.citation.text.segmentation.test_properties import cut, texts

EVIDENCE = tuple(Evidence(number, f"Passage {number}.", f"e{number}") for number in range(1, 4))
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))


def visible_text(parts: Sequence[str], options: Options, decision: Decision = SUPPORTED) -> tuple[str, Response]:
    """Return the shown text if every claim gets the same decision."""
    response = Response(EVIDENCE, options, limits=SegmentLimits(characters=500))
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    text = ""
    for part in parts:
        text += "".join(answer.cite(draft, decision) for draft in answer.feed(part))
    return text + "".join(answer.cite(draft, decision) for draft in answer.flush()), response


@given(texts, st.lists(st.integers(0, 1000), max_size=20))
@settings(max_examples=200)
def test_both_release_modes_show_the_same_text_for_any_deltas(text: str, places: list[int]) -> None:
    expected, _ = visible_text([text], Options())
    assert visible_text(cut(text, places), Options())[0] == expected
    assert visible_text(cut(text, places), Options(release="live"))[0] == expected
    assert visible_text(list(text), Options(release="live"))[0] == expected


def shown_with_releases(parts: Sequence[str], options: Options) -> tuple[list[str], Response]:
    """Return the shown pieces if the held text is released after each part."""
    response = Response(EVIDENCE, options, limits=SegmentLimits(characters=500))
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    pieces = []
    for part in parts:
        pieces += [answer.cite(draft, SUPPORTED) for draft in answer.feed(part)]
        released = answer.release()
        assert all(draft.claim is None for draft in released), "no decision is made about a part of a sentence"
        pieces += [answer.cite(draft) for draft in released]
    return pieces + [answer.cite(draft, SUPPORTED) for draft in answer.flush()], response


@given(texts, st.lists(st.integers(0, 1000), max_size=20))
@settings(max_examples=200)
def test_early_release_of_parts_of_sentences_does_not_change_the_answer(text: str, places: list[int]) -> None:
    expected, plain = visible_text([text], Options())
    for parts in (cut(text, places), list(text)):
        pieces, response = shown_with_releases(parts, Options())
        assert "".join(pieces) == expected
        assert response.references.as_list() == plain.references.as_list()


WORD_MARKERS: dict[str, tuple[str, str, str]] = {  # the model's text, shown with evidence 1, shown without support
    "the named evidence supports the sentence": (
        "According to [1], it rose. It fell.",
        "According to [1], it rose. It fell. [1]",
        "According to, it rose. It fell.",
    ),
    "other evidence supports the sentence": (
        "It is high according to [2].",
        "It is high according to [1].",
        "It is high according to.",
    ),
    "no evidence has the number": (
        "As stated in [9], it rose.",
        "As stated in [1], it rose.",
        "As stated in, it rose.",
    ),
    "two markers with a conjunction": ("Both [2] and [1] say so.", "Both [1] say so.", "Both say so."),
    "two markers with a conjunction, the second of which is not supported": (
        "As [1] and [9] explain, it rose.",
        "As [1] explain, it rose.",
        "As explain, it rose.",
    ),
    "a list of markers": (
        "According to [2], [3], and [1], it rose.",
        "According to [1], it rose.",
        "According to, it rose.",
    ),
    "two markers that begin a sentence": ("[2] and [1] say so.", "[1] say so.", "say so."),
    "two markers with a Chinese conjunction": ("根据[2]和[1]，收入增长。", "根据[1]，收入增长。", "根据，收入增长。"),
    "the same marker twice": (
        "[1] says so, and [1] says why.",
        "[1] says so, and [1] says why.",
        "says so, and says why.",
    ),
    "an ordinary marker in the same sentence": ("Laut [1] stieg er [2].", "Laut [1] stieg er.", "Laut stieg er."),
    "before a bracket": ("see **[1]**([^1] to it.", "see [1] (to it.", "see (to it."),
    "in a heading": ("## According to [1]\n", "## According to\n", "## According to\n"),
    "in Chinese": ("根据[1]，收入增长。", "根据[1]，收入增长。", "根据，收入增长。"),
}


@pytest.mark.parametrize("case", WORD_MARKERS)
@pytest.mark.parametrize("release", ["sentence", "live"])
def test_word_marker_is_shown_in_its_place(case: str, release: Release) -> None:
    text, supported, unsupported = WORD_MARKERS[case]
    options = Options(release=release)
    for parts in ([text], list(text), *([text[:at], text[at:]] for at in range(1, len(text)))):
        shown, response = visible_text(parts, options)
        assert shown == supported
        spans = [span for reference in response.references.cited() for span in reference.spans]
        assert all(shown[span.marker[0] : span.marker[1]] == "[1]" for span in spans)
        assert visible_text(parts, options, Decision())[0] == unsupported


STYLES: dict[str, tuple[Options, str, str]] = {
    "numbers of the evidence": (Options(numbering="evidence"), "According to [2], it", "According to, it"),
    "links": (Options(marker="link"), "According to [1], it", "According to, it"),
    "RAGFlow": (Options(marker="ragflow"), "According to [ID:0], it", "According to, it"),
    "names": (Options(marker="name"), "According to [tides.md](e2), it", "According to, it"),
    "none": (Options(marker="none"), "According to, it", "According to, it"),
    "markers before the full stop": (Options(placement="before"), "According to [1], it", "According to, it"),
}


@pytest.mark.parametrize("case", STYLES)
def test_word_marker_has_the_chosen_style(case: str) -> None:
    options, supported, unsupported = STYLES[case]
    evidence = (EVIDENCE[0], Evidence(2, "Passage 2.", "e2", file_name="tides.md"))
    for decision, expected in (
        (Decision((Support(2, 0.9, Status.VERIFIED, 0, 9),)), supported),
        (Decision(), unsupported),
    ):
        answer = Response(evidence, options).answer(0)
        drafts = [*answer.feed("According to [2], it rose."), *answer.flush()]
        assert "".join(answer.cite(draft, decision) for draft in drafts) == f"{expected} rose."


def test_text_after_a_word_marker_is_held_until_the_decision() -> None:
    answer = Response(EVIDENCE, Options(release="live")).answer(0)
    pieces = [answer.cite(draft) for character in "According to [1], it ro" for draft in answer.feed(character)]
    assert "".join(pieces) == "According to"


@pytest.mark.parametrize("release", ["sentence", "live"])
def test_word_marker_is_removed_if_its_sentence_is_released_early(release: Release) -> None:
    answer = Response(EVIDENCE, Options(release=release)).answer(0)
    pieces = [answer.cite(draft) for draft in answer.feed("According to [1], it ")]
    pieces += [answer.cite(draft) for draft in answer.release()]
    assert "".join(pieces) == "According to, it"
    drafts = [*answer.feed("rose, as stated in [1]."), *answer.flush()]
    rest = "".join(answer.cite(draft, SUPPORTED if draft.claim else Decision()) for draft in drafts)
    assert "".join(pieces) + rest == "According to, it rose, as stated in [1]."


@pytest.mark.parametrize("release", ["sentence", "live"])
def test_word_marker_is_kept_after_a_defanged_link(release: Release) -> None:
    text = "See https://evil.example/x and, according to [1], it rose."
    for parts in ([text], list(text)):
        answer = Response(EVIDENCE, Options(release=release), links="none").answer(0)
        drafts = [draft for part in parts for draft in answer.feed(part)] + answer.flush()
        shown = "".join(answer.cite(draft, SUPPORTED if draft.claim else Decision()) for draft in drafts)
        assert shown.endswith(" and, according to [1], it rose.")
        assert "https://" not in shown


SENTENCE = "Tomasz Wilk led the project [2], which ended in 2021."


@pytest.mark.parametrize("place", range(1, len(SENTENCE)))
def test_a_part_that_is_released_early_ends_between_words_and_has_no_marker(place: int) -> None:
    answer = Response(EVIDENCE, Options()).answer(0)
    fed = [answer.cite(draft, SUPPORTED) for draft in answer.feed(SENTENCE[:place])]
    early = "".join([*fed, *(answer.cite(draft, SUPPORTED) for draft in answer.release())])
    rest = "".join(answer.cite(draft, SUPPORTED) for draft in [*answer.feed(SENTENCE[place:]), *answer.flush()])
    assert early + rest == "Tomasz Wilk led the project, which ended in 2021. [1]"
    assert "[" not in early
    assert not (early[-1:].isalnum() and rest[:1].isalnum()), "cut inside a word"


# The beginning of a text, and the part of it that is shown at once.
HELD = {
    "an open sentence": ("It rose. It fell", "It rose. [1] "),
    "a line of code": ("```\nx = total(", "```\nx = total("),
    "a line of a formula": ("$$\nx + y", "$$\n"),
}


@pytest.mark.parametrize("case", HELD)
def test_code_is_shown_as_it_arrives_and_other_text_is_held(case: str) -> None:
    text, shown = HELD[case]
    answer = Response(EVIDENCE, Options()).answer(0)
    assert "".join(answer.cite(draft, SUPPORTED) for draft in answer.feed(text)) == shown


def test_sentence_that_may_be_dropped_is_not_released_early() -> None:
    answer = Response(EVIDENCE, Options(unsupported="drop")).answer(0)
    assert answer.feed("The bridge was opened in") == []
    assert answer.release() == []
    assert "".join(answer.cite(draft, Decision()) for draft in [*answer.feed(" 1932."), *answer.flush()]) == ""


@pytest.mark.parametrize("count", [120, 190])
def test_a_sentence_beyond_the_length_limit_is_decided_as_a_whole(count: int) -> None:
    text = " ".join(["bridge"] * count) + "."
    response = Response(EVIDENCE, Options(), limits=SegmentLimits(characters=700))
    answer = response.answer(0)
    drafts = [draft for part in cut(text, list(range(0, len(text), 90))) for draft in answer.feed(part)]
    drafts += answer.flush()
    assert [draft.claim is not None for draft in drafts] == [False] * (len(drafts) - 1) + [True]
    pieces = [answer.cite(draft, SUPPORTED if draft.claim else Decision()) for draft in drafts]
    assert "".join(pieces) == f"{text} [1]"
    assert not any(one[-1:].isalnum() and other[:1].isalnum() for one, other in pairwise(pieces)), "cut inside a word"
    ((span,),) = [reference.spans for reference in response.references.cited()]
    assert (span.start, span.end) == (0, len(text))


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("size", [1, 7, 90, 10_000])
def test_a_sentence_far_beyond_the_length_limit_gets_no_decision(release: Release, size: int) -> None:
    text = "the bridge [1] and " * 500
    answer = Response(EVIDENCE, Options(release=release), limits=SegmentLimits(characters=700)).answer(0)
    drafts = [draft for at in range(0, len(text), size) for draft in answer.feed(text[at : at + size])]
    drafts += answer.flush()
    assert "".join(answer.cite(draft) for draft in drafts) == text.replace(" [1]", "")
    assert all(draft.claim is None for draft in drafts)
    assert max(len(draft.text) for draft in drafts) <= 3 * 700, "the whole sentence is buffered"


TRUNCATED = {
    "inside a sentence": ("It rose. The bridge was ope", "It rose. [1] The bridge was ope"),
    "after a sentence": ("It rose. The bridge was opened.", "It rose. [1] The bridge was opened. [1]"),
    "after a closing quotation mark": ('He said: "It rose."', 'He said: "It rose." [1]'),
    "inside a list item": ("- It rose\n- It fe", "- It rose [1]\n- It fe"),
    "inside a marker": ("It rose. It fell [", "It rose. [1] It fell"),
    "inside a marker after a sentence": ("It rose [1].[2", "It rose. [1]"),
    "inside a marker after another one": ("It rose. [1], [2", "It rose. [1]"),
    "inside lenticular brackets": ("It rose.【1", "It rose. [1]"),
    "inside a marker in parentheses": ("It rose. ([Source 1", "It rose. [1] "),
    "inside the link of a marker": ("It rose. [1](https://ex", "It rose. [1]"),
    "inside a remark in brackets": ("It rose. [Note that", "It rose. [1] [Note that"),
    "inside an index": ("It rose. Read arr[1", "It rose. [1] Read arr[1"),
}


@pytest.mark.parametrize("case", TRUNCATED)
def test_an_incomplete_last_sentence_of_a_truncated_answer_is_not_cited(case: str) -> None:
    text, expected = TRUNCATED[case]
    answer = Response(EVIDENCE, Options()).answer(0)
    drafts = [*answer.feed(text), *answer.flush(complete=False)]
    shown = "".join(answer.cite(draft, SUPPORTED if draft.claim else Decision()) for draft in drafts)
    assert shown == expected


@given(texts)
@settings(max_examples=200)
def test_shown_text_without_our_markers_is_the_text_without_the_models_markers(text: str) -> None:
    plain, _ = visible_text([text], Options(marker="none"))
    for placement in ("after", "before"):
        marked, response = visible_text([text], Options(placement=placement))
        assert without_ours(marked, response) == plain
    assert visible_text([text], Options(), Decision())[0] == plain


@given(texts)
@settings(max_examples=200)
def test_spans_index_the_shown_text(text: str) -> None:
    marked, response = visible_text([text], Options())
    for reference in response.references.cited():
        for span in reference.spans:
            assert marked[slice(*span.marker)] == "[1]"
            sentence = marked[span.start : span.end]
            assert sentence
            assert sentence == sentence.strip()


def without_ours(marked: str, response: Response) -> str:
    """Remove our markers, each with the space that was inserted before it. Rows of data have none."""
    cited = [span for reference in response.references.cited() for span in reference.spans]
    spans = [span.marker for span in cited if span.marker != (span.start, span.end)]
    plain = marked
    for start, end in sorted(spans, reverse=True):
        begin = start - 1 if start and plain[start - 1] == " " and not spaced(marked, start) else start
        plain = plain[:begin] + plain[end:]
    return plain


def spaced(marked: str, start: int) -> bool:
    """Return whether the space before this marker is from the original text."""
    return marked[start - 2 : start - 1].isspace()


FOLLOWED_BY = {
    "a link target": ("天是蓝的。(https://evil.example/) 好。", "天是蓝的[1]。(https://evil.example/) 好。[1]"),
    "a link": ("天是蓝的！[x](https://evil.example/)", "天是蓝的[1]！[x](https://evil.example/)"),
    "ordinary parentheses": ("天是蓝的。（见下）好。", "天是蓝的。[1]（见下）好。[1]"),
    "parentheses after a word marker": ("根据[2](a b)，好。", "根据[1] (a b)，好。"),
    "a link target after a space": (
        "天是蓝的。 (https://evil.example/) 好。",
        "天是蓝的。[1] (https://evil.example/) 好。[1]",
    ),
}


@pytest.mark.parametrize("case", FOLLOWED_BY)
def test_following_text_never_turns_our_marker_into_a_link(case: str) -> None:
    text, expected = FOLLOWED_BY[case]
    for parts in ([text], list(text)):
        for release in ("sentence", "live"):
            assert visible_text(parts, Options(release=release))[0] == expected


CASES = {
    "one sentence": ("It rose.", "It rose. [1]"),
    "the model's marker before the full stop": ("It rose [2].", "It rose. [1]"),
    "the model's marker after the full stop": ("It rose. [2]", "It rose. [1]"),
    "markers without a space before them": ("It rose.[2][3] It fell.", "It rose. [1] It fell. [1]"),
    "markers in other notations": ("It rose 【2†source】. It fell (ID: 3).", "It rose. [1] It fell. [1]"),
    "bold that closes after the full stop": ("**It rose.** Then it fell.", "**It rose.** [1] Then it fell. [1]"),
    "a list item": ("- It rose [1]\n- It fell\n", "- It rose [1]\n- It fell [1]\n"),
    "a table row": ("| a | b |\n|---|---|\n| It rose | by 5 [2] |\n", "| a | b |\n|---|---|\n| It rose | by 5 [1] |\n"),
    "a table header makes no claim": ("| It rose [2] | b |\n|---|---|\n", "| It rose | b |\n|---|---|\n"),
    "a heading loses the model's markers and gets none of ours": (
        "## It rose [2]\n\nIt fell.",
        "## It rose\n\nIt fell. [1]",
    ),
    "code is unchanged": ("```\nx = a[1]. b\n```\nIt rose.", "```\nx = a[1]. b\n```\nIt rose. [1]"),
    "an unclosed code block": ("It rose.\n~~~\na[1]. b[2]", "It rose. [1]\n~~~\na[1]. b[2]"),
    "inline code": ("Use `a[1]. B` for it.", "Use `a[1]. B` for it. [1]"),
    "a marker and a fence in one delta": ("It rose [2]\n```\nx[1]\n```", "It rose [1]\n```\nx[1]\n```"),
    "Chinese": ("收入增长了【2】。利润也增长了。", "收入增长了。[1]利润也增长了。[1]"),
    "Arabic": (
        "ارتفعت الإيرادات في عام 2023 [٢]. انخفضت الأرباح.",
        "ارتفعت الإيرادات في عام 2023. [1] انخفضت الأرباح. [1]",
    ),
    "a marker in parentheses after a closing tag": ("<b>It rose</b> ([2])", "<b>It rose [1]</b>"),
    "a formula after a closing tag": ("<b>It rose</b>$^{[2]}$", "<b>It rose [1]</b>"),
    "character references after a closing tag": ("<b>It rose</b>&#91;2&#93;", "<b>It rose [1]</b>"),
    "character references after two closing tags": (
        "<i><b>It rose</b></i> &#91;&#x5b;2&#93;]",
        "<i><b>It rose [1]</b></i>",
    ),
    "a character reference after a closing tag": ("<b>It rose</b> &amp; fell.", "<b>It rose</b> &amp; fell. [1]"),
    "a list in one line": ("1. It rose 2. It fell", "1. It rose [1] 2. It fell [1]"),
    "full-width brackets after a closing tag": ("<b>It rose</b> ［2］ [3]", "<b>It rose [1]</b>"),
    "a question makes no claim": ("Did it rise? It did.", "Did it rise? It did. [1]"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_shown_text_does_not_depend_on_the_deltas(text: str, expected: str) -> None:
    rng = Random(0)
    splits = [[text], list(text), *([text[:i], text[i:]] for i in range(1, len(text)))]
    splits += [cut(text, [rng.randrange(1000) for _ in range(8)]) for _ in range(5)]
    for options in (Options(), Options(release="live")):
        for parts in splits:
            assert visible_text(parts, options)[0] == expected
