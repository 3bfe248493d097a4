"""The web components in Chromium, embedded in a page of another origin."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.chromium import serve_command, violations, watched_page
from tests.conftest import Launch

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/component"
COMPONENT = ROOT / "proxy/component"
EXAMPLE_ADDRESS = "http://127.0.0.1:8787"  # the address of Citestream in the example for React

EVIDENCE = [
    {"text": "The Saturn V was 110.6 metres tall. It flew thirteen times between 1967 and 1973.", "title": "Rockets"},
    {"text": "Apollo 12 was struck by lightning twice during its flight.", "title": "Missions"},
]
TALL, FLOWN, STRUCK = (
    "The Saturn V was 110.6 metres tall.",
    "The Saturn V flew thirteen times.",
    "Apollo 12 was struck by lightning twice.",
)
BLOCKS = {
    "paragraphs": f"{TALL} {FLOWN}\n\n{STRUCK} It was blue.",
    "a list with bold words": f"Facts:\n\n- The **Saturn V** was 110.6 metres tall.\n- {FLOWN}\n- {STRUCK}",
    "an ordered list from 3": f"3. {TALL}\n4. {FLOWN}\n5. {STRUCK}",
    "a nested list": f"- Rockets\n  - {TALL}\n  - {FLOWN}\n    1. {STRUCK}\n- Missions\n  1. {STRUCK}",
    "a loose list": f"- {TALL}\n\n- {FLOWN}\n\n  {STRUCK}",
    "a task list": f"- [x] {TALL}\n- [ ] {STRUCK}",
    "a table": "| Rocket | Height |\n|:--|--:|\n| Saturn V | 110.6 metres tall |\n| *Saturn V* | flew `13` times |",
    "a table between sentences": f"{TALL}\n\n| a | b |\n|---|---|\n| Saturn V | flew thirteen times |\n\n{STRUCK}",
    "a quotation with a list": f"> {TALL}\n>\n> - {FLOWN}\n> - {STRUCK}",
    "headings": f"# Rockets\n\n{TALL}\n\n## Missions\n\n{STRUCK}\n\nFlights\n-------\n\n{FLOWN}",
    "code": f"{TALL}\n\n```python\nheight[1] = 110.6  # metres\n```\n\n{STRUCK}",
    "inline code and emphasis": f"The `Saturn V` was **110.6** *metres* tall. ***{STRUCK}*** ~~{FLOWN}~~",
    "formulas": f"The height is $h = 110.6$ metres. {TALL}\n\n$$\n\\frac{{h}}{{2}} = 55.3\n$$\n\n{STRUCK}",
    "links": f"[The Saturn V](https://example.org/a_(b)) was 110.6 metres tall. See https://example.org/x. {STRUCK}",
    "entities and escapes": f"R&amp;D: {TALL} 2 \\* 3 &lt; 7. {STRUCK}",
    "line breaks and tags": f"{TALL}<br>{FLOWN}  \nH<sub>2</sub>O <b>and</b> <i>more</i>. {STRUCK}",
    "HTML": f"<div onclick=alert(1)>\n{TALL}\n</div>\n\n<b>{STRUCK}</b>",
    "emoji before the sentences": f"🚀🚀 {TALL} 🌩️ {STRUCK}",
    "lines that end with CRLF": f"{TALL}\r\n\r\n- {FLOWN}\r\n- {STRUCK}\r\n",
    "other scripts": f"土星五号高110.6米。它飞行了十三次。\n\nجسر هارلان افتتح.\n\n{TALL}",
    "a rule": f"{TALL}\n\n---\n\n{STRUCK}",
}


@contextmanager
def files(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield its address."""
    handler = partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages that embed the components."""
    return Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("host") / "pages"))


@pytest.fixture(scope="module")
def host(pages: Path) -> Iterator[str]:
    """Yield the address of the pages."""
    with files(pages) as url:
        yield url


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory, host: str) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("component")
    config = {"providers": {"extractive": {}}, "server": {"cors_origins": [host]}}
    with launch(serve_command(folder, config), folder / "log") as url:
        yield url


@pytest.fixture(scope="module")
def shared_page(browser: Browser, server: str, host: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    with watched_page(context, (server, host)) as page:
        page.goto(f"{host}/finished.html?server={server}")
        load = "async (server) => { window.citestream = await import(`${server}/component/citestream.js`); }"
        page.evaluate(load, server)
        page.add_script_tag(path=Path(__file__).with_name("component.js"))
        yield page
    context.close()


@pytest.fixture
def page(shared_page: Page) -> Page:
    """Return a page with one empty answer."""
    shared_page.evaluate("document.body.innerHTML = '<citestream-answer></citestream-answer>'")
    return shared_page


def cited(page: Page, server: str, text: str) -> dict[str, Any]:
    """Return the response of `POST /v1/cite`."""
    body = {"text": text, "evidence": EVIDENCE}
    result: dict[str, Any] = page.evaluate("([server, body]) => cite(server, body)", [server, body])
    return result


@pytest.mark.parametrize("case", BLOCKS)
def test_references_do_not_change_the_elements_of_the_streamed_answer(page: Page, server: str, case: str) -> None:
    result = cited(page, server, BLOCKS[case])
    shown = page.evaluate("([cited, size]) => streamAnswer(cited, size)", [result, 7])
    assert shown["streamed"] == shown["final"]
    assert shown["claims"] == result["grounding"]["claims"], "every claim is wrapped"
    assert result["grounding"]["supported"] > 0


ELEMENTS = {
    "a nested list": ("li", 6),
    "a task list": ("li.task", 2),
    "a table": ("td", 4),
    "a quotation with a list": ("blockquote li", 2),
    "headings": ("h3, h4", 3),
    "code": ("pre code", 1),
    "formulas": ("math", 2),
    "a loose list": ("li > p", 3),
    "a rule": ("hr", 1),
    "links": ("a[href^='https://example.org/']", 2),
    "line breaks and tags": ("br, sub, b, i", 5),
}


@pytest.mark.parametrize("case", ELEMENTS)
def test_blocks_are_elements(page: Page, case: str) -> None:
    selector, count = ELEMENTS[case]
    page.evaluate("text => document.querySelector('citestream-answer').show({ text })", BLOCKS[case])
    expect(page.locator(f"citestream-answer .text :is({selector})")).to_have_count(count)


def test_a_marker_is_on_the_line_of_the_character_before_it(page: Page, server: str) -> None:
    result = cited(page, server, f"{TALL} **{STRUCK}** Is it so! {FLOWN} `code` {STRUCK}\n\n- *{TALL}*")
    page.evaluate("cited => document.querySelector('citestream-answer').show(cited)", result)
    expect(page.locator(".marker")).to_have_count(5)
    assert page.evaluate("widths => wrappedMarkers(widths)", list(range(160, 700, 3))) == []


def test_quotations_that_are_not_exact_are_listed(page: Page, server: str) -> None:
    text = (
        '🌩️ It was "struck by lightning twice during its flight". It was "struck by lightning once during its flight". '
        'They said "nobody was ever worried".'
    )
    result = cited(page, server, text)
    page.evaluate("cited => document.querySelector('citestream-answer').show(cited)", result)
    notes = page.locator("citestream-answer [part=quotations]")
    expect(notes.locator("summary")).to_have_text("2 quotations to check")
    notes.locator("summary").click()
    expect(notes.locator("li")).to_have_text(
        [
            "“struck by lightning once during its flight” is not word for word in the sources: “once” for “twice”.",
            "“nobody was ever worried” is not in the sources.",
        ]
    )


JUDGED_SENTENCES = (f"{TALL} [1]", "It flew fifteen times.", "It was blue.", "It was tall and fast. [1]")


def judged_answer() -> dict[str, Any]:
    """Return an answer with a sentence of each verdict."""
    text = " ".join(JUDGED_SENTENCES)
    places = [
        {"start": text.index(one), "end": text.index(one) + len(one.removesuffix(" [1]"))} for one in JUDGED_SENTENCES
    ]
    conflict = {"evidence_number": 1, "quote": "It flew thirteen times.", "detail": "the passage says thirteen"}
    verdicts = zip(places, ("supported", "contradicted", "unsupported", "partly"), strict=True)
    spans = [{**place, "quote": TALL} for place in (places[0], places[3])]
    return {
        "text": text,
        "references": [
            {"number": 1, "evidence_number": 1, "id": "e1", "title": "Rockets", "snippet": TALL, "spans": spans}
        ],
        "grounding": {
            "claims": 4,
            "supported": 2,
            "unsupported": places[1:3],
            "verdicts": [
                {**place, "verdict": verdict, "conflict": conflict if verdict == "contradicted" else None}
                for place, verdict in verdicts
            ],
        },
    }


def test_only_a_contradicted_sentence_has_a_colour_and_shows_what_the_source_says(page: Page) -> None:
    page.evaluate("judged => document.querySelector('citestream-answer').show(judged)", judged_answer())
    answer = page.locator("citestream-answer")
    expect(answer.locator("[part=summary]")).to_have_text(
        "2 of 4 claims supported · 1 of them in part · 1 contradicted by a source · 1 without a source"
    )
    color = "node => getComputedStyle(node).color"
    plain = answer.locator(".claim").first.evaluate(color)
    expect(answer.locator(".contradicted")).to_have_text("It flew fifteen times.")
    assert answer.locator(".contradicted").evaluate(color) != plain
    for kind, sentence in ((".unsupported", "It was blue."), (".partly", "It was tall and fast.")):
        expect(answer.locator(kind)).to_have_text(sentence)
        assert answer.locator(kind).evaluate(color) == plain
    answer.get_by_role("button", name="contradicted by a source").click()
    card = answer.get_by_role("dialog")
    expect(card).to_contain_text("A source says otherwise")
    expect(card).to_contain_text("Rockets")
    expect(card.locator("blockquote")).to_have_text("It flew thirteen times.")
    answer.locator(".marker").last.click()
    expect(card).to_contain_text("only a part of this sentence")


MARKED = {
    "a part of a word marks the word": (
        "Pump BW-410: 219.50 euros",
        "The 410 costs 219.50 euros.",
        ["BW-410", "219.50 euros"],
    ),
    "a number has its sign": ("It costs 79 €.", "The price is 79.", ["79 €"]),
}


@pytest.mark.parametrize("case", MARKED)
def test_the_words_that_decide_are_whole(page: Page, case: str) -> None:
    quote, sentence, marked = MARKED[case]
    pieces = page.evaluate("([quote, sentence]) => citestream.decidingWords(quote, sentence)", [quote, sentence])
    assert [piece["text"] for piece in pieces if piece["decides"]] == marked


ARABIC = "افتتح جسر هارلان في 4 مايو 1932."


def test_a_marker_after_a_number_is_at_the_left_end_of_an_arabic_sentence(page: Page) -> None:
    response = {"text": f"{ARABIC} [1]", "references": [{"number": 1, "title": "Bridges", "spans": []}]}
    page.evaluate("response => document.querySelector('citestream-answer').show(response)", response)
    expect(page.locator(".marker")).to_have_count(1)
    year, marker = page.evaluate(
        """() => {
            const text = document.querySelector("citestream-answer").textElement;
            const words = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
            const year = document.createRange();
            year.setStart(words, words.data.indexOf("1932"));
            year.setEnd(words, words.data.indexOf("1932") + 4);
            const sides = ({ left, right }) => [left, right];
            return [year, text.querySelector(".marker")].map((one) => [...one.getClientRects()].map(sides));
        }"""
    )
    assert len(year) == len(marker) == 1, "the marker is one box"
    assert marker[0][1] <= year[0][0]


def test_code_and_sentences_in_another_script_keep_their_own_direction(page: Page) -> None:
    text = f"{ARABIC}\n\n- تعمل `code()` جيدا.\n- It opened in 1932.\n\n{ARABIC}"
    page.evaluate("text => document.querySelector('citestream-answer').show({ text })", text)
    expect(page.locator("citestream-answer li")).to_have_count(2)
    left = """([whole, part]) => {
        const text = document.querySelector("citestream-answer").textElement;
        const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
        while (!nodes.nextNode().data.includes(whole));
        const range = document.createRange();
        range.setStart(nodes.currentNode, nodes.currentNode.data.lastIndexOf(part));
        range.setEnd(nodes.currentNode, nodes.currentNode.data.lastIndexOf(part) + part.length);
        return range.getBoundingClientRect().left;
    }"""
    assert page.evaluate(left, ["code()", "code"]) < page.evaluate(left, ["code()", "()"])
    assert page.evaluate(left, ["It opened", "1932"]) < page.evaluate(left, ["It opened", "."])
    assert page.evaluate(left, [ARABIC, "1932"]) > page.evaluate(left, [ARABIC, "."])


def test_the_layout_does_not_shift_while_an_answer_streams(page: Page, server: str) -> None:
    page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<p>Above</p>')")
    page.evaluate("observeShifts()")
    text = "\n\n".join([TALL, BLOCKS["a nested list"], BLOCKS["a table"]])
    page.evaluate("([cited, size]) => streamAnswer(cited, size)", [cited(page, server, text), 5])
    assert sum(page.evaluate("shifts")) < 0.01, "below 0.1 is good for a whole page"


def test_a_finished_answer_in_the_page_needs_no_script(browser: Browser, server: str, host: str) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 700})
    with watched_page(context, (server, host)) as page:
        page.goto(f"{host}/finished.html?server={server}")
        answer = page.locator("citestream-answer")
        expect(answer).to_contain_text("1 of 2 claims supported · 1 without a source")
        expect(answer.locator(".unsupported")).to_have_text("It is red.")
        expect(answer.get_by_label("Sources").locator("li")).to_contain_text("bridges.pdf · page 3")
        answer.locator(".marker").hover()
        card = answer.get_by_role("dialog")
        expect(card.locator("mark")).to_have_text("1932")
        expect(card.get_by_text("Open document")).to_have_attribute("href", "https://example.org/bridges.pdf#page=3")
        assert violations(page) == ""
    context.close()


def test_the_example_streams_from_another_origin_and_has_a_source_panel(
    browser: Browser, server: str, host: str
) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    with watched_page(context, (server, host)) as page:
        page.goto(f"{host}/stream.html?server={server}")
        page.get_by_text("Ask").click()
        answer, sources = page.locator("citestream-answer"), page.locator("citestream-sources")
        expect(answer.locator(".marker")).to_have_count(2)
        expect(sources.locator("li")).to_have_count(2)
        answer.get_by_text("Apollo 12 was struck").click()
        expect(sources.locator("blockquote")).to_contain_text("lightning twice")
        accent = answer.locator(".marker").first.evaluate("node => getComputedStyle(node).color")
        assert accent == "rgb(122, 46, 142)", "the page sets --citestream-accent"
        assert violations(page) == ""
    context.close()


def test_a_page_can_replace_the_action_of_open_document(page: Page, server: str) -> None:
    page.evaluate("cited => document.querySelector('citestream-answer').show(cited)", cited(page, server, STRUCK))
    page.evaluate(
        """() => document.addEventListener("citestream-open", (event) => { event.preventDefault();
            window.opened = event.detail.span.quote; }, { once: true })"""
    )
    page.locator("citestream-answer .notes .open").click()
    assert page.evaluate("opened") == EVIDENCE[1]["text"]


EVENTS = (
    ': hello\r\n\r\ndata: {"choices":[{"index":0,"delta":{"content":"Grün. "}}]}\r\n\r\ndata: no JSON\n\n'
    'data: {"choices":[{"index":1,"delta":{"content":"Other."}},{"index":0,"delta":{"content":"🌊 Blue."}}]}\n\n'
    "data: [DONE]\n\n"
)
LINKED: dict[str, str] = {
    "a stream": """async ([references, annotations]) => element.stream([{ references, grounding: null,
        choices: [{ index: 0, delta: { content: "Red. [1]", annotations } }] }])""",
    "a complete chat completion": """([references, annotations]) => element.show({ references,
        choices: [{ message: { content: "Red. [1]", annotations } }] })""",
    "a cited text": """([references, annotations]) => element.show({ text: "Red. [1]", references, annotations })""",
}


@pytest.mark.parametrize("case", LINKED)
def test_a_reference_without_an_address_opens_the_page_of_its_passage(page: Page, case: str) -> None:
    references = [{"number": 1, "id": "e1", "url": None, "label": "", "support": 0.9, "snippet": "Red.", "spans": []}]
    link = "https://citestream.example/passages/x#quote"
    annotations = [{"type": "url_citation", "url_citation": {"url": link}}]
    page.evaluate("window.element = document.querySelector('citestream-answer')")
    page.evaluate(LINKED[case], [references, annotations])
    expect(page.locator("citestream-answer .notes .open")).to_have_attribute("href", link)


STREAMS: dict[str, tuple[str, str]] = {
    "server-sent events in any pieces, with comments and broken data": (
        f"inPieces({json.dumps(EVENTS)})",
        "Grün. 🌊 Blue.",
    ),
    "a complete chat completion": (
        """new Response(JSON.stringify({ choices: [{ message: { content: "Grün. 🌊 Blue." } }], references: [] }),
            { headers: { "Content-Type": "application/json" } })""",
        "Grün. 🌊 Blue.",
    ),
    "the Responses API": (
        """[{ type: "response.output_text.delta", delta: "Grün. " },
            { type: "response.output_text.delta", delta: "🌊 Blue." },
            { type: "response.completed", response: { references: [], output: [] } }]""",
        "Grün. 🌊 Blue.",
    ),
}


@pytest.mark.parametrize("case", STREAMS)
def test_every_kind_of_stream_is_read(page: Page, case: str) -> None:
    source, text = STREAMS[case]
    answer = page.evaluate(f"async () => document.querySelector('citestream-answer').stream({source})")
    assert (answer["text"], answer["done"], answer["error"]) == (text, True, None)
    expect(page.locator("citestream-answer .text")).to_have_text(text)


FAILURES: dict[str, tuple[str, dict[str, Any]]] = {
    "an error instead of an answer": (
        """new Response('{"error":{"message":"no such model","code":"model_not_found"}}', { status: 404 })""",
        {"message": "no such model", "code": "model_not_found", "status": 404, "retryAfter": None},
    ),
    "an error that is not JSON": (
        """new Response("<h1>Bad gateway</h1>", { status: 502 })""",
        {"message": "The server returned the status 502.", "code": None, "status": 502, "retryAfter": None},
    ),
    "an unreachable server": (
        """Promise.reject(new TypeError("Failed to fetch"))""",
        {"message": "The connection to the server failed.", "code": "connection", "status": 0},
    ),
    "an error in the stream": (
        """[{ choices: [{ index: 0, delta: { content: "Half" } }] }, { error: { message: "cut off", code: "x" } }]""",
        {"message": "cut off", "code": "x"},
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_errors_are_shown_and_not_thrown(page: Page, case: str) -> None:
    source, error = FAILURES[case]
    answer = page.evaluate(f"async () => document.querySelector('citestream-answer').stream({source})")
    assert answer["error"] == error
    expect(page.locator("citestream-answer").get_by_role("alert")).to_have_text(error["message"])


DECIDING_WORDS: dict[str, tuple[str, str, str, list[str]]] = {
    "numbers with their unit": (
        "The Saturn V, a rocket of three stages, was 110.6 metres tall.",
        "The rocket Saturn V was 110.6 metres tall.",
        "How tall was the Saturn V?",
        ["110.6 metres"],
    ),
    "short units and signs of a row, without the names of its columns": (
        "Plan: Business; Price: 79 €; Users: 100; Storage: 1 TB; Change: -3 %.",
        "Plan: Business; Price: 79 €; Users: 100; Storage: 1 TB; Change: -3 %.",
        "What does the Business plan cost?",
        ["79 €", "100", "1 TB", "-3 %"],
    ),
    "a name with its number": (
        "Apollo 12 was struck by lightning.",
        "Apollo 12 was struck by lightning.",
        "Which mission was struck by lightning?",
        ["Apollo 12"],
    ),
    "no short word after a number": (
        "Item 3 of them weighs 9 kg.",
        "Item 3 of them weighs 9 kg.",
        "",
        ["Item 3", "9 kg"],
    ),
    "names": (
        "It was opened by Ada Lovelace in the rain.",
        "Ada Lovelace opened it.",
        "Who opened it?",
        ["Ada Lovelace"],
    ),
    "rare words, if there are neither names nor numbers": (
        "The colour of the bridge is vermilion.",
        "The bridge is vermilion.",
        "Which colour has the bridge?",
        ["vermilion"],
    ),
    "words of the question, if there is nothing else": ("It is red.", "It is red.", "Is it red?", ["red"]),
    "no word of another sentence": ("It rained all day.", "The bridge is red.", "", []),
    "Chinese": ("这座桥于1932年开通。", "它于1932年开通。", "", ["1932年"]),
}


@pytest.mark.parametrize("case", DECIDING_WORDS)
def test_only_the_deciding_words_are_marked(page: Page, case: str) -> None:
    quote, sentence, question, expected = DECIDING_WORDS[case]
    pieces = page.evaluate("([...texts]) => citestream.decidingWords(...texts)", [quote, sentence, question])
    assert "".join(piece["text"] for piece in pieces) == quote
    assert [piece["text"] for piece in pieces if piece["decides"]] == expected


def test_hostile_references_are_shown_as_text(page: Page) -> None:
    hostile = "<img src=x onerror='window.pwned = 1'>"
    span = {"choice": 0, "start": 0, "end": 4, "support": 0.9, "status": "added", "quote": hostile}
    reference = {"number": 1, "id": "e1", "title": hostile, "url": "javascript:window.pwned = 2", "label": hostile}
    answer = {
        "text": f"Red. [1]\n\n{hostile}\n\n[x](javascript:window.pwned=3) [y](data:text/html,z)"
        " $\\href{javascript:window.pwned=4}{a}$",
        "references": [
            {**reference, "is_generated_artifact": True, "support": 0.9, "snippet": hostile, "spans": [span]}
        ],
    }
    page.evaluate("answer => document.querySelector('citestream-answer').show(answer)", answer)
    page.locator("citestream-answer .marker").click()
    element: Locator = page.locator("citestream-answer")
    expect(element.get_by_role("dialog").locator("blockquote")).to_have_text(hostile)
    expect(element.locator("img, a[href^=javascript], a[href^=data]")).to_have_count(0)
    assert page.evaluate("window.pwned") is None


def test_the_guide_runs_in_a_page(browser: Browser, server: str, host: str, pages: Path) -> None:
    guide = (ROOT / "docs/component.md").read_text("utf-8")
    script, stream, finished = re.findall(r"```html\n(.*?)```", guide, re.DOTALL)
    imports = json.dumps({"imports": {"citestream": f"{server}/component/citestream.js"}})
    blocks = f"<script type=importmap>{imports}</script>{script}{stream}{finished}".replace(EXAMPLE_ADDRESS, server)
    (pages / "guide.html").write_text(blocks, "utf-8")
    context = browser.new_context()
    with watched_page(context, (server, host)) as page:
        page.goto(f"{host}/guide.html")
        expect(page.locator("citestream-answer").first).to_contain_text("Citestream's embedded provider")
        expect(page.locator("citestream-answer").last).to_contain_text("It was opened in 1932. [1]")
        expect(page.locator("citestream-sources")).to_contain_text("This answer cites no source.")
    context.close()


# Modules of React for an import map, from its UMD files: npm has no ES modules of React.
REACT = "{source}; export const {{ createElement, useEffect, useRef, useState }} = globalThis.React;"
REACT_DOM = "{source}; export const {{ createRoot }} = globalThis.ReactDOM;"


@pytest.mark.slow
def test_the_react_component_streams_and_reports(browser: Browser, server: str, host: str, tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not installed")
    install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(tmp_path), "react@18.3.1", "react-dom@18.3.1"]
    subprocess.run(install, check=True, capture_output=True)
    context = browser.new_context()
    page = context.new_page()
    for package, template in (("react", REACT), ("react-dom", REACT_DOM)):
        source = (tmp_path / f"node_modules/{package}/umd/{package}.production.min.js").read_text("utf-8")
        # In a module, `this` is undefined; as a function of globalThis the file defines its global variable.
        body = template.format(source=f"(function () {{ {source} }}).call(globalThis)")
        answer = partial(Route.fulfill, content_type="text/javascript", body=body)
        page.route(re.compile(rf"^https://esm\.sh/{package}@"), answer)
    page.route(
        f"{EXAMPLE_ADDRESS}/**", lambda route: route.continue_(url=route.request.url.replace(EXAMPLE_ADDRESS, server))
    )
    page.goto(f"{host}/react.html")
    page.get_by_text("Ask").click()
    expect(page.locator("citestream-answer .marker")).to_have_count(1)
    expect(page.locator("#summary")).to_have_text("1 sources")
    context.close()


def test_npm_packs_every_module_and_its_types(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not installed")
    done = subprocess.run(
        [npm, "pack", "--dry-run", "--json", "--cache", str(tmp_path)],
        cwd=COMPONENT,
        check=True,
        capture_output=True,
        text=True,
    )
    (package,) = json.loads(done.stdout)
    packed = {file["path"] for file in package["files"]}
    assert packed == {
        path.relative_to(COMPONENT).as_posix()
        for path in COMPONENT.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    exports = json.loads((COMPONENT / "package.json").read_text())["exports"]
    for entry in (exports["."], exports["./react"]):
        assert {entry["types"].removeprefix("./"), entry["default"].removeprefix("./")} <= packed


def test_the_modules_import_nothing_but_each_other_and_react() -> None:
    for path in COMPONENT.glob("*.js"):
        for imported in re.findall(r'^(?:import|export)\b.*?"(.*?)";', path.read_text("utf-8"), re.MULTILINE):
            assert imported == "react" or (COMPONENT / imported).is_file(), f"{path.name}: {imported}"
