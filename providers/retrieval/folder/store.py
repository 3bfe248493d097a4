"""Store the excerpts of indexed folders in one SQLite file, with an index of their words and their vectors.

    folders    indexed folders, each with a label that starts the names of its files
    files      files with a hash of their content, so that unchanged files are not read again
    excerpts   excerpts in order; `fields` is the entry of a request's `evidence` as JSON
    words      FTS5 index of search terms (citation/text/queries/search_terms.py), without a copy of the text
    initials   FTS5 index of the initials of consecutive words, for acronyms
    vectors    float16 vectors of the excerpts, if an embedder is configured

Each file is written as a whole: if the program is stopped at any point, every file in the store is either complete or
as it was before. The store is one file, without a write-ahead log, so that it can be copied, moved and
replaced while it is being searched: a log that belongs to another file would damage it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .store_database import StoreDatabase
from .vocabulary import Similar
from .word_index import coverage

Entry = dict[str, Any]
Matrix = NDArray[np.float32]

_SELECTED = "selected files"  # metadata: names by folder, as JSON


@dataclass(frozen=True, slots=True)
class Folder:
    """An indexed folder. `label`: a unique name, which starts the `document_id` of its files."""

    number: int
    label: str


@dataclass(frozen=True, slots=True)
class StoredExcerpt:
    """An excerpt. `heads`: its file name and headings. `entry`: an entry of a request's `evidence`."""

    heads: str
    entry: Entry

    def coverage(self, weights: Mapping[str, float], acronyms: Mapping[str, str], similar: Similar) -> float:
        """Return the weighted share of the terms that the excerpt contains, 0 to 1."""
        return coverage(f"{self.heads}\n{self.entry['text']}", weights, acronyms, similar)


class Store(StoreDatabase):
    """An open store: its folders, files, excerpts and vectors."""

    # Folders and files

    def folder(self, path: Path) -> Folder:
        """Return the folder with this path, after adding it if it is new."""
        row = self._database.execute("SELECT id, label FROM folders WHERE path = ?", (str(path),)).fetchone()
        if row:
            return Folder(*row)
        taken = {label for (label,) in self._database.execute("SELECT label FROM folders")}
        name = path.name or "root"
        labels = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
        label = next(label for label in labels if label not in taken)
        inserted = self._database.execute("INSERT INTO folders (path, label) VALUES (?, ?)", (str(path), label))
        return Folder(inserted.lastrowid or 0, label)

    def folders(self) -> dict[str, Path]:
        """Return the paths of the indexed folders by label."""
        return {
            label: Path(path) for path, label in self._database.execute("SELECT path, label FROM folders ORDER BY id")
        }

    def selected_files(self) -> dict[Path, frozenset[str]]:
        """Return the names of the files that were indexed one by one, by folder. All others are indexed as a whole."""
        return {Path(path): frozenset(names) for path, names in json.loads(self.metadata(_SELECTED) or "{}").items()}

    def select_files(self, folder: Path, names: Iterable[str] | None) -> None:
        """Remember the only files of a folder that are indexed, None for all."""
        selected = {
            str(path): sorted(selected_names)
            for path, selected_names in self.selected_files().items()
            if path != folder
        }
        self.set_metadata(_SELECTED, json.dumps(selected | ({} if names is None else {str(folder): sorted(names)})))

    def files(self, folder: int) -> dict[str, bytes]:
        """Return the hashes of the files of a folder by name."""
        return dict(self._database.execute("SELECT name, hash FROM files WHERE folder = ?", (folder,)))

    def remove(self, folder: int, name: str) -> None:
        """Delete a file and its excerpts."""
        row = self._database.execute("SELECT id FROM files WHERE folder = ? AND name = ?", (folder, name)).fetchone()
        if not row:
            return
        for excerpt, heads, fields in self._database.execute(
            "SELECT id, heads, fields FROM excerpts WHERE file = ?", row
        ):
            self.words.remove(excerpt, heads, json.loads(fields)["text"])
        self._database.execute("DELETE FROM vectors WHERE excerpt IN (SELECT id FROM excerpts WHERE file = ?)", row)
        self._database.execute("DELETE FROM excerpts WHERE file = ?", row)
        self._database.execute("DELETE FROM files WHERE id = ?", row)

    def add_file(self, folder: int, name: str, digest: bytes) -> int:
        """Add a file without excerpts and return its id. An existing file with this name is replaced."""
        self.remove(folder, name)
        row = (folder, name, digest)
        return int(
            self._database.execute("INSERT INTO files (folder, name, hash) VALUES (?, ?, ?)", row).lastrowid or 0
        )

    def add_excerpt(self, file: int, position: int, heads: str, entry: Entry) -> int:
        """Add an excerpt and return its id. `heads`: file name and headings, which are searched like its text."""
        generated = bool(entry.get("is_generated_artifact"))
        row = (file, position, generated, heads, json.dumps(entry, ensure_ascii=False))
        excerpt = self._database.execute(
            "INSERT INTO excerpts (file, position, generated, heads, fields) VALUES (?, ?, ?, ?, ?)", row
        ).lastrowid
        self.words.add(excerpt or 0, heads, entry["text"])
        return excerpt or 0

    def set_embedder(self, option: str, model: str) -> None:
        """Set the embedding model. Vectors of another model are deleted, because they cannot be compared."""
        if self.metadata("model") != model:
            self._database.execute("DELETE FROM vectors")
        self.set_metadata("embedder", option)
        self.set_metadata("model", model)

    def add_vectors(self, excerpts: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add the vectors of excerpts. `vectors`: shape (n, D), one row for each excerpt."""
        rows = zip(excerpts, (vector.tobytes() for vector in vectors.astype("<f2")), strict=True)
        self._database.executemany("INSERT INTO vectors VALUES (?, ?)", rows)

    # Searching

    def load_vectors(self) -> tuple[NDArray[np.int64], Matrix]:
        """Return the ids of the excerpts, shape (n,), and their vectors, shape (n, D): 2 KB each if D is 512.

        D is that of the newest vector. Others are left out: a server can offer another model under the same name.
        """
        rows = self._database.execute(
            "SELECT excerpt, vector FROM vectors WHERE length(vector) = "
            "(SELECT length(vector) FROM vectors ORDER BY excerpt DESC LIMIT 1) ORDER BY excerpt"
        ).fetchall()
        numbers = np.array([number for number, _ in rows], dtype=np.int64)
        data = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f2").astype(np.float32)
        return numbers, data.reshape(len(rows), -1) if rows else np.zeros((0, 0), dtype=np.float32)

    def excerpts(self, numbers: Iterable[int]) -> dict[int, StoredExcerpt]:
        """Return excerpts by id. Ids that no longer exist are left out."""
        excerpts = {}
        for number in numbers:
            row = self._database.execute("SELECT heads, fields FROM excerpts WHERE id = ?", (number,)).fetchone()
            if row:
                excerpts[number] = StoredExcerpt(row[0], json.loads(row[1]))
        return excerpts

    def document(self, document_id: str, first: int = 0, limit: int | None = None) -> tuple[list[Entry], int]:
        """Return excerpts of a file in order, from a position on, and the number of all.

        Its id is the label of the folder and its name: `docs/bridge.md`.
        """
        row = self._file(document_id)
        if row is None:
            return [], 0
        (total,) = self._database.execute("SELECT count(*) FROM excerpts WHERE file = ?", row[:1]).fetchone()
        rows = self._database.execute(
            "SELECT fields FROM excerpts WHERE file = ? AND position >= ? ORDER BY position LIMIT ?",
            (row[0], first, -1 if limit is None else limit),
        )
        return [json.loads(fields) for (fields,) in rows], total

    def folder_of(self, document_id: str) -> Path | None:
        """Return the folder of an indexed file; None if it is not indexed."""
        row = self._file(document_id)
        return Path(row[1]) if row else None

    def _file(self, document_id: str) -> tuple[int, str] | None:
        """Return the number of a file and the path of its folder."""
        label, _, name = document_id.partition("/")
        row: tuple[int, str] | None = self._database.execute(
            "SELECT files.id, path FROM files JOIN folders ON folders.id = folder WHERE label = ? AND name = ?",
            (label, name),
        ).fetchone()
        return row

    def counts(self) -> dict[str, int]:
        """Return the number of `files`, `excerpts` and `vectors`."""
        counts = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM excerpts), (SELECT count(*) FROM vectors)"
        return dict(zip(("files", "excerpts", "vectors"), self._database.execute(counts).fetchone(), strict=True))

    def samples(self, count: int) -> list[Entry]:
        """Return at most `count` excerpts from all parts of the store, without generated ones."""
        first, last = self._database.execute("SELECT min(id), max(id) FROM excerpts").fetchone()
        if first is None:
            return []
        query = "SELECT id, fields FROM excerpts WHERE id >= ? AND NOT generated ORDER BY id LIMIT 1"
        step = max(1, (last - first + 1) / count)
        rows = (self._database.execute(query, (first + int(step * part),)).fetchone() for part in range(count))
        return [json.loads(fields) for fields in dict(filter(None, rows)).values()]

    def dump(self) -> Iterator[tuple[Any, ...]]:
        """Yield all rows in an order that does not depend on the order of writing, to compare two stores."""
        yield from self._database.execute(
            "SELECT folders.path, files.name, files.hash, excerpts.position, excerpts.heads, excerpts.fields, vector "
            "FROM files JOIN folders ON folders.id = folder LEFT JOIN excerpts ON file = files.id "
            "LEFT JOIN vectors ON excerpt = excerpts.id ORDER BY 1, 2, 4"
        )
