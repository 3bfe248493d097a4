"""ShellGPT: the command `sgpt`. It sends no evidence, so Citestream retrieves it."""

import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from reference_list import listed
from report import CASE, KEY, Seen, report, way

HOME = tempfile.mkdtemp()
ENVIRONMENT = {
    **os.environ,
    "HOME": HOME,
    "OPENAI_API_KEY": KEY,
    "API_BASE_URL": f"{os.environ['CITESTREAM_RETRIEVING']}/v1",
    "PRETTIFY_MARKDOWN": "false",
    "DEFAULT_COLOR": "white",
    "OPENAI_USE_FUNCTIONS": "false",
    "NO_COLOR": "1",
}


def asked(model: str) -> Seen:
    command = [Path(sys.executable).parent / "sgpt", "--no-cache", "--no-md", "--model", model, CASE["question"]]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT, input="").stdout
    return {"text": text.rstrip("\n"), "references": listed(text)}


way("`sgpt`", "`references_in_text`", asked, ["extractive", "openai/gpt-4.1"])
report("shell-gpt", version("shell-gpt"))
