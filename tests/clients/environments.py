"""The clients' own environments below .clients/: made once, made anew when what is pinned changes.

A client must not be tested with the packages that Citestream happens to have installed, nor Citestream with theirs.
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
    """One line for whoever runs this: what is missing, or what went wrong."""


def python(requirements: Path) -> Path:
    """The interpreter of an environment with exactly these packages. Raises InstallError."""
    folder = CACHE / requirements.stem
    interpreter = folder / "bin" / "python"

    def install() -> None:
        _run([sys.executable, "-m", "venv", "--without-pip", "--clear", str(folder)])
        # Every dependency is pinned in the file, so that nothing needs to be resolved.
        pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "install", *PIP, "--no-deps"]
        _run([*pip, "--requirement", str(requirements)])

    _once(folder, [requirements], install)
    return interpreter


def node(scripts: Path = HERE / "node") -> Path:
    """The folder of Node scripts, with their packages and report.mjs beside them. Raises InstallError."""
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

    _once(folder, pinned, install)
    for script in (HERE / "node" / "report.mjs", *scripts.glob("*.mjs")):  # a module looks for packages beside itself
        shutil.copy(script, folder)
    return folder


def _once(folder: Path, pinned: list[Path], install: Callable[[], None]) -> None:
    """Install, unless what is pinned is what was installed."""
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
        )  # npm ends in small talk
        raise InstallError(f"`{' '.join(command[:4])} ...` failed: {reason}")
