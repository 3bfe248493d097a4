"""The page is in the language of the browser. The catalogues have exactly the texts of the page."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.chromium import watched_page
from tests.browser.playground.page import OPENED, ask, open_page, paste

pytestmark = pytest.mark.browser

PAGE = Path(__file__).parents[3] / "proxy/playground"
LANGUAGES = sorted(path.stem for path in (PAGE / "languages").glob("*.json"))
STRING = r'"((?:[^"\\]|\\.)*)"'
TEXT = re.compile(rf"\bt\(\s*{STRING}")
PLURAL = re.compile(rf"\bplural\(\s*[\w.()\"]+,\s*{STRING},\s*{STRING}")
TRANSLATED = ("placeholder", "aria-label", "data-drop")
NAMES = {"Citestream"}  # not translated


class PageTexts(HTMLParser):
    """Collect the texts of the page, without those of the inspector, which is for developers."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self.in_inspector = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        if tag == "dialog":
            self.in_inspector = fields.get("id") == "inspector"
        if not self.in_inspector:
            self.texts |= {fields[name] or "" for name in TRANSLATED if name in fields}

    def handle_data(self, data: str) -> None:
        if re.search("[A-Za-z]{2}", data) and not self.in_inspector:
            self.texts.add(" ".join(data.split()))


def sources() -> Iterator[str]:
    for folder in (PAGE, PAGE.parent / "component"):
        for path in folder.glob("*.js"):
            yield path.read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_the_texts_of_the_page_with_their_values(language: str) -> None:
    parser = PageTexts()
    parser.feed((PAGE / "index.html").read_text("utf-8"))
    plurals = {several for source in sources() for _, several in PLURAL.findall(source)}
    texts = {text for source in sources() for text in TEXT.findall(source)} | parser.texts - NAMES
    assert len(texts) > 100
    catalogue = json.loads((PAGE / f"languages/{language}.json").read_text("utf-8"))
    assert catalogue.keys() == texts | plurals
    for english, translated in catalogue.items():
        assert isinstance(translated, dict) == (english in plurals), english
        forms = translated.values() if isinstance(translated, dict) else [translated]
        for form in forms:
            missing = set(re.findall(r"\{\w+\}", english)) - set(re.findall(r"\{\w+\}", form))
            assert missing <= ({"{count}"} if isinstance(translated, dict) else set()), form


SHOWN = {
    "de-AT": ("de", "Fragen Sie Ihre Dokumente", "1 von 1 Aussage belegt", "Quellen"),
    "fr-FR": ("fr", "Interrogez vos documents", "1 affirmation sur 1 appuyée par une source", "Sources"),
    "es-MX": ("es", "Pregunte a sus documentos", "1 de 1 afirmación respaldada", "Fuentes"),
    "zh-CN": ("zh", "向你的文档提问", "1 条陈述中有 1 条得到支持", "来源"),
    "sv-SE": ("en", "Ask your documents", "1 of 1 claim supported", "Sources"),
}


@pytest.mark.parametrize("locale", SHOWN)
def test_the_page_has_the_language_of_the_browser(browser: Browser, server: str, locale: str) -> None:
    language, title, summary, panel = SHOWN[locale]
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900})
    with watched_page(context, (server,)) as page:
        open_page(page, server)
        expect(page.locator("#welcome h2")).to_have_text(title)
        assert page.locator("html").get_attribute("lang") == language
        paste(page, OPENED)
        turn: Locator = ask(page, "When was the Harlan bridge opened?")
        expect(turn.locator("[part=summary]")).to_have_text(summary)
        expect(page.locator("#panel-title")).to_have_text(panel)
    context.close()
