"""A running Open WebUI: its server process, its settings, and its page in a browser."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.hosts.host_server import host_server
from tests.hosts.installation import OPEN_WEBUI, installed

ANSWER_MILLISECONDS = 60_000
OLLAMA_PREFIX = "by-ollama"  # Open WebUI merges models of the same name, so those of the Ollama connection get a prefix

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence of an answer, and the sources that its markers open."""

    text: str
    opened: tuple[tuple[str, str], ...]  # (name, text of the dialog)


class OpenWebUI:
    """The API of a running server, as its only user."""

    def __init__(self, url: str) -> None:
        self.url = url
        signed_in = httpx.post(f"{url}/api/v1/auths/signin", json={"email": "", "password": ""}, timeout=30)
        headers = {"Authorization": f"Bearer {signed_in.json()['token']}"}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=60)
        self.post("/api/v1/users/user/settings/update", {"ui": {"version": self.version, "showChangelog": False}})

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def version(self) -> str:
        """Return the version that the server reports."""
        return str(httpx.get(f"{self.url}/api/version", timeout=30).json()["version"])

    def post(self, path: str, body: Fields) -> Any:
        """Return the response to a request with a JSON body."""
        return self._client.post(path, json=body).raise_for_status().json()

    def models(self) -> list[str]:
        """Return the names of all models."""
        return [model["id"] for model in self._client.get("/api/models").raise_for_status().json()["data"]]

    def add_knowledge(self, name: str, files: list[Path]) -> Fields:
        """Return a new knowledge collection with these files."""
        knowledge = self.post("/api/v1/knowledge/create", {"name": name, "description": "", "access_grants": []})
        for file in files:
            form = {"file": (file.name, file.read_bytes(), "text/plain")}
            sent = self._client.post("/api/v1/files/", params={"process_in_background": "false"}, files=form)
            uploaded = sent.raise_for_status().json()
            self.post(f"/api/v1/knowledge/{knowledge['id']}/file/add", {"file_id": uploaded["id"]})
        return {"id": knowledge["id"], "name": name, "type": "collection"}

    def add_model(self, name: str, base: str, *, params: Fields | None = None, knowledge: Fields | None = None) -> None:
        """Add a model of the workspace."""
        meta: Fields = {"knowledge": [knowledge]} if knowledge else {}
        form = {"id": name, "name": name, "base_model_id": base, "meta": meta, "params": params or {}}
        self.post("/api/v1/models/create", form)


@contextmanager
def running(citestream: str, data: Path, embedder: str) -> Iterator[OpenWebUI]:
    """Run Open WebUI with Citestream as its OpenAI connection, its Ollama connection and its embedder."""
    environment = {
        "DATA_DIR": str(data),
        "WEBUI_AUTH": "False",
        "WEBUI_SECRET_KEY": "for-tests-only",
        "OFFLINE_MODE": "true",
        "ENABLE_PERSISTENT_CONFIG": "False",
        "ENABLE_VERSION_UPDATE_CHECK": "false",
        "ANONYMIZED_TELEMETRY": "False",
        "OPENAI_API_BASE_URLS": f"{citestream}/v1",
        "OPENAI_API_KEYS": "none",
        "OLLAMA_BASE_URLS": citestream,
        "OLLAMA_API_CONFIGS": f'{{"0": {{"enable": true, "prefix_id": "{OLLAMA_PREFIX}"}}}}',
        "RAG_EMBEDDING_ENGINE": "openai",
        "RAG_EMBEDDING_MODEL": embedder,
        "RAG_OPENAI_API_BASE_URL": f"{citestream}/v1",
        "RAG_OPENAI_API_KEY": "none",
    }
    program = str(installed("open-webui", OPEN_WEBUI) / "open-webui")
    with (
        host_server([program, "serve", "--host", "127.0.0.1"], "/health", data, environment) as url,
        closing(OpenWebUI(url)) as webui,
    ):
        yield webui


class ChatPage:
    """A chat in the page of Open WebUI."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url

    def open(self, model: str) -> None:
        """Begin a new chat with a model."""
        self.page.goto(f"{self._url}/?models={model}")
        expect(self.page.get_by_role("button", name=f"Selected model: {model}")).to_be_visible(
            timeout=ANSWER_MILLISECONDS
        )

    def attach(self, files: list[Path]) -> None:
        """Upload files to the next question."""
        self.page.set_input_files("input[type=file] >> nth=0", files)
        for file in files:
            expect(self.page.get_by_text(file.name, exact=True)).to_be_visible()
        expect(
            self.page.locator("#message-input-container .spinner_ajPY, #message-input-container .animate-spin")
        ).to_have_count(0)

    def send(self, question: str) -> None:
        """Send a question without waiting for the answer."""
        self.page.click("#chat-input")
        self.page.keyboard.type(question)
        self.page.keyboard.press("Enter")

    def ask(self, question: str) -> None:
        """Send a question and wait for the complete answer."""
        self.send(question)
        self.wait()

    def wait(self) -> None:
        """Wait until the last answer is complete."""
        expect(self._last_button("Regenerate")).to_be_visible(timeout=ANSWER_MILLISECONDS)

    def wait_for_text(self, text: str) -> None:
        """Wait until the last answer contains a text."""
        expect(self.answer).to_contain_text(text, timeout=ANSWER_MILLISECONDS)

    def stop(self) -> None:
        """Stop the answer with the button of the page."""
        self.page.get_by_role("button", name="Stop").click()
        self.wait()

    def reload(self) -> None:
        """Reload the stored chat."""
        self.page.reload()
        self.wait()

    def edit(self, question: str) -> None:
        """Replace the last question and send it."""
        self.page.locator(".user-message").last.hover()
        self.page.locator(".edit-user-message-button").last.click()
        self.page.locator("textarea[id^='message-edit-']").fill(question)
        self.page.locator("#confirm-edit-message-button, #save-edit-message-button").last.click()
        self.wait()

    def regenerate(self) -> None:
        """Request another answer to the last question."""
        self._last_button("Regenerate").click()
        if (try_again := self.page.get_by_text("Try Again", exact=True)).is_visible():
            try_again.click()

    @property
    def answer(self) -> Locator:
        """The last answer."""
        return self.page.locator("#response-content-container").last

    def sources(self) -> list[str]:
        """Return the names in the list of sources below the last answer, in its order."""
        toggles = self.page.get_by_role("button", name=re.compile(r"^Toggle \d+ source"))
        if not toggles.count():
            return []
        toggles.last.click()
        entries = self.page.get_by_role("button", name=re.compile(r"^View source: \d+ "))
        names = [(entry.get_attribute("aria-label") or "").split(" ", 3)[3] for entry in entries.all()]
        toggles.last.click()
        return names

    def sentences(self) -> list[Shown]:
        """Return the text before each group of markers of the last answer, and what each marker opens."""
        pieces = self.answer.evaluate(_PIECES)
        markers = self._markers()
        found, at = list[Shown](), 0
        for piece in pieces:
            opened = tuple(self._opened(markers.nth(at + number)) for number in range(piece["markers"]))
            at += piece["markers"]
            found.append(Shown(piece["text"].strip(), opened))
        return found

    def _markers(self) -> Locator:
        return self.answer.locator("button[aria-label^='View source']")

    def _opened(self, marker: Locator) -> tuple[str, str]:
        name = (marker.get_attribute("aria-label") or "").removeprefix("View source: ")
        marker.click()
        dialog = self.page.get_by_role("dialog").last
        expect(dialog).to_contain_text(name)
        text = dialog.inner_text()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        return name, text

    def _last_button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True).last


# The texts between the markers of an answer, with the number of markers that follow each.
_PIECES = """answer => {
    const pieces = [{text: "", markers: 0}];
    const visit = node => {
        const last = pieces[pieces.length - 1];
        if (node.nodeType === Node.TEXT_NODE) {
            if (last.markers && node.textContent.trim()) pieces.push({text: node.textContent, markers: 0});
            else last.text += node.textContent;
        } else if (node.matches?.("button[aria-label^='View source']")) last.markers += 1;
        else node.childNodes.forEach(visit);
    };
    visit(answer.querySelector(".markdown-prose") ?? answer);
    return pieces.filter(piece => piece.text.trim());
}"""
