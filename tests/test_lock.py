"""The lock installs its own versions with pip, although the index offers newer ones.

The index is a folder with small wheels. Each has the name, the extras and the requirements of a locked package.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = (Path(__file__).parent.parent / "requirements.lock").read_text("utf-8")
NEWER = "9999"  # a release on the day of the test
NO_SETTINGS = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INPUT": "1"}


def locked() -> list[Requirement]:
    """Return the locked requirements for this platform."""
    lines = re.findall(r"^(\S.*?) \\$", LOCK, re.MULTILINE)
    found = map(Requirement, lines)
    return [requirement for requirement in found if requirement.marker is None or requirement.marker.evaluate()]


def needed(name: str) -> list[Requirement]:
    """Return what a package needs in any version, with its extras; nothing if it is not installed here."""
    try:
        return [Requirement(line) for line in requires(name) or ()]
    except PackageNotFoundError:
        return []


def without_version(requirement: Requirement) -> str:
    """Return a requirement that every version satisfies, as those of most packages."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}>=0" + (f" ; {requirement.marker}" if requirement.marker else "")


def write_wheel(index: Path, name: str, version: str) -> str:
    """Write a wheel to the index. Return its hash."""
    folder = index / canonicalize_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{canonicalize_name(name).replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Provides-Extra: {extra}" for extra in extras(name)]
    lines += [f"Requires-Dist: {without_version(requirement)}" for requirement in needed(name)]
    with ZipFile(path, "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", "\n".join(lines) + "\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
    return sha256(path.read_bytes()).hexdigest()


def extras(name: str) -> list[str]:
    try:
        return metadata(name).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return []


def write_index(index: Path, requirements: list[Requirement]) -> Mapping[str, str]:
    """Write two wheels for each package, the locked one and a newer one. Return the hash of the locked one by name."""
    hashes = {}
    for requirement in requirements:
        hashes[requirement.name] = write_wheel(index, requirement.name, str(requirement.specifier)[2:])
        write_wheel(index, requirement.name, NEWER)
    for folder in index.iterdir():
        links = (f'<a href="{wheel.name}">{wheel.name}</a>' for wheel in sorted(folder.glob("*.whl")))
        (folder / "index.html").write_text(f"<!DOCTYPE html><html><body>{'<br>'.join(links)}</body></html>")
    return hashes


@pytest.mark.slow
def test_the_lock_installs_its_versions_although_the_index_offers_newer_ones(tmp_path: Path) -> None:
    requirements = locked()
    hashes = write_index(tmp_path / "index", requirements)
    lock = tmp_path / "requirements.lock"
    # The first words of the lines of the real lock, with the hashes of these wheels
    lock.write_text(
        "".join(f"{requirement} --hash=sha256:{hashes[requirement.name]}\n" for requirement in requirements)
    )
    command = [
        sys.executable,
        "-m",
        "pip",
        "--isolated",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--no-cache-dir",
    ]
    source = ["--index-url", (tmp_path / "index").as_uri(), "--require-hashes", "--requirement", str(lock)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")} | NO_SETTINGS
    done = subprocess.run([*command, *source], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    (line,) = re.findall(r"^Would install (.*)$", done.stdout, re.MULTILINE)
    installed = {canonicalize_name(item.rpartition("-")[0]): item.rpartition("-")[2] for item in line.split()}
    assert installed == {
        canonicalize_name(requirement.name): str(requirement.specifier)[2:] for requirement in requirements
    }
