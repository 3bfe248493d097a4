"""Word markers, which are a part of their sentence: "According to [1], …". The text around them is unchanged."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citestream.citation.markers import PLACEHOLDER, MarkerNames, MarkerStripper, StrippedText, strip

NAMES = MarkerNames(frozenset(range(1, 6)), {"a.pdf": (1,)})


def in_pieces(pieces: list[str]) -> StrippedText:
    stripper = MarkerStripper(NAMES)
    shown = "".join([stripper.feed(piece) for piece in pieces]) + stripper.flush()
    return StrippedText(shown, stripper.cited, stripper.unknown, tuple(stripper.words))


WORD_MARKERS: dict[str, tuple[str, ...]] = {  # each [1] and [2] is a word marker
    "an object": (
        "According to [1], the tower is tall.",
        "The tower is tall, according to [1].",
        "As stated in [1], the tower is tall.",
        "The height is given by [1].",
        "As per [1] the tower is tall.",
        "Based on [1], the tower is tall.",
        "In [1], the tower is tall.",
        "For details, see [1].",
        "According to [1] , the tower is tall.",
        "From [1]: the tower is tall.",
        "The tower is tall, per [1].",
        "Unlike other papers, the data of [1] show that the tower is tall.",
        "The information in [1] shows that the tower is tall.",
    ),
    "a subject": (
        "[1] says that the tower is tall.",
        "[1] does not mention the tower.",
        "The tower is tall, while [1] also states that it is old.",
        "- [1] reports the height.",
        "[1]'s author measured the tower.",
        "[1] and [2] are about the tower.",
        "What [1] calls a tower is a mast.",
    ),
    "a label": ("Source [1] says that the tower is tall.", "The height is in document [1], the age is not."),
    "several": (
        "According to [1] and [2], the tower is tall.",
        "Both [1] and [2] agree.",
        "The reports [1] and [2] agree.",
        "While [1] says that it is tall, [2] says that it is not.",
    ),
    "German": ("Laut [1] ist der Turm hoch.", "[1] besagt, dass der Turm hoch ist.", "Siehe auch [1]."),
    "French": ("Selon [1], la tour est haute.", "D’après [1], la tour est haute.", "[1] indique sa hauteur."),
    "Spanish": ("Según [1], la torre es alta.", "De acuerdo con [1], la torre es alta.", "[1] dice su altura."),
    "Chinese": ("根据[1]，塔很高。", "[1]指出，塔很高。", "据[1]，塔很高。"),
    "Japanese": ("[1]によると、塔は高い。",),
    "Korean": ("[1]에 따르면 탑은 높다.",),
}


@pytest.mark.parametrize("case", WORD_MARKERS)
def test_word_marker_is_recognised(case: str) -> None:
    for text in WORD_MARKERS[case]:
        whole = strip(text, NAMES)
        assert whole.with_places == text.replace("[1]", PLACEHOLDER).replace("[2]", PLACEHOLDER)
        for pieces in (list(text), *([text[:at], text[at:]] for at in range(len(text)))):
            assert in_pieces(pieces) == whole


OTHER_MARKERS = {
    "at the end": ("The tower is tall [1].", "The tower is tall."),
    "at the beginning": ("[1] The tower is tall.", "The tower is tall."),
    "after a noun": ("The report [1] says that it is tall.", "The report says that it is tall."),
    "after a label with an article": ("The source [1] says that it is tall.", "The source says that it is tall."),
    "after a verb with a particle": ("The plan was called off [1], and.", "The plan was called off, and."),
    "after a preposition at the end": ("This is the house she lives in [1].", "This is the house she lives in."),
    "after a phrase that is complete": (
        "That is what the study is based on [1].",
        "That is what the study is based on.",
    ),
    "after a particle": ("She moved in [1], and the tower is tall.", "She moved in, and the tower is tall."),
    "in a list of sources": ("Source [1]: tower.md", "Source: tower.md"),
    "after data in Chinese": ("这是数据[1]，塔很高。", "这是数据，塔很高。"),
    "joined at the end": ("The tower is tall [1] and [2].", "The tower is tall."),
    "joined after a semicolon": ("The tower is tall [1]; [2]; and [3].", "The tower is tall."),
    "three that are joined": ("The tower is tall [1], [2] and [3].", "The tower is tall."),
    "joined by a German word": ("Der Turm ist hoch [1] und [2].", "Der Turm ist hoch."),
    "joined without spaces": ("The tower is tall[1]and[2].", "The tower is tall."),
    "before a conjunction and parentheses": (
        "It is tall [1] and [2] (since 1889) old.",
        "It is tall and (since 1889) old.",
    ),
    "before a conjunction": ("The tower is tall [1] and [2] old.", "The tower is tall and old."),
}


@pytest.mark.parametrize("case", OTHER_MARKERS)
def test_other_marker_is_removed(case: str) -> None:
    text, shown = OTHER_MARKERS[case]
    for pieces in ([text], list(text), *([text[:at], text[at:]] for at in range(len(text)))):
        stripped = in_pieces(pieces)
        assert (stripped.text, stripped.words) == (shown, ())


PIECES = [
    "According to", "says", "Source", "see", "and", "both", "tower", "根据", "指出", "(", ")", "`", " ", ",", ".", "，",
    "\n", "[1]", "[2]", "[9]", "[1][2]", "**[1]**", "[a.pdf]",
]  # fmt: skip
parts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@given(parts, st.lists(st.integers(0, 200), max_size=6))
def test_word_markers_do_not_depend_on_how_the_text_is_split(text: str, places: list[int]) -> None:
    cuts = sorted({min(place, len(text)) for place in places})
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert in_pieces(pieces) == in_pieces(list(text)) == strip(text, NAMES)


@example("According to [1]**[1]**")
@example("According to [1]**[1]**[1]")
@given(parts)
def test_places_of_word_markers_are_in_order_and_the_text_is_unchanged(text: str) -> None:
    stripped = strip(text, NAMES)
    offsets = [word.offset for word in stripped.words]
    assert offsets == sorted(offsets)
    shown = stripped.with_places
    assert shown.count(PLACEHOLDER) == len(offsets)
    assert "".join(shown.replace(PLACEHOLDER, "").split()) == "".join(stripped.text.split())
