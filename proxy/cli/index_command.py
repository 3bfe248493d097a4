"""What `citestream index` does: fills the embedded store, shows how far it is, names what was left out."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from citestream.citation.evidence import FieldError, parse_documents
from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError
from citestream.providers.retrieval.directory_walk import LeftOut
from citestream.providers.retrieval.file_watcher import changes
from citestream.providers.retrieval.indexing import Begun, Indexed, Removed, Step, Unchanged, index
from citestream.providers.retrieval.store import Store

from ..config import Config
from ..embedders import Embedders
from .live_markdown import SAFE

Fields = dict[str, Any]

_FIELDS = ("document_id", "file_name", "title", "url", "chunk_index", "page_number", "score", "artifact_kind")


@dataclass(frozen=True, slots=True)
class Indexing:
    """What a run is told. `embedder`: None as before, "none" for words only, or as `scoring.embedder`."""

    folders: Sequence[Path]
    store: Path
    embedder: str | None = None
    rebuild: bool = False
    watch: bool = False


async def run(config: Config, told: Indexing) -> None:
    """Index, and go on with every change where it shall watch. Raises StoreError, ProviderError."""
    embedders = Embedders(config)
    try:
        with closing(Store(told.store, create=bool(told.folders), anew=told.rebuild)) as store:
            embedder = _embedder(store, told.embedder, embedders)
            folders = [folder.resolve() for folder in told.folders] or list(store.folders().values())
            await _indexed(store, folders, embedder)
            if told.watch:
                _say("watching; Ctrl-C ends it")
                async for _ in changes(folders):
                    await _indexed(store, folders, embedder)
    finally:
        await embedders.aclose()


def admitted(entry: Fields) -> Fields:
    """An entry as evidence may be; what evidence has no field for becomes metadata. Raises ValueError."""
    try:
        (evidence,) = parse_documents([{"data": entry}])
    except FieldError as error:
        raise ValueError(f"{error.path.rpartition('.')[2]}: {error.message}") from None
    found: Fields = {"text": evidence.text}
    if entry.get("id"):
        found["id"] = evidence.id
    found |= {name: value for name in _FIELDS if (value := getattr(evidence, name)) is not None}
    if evidence.is_generated_artifact:
        found |= {"is_generated_artifact": True}
    if evidence.chunk_type != "source":
        found["chunk_type"] = evidence.chunk_type
    return found | ({"metadata": dict(evidence.metadata)} if evidence.metadata else {})


def _embedder(store: Store, wanted: str | None, embedders: Embedders) -> Embedder | None:
    """The one that is named now or was last time; the store remembers it."""
    option = store.about("embedder") if wanted is None else wanted.removeprefix("none")
    found = embedders.find(option) if option else None
    with store.changing():
        store.set_embedder(option, found.model.name if found else "")
    return found


async def _indexed(store: Store, folders: Sequence[Path], embedder: Embedder | None) -> None:
    for folder in folders:
        if not folder.is_dir():
            raise ProviderError(f"{folder} is not a folder")
        counts: Counter[type[Step]] = Counter()
        progress = _progress()
        with progress or nullcontext():
            bar = progress.add_task(folder.name, total=None) if progress else None
            async for step in index(store, folder, admitted, embedder=embedder):
                counts[type(step)] += 1
                if isinstance(step, LeftOut):
                    _say(f"left out: {step.name} {step.reason}", progress)
                if progress and bar is not None:
                    total = step.files if isinstance(step, Begun) else None
                    progress.update(bar, total=total, advance=isinstance(step, Indexed | Unchanged))
        _summarise(folder, counts, store)


def _summarise(folder: Path, counts: Counter[type[Step]], store: Store) -> None:
    said = {"read": Indexed, "unchanged": Unchanged, "gone": Removed, "left out": LeftOut}
    parts = [f"{counts[kind]:,} {name}" for name, kind in said.items() if counts[kind] or kind is Indexed]
    held = store.counts()
    vectors = f", {held['vectors']:,} vectors" if held["vectors"] else ""
    excerpts = f"{held['excerpts']:,} excerpts of {held['files']:,} files{vectors}"
    print(f"{folder}: {', '.join(parts)}; {store.path} holds {excerpts}", flush=True)


def _progress() -> Progress | None:
    """A bar, where somebody looks."""
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _say(line: str, progress: Progress | None = None) -> None:
    console = progress.console if progress else Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text(line.translate(SAFE)), highlight=False, soft_wrap=True)
