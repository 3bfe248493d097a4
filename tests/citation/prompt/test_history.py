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


NOTE = "(no supporting source)"
NOTES: dict[str, tuple[str, str, str]] = {  # the note, the earlier answer, what the model receives
    "after a sentence": (NOTE, f"Sales rose. {NOTE} Costs fell. [1]", "Sales rose. Costs fell."),
    "at the end": (NOTE, f"Sales rose. {NOTE}", "Sales rose."),
    "before the full stop": (NOTE, f"Sales rose {NOTE}. Costs fell [1].", "Sales rose. Costs fell."),
    "in Chinese": (NOTE, f"收入增长。{NOTE}成本下降。", "收入增长。成本下降。"),
    "in lists": (NOTE, f"- Sales rose {NOTE}\n- Costs fell {NOTE}\n", "- Sales rose\n- Costs fell\n"),
    "in a table": (NOTE, f"| Sales | rose {NOTE} |\n", "| Sales | rose |\n"),
    "in code": (NOTE, f"```\n{NOTE}\n```\n", f"```\n{NOTE}\n```\n"),
    "a note without brackets": (
        "unverified",
        "Sales rose. unverified It is unverified news.",
        "Sales rose. It is unverified news.",
    ),
    "a note before the list of references": (
        NOTE,
        f"Sales rose. {NOTE} Costs fell. [1]\n\n**References**\n\n- [1] a.md\n",
        "Sales rose. Costs fell.",
    ),
    "a note without letters": ("*", "It is *so*. *", "It is *so*. *"),
    "another note": ("(unproven)", f"Sales rose. {NOTE}", f"Sales rose. {NOTE}"),
    "no note": ("", f"Sales rose. {NOTE}", f"Sales rose. {NOTE}"),
}


@pytest.mark.parametrize("case", NOTES)
def test_our_notes_in_earlier_answers_are_removed(case: str) -> None:
    note, text, expected = NOTES[case]
    assert strip_history(text, note) == expected
    assert strip_history(expected, note) == expected
