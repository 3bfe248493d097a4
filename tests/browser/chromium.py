"""Chromium, a Citestream server with a scripted model, and checks that every page must pass."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
EXPECT_MS = 30_000  # time limit of expectations, for a machine under load
# Chromium has no sandbox as root. The other options prevent requests to other servers.
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextmanager
def launched_browser() -> Iterator[Browser]:
    """Yield Chromium without a window."""
    expect.set_options(timeout=EXPECT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def watched_page(context: BrowserContext, servers: tuple[str, ...]) -> Iterator[Page]:
    """Yield a new page. Fail if it sent requests to other servers or logged errors."""
    page = context.new_page()
    requested: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    assert {url for url in requested if not url.startswith((*servers, "blob:", "about:", "data:"))} == set()
    assert [error for error in errors if "the server responded with a status of" not in error] == []


def violations(page: Page) -> str:
    """Return the report of axe about the page. It is empty if axe found no violation."""
    found = Axe().run(page).response["violations"]
    return "\n".join(f"{one['id']}: {one['help']}: {[node['html'] for node in one['nodes']]}" for one in found)


def serve_command(folder: Path, config: dict[str, Any]) -> list[str]:
    """Return the command for a server with this configuration."""
    config_file = folder / "config.yaml"
    config_file.write_text(yaml.safe_dump(config), "utf-8")
    return [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config_file)]


def completion_events(text: str) -> list[bytes]:
    """Return the events of a streamed chat completion with this text, in pieces of nine characters."""
    made: list[dict[str, Any]] = [{"delta": {"content": piece}} for piece in re.findall(r"(?s).{1,9}", text)]
    made.append({"delta": {}, "finish_reason": "stop"})
    envelope = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [{**envelope, "choices": [{"index": 0, "finish_reason": None, **one}]} for one in made]
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]
