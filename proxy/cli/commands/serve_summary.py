"""The lines that `citestream serve` prints after its address: the documents, the models and the next step."""

import webbrowser
from pathlib import Path
from threading import Thread

import click

from citestream.providers.one_line import one_line
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError

from ...config import Config
from ...missing_models import KEYS, model_names

_ANY_HOST = {"//0.0.0.0:": "//127.0.0.1:", "//[::]:": "//[::1]:"}  # addresses to listen on, and to connect to


def summary(config: Config, listening: str) -> list[str]:
    """Return the lines. `listening`: the address of the server."""
    address = browser_address(listening)
    key = " with a client key" if config.server.keys else ""
    return [
        f"documents: {_documents(config)}",
        f"models: {_models(config)}",
        f"next: open {address}/ in a browser, or set the base_url of an OpenAI client to {address}/v1{key}",
    ]


def open_browser(listening: str) -> None:
    """Open the page in a browser, and say so if there is none. A browser of the terminal must not stop the server."""
    address = browser_address(listening)

    def start() -> None:
        if not webbrowser.open(address):
            click.echo(f"citestream: there is no browser to open; the page is at {address}/", err=True)

    Thread(target=start, name="browser", daemon=True).start()


def browser_address(listening: str) -> str:
    """Return the address to connect to on this machine."""
    for every, local in _ANY_HOST.items():
        listening = listening.replace(every, local)
    return listening


def _documents(config: Config) -> str:
    name = config.default_retriever
    if not name:
        return "none; `citestream index DIR` adds a folder, and the page accepts files"
    retriever = config.retrievers[name]
    if retriever.kind != "folder":
        return f"the {retriever.kind} retriever {name}"
    try:
        store = Store(Path(retriever.store))
    except StoreError as error:
        return f"none: {one_line(str(error))}"
    try:
        count = store.counts()["files"]
        folders = ", ".join(one_line(str(folder)) for folder in store.folders().values())
    finally:
        store.close()
    return f"{folders} ({count:,} file{'' if count == 1 else 's'})"


def _models(config: Config) -> str:
    names = ["extractive (quotes only)" if name == "extractive" else name for name in model_names(config)]
    kinds = {provider.kind for provider in config.providers.values()}
    variables = ", ".join(variable for vendor, variable in KEYS.items() if vendor not in kinds)
    return ", ".join(names) + (f"; for others set one of {variables}" if kinds <= {"extractive", "ollama"} else "")
