"""Install pinned versions of the hosts from the package registry into environments below .clients/."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.clients.environments import CACHE, PIP

# The versions that the guides name. PyTorch comes first: with a CPU build installed, pip downloads no CUDA packages.
OPEN_WEBUI = ("torch==2.13.0", "open-webui==0.12.4")
CHAINLIT = ("chainlit==2.12.0", "llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1")


def installed(name: str, packages: tuple[str, ...]) -> Path:
    """Return the folder of programs of an environment with these packages, installed one after the other."""
    folder = CACHE / name
    done = folder / ".done"
    if not done.exists() or done.read_text("utf-8") != "\n".join(packages):
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", *PIP]
        for package in packages:
            _run([*pip, package])
        done.write_text("\n".join(packages), "utf-8")
    return folder / "bin"


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)
