"""Files are split into excerpts of complete paragraphs with their headings. No text is lost, and offsets are exact."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.retrieval.excerpts import MAX_LENGTH, TARGET_LENGTH, ExcerptSplitter, split_excerpts

CASES: dict[str, tuple[str, list[tuple[str, tuple[str, ...]]]]] = {
    "an empty text": ("", []),
    "white space": (" \n\t\n ", []),
    "one paragraph": ("It is red.\n", [("It is red.", ())]),
    "short paragraphs share an excerpt": ("One.\n\nTwo.\n", [("One.\n\nTwo.", ())]),
    "a heading is not an excerpt": ("# Bridge\n\nIt opened.\n", [("It opened.", ("Bridge",))]),
    "text right below a heading": ("# Bridge\nIt opened.", [("It opened.", ("Bridge",))]),
    "headings nest": (
        "# A\n\none\n\n## B\n\ntwo\n\n### C ##\n\nthree\n\n## D\n\nfour",
        [("one", ("A",)), ("two", ("A", "B")), ("three", ("A", "B", "C")), ("four", ("A", "D"))],
    ),
    "a heading ends a paragraph without a blank line": ("one\n## B\ntwo", [("one", ()), ("two", ("B",))]),
    "a paragraph that begins with a hash is not a heading": (f"# {'x' * 300}\n\none", [(f"# {'x' * 300}\n\none", ())]),
    "a heading with nothing below": ("# A\n# B\n", []),
    "an empty heading": ("#\n\n# \nx", [("x", ())]),
    "a word with a hash is not a heading": ("#1 in the list\n\n#tag", [("#1 in the list\n\n#tag", ())]),
    "underlined headings": (
        "Bridge\n======\n\nIt opened.\n\nOpening\n-------\nIn 1932.",
        [("It opened.", ("Bridge",)), ("In 1932.", ("Bridge", "Opening"))],
    ),
    "headings of reStructuredText": (
        (
            "=====\nTides\n=====\n\nTwice a day.\n\nMoon\n~~~~\n\nIt pulls.\n\nSun\n^^^^\n\nIt pulls, too.\n\n"
            "Wind\n~~~~\nIt blows."
        ),
        [
            ("Twice a day.", ("Tides",)),
            ("It pulls.", ("Tides", "Moon")),
            ("It pulls, too.", ("Tides", "Moon", "Sun")),
            ("It blows.", ("Tides", "Wind")),
        ],
    ),
    "code below text without a blank line": ("Example:\n~~~\n# x\n~~~", [("Example:\n~~~\n# x\n~~~", ())]),
    "a horizontal rule is not an underline": ("one\ntwo\n---\n\nthree", [("one\ntwo\n---\n\nthree", ())]),
    "a comment in code is not a heading": (
        "```sh\n# not a heading\n\nls\n```\n\nAfter.",
        [("```sh\n# not a heading\n\nls\n```\n\nAfter.", ())],
    ),
    "a longer fence contains a shorter one": (
        "````\n```\n# x\n````\n# B\ny",
        [("````\n```\n# x\n````", ()), ("y", ("B",))],
    ),
    "a fence that never ends": ("~~~\n# x\n\n# y", [("~~~\n# x\n\n# y", ())]),
    "Windows line ends": ("# A\r\n\r\none\r\ntwo\r\n\r\nthree\r\n", [("one\r\ntwo\r\n\r\nthree", ("A",))]),
    "indented text": ("   one\n   two", [("one\n   two", ())]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_a_file_is_split_into_excerpts(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(excerpt.text, excerpt.headings) for excerpt in split_excerpts(text)] == expected


def test_a_paragraph_that_does_not_fit_begins_the_next_excerpt() -> None:
    paragraph = "word " * 100
    found = split_excerpts("\n\n".join([paragraph] * 5))
    assert len(found) == 3
    assert all(len(excerpt.text) <= TARGET_LENGTH for excerpt in found)


LONG = {
    "at the end of a sentence": ("It is so. " * 500, "."),
    "at a space if no sentence ends": ("word " * 1000, "d"),
    "at the end of a Chinese sentence": ("这座桥很长。" * 700, "。"),
    "anywhere if there are no spaces": ("x" * 5000, "x"),
}


@pytest.mark.parametrize(("text", "last"), LONG.values(), ids=LONG)
def test_a_long_paragraph_is_split(text: str, last: str) -> None:
    found = split_excerpts(text)
    assert len(found) > 1
    for excerpt in found:
        assert len(excerpt.text) <= MAX_LENGTH
        assert excerpt.text.endswith(last)


HEADER = "| Port | Metres |\n|---|---|\n"


def test_every_excerpt_of_a_long_table_has_its_header() -> None:
    rows = [f"| Port number {n} | {n * n} |\n" for n in range(200)]
    text = f"Tides:\n{HEADER}{''.join(rows)}\nAfter."
    found = split_excerpts(text)
    assert found[0].text.startswith(f"Tides:\n{HEADER}| Port number 0 |")
    assert all(excerpt.text.startswith(f"{HEADER}| Port number ") for excerpt in found[1:])
    assert all(len(excerpt.text) <= TARGET_LENGTH for excerpt in found)
    assert all(sum(row.strip() in excerpt.text for excerpt in found) == 1 for row in rows)
    assert all(excerpt.text.removeprefix(HEADER) == text[excerpt.start : excerpt.end] for excerpt in found[1:])
    assert found[-1].text.endswith("|\n\nAfter.")


@pytest.mark.parametrize(
    "text", ["| a |\n" * 400, f"| a | {'b' * 700} |\n|---|---|\n" + "| a | b |\n" * 400, "a\n" * 700 + HEADER * 50]
)
def test_a_table_without_a_short_header_is_split_like_text(text: str) -> None:
    for excerpt in split_excerpts(text):
        assert excerpt.text == text[excerpt.start : excerpt.end]


TEXTS = st.lists(
    st.sampled_from(
        [
            "# A\n",
            "## B\n",
            "\n",
            "\n\n",
            "word ",
            "It is so. ",
            "```\n",
            "---\n",
            "===\n",
            "~~~~~\n",
            "。",
            "x" * 700,
            "\r\n",
        ]
    )
    | st.text(max_size=4),
    max_size=40,
).map("".join)


@given(TEXTS)
def test_a_text_without_markup_is_split_at_blank_lines(text: str) -> None:
    found = ExcerptSplitter(50).split(text, is_markdown=False)
    assert "".join("".join(excerpt.text.split()) for excerpt in found) == "".join(text.split())
    assert all(excerpt.text == text[excerpt.start : excerpt.end] and not excerpt.headings for excerpt in found)


@given(TEXTS, st.integers(50, 2000))
def test_offsets_are_exact_and_only_headings_are_left_out(text: str, length: int) -> None:
    found = split_excerpts(text, length)
    end = 0
    left_out = []
    for excerpt in found:
        assert excerpt.text == text[excerpt.start : excerpt.end]
        assert excerpt.text.strip()
        assert excerpt.start >= end
        left_out.append(text[end : excerpt.start])
        end = excerpt.end
    left_out.append(text[end:])
    headings = {line.strip().strip("#").strip() for line in text.split("\n")}
    for line in "\n".join(left_out).split("\n"):
        bare = line.strip()
        assert not bare.strip('#=-~^" \t') or bare.strip("#").strip() in headings, line


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "\n" * 10**6,
        "# " * 10**6,
        "# x" + " " * 10**6 + "x",
        "a\n" * 500_000,
        "word " * 200_000,
        "```\n" * 200_000,
        HEADER + "| a | b |\n" * 100_000,
        " " * 10**6 + "x|\n" + " " * 10**6 + "|",
    ],
)
def test_splitting_takes_linear_time(text: str) -> None:
    began = thread_time()
    split_excerpts(text)
    ExcerptSplitter().split(text, is_markdown=False)
    assert thread_time() - began < 10


def test_an_excerpt_as_evidence_has_its_file_headings_and_offsets() -> None:
    (excerpt,) = split_excerpts("# Bridge\n\n## Opening\n\nIt opened.\n")
    assert excerpt.as_evidence("bridge.md", 0) == {
        "text": "It opened.",
        "file_name": "bridge.md",
        "chunk_index": 0,
        "title": "Bridge › Opening",
        "metadata": {"start": 22, "end": 32},
    }
