"""Call the tools of the Model Context Protocol with its TypeScript client, over HTTP and over standard input."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from secrets import token_urlsafe

from tests.clients import environments, running

RECEIVED = {
    "tools": ["cite", "verify_citations"],
    "verdict": "contradicted",
    "quote": "The Harlan bridge carries two lanes.",
    "failed": True,
}


async def faults() -> list[str]:
    """Return a fault for each transport whose client does not receive the expected results. Raise InstallError."""
    script = environments.node() / "mcp-client.mjs"
    key = token_urlsafe()
    with tempfile.TemporaryDirectory() as folder:
        async with running.citestream({"extractive": {"kind": "extractive"}}, key, Path(folder)) as url:
            over_http = await _received(script, key, url)
        over_stdio = await _received(script, key, sys.executable, "-m", "citestream", "mcp", cwd=folder)
    found = {"HTTP": over_http, "standard input": over_stdio}
    return [f"@modelcontextprotocol/sdk over {name}: {text}" for name, text in found.items() if text]


async def _received(script: Path, key: str, *target: str, cwd: str | None = None) -> str:
    """Return what is wrong with the results, "" if nothing is."""
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "CITESTREAM_KEY": key}
    process = await asyncio.create_subprocess_exec(
        "node", str(script), *target, stdout=pipe, stderr=pipe, env=environment, cwd=cwd
    )
    printed, errors = await process.communicate()
    if process.returncode:
        return errors.decode()
    received = json.loads(printed)
    return "" if received == RECEIVED else f"{received} is not {RECEIVED}"
