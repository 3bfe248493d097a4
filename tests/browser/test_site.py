"""The documentation site in Chromium."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

DOCS = Path(__file__).parents[2] / "docs"
LAPTOP, PHONE = 1280, 390  # pixels

# Tables that are wider than their container, and the page if it is wider than the window.
TOO_WIDE = """
() => [...document.querySelectorAll("article table")]
  .filter((table) => table.getBoundingClientRect().width > table.parentElement.clientWidth + 1)
  .map((table) => table.textContent.trim().slice(0, 40))
  .concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])
"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the built site. Warnings are errors, as in `make docs`."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page()
    yield opened
    opened.close()


def test_the_site_begins_with_the_first_steps_has_a_search_and_fits_the_screen(site: Path, page: Page) -> None:
    """One test, because every pytest worker would build the site again."""
    check_first_page(site, page)
    check_search(site, page)
    check_widths(site, page)


def check_first_page(site: Path, page: Page) -> None:
    page.goto(f"file://{site}/index.html")
    headings = page.locator("article h3").all_inner_texts()
    assert [heading.rstrip("¶#") for heading in headings[:3]] == [
        "See a cited answer",
        "Open the playground",
        "Use your own documents",
    ]
    expect(page.locator("article pre").first).to_have_text("make demo\n")


def check_search(site: Path, page: Page) -> None:
    page.goto(f"file://{site}/index.html")
    page.get_by_placeholder("Search").fill("strictness")
    page.get_by_placeholder("Search").press("Enter")
    expect(page.locator("#search-results li a").filter(has_text="How a citation is decided").first).to_be_visible()


def check_widths(site: Path, page: Page) -> None:
    """Check that tables fit a laptop and pages fit a phone. On a phone, wide tables scroll within the page."""
    wide = {}
    for name in pages(site):
        page.goto(f"file://{site}/{name}")
        for width in (LAPTOP, PHONE):
            page.set_viewport_size({"width": width, "height": 800})
            wide[name, width] = page.evaluate(TOO_WIDE)
    assert {name: found for (name, width), found in wide.items() if width == LAPTOP and found} == {}
    assert [name for (name, width), found in wide.items() if width == PHONE and "the page" in found] == []


def pages(site: Path) -> list[str]:
    return sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html") if "_static" not in page.parts)
