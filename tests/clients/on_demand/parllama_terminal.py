"""parllama: its terminal page without a terminal. It uses Ollama's API."""

import asyncio
import os
import re
import sys
import tempfile
from importlib.metadata import version

os.environ |= {"OLLAMA_API_KEY": os.environ["CITESTREAM_KEY"], "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
sys.argv = ["parllama", "-u", os.environ["CITESTREAM_RETRIEVING"], "-s", "chat", "-d", tempfile.mkdtemp()]
from parllama.settings_manager import bootstrap
from parllama.utils import get_args

bootstrap(get_args())
from parllama.app import ParLlamaApp
from report import CASE, Seen, report, way
from textual.widgets import Select

LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)
ANSWER_SECONDS = 60.0


def names_of(app: ParLlamaApp):
    """Return the lists of models on the page; a field for text has the same id."""
    return app.screen.query(Select).filter("#model_name")


async def answered(model: str) -> str:
    """Return the answer as the page shows it."""
    app = ParLlamaApp()
    async with asyncio.timeout(ANSWER_SECONDS), app.run_test(size=(140, 50)) as pilot:
        # A message about the first start covers the page, and the lists of models are filled later.
        while not names_of(app) or not all(model in [value for _, value in each._options] for each in names_of(app)):
            await pilot.press("escape")
            await pilot.pause(0.5)
        for choice in names_of(app):
            choice.value = model
        entry = app.screen.query_one("#user_input_input")
        entry.focus()
        entry.value = CASE["question"]
        await pilot.press("enter")
        while not (shown := app.screen.query("AgentChatMessage")) or "apollo-12" not in shown.last().msg.content:
            await pilot.pause(0.2)
        await pilot.pause(1)
        return shown.last().msg.content


def chat(model: str) -> Seen:
    text = asyncio.run(answered(model))
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way("a chat in the terminal", "`references_in_text`", chat, ["extractive"])
report("parllama", version("parllama"))
