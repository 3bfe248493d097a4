"""Our markers do not change how Markdown renders: blocks, spans and code."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citestream.citation import Evidence, cite
from citestream.citation.options import Options
from tests.citation.answers.test_answer import visible_text
from tests.citation.text.segmentation.cases import STREAMS
from tests.citation.text.segmentation.test_properties import texts

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
MARKER = re.compile(r"[ \u00a0]?\[1\]")
ANSWER = """\
# Report [1]

Sales **rose by 5 %.** [2] Costs fell; see `a[1]. B` and [the plan](https://a.b/c_(d).e).

1. First. *Really.*
   - nested one
   - nested `two`

     continued text.

         code. of the item
2. Second

| Year | Sales | Note |
|:-----|------:|------|
| 2023 | 5.1 | up \\| down |
| 2024 | 5.2 | |

> Quoted text. More of it.
> - with a list

```python
x = a[1]. b  # [1]
```

~~~
open [2]
~~~

    indented [1]. code

Text before a rule.

---

Setext heading
--------------

<div>Some *HTML*.</div>

Last line with a break\\
and more. ![image](i.png)

[ref]: https://a.b/c "title"
"""


def structure(markdown: str) -> list[tuple[str, str, str]]:
    """Return the type, tag and text of every token, without our markers outside of code."""
    found: list[tuple[str, str, str]] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "inline":
                walk(token.children or [])
                continue
            text = token.content if token.type in ("fence", "code_block", "code_inline") else ""
            if token.type == "text":
                text = MARKER.sub("", token.content)
            address = str(token.attrs.get("href", token.attrs.get("src", "")))
            if token.type != "text" or text.strip():
                found.append((token.type, token.tag, (text + address).strip()))

    walk(MarkdownIt("commonmark").enable("table").parse(markdown))
    return joined(found)


def joined(tokens: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Join neighbouring texts, which a marker may separate."""
    merged: list[tuple[str, str, str]] = []
    for token in tokens:
        if merged and token[0] == merged[-1][0] == "text":
            merged[-1] = ("text", "", f"{merged[-1][2]} {token[2]}")
        else:
            merged.append(token)
    return merged


CASES = {"an answer with all kinds of blocks": ANSWER} | {name: "".join(pieces) for name, pieces in STREAMS.items()}
CASES |= {file.name: file.read_text("utf-8") for file in sorted(DOCUMENTS.iterdir())}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
@pytest.mark.parametrize("placement", ["after", "before"])
def test_markers_do_not_change_the_structure(text: str, placement: str) -> None:
    options = {"after": Options(), "before": Options(placement="before")}
    plain, _ = visible_text([text], Options(marker="none"))
    marked, response = visible_text([text], options[placement])
    assert structure(marked) == structure(plain)
    if text == ANSWER:
        assert len(response.references.cited()[0].spans) >= 10


@given(texts)
@settings(max_examples=100)
def test_code_is_unchanged(text: str) -> None:
    marked, _ = visible_text([text], Options())
    after = structure(marked)
    for token in structure(text):
        if token[0] in ("fence", "code_block"):
            assert token in after


LIST_ITEMS = {
    "a number": "1. The bridge opened in 1932.",
    "a number with a parenthesis": "12) The bridge opened in 1932.",
    "a bullet": "- The bridge opened in 1932.",
    "a number in a quotation": "> 3. The bridge opened in 1932.",
    "an indented number": "   4. The bridge opened in 1932.",
}


@pytest.mark.parametrize("case", LIST_ITEMS)
def test_the_number_of_a_list_item_is_not_part_of_the_claim(case: str) -> None:
    evidence = [Evidence(1, "The bridge opened in 1932 and is red.", "e1")]
    assert cite(LIST_ITEMS[case], evidence).text == f"{LIST_ITEMS[case]} [1]"
    wrong = LIST_ITEMS[case].replace("1932", "1933")
    assert cite(wrong, evidence).text == wrong
