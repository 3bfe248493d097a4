"""Update a store to match the content of a folder."""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from time import monotonic

from ...embedding import Embedder
from ...errors import ProviderError
from ..readers import MAX_FILE_BYTES, Entry, SourceFile, UnreadableFileError
from ..readers.isolated import NO_READER, NO_TEXT
from ..readers.reader_process import FILE_SECONDS, ReaderProcess
from ..readers.source_file import unreadable
from .directory_walk import File, OpenFolder, OtherFile, SkippedFile, walk
from .private_files import contains_private_key, is_included
from .store import Folder, Store

READERS_VERSION = 8  # increased when the readers return other excerpts, so that all files are read again
BLOCK_BYTES = 2**20  # bytes read at a time for the hash
# Between two commits, each of which waits for the disk. With one commit a file, indexing took four times as long.
COMMIT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Started:
    """Indexing has started. `files`: number of files in the folder."""

    files: int


@dataclass(frozen=True, slots=True)
class OtherFormats:
    """Files of the folder whose formats have no reader. `counts`: suffixes with the number of their files."""

    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """A new or changed file."""

    name: str
    excerpts: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that has not changed since it was indexed."""

    name: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A file that no longer exists."""

    name: str


Step = Started | OtherFormats | Indexed | Unchanged | Removed | SkippedFile
Admit = Callable[[Entry], Entry]


async def index(
    store: Store,
    folder: Path,
    admit: Admit,
    *,
    embedder: Embedder | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    file_seconds: float = FILE_SECONDS,
    include: Sequence[str] = (),
    names: Collection[str] | None = None,
) -> AsyncGenerator[Step, None]:
    """Index new and changed files, and remove deleted ones. If it is stopped, the next run continues from there.

    `admit`: return an entry that is valid evidence, or raise ValueError; files may define fields of their own.
    `file_seconds`: how long the reading of one PDF, DOCX or HTML file may take; a slower one is skipped.
    `include`: patterns of names that are read although they look like those of secrets, or have no suffix.
    `names`: the only files of the folder that are updated, None for all; they are skipped if they have no reader.
    Raises StoreError, sqlite3.Error, and ProviderError if the folder cannot be read or the embedder fails.
    """
    process = ReaderProcess(file_seconds)
    batch = ExitStack()
    with _open(folder) as opened, closing(batch), closing(process):  # commits complete files, also of a stopped run
        walked = list(walk(opened, include, names))
        files = [item for item in walked if isinstance(item, File)]
        other_names = [item.name for item in walked if isinstance(item, OtherFile)]
        yield Started(len(files))
        if other_names and names is None:
            yield OtherFormats(_suffixes(other_names))
        for item in walked:
            if isinstance(item, SkippedFile):
                yield item
        for name in other_names if names is not None else ():
            yield SkippedFile(name, NO_READER)
        with store.transaction():
            stored_folder = store.folder(folder)
        hashes = store.files(stored_folder.number)
        updated = hashes.keys() if names is None else hashes.keys() & set(names)
        for removed in _remove_deleted(store, stored_folder, updated - {file.name for file in files}):
            yield removed
        committed = -COMMIT_SECONDS
        reader = _FileReader(opened, admit, embedder, max_bytes, process, include)
        for file in files:
            if monotonic() - committed >= COMMIT_SECONDS:
                batch.close()
                batch.enter_context(store.transaction())
                committed = monotonic()
            yield await _update(store, stored_folder, file, hashes.get(file.name), reader)


def _suffixes(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return suffixes with the number of their names, the most frequent first."""
    return tuple(Counter(PurePosixPath(name).suffix.lower() for name in names).most_common())


def _open(folder: Path) -> OpenFolder:
    try:
        return OpenFolder(folder)
    except OSError as error:
        raise ProviderError(f"{folder} cannot be read: {error.strerror}") from None


def _remove_deleted(store: Store, folder: Folder, names: Iterable[str]) -> Iterator[Removed]:
    """Remove files from the store, each in its own transaction."""
    for name in sorted(names):
        with store.transaction():
            store.remove(folder.number, name)
        yield Removed(name)


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads files with the settings of one run."""

    folder: OpenFolder
    admit: Admit
    embedder: Embedder | None
    max_bytes: int
    process: ReaderProcess
    include: Sequence[str]

    def refuse_private_key(self, source: SourceFile, name: str) -> None:
        """Raise UnreadableFileError for a private key whose name is not included."""
        if contains_private_key(source) and not is_included(name, self.include):
            raise UnreadableFileError(source.path, f"contains a private key; --include '{source.path.name}' reads it")

    def digest(self, source: SourceFile) -> bytes:
        """Return a hash of the content, the version of the readers and the embedding model."""
        model = self.embedder.model.name if self.embedder else ""
        digest = blake2b(f"{READERS_VERSION} {model}\0".encode(), digest_size=16)
        if source.size > self.max_bytes:
            return b""  # the reader refuses the file with a reason
        try:
            with source.binary() as content:
                while block := content.read(BLOCK_BYTES):
                    digest.update(block)
        except OSError as error:
            raise unreadable(source.path, error) from None
        return digest.digest()

    def batches(self, source: SourceFile, name: str) -> Iterator[list[Entry]]:
        """Yield the excerpts of a file in batches."""
        with closing(self.process.read(source, name, self.max_bytes)) as batches:
            for batch in batches:
                yield [self.admit(entry) for entry in batch]


async def _update(store: Store, folder: Folder, file: File, stored_digest: bytes | None, reader: _FileReader) -> Step:
    try:
        with reader.folder.open(file.name) as source:
            reader.refuse_private_key(source, file.name)
            digest = reader.digest(source)
            if digest == stored_digest:
                return Unchanged(file.name)
            with store.transaction():
                count = await _write(store, folder, digest, source, file.name, reader)
                if not count:
                    raise UnreadableFileError(source.path, NO_TEXT if source.suffix == ".pdf" else "contains no text")
        return Indexed(file.name, count)
    except (UnreadableFileError, ValueError) as error:
        with store.transaction():  # the stored excerpts are out of date
            store.remove(folder.number, file.name)
        return SkippedFile(file.name, error.reason if isinstance(error, UnreadableFileError) else str(error))


async def _write(
    store: Store, folder: Folder, digest: bytes, source: SourceFile, name: str, reader: _FileReader
) -> int:
    """Write the excerpts of a file. Return their number."""
    number = store.add_file(folder.number, name, digest)
    count = 0
    for batch in reader.batches(source, name):
        excerpts = []
        for read in batch:
            entry = _with_ids(read, f"{folder.label}/{name}", count)
            excerpts.append(store.add_excerpt(number, count, _searched_headings(name, entry), entry))
            count += 1
        if reader.embedder:
            vectors = await reader.embedder.embed([embedding_text(read) for read in batch])
            store.add_vectors(excerpts, vectors)
    return count


def _with_ids(entry: Entry, document: str, position: int) -> Entry:
    """Return the entry with ids that are the same in every search."""
    return {"id": f"{document}#{position}", "document_id": document, **entry}


def _searched_headings(name: str, entry: Entry) -> str:
    """Return the words outside of its text by which an excerpt is found: its file name and headings."""
    return f"{name} {entry.get('title') or ''}".strip()


def embedding_text(entry: Entry) -> str:
    """Return the text that is embedded for an excerpt: its title and its text."""
    return f"{entry['title']}\n{entry['text']}" if entry.get("title") else str(entry["text"])
