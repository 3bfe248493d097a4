"""Run programs of npm that answer a question in the terminal. Their packages are in the folder COMMANDS."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from reference_list import listed
from report import Seen

PACKAGES = Path(os.environ["COMMANDS"]) / "node_modules"


def installed(package: str, name: str) -> tuple[str, str]:
    """Return the path of a program and its version."""
    version = json.loads((PACKAGES / package / "package.json").read_text("utf-8"))["version"]
    return str(PACKAGES / ".bin" / name), version


def answered(command: list[str], **environment: str) -> Seen:
    """Return the answer of a program. It runs in an empty folder, without the configuration of the user."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "HOME": folder, "NO_COLOR": "1", **environment}
        ran = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=folder, input="")
    if ran.returncode:
        raise RuntimeError(f"exit code {ran.returncode}: {ran.stderr[-300:]}")
    text = ran.stdout.rstrip("\n")
    return {"text": text, "references": listed(text)}
