"""Removal of the model's markers, in every notation and for every split."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.markers import MarkerNames, MarkerStripper
from citestream.citation.markers.named import label_shape
from tests.citation.markers.stripping import FIVE, Case, check

FILES = MarkerNames.from_evidence(
    [
        Evidence(1, "a", "e1", document_id="docs/annual report.pdf", file_name="annual report.pdf"),
        Evidence(2, "b", "e2", file_name="annual report.pdf", title="Annual report"),
        Evidence(3, "c", "e3", title="Marie Curie"),
        Evidence(4, "d", "e4", file_name="notes.md"),
    ]
)
FORMS: dict[str, Case] = {
    "one number": ("Sales rose [1].", "Sales rose.", (1,), ()),
    "two adjacent markers": ("Sales rose [5][3].", "Sales rose.", (5, 3), ()),
    "adjacent markers in order": ("Sales rose [1][2].", "Sales rose.", (1, 2), ()),
    "side by side with a space": ("Sales rose [1] [2].", "Sales rose.", (1, 2), ()),
    "side by side with a comma": ("Sales rose [1], [2].", "Sales rose.", (1, 2), ()),
    "a list": ("Sales rose [1, 2].", "Sales rose.", (1, 2), ()),
    "a list without spaces": ("Sales rose [1,2,4].", "Sales rose.", (1, 2, 4), ()),
    "a list with a space before the comma": ("Sales rose [1 , 2].", "Sales rose.", (1, 2), ()),
    "a list with semicolons": ("Sales rose [1; 2].", "Sales rose.", (1, 2), ()),
    "a list with a word": ("Sales rose [1 and 2].", "Sales rose.", (1, 2), ()),
    "a list with a comma and a word": ("Sales rose [1, 2, and 4].", "Sales rose.", (1, 2, 4), ()),
    "a list with the Japanese comma": ("売上は増加した［1、2］。", "売上は増加した。", (1, 2), ()),
    "a number twice in a list": ("Sales rose [2, 2].", "Sales rose.", (2,), ()),
    "a range": ("Sales rose [1-3].", "Sales rose.", (1, 2, 3), ()),
    "a range with an en dash": ("Sales rose [1–3].", "Sales rose.", (1, 2, 3), ()),
    "a range with spaces": ("Sales rose [2 – 4].", "Sales rose.", (2, 3, 4), ()),
    "a descending range": ("Sales rose [3-2].", "Sales rose.", (2, 3), ()),
    "a range of brackets": ("Sales rose [1]–[3].", "Sales rose.", (1, 2, 3), ()),
    "a list with a range": ("Sales rose [1, 3-5].", "Sales rose.", (1, 3, 4, 5), ()),
    "double brackets": ("Sales rose [[1]].", "Sales rose.", (1,), ()),
    "a link to an anchor": ("Sales rose [1](#ref-1).", "Sales rose.", (1,), ()),
    "a link to a page": ("Sales rose [1](https://example.org/a).", "Sales rose.", (1,), ()),
    "a link with a title": ('Sales rose [1](https://example.org "the report").', "Sales rose.", (1,), ()),
    "a link with a decoded number": ("Sales rose [&#49;](https://example.org).", "Sales rose.", (1,), ()),
    "a link to a page, with an unknown number": ("Sales rose [9](https://example.org).", "Sales rose.", (), (9,)),
    "a link to a file": ("Sales rose [1](annual-report.pdf).", "Sales rose.", (1,), ()),
    "a link without a target": ("Sales rose [1]().", "Sales rose.", (1,), ()),
    "links in parentheses": ("Sales rose ([1](https://a.b), [2](https://c.d)).", "Sales rose.", (1, 2), ()),
    "adjacent links": ("Sales rose [1](https://a.b)[2](https://c.d).", "Sales rose.", (1, 2), ()),
    "a link in the text of a link": ("Sales rose [[1](https://a.b)](https://a.b).", "Sales rose.", (1,), ()),
    "links that nest from turn to turn": ("Sales rose [ [[1]](https://a.b)](https://a.b).", "Sales rose.", (1,), ()),
    "our link style": ("Sales rose [[1]](https://example.org/a_(b)).", "Sales rose.", (1,), ()),
    "two markers in our link style": ("Sales rose [[1]](u)[[2]](<v w>).", "Sales rose.", (1, 2), ()),
    "spaces inside": ("Sales rose [ 1 ].", "Sales rose.", (1,), ()),
    "a no-break space inside": ("Sales rose [1,\u00a02].", "Sales rose.", (1, 2), ()),
    "lenticular brackets": ("Sales rose 【1】.", "Sales rose.", (1,), ()),
    "lenticular brackets with a list": ("Sales rose 【1, 2】.", "Sales rose.", (1, 2), ()),
    "full-width brackets": ("Sales rose ［1］.", "Sales rose.", (1,), ()),
    "full-width digits": ("Sales rose [１].", "Sales rose.", (1,), ()),
    "Arabic-Indic digits": ("ارتفعت المبيعات [٢].", "ارتفعت المبيعات.", (2,), ()),
    "Persian digits": ("فروش افزایش یافت [۳].", "فروش افزایش یافت.", (3,), ()),
    "Devanagari digits": ("बिक्री बढ़ी [४]।", "बिक्री बढ़ी।", (4,), ()),
    "a digit among invisible characters": ("Sales rose [\u2060\u00ad1\ufe0f\u202c].", "Sales rose.", (1,), ()),
    "two digits with an invisible character between them": ("Sales rose [1\u20602].", "Sales rose.", (), (12,)),
    "brackets as character references": ("Sales rose &#91;1&#93;&lbrack;2&rbrack;.", "Sales rose.", (1, 2), ()),
    "brackets as hexadecimal character references": ("Sales rose &#x5B;1&#X5d;.", "Sales rose.", (1,), ()),
    "digits as character references": ("Sales rose [&#49;][&#x32;].", "Sales rose.", (1, 2), ()),
    "emphasis inside": ("Sales rose [**1**] [`2`].", "Sales rose.", (1, 2), ()),
    "tortoise-shell brackets": ("销售额增长〔1〕。", "销售额增长。", (1,), ()),
    "white brackets": ("Sales rose ⟦1⟧ ❲2❳ ﹝3﹞.", "Sales rose.", (1, 2, 3), ()),
    "superscript digits": ("Sales rose [¹].", "Sales rose.", (1,), ()),
    "a dagger and a word": ("Sales rose【1†source】.", "Sales rose.", (1,), ()),
    "a dagger and lines": ("Sales rose【3†L10-L25】.", "Sales rose.", (3,), ()),
    "a dagger with a turn": ("Sales rose【4:2†report.pdf】.", "Sales rose.", (2,), ()),
    "a dagger in square brackets": ("Sales rose [2†source].", "Sales rose.", (2,), ()),
    "a footnote": ("Sales rose.[^1]", "Sales rose.", (1,), ()),
    "a footnote closed twice": ("Sales rose [^1^].", "Sales rose.", (1,), ()),
    "ID": ("Sales rose [ID:1].", "Sales rose.", (1,), ()),
    "ID with a space": ("Sales rose [ID: 1][ID: 2].", "Sales rose.", (1, 2), ()),
    "ID with a full-width colon": ("销售增长[ID：1]。", "销售增长。", (1,), ()),
    "ID in parentheses": ("Sales rose (ID:1).", "Sales rose.", (1,), ()),
    "ID in small letters": ("Sales rose [id 2].", "Sales rose.", (2,), ()),
    "ID repeated in a list": ("Sales rose [ID: 1, ID: 3].", "Sales rose.", (1, 3), ()),
    "a source": ("Sales rose [Source 1].", "Sales rose.", (1,), ()),
    "sources": ("Sales rose [Sources: 1, 3].", "Sales rose.", (1, 3), ()),
    "a source in parentheses": ("Sales rose (Source 2).", "Sales rose.", (2,), ()),
    "a document": ("Sales rose [Document 2].", "Sales rose.", (2,), ()),
    "a source with a hash": ("Sales rose [Source #2].", "Sales rose.", (2,), ()),
    "a German source": ("Der Umsatz stieg [Quelle 2].", "Der Umsatz stieg.", (2,), ()),
    "a Chinese source": ("收入增长[来源：2]。", "收入增长。", (2,), ()),
    "a page": ("Sales rose [1, p. 12].", "Sales rose.", (1,), ()),
    "page and chunk": ("Sales rose [1, page 12, chunk 7].", "Sales rose.", (1,), ()),
    "hashes and dollars": ("Sales rose ##1$$.", "Sales rose.", (1,), ()),
    "escaped brackets": ("Sales rose \\[1\\].", "Sales rose.", (1,), ()),
    "bold": ("Sales rose **[1]**.", "Sales rose.", (1,), ()),
    "several in bold": ("Sales rose **[1][2]**.", "Sales rose.", (1, 2), ()),
    "italic": ("Sales rose *[1]*.", "Sales rose.", (1,), ()),
    "underlined": ("Sales rose __[1]__.", "Sales rose.", (1,), ()),
    "superscript by tag": ("Sales rose<sup>[1]</sup>.", "Sales rose.", (1,), ()),
    "a number in superscript after punctuation": ("Sales rose.<sup>1</sup> Costs", "Sales rose. Costs", (1,), ()),
    "numbers in superscript": ("Sales rose,<sup>1, 2</sup> costs fell.", "Sales rose, costs fell.", (1, 2), ()),
    "superscript digits after full stops": ("Sales rose.¹ Costs fell.²,³", "Sales rose. Costs fell.", (1, 2, 3), ()),
    "superscript digits before a marker": ("Sales rose.¹ [2]. ", "Sales rose.. ", (1, 2), ()),
    "superscript digits after a space": ("Sales rose ¹.", "Sales rose.", (1,), ()),
    "a formula": ("Sales rose $^{[1]}$ or fell$^{[2, 3]}$.", "Sales rose or fell.", (1, 2, 3), ()),
    "a link in brackets": ("Sales rose [[1](https://example.org)].", "Sales rose.", (1,), ()),
    "a reference in parentheses": (
        "Sales rose (see [1]) and costs (cf. [2], [3]).",
        "Sales rose and costs.",
        (1, 2, 3),
        (),
    ),
    "a result": ("Sales rose [result 1][web 2].", "Sales rose.", (1, 2), ()),
    "in parentheses": ("Sales rose ([1]).", "Sales rose.", (1,), ()),
    "several in parentheses": ("Sales rose ([1], [2]).", "Sales rose.", (1, 2), ()),
    "in parentheses with a word": ("Sales rose (Source: [1]).", "Sales rose.", (1,), ()),
    "in parentheses and bold": ("Sales rose (**[1]**).", "Sales rose.", (1,), ()),
    "in parentheses with a conjunction": (
        "Sales rose ([1] and [2]), or (see [3] or [4]).",
        "Sales rose, or.",
        (1, 2, 3, 4),
        (),
    ),
    "joined by a slash or a plus sign": ("Sales [1]/[2] rose [3] + [4].", "Sales rose.", (1, 2, 3, 4), ()),
    "in another pair of brackets": ("Sales rose [[1], [2]], costs [[3][4]].", "Sales rose, costs.", (1, 2, 3, 4), ()),
    "in another pair of brackets with a link": ("Sales rose [[1]; [2]](u).", "Sales rose.", (1, 2), ()),
    "the link of a source": ("Sales rose [Source 1](https://example.org) [[ID:2]](u).", "Sales rose.", (1, 2), ()),
    "in full-width parentheses": ("收入增长（[1]）。", "收入增长。", (1,), ()),
}


@pytest.mark.parametrize("case", FORMS)
def test_a_notation_of_models_is_a_marker(case: str) -> None:
    check(*FORMS[case])


# Text that a page displays like a marker. Each entry replaces the marker in "Sales rose X.".
LOOK_ALIKES: dict[str, str] = {
    "decimal character references": "&#91;1&#93;",
    "decimal character references with zeros": "&#0091;1&#0093;",
    "hexadecimal character references with zeros": "&#x005b;&#x0031;&#x005D;",
    "named character references": "&lsqb;&#49;&rbrack;",
    "character references of other brackets": "&#12304;1&#x3011;",
    "character references of double brackets": "&#x5B;&#x5B;1&#x5D;&#x5D;",
    "a character reference of one bracket": "&#91;1]",
    "a character reference of a circled digit": "[&#x2460;]",
    "character references of spaces": "[&nbsp;1&#8203;&ZeroWidthSpace;]",
    "a tag around the number": "[<b>1</b>]",
    "two tags around the number": "[<i><b>1</b></i>]",
    "a tag with an attribute": '[<span class="x">1</span>]',
    "a link around the number": '[<a href="#x">1</a>]',
    "a tag for code around the number": "[<code>1</code>]",
    "a tag around each number": "[<mark>1</mark>, <b>1</b>]",
    "a line break": "[1<br>]",
    "a comment after the number": "[1<!-- x -->]",
    "a comment before the number": "[<!-- x > y -->1]",
    "two nested brackets with spaces": "[ [1] ]",
    "three nested brackets": "[[[1]]]",
    "a circled digit": "[①]",
    "a filled circled digit": "[❶]",
    "a digit in two circles": "[⓵]",
    "a digit with a full stop": "[⒈]",
    "a digit in parentheses": "[⑴]",
    "a subscript": "[₁]",
    "a mathematical digit": "[𝟏]",
    "a keycap": "[1️⃣]",
    "a digit with a line below it": "[1̲]",
    "a number sign": "[#1]",
    "an escaped number sign": "[\\#1]",
    "a numero sign": "[№ 1]",
    "an abbreviation of number": "[No. 1]",
    "a note": "[note 1]",
    "a footnote": "[fn 1]",
    "a request to see": "[see source 1]",
    "a source with a hyphen": "[doc-1]",
    "a source with an underscore": "[source_1]",
    "a comma at the end": "[1,]",
    "a comma at the beginning": "[,1]",
    "two commas": "[1,,1]",
    "a vertical bar": "[1|1]",
    "a semicolon, a full stop or a colon at the end": "[1;][1.][1:]",
    "a word for or": "[1 or 1]",
    "a number in parentheses": "[(1)]",
    "a number that is struck out": "[~~1~~]",
    "a highlighted number": "[==1==]",
    "a formula": "[$1$]",
    "an escaped opening bracket": "\\[1]",
    "an escaped closing bracket": "[1\\]",
    "a link whose text has escaped brackets": "[\\[1\\]](https://example.org)",
    "a full-width bracket on the left": "［1]",
    "a full-width bracket on the right": "[1］",
    "brackets of two kinds": "[1】【1]",
    "white square brackets": "〚1〛",
    "brackets with a bar": "⦋1⦌",
    "brackets for vertical text": "﹇1﹈",
    "a struck-out marker": "~~[1]~~",
    "a marker in two kinds of emphasis": "**_[1]_**",
    "a formula that is a marker": "$[1]$",
    "a formula in parentheses": "\\(^{[1]}\\)",
    "a snippet": "[Snippet 1]",
    "an abbreviation of note": "[n. 1]",
    "a French abbreviation of number": "[source n° 1]",
    "a request to see in German": "[siehe Quelle 1]",
    "a request to see in Russian": "[см. 1]",
    "a source in Swedish": "[källa 1]",
    "a note in Chinese": "[注1]",
    "a place after the marker": "([1], p. 3)",
    "a place without a comma": "([1] pp. 3-4)",
    "a request to see other markers": "(see also [1])",
    "an example": "(e.g., [1])",
    "a request to see an example": "(see, e.g., [1])",
    "an example in German": "(siehe z. B. [1])",
    "a range in words": "[1] to [1]",
    "two conjunctions": "[1] and/or [1]",
    "three markers with conjunctions": "[1] and [1] and [1]",
    "a middle dot between markers": "[1]・[1]",
}


@pytest.mark.parametrize("case", LOOK_ALIKES)
def test_text_that_is_displayed_like_a_marker_is_removed(case: str) -> None:
    check(f"Sales rose {LOOK_ALIKES[case]}.", "Sales rose.", (1,), ())


@pytest.mark.parametrize("case", LOOK_ALIKES)
def test_text_that_is_displayed_like_a_marker_is_kept_in_code(case: str) -> None:
    code = f"Write `` {LOOK_ALIKES[case]} `` to cite."
    check(code, code, (), ())


ATTACHED: dict[str, Case] = {
    "before a full stop": ("profits rose[1].", "profits rose.", (1,), ()),
    "before a comma": ("profits rose[1], costs fell", "profits rose, costs fell", (1,), ()),
    "before a space": ("profits rose[1] while costs fell", "profits rose while costs fell", (1,), ()),
    "at the end": ("profits rose[1]", "profits rose", (1,), ()),
    "at the end of a line": ("profits rose[1]\n", "profits rose\n", (1,), ()),
    "two markers": ("profits rose[1][2].", "profits rose.", (1, 2), ()),
    "after a year": ("profits rose in 2023[1].", "profits rose in 2023.", (1,), ()),
    "after a product": ("the best seller was the iPhone[1].", "the best seller was the iPhone.", (1,), ()),
    "after a formula": ("emissions of CO2[1].", "emissions of CO2.", (1,), ()),
    "after a company": ("bought by OpenAI[1].", "bought by OpenAI.", (1,), ()),
    "after a web site": ("as on example.com[1].", "as on example.com.", (1,), ()),
    "after a percent sign": ("by 12 %[1].", "by 12 %.", (1,), ()),
    "after a degree sign": ("at 12 ℃[1].", "at 12 ℃.", (1,), ()),
    "after a parenthesis": ("profits (net)[1].", "profits (net).", (1,), ()),
    "after a quotation": ('"profits rose"[1].', '"profits rose".', (1,), ()),
    "after bold": ("**profits rose**[1].", "**profits rose**.", (1,), ()),
    "after inline code": ("use `sum`[1].", "use `sum`.", (1,), ()),
    "after Cyrillic": ("прибыль выросла[1].", "прибыль выросла.", (1,), ()),
    "after Chinese": ("收入增长[1]。", "收入增长。", (1,), ()),
    "an unknown number": ("profits rose[7].", "profits rose.", (), (7,)),
    "before a question mark": ("did profits rose[1]?", "did profits rose?", (1,), ()),
    "before a tag": ("profits rose[1]<br>", "profits rose<br>", (1,), ()),
    "before a conjunction": ("profits rose[1]and costs fell[2].", "profits rose and costs fell.", (1, 2), ()),
    "before a conjunction and a marker": ("profits rose[1]and[2].", "profits rose.", (1, 2), ()),
    "two markers before a conjunction": (
        "profits rose[1][2]while costs fell",
        "profits rose while costs fell",
        (1, 2),
        (),
    ),
    "before a capital": ("profits rose[1]The costs fell.", "profits rose The costs fell.", (1,), ()),
    "between Cyrillic words": ("прибыль выросла[1]и упала.", "прибыль выросла и упала.", (1,), ()),
    "before Chinese": ("模型GPT[1]生成文本。", "模型GPT生成文本。", (1,), ()),
    "in parentheses": ("profits rose([1]).", "profits rose.", (1,), ()),
    "in parentheses with a conjunction": ("profits rose([1] and [2]) here.", "profits rose here.", (1, 2), ()),
    "in parentheses after a name that ends with a letter": ("It is vitamin C([1]).", "It is vitamin C.", (1,), ()),
    "in underscores": ("profits rose__[1]__.", "profits rose.", (1,), ()),
    "in bold and italics": ("profits rose***[1]***.", "profits rose.", (1,), ()),
    "in circumflexes": ("profits rose^[1]^.", "profits rose.", (1,), ()),
    "after a name that ends with a letter": (
        "It is vitamin C[1] or Plan B[2].",
        "It is vitamin C or Plan B.",
        (1, 2),
        (),
    ),
    "two numbers after a word for numbers": (
        "These are the numbers [1, 2]. They share these values [2, 3].",
        "These are the numbers. They share these values.",
        (1, 2, 3),
        (),
    ),
    "after a word that can name a variable": (
        "The price index[1] is on the list[2], says the memo[3].",
        "The price index is on the list, says the memo.",
        (1, 2, 3),
        (),
    ),
    "a range": ("profits rose[1]-[2].", "profits rose.", (1, 2), ()),
    "two with a slash": ("profits rose[1]/[2] here.", "profits rose here.", (1, 2), ()),
    "two with a plus sign": ("profits rose[1] + [2].", "profits rose.", (1, 2), ()),
    "two with a comma before a name": ("profits rose[1], [2]net", "profits rose net", (1, 2), ()),
    "two with a hyphen before a name": ("profits rose[1]-[2]net", "profits rose net", (1, 2), ()),
    "before parentheses with a page": ("profits rose[1]([2], p. 3).", "profits rose.", (1, 2), ()),
    "a superscript before a raised marker": ("profits rose,¹^[2]^ so", "profits rose, so", (1, 2), ()),
    "a raised marker after a path": ("profits rose [DC] b.pdf^[1]^.", "profits rose.", (1,), (0,)),
    "before a comment": ("profits rose[1]<!-- a -->.", "profits rose<!-- a -->.", (1,), ()),
    "before another clause": ("profits rose[1] and [2] and costs fell", "profits rose and costs fell", (1, 2), ()),
}


@pytest.mark.parametrize("case", ATTACHED)
def test_a_marker_without_a_space_before_it_is_removed(case: str) -> None:
    check(*ATTACHED[case])


UNKNOWN: dict[str, Case] = {
    "too large": ("Sales rose [9].", "Sales rose.", (), (9,)),
    "zero": ("Sales rose [0].", "Sales rose.", (), (0,)),
    "three digits": ("Sales rose [404].", "Sales rose.", (), (404,)),
    "among known numbers": ("Sales rose [1, 9, 2].", "Sales rose.", (1, 2), (9,)),
    "next to a known number": ("Sales rose [9][1].", "Sales rose.", (1,), (9,)),
    "only unknown numbers": ("Sales rose [8, 9].", "Sales rose.", (), (8, 9)),
    "a range beyond the known numbers": ("Sales rose [4-7].", "Sales rose.", (4, 5), (6, 7)),
    "a huge range": ("Sales rose [1-999999].", "Sales rose [1-999999].", (), ()),
    "a huge range of sources": ("Sales rose [Sources 1-999999].", "Sales rose.", (1, 2, 3, 4, 5), (999999,)),
    "huge digits of a source": ("Sales rose [Source 123456789012].", "Sales rose.", (), (123456789012,)),
    "in the middle": ("Sales [9] rose.", "Sales rose.", (), (9,)),
    "at the start": ("[9] Sales rose.", "Sales rose.", (), (9,)),
    "alone": ("[9]", "", (), (9,)),
    "in a link style": ("Sales rose [[9]](https://example.org).", "Sales rose.", (), (9,)),
    "with a dagger": ("Sales rose 【12†source】.", "Sales rose.", (), (12,)),
    "twice": ("Sales [9] rose [9].", "Sales rose.", (), (9,)),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_number_without_evidence_is_removed_and_reported(case: str) -> None:
    check(*UNKNOWN[case])


def test_a_year_is_a_marker_if_evidence_has_that_number() -> None:
    check("Sales rose [2024].", "Sales rose.", (2024,), (), MarkerNames(frozenset(range(1, 3001))))


def test_evidence_that_was_not_shown_is_unknown() -> None:
    check("Sales rose [1][2].", "Sales rose.", (1,), (2,), MarkerNames(frozenset({1, 3})))


REPEATS: dict[str, Case] = {
    "twice side by side": ("Sales rose [1][1].", "Sales rose.", (1,), ()),
    "three times": ("Sales rose [1] [1] [1].", "Sales rose.", (1,), ()),
    "twice in a sentence": ("Sales [1] rose [1].", "Sales rose.", (1,), ()),
    "in another order": ("Sales [2] rose [1][2].", "Sales rose.", (2, 1), ()),
    "twenty in a row": ("Sales rose " + "[1]" * 20 + ".", "Sales rose.", (1,), ()),
    "three forms of one number": ("Sales rose [1]【1】[ID:1].", "Sales rose.", (1,), ()),
}


@pytest.mark.parametrize("case", REPEATS)
def test_a_number_is_reported_once(case: str) -> None:
    check(*REPEATS[case])


NAMED: dict[str, Case] = {
    "a file": ("Sales rose [DC] annual report.pdf.", "Sales rose.", (1, 2), ()),
    "a path": ("Sales rose [DC] docs/annual report.pdf, as planned.", "Sales rose, as planned.", (1,), ()),
    "an entity": ("She won twice [KG] Marie Curie.", "She won twice.", (3,), ()),
    "an unknown file": ("Sales rose [DC] other.pdf.", "Sales rose.", (), (0,)),
    "a file in brackets": ("Sales rose [notes.md].", "Sales rose.", (4,), ()),
    "a file and its id": ("Sales rose [notes.md](e4).", "Sales rose.", (4,), ()),
    "a title and its id": ("She won [Marie Curie](e3).", "She won.", (3,), ()),
    "a file and the id of another file": ("Sales rose [notes.md](e1).", "Sales rose [notes.md](e1).", (), ()),
    "a file that is a link": ("See [notes.md](https://a.b).", "See [notes.md](https://a.b).", (), ()),
    "a title in brackets": ("The [Annual report] says so.", "The [Annual report] says so.", (), ()),
    "a longer word": ("See [notes.md.bak].", "See [notes.md.bak].", (), ()),
    "a capital": ("Washington [DC] is warm.", "Washington [DC] is warm.", (), ()),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_marker_can_name_its_evidence(case: str) -> None:
    check(*NAMED[case], names=FILES)


def test_instances_are_independent() -> None:
    one, other = MarkerStripper(FIVE), MarkerStripper(FIVE)
    shown = [one.feed("A ["), other.feed("B ["), one.feed("1]."), other.feed("x]."), one.flush(), other.flush()]
    assert "".join(shown[::2]) == "A."
    assert "".join(shown[1::2]) == "B [x]."
    assert (one.cited, other.cited) == ((1,), ())


HELD: dict[str, tuple[str, str]] = {  # the text that was fed, and the part that is shown
    "plain text": ("Sales rose", "Sales rose"),
    "a space, which is removed with a marker": ("Sales rose ", "Sales rose"),
    "a bracket": ("Sales rose [", "Sales rose"),
    "a marker, until the next character": ("Sales rose [1]", "Sales rose"),
    "a bracket before a short word": ("Sales rose [as", "Sales rose"),
    "a bracket before a long word": ("Sales rose [extraordinarily", "Sales rose [extraordinarily"),
    "an index": ("Then arr[1]", "Then arr[1]"),
    "code": ("Then `a b` c", "Then `a b` c"),
    "money": ("For $5 million and more", "For $5 million and more"),
    "a parenthesis": ("Sales rose (by a", "Sales rose (by a"),
    "a link until its end": ("See [this](http://a", "See [this]"),
}


@pytest.mark.parametrize("case", HELD)
def test_only_what_could_be_a_marker_is_held(case: str) -> None:
    raw, shown = HELD[case]
    assert MarkerStripper(FIVE).feed(raw) == shown


def test_labels_with_digits_have_a_shape() -> None:
    assert label_shape("Handbook") == ""
    assert label_shape("AB12") == label_shape("XY99")
    assert label_shape("a.pdf#page=2") == label_shape("my file.docx")
    assert label_shape("0.5") != label_shape("a.pdf")
