"""Names of checkers, `hf:ORGANISATION/MODEL[@REVISION]` or a preset, and the folders in which they are installed."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import ProviderError
from .model_format import FORMAT_FILE, read_manifest
from .presets import PRESETS, Preset

FORMS = f"hf:ORGANISATION/MODEL[@REVISION] or one of: {', '.join(PRESETS)}"
NAMED = "hf:"  # prefix of a model on the hub
DEFAULT_REVISION = "main"
REQUIRED = ("model.onnx", "tokenizer.json")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_REVISION = re.compile(r"[\w][\w./-]*")
_UNSAFE = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class Checker:
    """A checker by name."""

    name: str  # as in the configuration
    id: str  # organisation/model
    revision: str
    preset: Preset | None = None

    @property
    def folder(self) -> Path:
        """The folder in which it is installed, or would be."""
        return models_folder() / f"{_UNSAFE.sub('--', self.id)}@{_UNSAFE.sub('-', self.revision)}"

    @property
    def is_installed(self) -> bool:
        """Whether all files are there, with the sizes that were recorded when they were downloaded."""
        manifest = read_manifest(self.folder)
        if manifest is None or not set(REQUIRED) <= manifest.files.keys():
            return False
        paths = {self.folder / name: entry.bytes for name, entry in manifest.files.items()}
        return all(path.is_file() and path.stat().st_size == size for path, size in paths.items())

    @property
    def install_command(self) -> str:
        """The command that installs it."""
        return f"citestream models pull {self.name}"

    def require(self) -> Path:
        """Return its folder. Raise ProviderError with the command that installs it if it is not complete."""
        if not self.is_installed:
            raise ProviderError(f"The model {self.name} is not installed: {self.install_command}")
        return self.folder


def find_checker(name: str) -> Checker | None:
    """Return the checker of that name, None if it is neither a preset nor begins with `hf:`.

    Raise ProviderError if what follows `hf:` is not the name of a model.
    """
    if preset := PRESETS.get(name):
        return Checker(name, preset.id, preset.revision, preset)
    if not name.startswith(NAMED):
        return None
    repository, separator, revision = name.removeprefix(NAMED).partition("@")
    if not _REPOSITORY.fullmatch(repository) or (separator and not _is_revision(revision)):
        raise ProviderError(f"{name!r} is not the name of a model: it must be {FORMS}")
    preset = next((preset for preset in PRESETS.values() if preset.id == repository), None)
    return Checker(name, repository, revision or (preset.revision if preset else DEFAULT_REVISION), preset)


def _is_revision(text: str) -> bool:
    return bool(_REVISION.fullmatch(text)) and ".." not in text


def models_folder() -> Path:
    """Return the folder of all installed models, inside the one of the hub's other programs."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{cache}/huggingface"
    return Path(os.path.expandvars(home)).expanduser() / "citestream"


def installed() -> Iterator[tuple[str, str, Path]]:
    """Yield id, revision and folder of each model that has been downloaded, at least in part.

    Folders that cannot be read are left out.
    """
    try:
        folders = sorted(path for path in models_folder().iterdir() if (path / FORMAT_FILE).is_file())
    except OSError:
        return
    for path in folders:
        with suppress(ProviderError):
            if (manifest := read_manifest(path)) and manifest.id:
                yield manifest.id, path.name.rpartition("@")[2], path


def remove(checker: Checker) -> int:
    """Delete the files of a checker, also those of an interrupted download. Return their bytes, 0 if there are none."""
    if not checker.folder.is_dir():
        return 0
    size = sum(path.stat().st_size for path in checker.folder.rglob("*") if path.is_file())
    shutil.rmtree(checker.folder)
    return max(size, 1)
