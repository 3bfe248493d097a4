"""Environments of the clients below .clients/. An environment is installed again if its pinned packages change.

Clients have environments of their own so that their packages and those of Citestream do not affect each other.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".clients"
# Without --no-compile, the modules that no script imports take most of the time of the installation.
PIP = ("--quiet", "--no-compile", "--disable-pip-version-check", "--root-user-action=ignore")


class InstallError(Exception):
    """An installation failed. The message is one line."""


def python(requirements: Path) -> Path:
    """Return the interpreter of an environment with exactly these packages. Raise InstallError."""
    folder = CACHE / requirements.stem
    interpreter = folder / "bin" / "python"

    def install() -> None:
        _run([sys.executable, "-m", "venv", "--without-pip", "--clear", str(folder)])
        # Every dependency is pinned in the file, so that nothing needs to be resolved.
        pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "install", *PIP, "--no-deps"]
        _run([*pip, "--requirement", str(requirements)])

    _install_once(folder, [requirements], install)
    return interpreter


def node(scripts: Path = HERE / "node") -> Path:
    """Return a folder with the Node scripts, report.mjs and their packages. Raise InstallError."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise InstallError(
                f"{program} is missing: install Node.js 20 or newer with npm; ARGS=--python does without"
            )
    folder = CACHE / scripts.name
    pinned = [scripts / "package.json", scripts / "package-lock.json"]

    def install() -> None:
        for file in pinned:
            shutil.copy(file, folder)
        _run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], folder)

    _install_once(folder, pinned, install)
    for script in (HERE / "node" / "report.mjs", *scripts.glob("*.mjs")):  # Node searches packages next to a module
        shutil.copy(script, folder)
    return folder


def _install_once(folder: Path, pinned: list[Path], install: Callable[[], None]) -> None:
    """Install, unless the same pinned packages were installed before."""
    state = hashlib.sha256(b"".join(file.read_bytes() for file in pinned)).hexdigest()
    done = folder / ".done"
    if done.exists() and done.read_text() == state:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install()
    done.write_text(state)


def _run(command: list[str], folder: Path = ROOT) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=dict(os.environ), check=False)
    if ran.returncode:
        lines = (ran.stderr.strip() or ran.stdout.strip() or "no reason given").splitlines()
        reason = next(
            (line for line in lines if "failed" in line or "ERROR" in line), lines[-1]
        )  # the last lines of npm are not the error
        raise InstallError(f"`{' '.join(command[:4])} ...` failed: {reason}")
