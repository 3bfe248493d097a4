"""A running LiteLLM proxy that is both in front of and behind Citestream, with the configurations of the guide."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.request import urlopen

import yaml

from tests.clients import environments

HERE = Path(__file__).parent
BEFORE, BEHIND = HERE / "litellm" / "before.yaml", HERE / "litellm" / "behind.yaml"
GUARDRAIL = HERE / "litellm" / "guardrail.yaml"
START_SECONDS = 120  # it takes 15 s on an idle machine

Fields = dict[str, Any]


class LiteLLM:
    """A LiteLLM proxy. Its address and key are fixed before it starts, because Citestream is configured first."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.key = f"sk-{token_hex(24)}"

    def provider(self) -> Fields:
        """Return the provider in the configuration of Citestream: that of the guide, with this address and key."""
        guide = yaml.safe_load(BEHIND.read_text("utf-8"))["providers"]["litellm"]
        return {**guide, "base_url": f"{self.url}/v1", "api_key": self.key}

    @asynccontextmanager
    async def running(self, citestream: str, key: str, openai: Fields, folder: Path) -> AsyncIterator[None]:
        """Run it with `openai` for the model `small` and Citestream for all other models. Raise InstallError."""
        config = yaml.safe_load(BEFORE.read_text("utf-8"))
        config["model_list"][0]["litellm_params"] |= {"api_base": f"{citestream}/v1", "api_key": key}
        small = {"model": "openai/gpt-4.1", "api_base": openai["base_url"], "api_key": openai["api_key"]}
        config["model_list"].append({"model_name": "small", "litellm_params": small})
        config["guardrails"] = yaml.safe_load(GUARDRAIL.read_text("utf-8"))["guardrails"]
        config["guardrails"][0]["litellm_params"] |= {"api_base": citestream, "api_key": key}
        (folder / "litellm.yaml").write_text(yaml.safe_dump(config), "utf-8")
        program = environments.python(HERE / "on_demand" / "litellm_proxy.txt").with_name("litellm")
        command = [str(program), "--config", str(folder / "litellm.yaml"), "--port", self.url.rpartition(":")[2]]
        environment = {**os.environ, "LITELLM_MASTER_KEY": self.key, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        with (folder / "litellm.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, env=environment)
            try:
                async with asyncio.timeout(START_SECONDS):
                    while not await asyncio.to_thread(self._answers):  # noqa: ASYNC110 - it has no signal
                        await asyncio.sleep(0.5)
                yield
            finally:
                process.terminate()
                await process.wait()

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/health/liveliness", timeout=5):
                return True
        except OSError:
            return False
