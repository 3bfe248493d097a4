"""Run the JavaScript of docs/start.md against a running server. Only the port is replaced."""

import asyncio
import re
import tempfile
from pathlib import Path

from tests.clients import environments, running

PAGE = environments.ROOT / "docs/start.md"
ADDRESS = "http://127.0.0.1:8787"
SHOWN = ("110.6 metres tall. [1]", "file_name: 'moon.md'")


async def faults() -> list[str]:
    """Return a fault if the program does not print the cited answer and its reference. Raise InstallError."""
    (code,) = re.findall(r"```js\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    script = environments.node() / "start_page.mjs"  # Node resolves packages from the folder of the module
    with tempfile.TemporaryDirectory() as folder:
        extractive = {"extractive": {"kind": "extractive"}}
        async with running.citestream(extractive, None, Path(folder)) as url:
            script.write_text(code.replace(ADDRESS, url), "utf-8")
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec("node", str(script), stdout=pipe, stderr=pipe)
            printed, errors = await process.communicate()
    output = printed.decode()
    missing = [part for part in SHOWN if part not in output]
    return [f"docs/start.md: its JavaScript prints {output!r}, without {missing}; {errors.decode()}"] if missing else []
