"""The command `citestream index`: updates the embedded index, shows the progress and reports skipped files."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from citestream.citation.evidence import FieldError, parse_sources
from citestream.providers.embedding import Embedder
from citestream.providers.embedding.local import is_installed
from citestream.providers.errors import ProviderError
from citestream.providers.one_line import one_line
from citestream.providers.retrieval.folder.directory_walk import SkippedFile, changes
from citestream.providers.retrieval.folder.indexing import (
    Indexed,
    OtherFormats,
    Removed,
    Started,
    Step,
    Unchanged,
    index,
)
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import index_lock

from ..config import Config
from ..embedders import Embedders
from .arguments import FORMATS
from .interruption import Interruption

Fields = dict[str, Any]

STOPPING = "stopping after this file; press Ctrl-C again to stop at once"
# Formats without a reader that other programs convert into one with a reader
CONVERTIBLE = frozenset({".doc", ".dot", ".xls", ".ppt", ".odt", ".ods", ".odp", ".rtf", ".epub", ".pages"})
_FIELDS = ("document_id", "file_name", "title", "url", "chunk_index", "page_number", "score", "artifact_kind")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Options of `citestream index`.

    `paths` are folders and single files. `embedder` is an option like `scoring.embedder`, "none" to search words only,
    or None for that of the index, and for a new one the local embedder if it is installed.
    `include` are patterns of names that look like those of secrets, or have no suffix, but are read.
    """

    paths: Sequence[Path]
    store: Path
    embedder: str | None = None
    rebuild: bool = False
    watch: bool = False
    include: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Target:
    """A folder to update. `names`: the only files of it that are updated, None for all."""

    folder: Path
    names: frozenset[str] | None = None

    def __str__(self) -> str:
        """Return the path that a user knows: of the file if there is only one."""
        return str(self.folder.joinpath(*self.names or ()) if len(self.names or ()) < 2 else self.folder)


async def run(config: Config, options: IndexOptions) -> None:
    """Update the index and, with `watch`, index every later change.

    Raise StoreError or ProviderError, also if nothing of a path is indexed, and KeyboardInterrupt after the file during
    which Ctrl-C was pressed.
    """
    embedders = Embedders(config)
    try:
        with _turn(options.store):
            store = Store(options.store, create=bool(options.paths), rebuild=options.rebuild)
        with closing(store):
            with _turn(options.store):
                embedder = _embedder(store, options.embedder, embedders)
                targets = _named(store, options.paths) if options.paths else _known(store)
            errors = await _update(store, targets, embedder, options.include)
            if options.watch:
                _print_line("watching for changes; stop with Ctrl-C")
                recursive = any(target.names is None or "/" in "".join(target.names) for target in targets)
                async for _ in changes([target.folder for target in targets], recursive=recursive):
                    await _update(store, targets, embedder, options.include)
            elif errors:
                raise ProviderError("; ".join(errors))
    finally:
        await embedders.aclose()


def _turn(store: Path) -> AbstractContextManager[None]:
    """Wait until no other process indexes into the store."""
    return index_lock(store, lambda: _print_line(f"waiting for another `citestream index` that writes to {store}"))


def to_evidence(entry: Fields) -> Fields:
    """Return an entry of a file as evidence, with unknown fields in its metadata. Raise ValueError if it is invalid."""
    try:
        (evidence,) = parse_sources(documents=[{"data": entry}])
    except FieldError as error:
        raise ValueError(f"{error.path.rpartition('.')[2]}: {error.message}") from None
    fields: Fields = {"text": evidence.text}
    if entry.get("id"):
        fields["id"] = evidence.id
    fields |= {name: value for name in _FIELDS if (value := getattr(evidence, name)) is not None}
    if evidence.is_generated_artifact:
        fields["is_generated_artifact"] = True
    if evidence.chunk_type != "source":
        fields["chunk_type"] = evidence.chunk_type
    return fields | ({"metadata": dict(evidence.metadata)} if evidence.metadata else {})


def _embedder(store: Store, wanted: str | None, embedders: Embedders) -> Embedder | None:
    """Return the embedder of the command line or of the last run, and save it in the store.

    A new index uses the local one if it is installed: it finds the passages of many more questions (docs/evidence.md).
    """
    option = _default_embedder(store) if wanted is None else wanted.removeprefix("none")
    embedder = embedders.find(option) if option else None
    with store.transaction():
        store.set_embedder(option, embedder.model.name if embedder else "")
    return embedder


def _default_embedder(store: Store) -> str:
    """Return the embedder of the index, or of a new one."""
    if option := store.metadata("embedder"):
        return option
    return "local" if not store.folders() and is_installed() else ""


def _known(store: Store) -> list[_Target]:
    """Return all indexed folders, with the files of those that are not indexed as a whole."""
    selected = store.selected_files()
    return [_Target(folder, selected.get(folder)) for folder in store.folders().values()]


def _named(store: Store, paths: Sequence[Path]) -> list[_Target]:
    """Return the folders and files of the command line, and save which files of a folder are indexed.

    A file of a folder that is indexed as a whole belongs to it. The folder of any other file is added with this file.
    """
    resolved = [path.resolve() for path in paths]
    whole = {path for path in resolved if path.is_dir()}
    selected = {folder: names for folder, names in store.selected_files().items() if folder not in whole}
    indexed = whole | (set(store.folders().values()) - selected.keys())
    files: dict[Path, set[str]] = {}
    for path in resolved:
        if path not in whole:
            folder = next((parent for parent in path.parents if parent in indexed), path.parent)
            files.setdefault(folder, set()).add(path.relative_to(folder).as_posix())
    with store.transaction():
        for folder in whole:
            store.select_files(folder, None)
        for folder in files.keys() - indexed:
            store.select_files(folder, selected.get(folder, frozenset()) | files[folder])
    single = [_Target(folder, frozenset(names)) for folder, names in files.items() if folder not in whole]
    return [*(_Target(path) for path in dict.fromkeys(resolved) if path in whole), *single]


async def _update(
    store: Store, targets: Sequence[_Target], embedder: Embedder | None, include: Sequence[str]
) -> list[str]:
    """Update all folders. Return why nothing of some is indexed. Raise KeyboardInterrupt if Ctrl-C was pressed."""
    errors: list[str] = []
    with _turn(store.path), Interruption(STOPPING) as interruption:
        for target in targets:
            if not target.folder.is_dir():
                raise ProviderError(f"{target.folder} is not a folder")
            counts = await _update_folder(store, target, embedder, include, interruption)
            if counts.keys() <= {Started, OtherFormats}:
                errors.append(f"{target}: no file to index; Citestream reads {FORMATS}")
            elif counts.keys() <= {Started, OtherFormats, SkippedFile}:
                errors.append(f"{target}: nothing is indexed, because all files were skipped")
            if interruption.requested:
                _print_line("stopped: the same command without --rebuild continues from here")
                raise KeyboardInterrupt
    return errors


async def _update_folder(
    store: Store, target: _Target, embedder: Embedder | None, include: Sequence[str], interruption: Interruption
) -> Counter[type[Step]]:
    """Update one folder, print a summary, and return the number of steps of each kind."""
    counts: Counter[type[Step]] = Counter()
    progress = _progress()
    steps = index(store, target.folder, to_evidence, embedder=embedder, include=include, names=target.names)
    with progress or nullcontext():
        bar = progress.add_task(escape(one_line(Path(str(target)).name)), total=None) if progress else None
        async with aclosing(steps):
            async for step in steps:
                counts[type(step)] += 1
                if isinstance(step, SkippedFile):
                    _print_line(f"skipped: {step.name} {step.reason}", progress)
                if isinstance(step, OtherFormats):
                    _print_line(_others(dict(step.counts)), progress)
                if progress and bar is not None:
                    total = step.files if isinstance(step, Started) else None
                    progress.update(bar, total=total, advance=isinstance(step, Indexed | Unchanged))
                if interruption.requested:
                    break
    _print_summary(target, counts, store)
    return counts


def _others(counts: Mapping[str, int]) -> str:
    """Return a line about the files whose formats have no reader. `counts`: their number by suffix."""
    files = ", ".join(f"{count:,} {suffix}" for suffix, count in counts.items())
    convertible = sorted(CONVERTIBLE & counts.keys())
    advice = f"; save a copy of {_join(convertible)} files as DOCX, XLSX, PPTX or PDF" if convertible else ""
    return f"not read, because their formats have no reader: {files}{advice}"


def _join(names: Iterable[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _print_summary(target: _Target, counts: Counter[type[Step]], store: Store) -> None:
    labels = {"indexed": Indexed, "unchanged": Unchanged, "deleted": Removed, "skipped": SkippedFile}
    parts = [f"{counts[kind]:,} {label}" for label, kind in labels.items() if counts[kind] or kind is Indexed]
    totals = store.counts()
    vectors = f", {totals['vectors']:,} vectors" if totals["vectors"] else ""
    contents = f"{_plural(totals['excerpts'], 'excerpt')} of {_plural(totals['files'], 'file')}{vectors}"
    print(one_line(f"{target}: {', '.join(parts)}; {store.path} contains {contents}"), flush=True)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _progress() -> Progress | None:
    """Return a progress bar if the command runs in a terminal."""
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        return None
    text = TextColumn("{task.description}")
    return Progress(
        SpinnerColumn(),
        text,
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _print_line(line: str, progress: Progress | None = None) -> None:
    console = progress.console if progress else Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text(one_line(line)), highlight=False, soft_wrap=True)
