"""What a server writes to standard error: a line a request, and nothing of what was asked or with which key."""

import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml

Launch = Callable[..., AbstractContextManager[str]]

CONFIG: dict[str, Any] = {
    "providers": {
        "extractive": None,
        "down": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": "sk-provider-secret"},
    }
}
ASKED = {
    "model": "extractive",
    "messages": [{"role": "user", "content": "What colour is my secret house?"}],
    "evidence": [{"text": "The colour of the secret house is red."}],
}


def written(launch: Launch, folder: Path, log: dict[str, Any]) -> str:
    """What a server of this configuration wrote during a few requests."""
    file = folder / "c.yaml"
    file.write_text(yaml.safe_dump({**CONFIG, "log": log}))
    command = [sys.executable, "-m", "proxy", "serve", "--port", "0", "--config", str(file)]
    with launch(command, folder / "log") as url:
        for path, body in (
            ("/v1/models?key=sk-client-secret", None),
            ("/v1/chat/completions", ASKED),
            ("/v1/chat/completions", {**ASKED, "model": "down/x"}),
            ("/v1/chat/completions", {**ASKED, "evidence": "secret"}),
        ):
            data = json.dumps(body).encode() if body else None
            request = Request(f"{url}{path}", data, {"Authorization": "Bearer sk-client-secret"})  # noqa: S310 - our own
            try:
                urlopen(request).read()  # noqa: S310
            except HTTPError as error:
                error.close()
    return (folder / "log").read_text()


def test_a_line_each_and_nothing_of_the_content_however_much_is_logged(launch: Launch, tmp_path: Path) -> None:
    said = written(launch, tmp_path, {"level": "debug"})
    lines = [line for line in said.splitlines() if "citestream.access" in line]
    assert [line.split("'-' ")[1].split(" ")[:3] for line in lines] == [
        ["GET", "/v1/models", "200"],
        ["POST", "/v1/chat/completions", "200"],
        ["POST", "/v1/chat/completions", "502"],
        ["POST", "/v1/chat/completions", "400"],
    ]
    assert "secret" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("log", [{"access": False}, {"level": "warning"}])
def test_silence_when_asked_for(launch: Launch, tmp_path: Path, log: dict[str, Any]) -> None:
    assert written(launch, tmp_path, log) == ""
