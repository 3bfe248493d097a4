"""The kind of each sentence, and code blocks compared with a CommonMark parser."""

from bisect import bisect_right
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citestream.citation.text.segmentation import Kind
from tests.citation.text.segmentation.test_properties import segmented

PROSE, HEADING, ITEM, ROW = Kind.PROSE, Kind.HEADING, Kind.LIST_ITEM, Kind.TABLE_ROW
HEADER = Kind.TABLE_HEADER
CODE, MATH, QUOTE, HTML, RULE = Kind.CODE, Kind.MATH, Kind.QUOTE, Kind.HTML, Kind.RULE

CASES: dict[str, tuple[tuple[str, Kind], ...]] = {
    "a heading and its text": (("# Tides. Ebb\n", HEADING), ("They turn.", PROSE)),
    "a hash that is not a heading": (("#tides turn.", PROSE),),
    "an underlined heading": (("Tides\n", PROSE), ("=====\n", RULE), ("They turn.", PROSE)),
    "a thematic break": (("They turn.\n", PROSE), ("* * *\n", RULE), ("They ebb.", PROSE)),
    "bold is not a bullet": (("**Tides** turn. ", PROSE), ("They ebb.", PROSE)),
    "a minus is not a bullet": (("-5 degrees it was.", PROSE),),
    "a year is not a list number": (("1999 was dry.", PROSE),),
    "bullets": (("* Ebb\n", ITEM), ("+ Flow\n", ITEM), ("- Slack", ITEM)),
    "numbers": (("1. Ebb. ", ITEM), ("It is slow.\n", ITEM), ("2) Flow", ITEM)),
    "a quotation": (("> The tide turns. ", QUOTE), ("It ebbs.\n", QUOTE), ("So he said.", PROSE)),
    "a list in a quotation": (("> 1. The tide turns.\n", QUOTE),),
    "a table": (("| a | b. |\n", HEADER), ("|---|:-:|\n", RULE), ("| 1. X | 2 |\n", ROW)),
    "a table without a rule": (("| a | b |\n", HEADER), ("| X | 2 |\n", ROW), ("| Y | 3 |\n", ROW), ("So.", PROSE)),
    "two tables without a rule": (("| a | b |\n", HEADER), ("So.\n", PROSE), ("| c | d |\n", HEADER)),
    "a table without outer pipes": (
        ("a | b\n", PROSE),
        ("---|---\n", RULE),
        ("X. Y | 2\n", ROW),
        ("\n", PROSE),
        ("So.", PROSE),
    ),
    "a fence": (("```py\n", CODE), ("a[1] = 2. B\n", CODE), ("```\n", CODE), ("So.", PROSE)),
    "a blank line in a fence": (("```\n", CODE), ("\n", CODE), ("a\n", CODE), ("```\n", CODE)),
    "a longer fence": (("````\n", CODE), ("```\n", CODE), ("````\n", CODE), ("So.", PROSE)),
    "tildes do not close backticks": (("```\n", CODE), ("~~~\n", CODE), ("```\n", CODE), ("So.", PROSE)),
    "an indented closing fence is code": (("```\n", CODE), ("    ```\n", CODE), ("```\n", CODE), ("So.", PROSE)),
    "a fence with words after it does not close": (("```\n", CODE), ("``` py\n", CODE), ("a. B", CODE)),
    "a fence in an item": (("- ```\n", CODE), ("  a. B\n", CODE), ("  ```\n", CODE), ("- So", ITEM)),
    "a fence in a quotation": (("> ```\n", CODE), ("> a. B\n", CODE), ("> ```\n", CODE), ("So.", PROSE)),
    "the end of a quotation closes its fence": (
        ("> ```\n", CODE),
        ("> a. B\n", CODE),
        ("So. ", PROSE),
        ("It is.", PROSE),
    ),
    "inline code that looks like a fence": (("```a. B``` is code. ", PROSE), ("So.", PROSE)),
    "indented code": (("So:\n", PROSE), ("\n", PROSE), ("    a[1]. B\n", CODE), ("\ta\n", CODE), ("So.", PROSE)),
    "a line of spaces": (("So.\n", PROSE), ("\n", PROSE), ("     \n", PROSE), ("On.", PROSE)),
    "an indented line of a paragraph": (("So\n", PROSE), ("    it goes. ", PROSE), ("On.", PROSE)),
    "a paragraph of an item": (("- Ebb\n", ITEM), ("\n", PROSE), ("    It is slow.", PROSE)),
    "code of an item": (("- Ebb\n", ITEM), ("\n", PROSE), ("      a[1]. B\n", CODE)),
    "display math": (("$$\n", MATH), ("x = 1. Y\n", MATH), ("$$\n", MATH), ("So.", PROSE)),
    "display math on one line": (("$$x = 1. Y$$\n", MATH), ("So. ", PROSE), ("On.", PROSE)),
    "display math in brackets": (("\\[\n", MATH), ("x[1]. Y\n", MATH), ("\\]\n", MATH), ("So.", PROSE)),
    "a definition": (("[tide]: https://a.example/b. C\n", RULE), ("So.", PROSE)),
    "HTML": (("<p>It turns. ", HTML), ("It ebbs.</p>\n", HTML), ("So.", PROSE)),
    "preformatted HTML": (("<pre>\n", CODE), ("a[1]. B\n", CODE), ("\n", CODE), ("</pre>\n", CODE), ("So.", PROSE)),
    "a comment": (("<!-- a. B\n", CODE), ("c -->\n", CODE), ("So.", PROSE)),
    "a comment on one line": (("<!-- a. B -->\n", CODE), ("So.", PROSE)),
}


@pytest.mark.parametrize("pieces", CASES.values(), ids=CASES)
def test_sentences_have_the_expected_kinds(pieces: tuple[tuple[str, Kind], ...]) -> None:
    text = "".join(piece for piece, _ in pieces)
    for parts in ([text], list(text)):
        assert tuple((sentence.text, sentence.kind) for sentence in segmented(parts)) == pieces


BLOCKS = [
    "One. Two [1].\n", "A line\nand another. [2]\n", "# Head\n", "Head\n====\n", "***\n", "---\n", "[x]: http://y\n",
    "- a. b\n- c\n", "1. a\n2. b\n", "- a\n\n  b in it\n", "- a\n\n      code in it\n", "1) x\n\n    more\n",
    "- - x\n",
    "```\ncode. X\n```\n", "~~~ py\ncode\n~~~\n", "````\n```\na\n```\n````\n", "- a\n  ```\n  code\n  ```\n",
    "> ```\n> a\n> ```\n",
    "    indented\n", "\tindented\n", "`inline ``` code`\n", "``` no fence ```\n", "> a. B\n", "> - q\n",
    "- ```\n  x\n  ```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "a | b\n---|---\n1 | 2\n", "1. a\n   ```\n   code\n   ```\n",
    "```js\nnever closed\n",
]  # fmt: skip
PARSER = MarkdownIt("commonmark").enable("table")


@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=5))
@settings(max_examples=200)
def test_code_blocks_agree_with_a_commonmark_parser(blocks: list[str]) -> None:
    text = "\n".join(blocks)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    kinds = {bisect_right(starts, sentence.start) - 1: sentence.kind for sentence in segmented([text])}
    spans = [token.map for token in PARSER.parse(text) if token.type in ("fence", "code_block") and token.map]
    code = {line for begin, end in spans for line in range(begin, end)}
    for number, line in enumerate(lines):
        if line.strip():
            assert (number in code) == (kinds[number] is Kind.CODE), line
