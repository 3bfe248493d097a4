"""The JavaScript of the README, as it stands but for the port, against a running server."""

import asyncio
import re
import tempfile
from pathlib import Path

from tests.clients import environments, running

README = environments.ROOT / "README.md"
ADDRESS = "http://127.0.0.1:8787"
SHOWN = ("110.6 metres tall. [1]", "file_name: 'moon.md'")


async def faults() -> list[str]:
    """What is wrong with it; nothing where it prints the cited answer and its reference. Raises InstallError."""
    (code,) = re.findall(r"```js\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    script = environments.node() / "readme.mjs"  # a module looks for packages beside itself
    with tempfile.TemporaryDirectory() as folder:
        extractive = {"extractive": {"kind": "extractive"}}
        async with running.citestream(extractive, "none", Path(folder)) as url:
            script.write_text(code.replace(ADDRESS, url), "utf-8")
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec("node", str(script), stdout=pipe, stderr=pipe)
            printed, errors = await process.communicate()
    said = printed.decode()
    missing = [part for part in SHOWN if part not in said]
    return [f"README.md: its JavaScript prints {said!r}, without {missing}; {errors.decode()}"] if missing else []
