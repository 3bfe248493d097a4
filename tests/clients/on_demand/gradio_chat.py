"""Gradio: `gr.load_chat`, a chat page for an OpenAI-compatible server. It sends no evidence and shows only text."""

import os
import re
from importlib.metadata import version

import gradio
from gradio_client import Client
from report import CASE, KEY, Seen, report, way

RETRIEVING = os.environ["CITESTREAM_RETRIEVING"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def loaded(model: str) -> Seen:
    # region load
    page = gradio.load_chat(f"{RETRIEVING}/v1", model=model, token=KEY)
    # endregion
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        message = {"text": CASE["question"], "files": []}
        *_, text = Client(url, verbose=False).submit(message, api_name="/open_api_stream")
    finally:
        page.close(verbose=False)
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way("`gr.load_chat`", "`references_in_text`", loaded)
report("gradio", version("gradio"))
