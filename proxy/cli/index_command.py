"""The command `citestream index`: updates the embedded index, shows the progress and reports skipped files."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, aclosing, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from citestream.citation.evidence import FieldError, parse_sources
from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError
from citestream.providers.one_line import one_line
from citestream.providers.retrieval.folder.directory_walk import SkippedFile, changes
from citestream.providers.retrieval.folder.indexing import (
    Indexed,
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
from .interruption import Interruption

Fields = dict[str, Any]

STOPPING = "stopping after this file; press Ctrl-C again to stop at once"
FORMATS = "text, Markdown, HTML, PDF, DOCX, CSV, JSON or JSONL"
_FIELDS = ("document_id", "file_name", "title", "url", "chunk_index", "page_number", "score", "artifact_kind")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Options of `citestream index`.

    `embedder` is an option like `scoring.embedder`, "none" to search words only, or None to keep that of the index.
    `include` are patterns of names that look like those of secrets, or have no suffix, but are read.
    """

    folders: Sequence[Path]
    store: Path
    embedder: str | None = None
    rebuild: bool = False
    watch: bool = False
    include: Sequence[str] = ()


async def run(config: Config, options: IndexOptions) -> None:
    """Update the index and, with `watch`, index every later change.

    Raise StoreError or ProviderError, also if a folder has no file to index, and KeyboardInterrupt after the file
    during which Ctrl-C was pressed.
    """
    embedders = Embedders(config)
    try:
        with _turn(options.store):
            store = Store(options.store, create=bool(options.folders), rebuild=options.rebuild)
        with closing(store):
            with _turn(options.store):
                embedder = _embedder(store, options.embedder, embedders)
            folders = [folder.resolve() for folder in options.folders] or list(store.folders().values())
            empty = await _update(store, folders, embedder, options.include)
            if options.watch:
                _print_line("watching for changes; stop with Ctrl-C")
                async for _ in changes(folders):
                    await _update(store, folders, embedder, options.include)
            elif empty:
                raise ProviderError(f"{', '.join(map(str, empty))}: no file to index; Citestream reads {FORMATS}")
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
    """Return the embedder of the command line or of the last run, and save it in the store."""
    option = store.metadata("embedder") if wanted is None else wanted.removeprefix("none")
    embedder = embedders.find(option) if option else None
    with store.transaction():
        store.set_embedder(option, embedder.model.name if embedder else "")
    return embedder


async def _update(
    store: Store, folders: Sequence[Path], embedder: Embedder | None, include: Sequence[str]
) -> list[Path]:
    """Update all folders. Return those without a file to index. Raise KeyboardInterrupt if Ctrl-C was pressed."""
    empty: list[Path] = []
    with _turn(store.path), Interruption(STOPPING) as interruption:
        for folder in folders:
            if not folder.is_dir():
                raise ProviderError(f"{folder} is not a folder")
            counts = await _update_folder(store, folder, embedder, include, interruption)
            if counts.keys() <= {Started}:
                empty.append(folder)
            if interruption.requested:
                _print_line("stopped: the same command without --rebuild continues from here")
                raise KeyboardInterrupt
    return empty


async def _update_folder(
    store: Store, folder: Path, embedder: Embedder | None, include: Sequence[str], interruption: Interruption
) -> Counter[type[Step]]:
    """Update one folder, print a summary, and return the number of steps of each kind."""
    counts: Counter[type[Step]] = Counter()
    progress = _progress()
    with progress or nullcontext():
        bar = progress.add_task(escape(one_line(folder.name)), total=None) if progress else None
        async with aclosing(index(store, folder, to_evidence, embedder=embedder, include=include)) as steps:
            async for step in steps:
                counts[type(step)] += 1
                if isinstance(step, SkippedFile):
                    _print_line(f"skipped: {step.name} {step.reason}", progress)
                if progress and bar is not None:
                    total = step.files if isinstance(step, Started) else None
                    progress.update(bar, total=total, advance=isinstance(step, Indexed | Unchanged))
                if interruption.requested:
                    break
    _print_summary(folder, counts, store)
    return counts


def _print_summary(folder: Path, counts: Counter[type[Step]], store: Store) -> None:
    labels = {"indexed": Indexed, "unchanged": Unchanged, "deleted": Removed, "skipped": SkippedFile}
    parts = [f"{counts[kind]:,} {label}" for label, kind in labels.items() if counts[kind] or kind is Indexed]
    totals = store.counts()
    vectors = f", {totals['vectors']:,} vectors" if totals["vectors"] else ""
    contents = f"{_plural(totals['excerpts'], 'excerpt')} of {_plural(totals['files'], 'file')}{vectors}"
    print(one_line(f"{folder}: {', '.join(parts)}; {store.path} contains {contents}"), flush=True)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _progress() -> Progress | None:
    """Return a progress bar if the command runs in a terminal."""
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _print_line(line: str, progress: Progress | None = None) -> None:
    console = progress.console if progress else Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text(one_line(line)), highlight=False, soft_wrap=True)
