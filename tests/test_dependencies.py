"""Check that all dependencies are locked with hashes, and that suppressed findings of bandit have a reason."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, BUILD = PYPROJECT["project"], PYPROJECT["build-system"]


def entries() -> dict[str, tuple[Requirement, str]]:
    """Return the locked requirements by name, with their text in the lock file."""
    found: dict[str, tuple[Requirement, str]] = {}
    for entry in re.split(r"\n(?=[A-Za-z0-9])", LOCK.strip()):
        requirement = Requirement(entry.partition(" \\\n")[0])
        found[canonicalize_name(requirement.name)] = (requirement, entry)
    return found


LOCKED = entries()


def test_every_dependency_is_locked_to_one_version_with_hashes() -> None:
    for requirement, entry in LOCKED.values():
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), entry
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


def test_the_lock_names_no_registry() -> None:
    assert not re.search(r"://|index|\.whl|--find-links|/", LOCK.replace("via -r ", ""))


def requested() -> list[str]:
    """Return the requirements of the container: the dependencies and the extra `server`."""
    extras = PROJECT["optional-dependencies"]
    named = [name for line in extras["server"] for name in Requirement(line).extras]
    return [*PROJECT["dependencies"], *(line for name in sorted(named) for line in extras[name])]


def test_the_build_tools_are_locked_as_the_project_requires_them() -> None:
    text = (ROOT / "build-requirements.lock").read_text("utf-8")
    (name, version), *others = re.findall(r"^(\S+)==(\S+) \\\n +--hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    (wanted,) = map(Requirement, BUILD["requires"])
    assert (name, others) == (wanted.name, [])
    assert wanted.specifier.contains(version)
    assert not re.search(r"://|index|\.whl|--find-links|/", text)


def test_the_lock_satisfies_the_project() -> None:
    for line in requested():
        wanted = Requirement(line)
        locked, _ = LOCKED[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(str(locked.specifier)[2:]), line
        assert wanted.specifier.contains(Version("9999")) is False, f"{line} has no upper bound"


def test_nothing_is_missing_from_the_lock() -> None:
    for name, (requirement, _) in LOCKED.items():
        try:
            if version(name) != str(requirement.specifier)[2:]:
                continue  # another version may need something else
        except PackageNotFoundError:
            continue  # for another platform
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert canonicalize_name(needed.name) in LOCKED, f"{name} needs {line}"


def test_the_lock_has_no_unused_requirement() -> None:
    direct = {canonicalize_name(Requirement(line).name) for line in requested()}
    for name, (_, entry) in LOCKED.items():
        via = set(re.findall(r"#\s+(?:via )?([a-z0-9][a-z0-9._-]*)", entry))
        assert name in direct or via & LOCKED.keys(), entry


@pytest.mark.slow
def test_bandit_finds_no_unsuppressed_issue() -> None:
    command = [sys.executable, "-m", "bandit", "-q", "-c", "pyproject.toml", "-r"]
    folders = ["citation", "providers", "proxy", "bench", "examples"]
    found = subprocess.run([*command, *folders], cwd=ROOT, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def test_every_suppressed_security_rule_has_a_reason() -> None:
    without_reason = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("citation", "providers", "proxy", "bench", "examples")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"# (?:noqa: S\d+|nosec)", line)
        and not re.search(r"(?:nosec B\d+ # |noqa: S\d+(?:, S\d+)* (?:- |# (?!nosec)))\w+ \w+", line)
    ]
    assert without_reason == []
