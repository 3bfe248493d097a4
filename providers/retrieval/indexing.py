"""Indexing: what a store knows of a folder is made to be what the folder holds."""

from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from ..embedding import Embedder
from .directory_walk import File, LeftOut, walk
from .readers import MAX_FILE_BYTES, Entry, UnreadableFileError, entries
from .store import Folder, Store

FORM = 2  # of what readers make of a file; a change of theirs that shows in the store counts it up
BLOCK = 2**20  # bytes read at a time for the hash
BATCH = 64  # excerpts written, and embedded, at a time


@dataclass(frozen=True, slots=True)
class Begun:
    """How many files there are."""

    files: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A file that is new or was changed."""

    name: str
    excerpts: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that the store knows as it is."""

    name: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A file that is there no more."""

    name: str


Step = Begun | Indexed | Unchanged | Removed | LeftOut
Admit = Callable[[Entry], Entry]


async def index(
    store: Store, folder: Path, admit: Admit, *, embedder: Embedder | None = None, max_bytes: int = MAX_FILE_BYTES
) -> AsyncGenerator[Step, None]:
    """Read what is new or changed, forget what is gone. May be stopped anywhere; the next run goes on from there.

    `admit`: an entry as evidence may be, or ValueError; files bring fields of their own. Raises StoreError,
    sqlite3.Error, and ProviderError where the embedder fails.
    """
    found = list(walk(folder))
    files = [one for one in found if isinstance(one, File)]
    yield Begun(len(files))
    for left in found:
        if isinstance(left, LeftOut):
            yield left
    with store.changing():
        under = store.folder(folder)
    known = store.files(under.number)
    for gone in sorted(known.keys() - {file.name for file in files}):
        with store.changing():
            store.remove(under.number, gone)
        yield Removed(gone)
    for file in files:
        yield await _update(store, under, file, known.get(file.name), _Reading(admit, embedder, max_bytes))


@dataclass(frozen=True, slots=True)
class _Reading:
    """How files are read in one run."""

    admit: Admit
    embedder: Embedder | None
    max_bytes: int

    def digest(self, file: File) -> bytes:
        """Of the content and of everything that decides what becomes of it."""
        model = self.embedder.model.name if self.embedder else ""
        digest = blake2b(f"{FORM} {model}\0".encode(), digest_size=16)
        try:
            if file.path.stat().st_size > self.max_bytes:
                return b""  # its reader refuses it, and says why
            with file.path.open("rb") as content:
                while block := content.read(BLOCK):
                    digest.update(block)
        except OSError as error:
            raise UnreadableFileError(file.path, f"cannot be read: {error.strerror}") from None
        return digest.digest()

    def batches(self, file: File) -> Iterator[list[Entry]]:
        """The excerpts, some at a time."""
        excerpts = entries(file.path, file.name, self.max_bytes)
        while batch := list(islice(excerpts, BATCH)):
            yield [self.admit(entry) for entry in batch]


async def _update(store: Store, folder: Folder, file: File, known: bytes | None, reading: _Reading) -> Step:
    try:
        digest = reading.digest(file)
        if digest == known:
            return Unchanged(file.name)
        with store.changing():
            count = await _write(store, folder, digest, file, reading)
            if not count:
                raise UnreadableFileError(file.path, "contains no text")
        return Indexed(file.name, count)
    except (UnreadableFileError, ValueError) as error:
        with store.changing():  # what was known of it is true no more
            store.remove(folder.number, file.name)
        return LeftOut(file.name, error.reason if isinstance(error, UnreadableFileError) else str(error))


async def _write(store: Store, folder: Folder, digest: bytes, file: File, reading: _Reading) -> int:
    """The excerpts of a file, and how many there are."""
    number = store.add_file(folder.number, file.name, digest)
    count = 0
    for batch in reading.batches(file):
        excerpts = []
        for read in batch:
            entry = _identified(read, f"{folder.label}/{file.name}", count)
            excerpts.append(store.add_excerpt(number, count, heads(file.name, entry), entry))
            count += 1
        if reading.embedder:
            vectors = await reading.embedder.embed([embedded(read) for read in batch])
            store.add_vectors(excerpts, vectors)
    return count


def _identified(entry: Entry, document: str, position: int) -> Entry:
    """With names that stay the same from one search to the next."""
    return {"id": f"{document}#{position}", "document_id": document, **entry}


def heads(name: str, entry: Entry) -> str:
    """What an excerpt can be found by besides its text."""
    return f"{name} {entry.get('title') or ''}".strip()


def embedded(entry: Entry) -> str:
    """What an excerpt's vector is made of."""
    return f"{entry['title']}\n{entry['text']}" if entry.get("title") else str(entry["text"])
