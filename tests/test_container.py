"""Run the steps of deploy/Containerfile in a folder. Unlike a build of the image, this needs no registry.

The base image, its user and its file system are not tested.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
CONTAINERFILE = (ROOT / "deploy/Containerfile").read_text("utf-8")
INSTALLED = "/opt/citestream"
CLIENT_KEY = "0123456789abcdef" * 3  # as `openssl rand -hex 24` prints one
PORT = 8787

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@dataclass(frozen=True)
class Image:
    """The folder in which the steps were run."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of the last stage, without that of this process."""
        return {"PATH": f"{self.path(INSTALLED)}/bin:/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "HOME": str(self.folder)}

    def path(self, absolute: str) -> Path:
        return self.folder / absolute.lstrip("/")

    def run(self, command: list[str]) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def instructions() -> list[tuple[str, str]]:
    """Return the instructions and their arguments, in order."""
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines.splitlines() if line]


def argument(instruction: str) -> str:
    """Return the argument of an instruction that occurs once."""
    (found,) = [text for name, text in instructions() if name == instruction]
    return found


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Run the first stage: copy the files, install the locked dependencies with their hashes, install the package."""
    built = Image(tmp_path_factory.mktemp("image"))
    source = built.path("/src")
    source.mkdir()
    stage = instructions()[1:]
    for name, text in stage[: [name for name, _ in stage].index("FROM")]:
        if name == "COPY":
            copy(text.split(), source)
        elif name == "RUN":
            run_step(text, built, source)
    return built


def copy(names: list[str], folder: Path) -> None:
    for name in names[:-1]:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / names[-1], symlinks=True, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)


def run_step(step: str, built: Image, folder: Path) -> None:
    """Run a step with its paths in the folder. To save time, pip uses its cache and does not compile."""
    command = step.replace(INSTALLED, shlex.quote(str(built.path(INSTALLED)))).replace(" --no-cache-dir", " --quiet")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-euc", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PIP_NO_COMPILE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"


def test_the_image_contains_what_its_package_needs_and_a_server_that_answers(
    image: Image, launch: Callable[..., AbstractContextManager[str]]
) -> None:
    """One test, because every pytest worker would run the steps again."""
    check_lock()
    assert "No broken requirements found." in image.run(["python", "-m", "pip", "check"])
    (program,) = json.loads(argument("ENTRYPOINT"))
    command = [str(image.path(f"{INSTALLED}/bin/{program}"))]
    assert image.run([*command, "--version"]) == f"citestream, version {VERSION}\n"
    serve = [*command, *json.loads(argument("CMD"))]
    assert serve[-2:] == ["--host", "0.0.0.0"]
    keys = dict(re.findall(r'docker run .*-e (.*?)="(.*?)"', CONTAINERFILE))
    keys = {name: value.replace("$(openssl rand -hex 24)", CLIENT_KEY) for name, value in keys.items()}
    here = [*serve[:-1], "127.0.0.1", "--port", "0"]
    with launch(here, image.folder / "log", **image.environment, **keys) as url:
        check_health(image, url)
        assert httpx.get(f"{url}/v1/models").status_code == 401
        models = httpx.get(f"{url}/v1/models", headers={"Authorization": f"Bearer {CLIENT_KEY}"}).json()
    assert "extractive" in [model["id"] for model in models["data"]]


def check_lock() -> None:
    """Assert that every step with pip installs locked files only, or nothing but the package."""
    commands = [command for name, text in instructions() if name == "RUN" for command in text.split("&&")]
    steps = [command for command in commands if "pip install" in command]
    assert len(steps) == 3
    assert all("--require-hashes" in step or {"--no-deps", "--no-build-isolation"} < {*step.split()} for step in steps)


def check_health(image: Image, url: str) -> None:
    """Run the command of the health check, with the port of this server."""
    command = json.loads(argument("HEALTHCHECK").partition("CMD ")[2])
    assert f"http://127.0.0.1:{PORT}" in command[-1]
    assert argument("EXPOSE") == str(PORT)
    image.run([*command[:-1], command[-1].replace(f"http://127.0.0.1:{PORT}", url)])
