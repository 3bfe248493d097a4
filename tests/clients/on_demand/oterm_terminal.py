"""oterm: its terminal page without a terminal. It lists models by Ollama's API and chats by chat completions."""

import asyncio
import os
import re
import tempfile
from importlib.metadata import version
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "config.json").write_text('{"splash-screen": false}')
os.environ |= {
    "OLLAMA_URL": os.environ["CITESTREAM_RETRIEVING"],
    "OLLAMA_API_KEY": os.environ["CITESTREAM_KEY"],
    "OTERM_DATA_DIR": str(folder),
}
from oterm.app.oterm import OTerm
from oterm.app.widgets.chat import ChatItem
from oterm.providers.ollama import list_models
from oterm.store.store import Store
from oterm.types import ChatModel
from report import CASE, Seen, report, way

LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)
ANSWER_SECONDS = 60.0


async def answered(model: str) -> str:
    """Return the answer as the page of a new chat shows it."""
    assert model in [listed.model for listed in list_models().models]
    store = await Store.get_store()
    await store.save_chat(ChatModel(name=model, model=model, provider="ollama"))
    app = OTerm()
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause(1)
        entry = app.query_one("#prompt TextArea")
        entry.focus()
        entry.text = CASE["question"]
        await pilot.press("enter")
        async with asyncio.timeout(ANSWER_SECONDS):
            while not (texts := [item.text for item in app.query(ChatItem)]) or "apollo-12" not in texts[-1]:
                await pilot.pause(0.1)
    return texts[-1]


def chat(model: str) -> Seen:
    text = asyncio.run(answered(model))
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way("a chat in the terminal", "`references_in_text`", chat, ["extractive"])
report("oterm", version("oterm"))
