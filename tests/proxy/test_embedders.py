"""An embedder that could not be created is tried again after a backoff, not for every question."""

import asyncio
import logging
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from citestream.providers.embedding import Embedder, backoff, local
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.proxy.app import App
from citestream.proxy.config import Config, ProviderConfig, RetrieverConfig
from citestream.proxy.embedders import Embedders


@pytest.mark.parametrize("seconds", [0.0, 3600.0])
async def test_an_embedder_whose_key_is_missing_is_tried_again_after_the_backoff(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(backoff, "FIRST_SECONDS", seconds)
    key = tmp_path / "key"
    mine = ProviderConfig(kind="openai", base_url="http://127.0.0.1:1/v1", api_key_file=str(key))
    embedders = Embedders(Config(providers={"mine": mine}))
    assert embedders.find_available("mine/model") is None
    key.write_text("sesame")
    assert (embedders.find_available("mine/model") is not None) is (seconds == 0)
    assert [record.getMessage() for record in caplog.records] == [
        f"evidence is searched without the embedder mine/model: {key}: No such file or directory"
    ]
    await embedders.aclose()


class SlowEncoder:
    """Replaces the model on this machine. It is loaded when the test allows it."""

    def __init__(self) -> None:
        self.started, self.may_load = Event(), Event()

    def load(self) -> "SlowEncoder":
        self.started.set()
        self.may_load.wait()
        return self

    def encode(self, texts: list[str]) -> Any:
        return np.ones((len(texts), 2), np.float32)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowEncoder:
    encoder = SlowEncoder()
    monkeypatch.setattr(local, "_load", encoder.load)
    return encoder


async def folder_with_vectors(path: Path) -> Config:
    """Return a configuration whose folder was indexed by the local embedder."""
    (path / "docs").mkdir()
    (path / "docs/a.md").write_text("The Harlan bridge was opened in 1932.")
    store = Store(path / "e.db", create=True)
    store.set_embedder("local", local.LocalModel.name)
    model = Embedder(local.LocalModel())
    async for _ in index(store, path / "docs", lambda entry: entry, embedder=model):
        pass
    store.close()
    await model.aclose()
    return Config(
        retrievers={"folder": RetrieverConfig(kind="folder", store=str(path / "e.db"))}, default_retriever="folder"
    )


async def test_the_embedder_of_a_folder_is_loaded_before_the_first_request(slow: SlowEncoder, tmp_path: Path) -> None:
    slow.may_load.set()
    config = await folder_with_vectors(tmp_path)
    slow.may_load.clear()
    slow.started.clear()
    app = App(config)
    await asyncio.to_thread(app.warm_up)
    await asyncio.to_thread(slow.started.wait)
    async with asyncio.TaskGroup() as tasks:
        loading = tasks.create_task(app.load())
        for _ in range(100):
            await asyncio.sleep(0)
        assert not loading.done()
        slow.may_load.set()
    await app.aclose()


async def test_an_embedder_that_cannot_be_loaded_is_logged_and_does_not_stop_the_server(
    slow: SlowEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow.may_load.set()
    config = await folder_with_vectors(tmp_path)

    def fail() -> SlowEncoder:
        raise MemoryError

    monkeypatch.setattr(local, "_load", fail)
    app = App(config)
    app.warm_up()
    with caplog.at_level(logging.WARNING):
        await app.load()
    assert any("the embedder local cannot be loaded" in record.getMessage() for record in caplog.records)
    await app.aclose()
