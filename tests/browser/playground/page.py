"""Steps of a user on the page, and texts of documents."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.providers.retrieval.readers import documents

READ_MS = 60_000  # time limit for reading a document, which starts a process, for a machine under load
PASSAGE = "The Harlan bridge was opened on 4 May 1932 by the mayor <script>window.pwned = 4</script> of Harlan."
TEXT = f"Some words before it. {PASSAGE} And some words after it."
OPENED = "The Harlan bridge was opened on 4 May 1932."


def open_page(page: Page, server: str) -> None:
    page.goto(server)
    expect(page.locator("#model")).to_have_value("extractive")


def ask(page: Page, question: str = "") -> Locator:
    """Send a question and return the turn with the complete answer."""
    before = page.locator(".turn").count()
    if question:
        page.fill("#question", question)
    page.click("#go")
    turn = page.locator(".turn").nth(before)
    expect(turn.locator(".actions")).to_be_visible()
    return turn


def passage(page: Page) -> Locator:
    """Return the passage of the selected sentence. In a wide window it is in the panel, not in a card."""
    return page.locator("#sources .selection")


def paste(page: Page, text: str, name: str = "bridge.md") -> None:
    page.click("#paste")
    page.fill("#paste-name", name)
    page.fill("#paste-body", text)
    page.click("#paste-add")
    expect(page.locator("#documents li:not([aria-busy])")).to_contain_text([name], timeout=READ_MS)


def ask_hostile(page: Page) -> Locator:
    page.select_option("#model", "hostile/m")
    paste(page, TEXT, "<b onclick=alert(1)>bridge</b>.md")
    return ask(page, "When was the Harlan bridge opened?")


def with_index(folder: Path) -> dict[str, Any]:
    """Index a document in `folder`, and return a configuration that searches it."""
    (folder / "docs").mkdir()
    (folder / "docs/bridge.md").write_text(
        "# Bridges\n\nThe Harlan bridge was opened on 4 May 1932. It is red.\n\n## Others\n\nMerton has two bridges.\n",
        "utf-8",
    )
    (folder / "docs/prices.csv").write_text("pump,price in euros\nHydro S,129.50\nHydro L,219.50\n", "utf-8")
    documents.pdf(folder / "docs/tides.pdf", ["Of the sea.", "The tide turns every six hours."])
    store = str(folder / "evidence.db")
    index = [sys.executable, "-m", "citestream", "index", str(folder / "docs"), "--store", store, "--embedder", "none"]
    subprocess.run(index, check=True, capture_output=True)
    return {
        "providers": {"extractive": {"kind": "extractive"}},
        "retrievers": {"bridges": {"kind": "folder", "store": store}},
        "default_retriever": "bridges",
    }
