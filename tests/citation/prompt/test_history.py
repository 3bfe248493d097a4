"""Removal of our markers from earlier answers."""

import pytest

from citestream.citation.prompt.history import strip_history

ANSWERS: dict[str, tuple[str, str]] = {
    "numbers": ("Sales rose. [1][2] Costs fell [3].", "Sales rose. Costs fell."),
    "links": ("Sales rose. [[1]](https://a.b/c)[[2]](https://d.e) ", "Sales rose. "),
    "RAGFlow": ("Sales rose. [ID:0] [ID:12]", "Sales rose."),
    "names": ("Sales rose. [report.pdf](doc-1) [Annual report](e2)", "Sales rose."),
    "large numbers": ("Sales rose [57].", "Sales rose."),
    "code": ("Use `a[1]`.\n```py\nx = [1]\n```\nThen [1].", "Use `a[1]`.\n```py\nx = [1]\n```\nThen."),
    "an unclosed code block": ("Then [1].\n~~~\nx [1]", "Then.\n~~~\nx [1]"),
    "a longer fence": ("````\n```\n[1]\n```\n[1]\n````\nSo [1].", "````\n```\n[1]\n```\n[1]\n````\nSo."),
    "links of the answer": ("[This](https://a.b), [that](docs/r.md).", "[This](https://a.b), [that](docs/r.md)."),
    "years": ("In [2024] sales rose [1].", "In [2024] sales rose."),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_markers_of_earlier_answers_are_stripped(case: str) -> None:
    text, expected = ANSWERS[case]
    assert strip_history(text) == expected
    assert strip_history(expected) == expected
