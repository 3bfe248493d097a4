"""Download a checker from a model hub: its ONNX file for this processor, its tokenizer and its configuration.

Nothing else is ever downloaded, because other formats can contain programs. `huggingface_hub` reads HF_ENDPOINT,
HF_TOKEN, HF_HUB_OFFLINE and the cache of other programs in HF_HOME. An interrupted download is continued. A file takes
its place only when its SHA-256 is right: that of the preset, or else that of the first download, which `checker.json`
records together with the commit.
"""

import errno
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from ...errors import ProviderError
from ...install_hint import install_command
from .model_format import InstalledFile, Manifest, ModelFormat, check_labels, from_labels, label_names, read_manifest
from .names import Checker
from .presets import Preset
from .processors import Processor, runs, this_processor

MAX_TOKENS = 512  # maximum length for other models than presets: most have 512 positions
SUFFIXES = (".onnx", "tokenizer.json", "config.json")  # the only files that are downloaded
HASHED_BYTES = 1 << 20  # read at a time
_CONFIG, _TOKENIZER, _MODEL = "config.json", "tokenizer.json", "model.onnx"
# Names of exported models, the fastest first. Those for a processor begin the list.
_EXPORTS = {
    Processor.AVX512_VNNI: ("onnx/model_qint8_avx512_vnni.onnx",),
    Processor.AVX512: ("onnx/model_qint8_avx512.onnx",),
    Processor.AVX2: ("onnx/model_quint8_avx2.onnx",),
    Processor.ARM64: ("onnx/model_qint8_arm64.onnx",),
    Processor.ANY: (
        *("onnx/model_quantized.onnx", "onnx/model_int8.onnx", "model_quantized.onnx"),
        *("onnx/model.onnx", "model.onnx"),
    ),
}

Report = Callable[[str], None]


def require_hub() -> None:
    """Raise ProviderError with the installation command if the client of the hub is missing."""
    if find_spec("huggingface_hub") is None:
        raise ProviderError(f"Downloading a model needs packages: {install_command('onnx')}")


def pull(checker: Checker, report: Report = lambda _: None, processor: Processor | None = None) -> Path:
    """Download what is missing and verify all files. Return the folder. Raise ProviderError.

    `report`: called with one line for each file.
    """
    require_hub()
    with _errors_in_words(checker):
        kind = processor or this_processor()
        onnx = _preset_path(checker.preset, kind) if checker.preset else ""
        checker.folder.mkdir(parents=True, exist_ok=True)
        download = _Download(checker, report)
        if checker.preset is None or checker.preset.config:
            download.file(_CONFIG, _CONFIG)
        download.file(_TOKENIZER, _TOKENIZER)
        download.file(_MODEL, onnx or _published_path(checker, download, kind))
    return checker.folder


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(HASHED_BYTES):
            digest.update(block)
    return digest.hexdigest()


def verify(folder: Path) -> None:
    """Raise ProviderError if a file of an installed model is not the one that was downloaded."""
    manifest = read_manifest(folder)
    for name, entry in manifest.files.items() if manifest else ():
        if hash_of(folder / name) != entry.sha256:
            raise ProviderError(f"{folder / name} has been changed since it was downloaded: remove it and pull again.")


@dataclass(slots=True)
class _Download:
    """The state of one download. `manifest` is written after each file."""

    checker: Checker
    report: Report
    manifest: Manifest = field(init=False)

    def __post_init__(self) -> None:
        """Continue an earlier download of the same commit."""
        preset = self.checker.preset
        fresh = Manifest(preset.model_format if preset else ModelFormat(), self.checker.id)
        self.manifest = read_manifest(self.checker.folder) or fresh

    @property
    def revision(self) -> str:
        """The commit of the files that are already there, else the revision of the checker."""
        return self.manifest.commit or self.checker.revision

    def file(self, name: str, source: str) -> None:
        """Bring one file into the folder, unless it is there and has the right content."""
        if not source.endswith(SUFFIXES):
            raise ProviderError(f"{source} is neither an ONNX file nor a tokenizer nor a configuration.")
        path, expected = self.checker.folder / name, self._expected(name, source)
        if path.is_file() and expected and hash_of(path) == expected:
            self.report(f"{source}: already there")
            return
        cached = self.cached(source)
        part = self._copy(name, Path(cached)) if cached else self._fetch(name, source)
        digest = hash_of(part)
        if expected and digest != expected:
            part.unlink()
            raise ProviderError(
                f"{source} of {self.checker.id} has the SHA-256 {digest} instead of {expected}. It was deleted. "
                "Another file than the known one is published at this address."
            )
        if name == _CONFIG:
            self._read_labels(part)
        size = part.stat().st_size
        part.replace(path)
        entry = InstalledFile(source, digest, size)
        self.manifest = replace(self.manifest, files={**self.manifest.files, name: entry})
        self.manifest.write(self.checker.folder)
        origin = "as known" if expected else "recorded, because no SHA-256 was known"
        self.report(f"{source}: {size / 1e6:.1f} MB, SHA-256 {digest[:12]}… {origin}")

    def _expected(self, name: str, source: str) -> str:
        """Return the hash that the file must have, "" if none is known."""
        preset, recorded = self.checker.preset, self.manifest.files.get(name)
        if preset and self.checker.revision == preset.revision and source in preset.sha256:
            return preset.sha256[source]
        return recorded.sha256 if recorded and recorded.source == source else ""

    def _read_labels(self, config: Path) -> None:
        """Compare the labels with those of the preset, or take the format from them."""
        labels = label_names(config)
        if self.checker.preset:
            check_labels(self.checker.preset.model_format, labels)
        else:
            positions = json.loads(config.read_text("utf-8")).get("max_position_embeddings") or MAX_TOKENS
            model_format = from_labels(labels, max(16, min(MAX_TOKENS, int(positions))))
            if labels:
                _ = model_format.entailment_index  # raises ProviderError
            self.manifest = replace(self.manifest, model_format=model_format)

    def cached(self, source: str) -> str:
        """Return the path of a file in the cache of other programs, "" if it is not there."""
        from huggingface_hub import try_to_load_from_cache

        path = try_to_load_from_cache(self.checker.id, source, revision=self.revision)
        if not isinstance(path, str):
            return ""
        parts = Path(path).parts
        self._set_commit(parts[parts.index("snapshots") + 1])
        return path

    def _copy(self, name: str, cached: Path) -> Path:
        part = self._part(name)
        shutil.copyfile(cached, part)
        return part

    def _fetch(self, name: str, source: str) -> Path:
        """Download a file, or the rest of it."""
        from huggingface_hub import get_hf_file_metadata, get_token, hf_hub_url
        from huggingface_hub.file_download import http_get

        metadata = get_hf_file_metadata(hf_hub_url(self.checker.id, source, revision=self.revision))
        self._set_commit(metadata.commit_hash or "")
        part = self._part(name)
        present = part.stat().st_size if part.is_file() else 0
        if metadata.size is not None:
            if present > metadata.size:
                part.unlink()
                present = 0
            _check_space(self.checker.folder, metadata.size - present)
        self.report(f"{source}: downloading {(metadata.size or 0) / 1e6:.1f} MB" + (" (continued)" if present else ""))
        with part.open("ab") as file:
            http_get(
                hf_hub_url(self.checker.id, source, revision=self.revision),
                file,
                resume_size=present,
                headers={"authorization": f"Bearer {token}"} if (token := get_token()) else {},
                expected_size=metadata.size,
                displayed_filename=source,
            )
        return part

    def _part(self, name: str) -> Path:
        """Return the path of a file that is not complete yet. Files of another commit are not continued."""
        return self.checker.folder / f"{name}.{self.revision[:12].replace('/', '-')}.part"

    def _set_commit(self, commit: str) -> None:
        """Take all further files from the same commit."""
        if not commit:
            raise ProviderError(f"The server of {self.checker.id} is no model hub: it names no commit.")
        self.manifest = replace(self.manifest, commit=commit)


def _published_path(checker: Checker, download: _Download, processor: Processor) -> str:
    """Return the path of the fastest ONNX file for this processor."""
    from huggingface_hub import HfApi, is_offline_mode

    names = [name for kind in runs(processor) for name in _EXPORTS[kind]]
    if is_offline_mode():
        available = {name for name in names if download.cached(name)}
    else:
        available = set(HfApi().list_repo_files(checker.id, revision=download.revision))
    if path := next((name for name in names if name in available), ""):
        return path
    raise ProviderError(f"{checker.id} publishes no ONNX file that is known to this program: {', '.join(names)}")


def _preset_path(preset: Preset, processor: Processor) -> str:
    """Return the path of the fastest ONNX file of a preset for this processor."""
    if path := next((preset.onnx[kind] for kind in runs(processor) if kind in preset.onnx), ""):
        return path
    raise ProviderError(
        f"{preset.id} publishes no ONNX file. Export it once and name the folder, onnx:FOLDER, as docs/verify.md says."
    )


def _check_space(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ProviderError(f"{folder} has {free / 1e6:.0f} MB of free space, and {size / 1e6:.0f} MB are needed.")


@contextmanager
def _errors_in_words(checker: Checker) -> Iterator[None]:
    """Raise ProviderError for every error of the hub, its client, the network and the disk."""
    from huggingface_hub import errors

    try:
        yield
    except ProviderError:
        raise
    except errors.OfflineModeIsEnabled:
        raise ProviderError(f"{checker.id} is not in the cache, and HF_HUB_OFFLINE forbids to download it.") from None
    except errors.RevisionNotFoundError:
        raise ProviderError(f"{checker.id} has no revision {checker.revision}.") from None
    except errors.EntryNotFoundError as error:
        raise ProviderError(f"A file of {checker.id} is missing on the hub: {_first_line(error)}") from None
    except errors.RepositoryNotFoundError:
        raise ProviderError(
            f"The hub has no model {checker.id}, or it is not public: HF_TOKEN must be a token with access to it."
        ) from None
    except errors.HfHubHTTPError as error:
        raise ProviderError(f"The hub answered with the status {error.response.status_code}.") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ProviderError(f"No space is left on the disk of {checker.folder}.") from None
        raise ProviderError(f"{checker.id} could not be downloaded: {_first_line(error)}") from None
    except Exception as error:  # noqa: BLE001 - the HTTP client of the hub is not ours
        raise ProviderError(f"The hub could not be reached: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
