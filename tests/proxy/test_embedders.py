"""An embedder that could not be created is tried again after a backoff, not for every question."""

from pathlib import Path

import pytest

from citestream.providers.embedding import backoff
from citestream.proxy.config import Config, ProviderConfig
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
