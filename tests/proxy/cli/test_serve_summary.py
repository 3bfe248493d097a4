"""The lines that `citestream serve` prints when it has started, and `--open`."""

import os
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from citestream.providers.retrieval.folder.store import Store
from citestream.proxy.cli.commands.serve_summary import browser_address, summary
from citestream.proxy.config import parse
from tests.conftest import Launch

ROOT = Path(__file__).parents[3]
ADDRESS = "http://127.0.0.1:8787"
KEY = {"name": "a", "sha256": "0" * 64}

LINES: dict[str, tuple[dict[str, Any], str]] = {
    "no documents": ({}, "documents: none; `citestream index DIR` adds a folder, and the page accepts files"),
    "a folder": (
        {"retrievers": {"f": {"kind": "folder", "store": "e.db"}}, "default_retriever": "f"},
        "documents: /data/handbook, /data/prices (1 file)",
    ),
    "a folder that is not indexed": (
        {"retrievers": {"f": {"kind": "folder", "store": "no.db"}}, "default_retriever": "f"},
        "documents: none: no.db does not exist: fill it with `citestream index DIR`",
    ),
    "a search service": (
        {
            "retrievers": {"s": {"kind": "http", "preset": "elasticsearch", "index": "i", "url": "http://h"}},
            "default_retriever": "s",
        },
        "documents: the http retriever s",
    ),
    "no key": (
        {"providers": {"extractive": None, "ollama": None}},
        (
            "models: extractive (quotes only), ollama/…; for others set one of "
            "OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY"
        ),
    ),
    "models of a provider": (
        {"providers": {"router": {"kind": "openai", "api_key": "k"}}, "models": {"fast": {"model": "router/m"}}},
        "models: fast, router/…",
    ),
    "a client key": (
        {"server": {"keys": [KEY]}},
        (
            f"next: open {ADDRESS}/ in a browser, or set the base_url of an OpenAI client to {ADDRESS}/v1 "
            "with a client key"
        ),
    ),
}


@pytest.mark.parametrize(("options", "line"), LINES.values(), ids=LINES)
def test_the_documents_the_models_and_the_next_step_are_named(
    options: dict[str, Any], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(Path("e.db"), create=True)
    with store.transaction():
        store.add_file(store.folder(Path("/data/handbook")).number, "a.md", b"")
        store.folder(Path("/data/prices"))
    store.close()
    assert line in summary(parse(options), ADDRESS)


def test_an_address_for_all_interfaces_is_that_of_this_machine() -> None:
    assert browser_address("https://0.0.0.0:80") == "https://127.0.0.1:80"
    assert browser_address("http://[::]:80") == "http://[::1]:80"
    assert browser_address("http://10.0.0.1:80") == "http://10.0.0.1:80"


def test_the_page_is_opened_in_the_browser(launch: Launch, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "opened")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    opened: list[str] = []
    reader = Thread(target=lambda: opened.append((tmp_path / "opened").read_text().strip()))
    reader.start()
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--open"]
    with launch(command, tmp_path / "log", BROWSER=str(browser), PYTHONPATH=str(ROOT)) as url:
        reader.join(100)
    assert opened == [url]
