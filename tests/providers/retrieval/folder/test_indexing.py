"""After indexing, the store equals the folder, even if an earlier run was stopped."""

import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
import pytest

from citestream.providers.embedding import Embedder, Limits
from citestream.providers.errors import ProviderError
from citestream.providers.retrieval.folder.directory_walk import SkippedFile
from citestream.providers.retrieval.folder.indexing import (
    Admit,
    Indexed,
    OtherFormats,
    Removed,
    Started,
    Step,
    Unchanged,
    index,
)
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError
from citestream.providers.retrieval.folder.word_index import Hit
from citestream.providers.retrieval.readers import Entry
from citestream.providers.retrieval.readers.isolated import NO_READER
from tests.providers.retrieval.readers.documents import pdf

ROOT = Path(__file__).parents[4]
NOBODY = 65534  # a user without rights
FILES = {"a.md": "# A\n\nOf apples.", "b/c.txt": "Of cherries.", "b/d.jsonl": '{"text": "Of dates."}\n"Of figs."\n'}


class LetterModel:
    """A model that counts letters."""

    limits = Limits(texts=8, characters=10_000, text_characters=1_000)

    def __init__(self, name: str = "letters", dimensions: int = 26) -> None:
        self.name = name
        self._dimensions = dimensions

    async def vectors(self, texts: Any) -> Any:
        rows = [[text.casefold().count(chr(97 + at)) + 0.01 for at in range(self._dimensions)] for text in texts]
        return np.array(rows)

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, "utf-8")
    return made


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = Store(tmp_path / "store/evidence.db", create=True)
    yield opened
    opened.close()


def unchanged(entry: Entry) -> Entry:
    return entry


async def run(store: Store, folder: Path, admit: Admit = unchanged, **options: Any) -> list[Step]:
    return [step async for step in index(store, folder, admit, **options)]


async def indexed_content(folder: Path, path: Path, **options: Any) -> list[tuple[Any, ...]]:
    """Return the content of an empty store after indexing."""
    store = Store(path, create=True)
    await run(store, folder, **options)
    content = list(store.dump())
    store.close()
    return content


async def test_unchanged_files_are_not_read_again(store: Store, folder: Path) -> None:
    assert await run(store, folder) == [Started(3), Indexed("a.md", 1), Indexed("b/c.txt", 1), Indexed("b/d.jsonl", 2)]
    assert await run(store, folder) == [Started(3), *(Unchanged(name) for name in FILES)]
    assert store.counts() == {"files": 3, "excerpts": 4, "vectors": 0}


async def test_changed_files_are_read_again_and_deleted_files_are_removed(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    await run(store, folder)
    known = (folder / "a.md").stat()
    (folder / "a.md").write_text("# A\n\nOf grapes.")  # as long as before
    os.utime(folder / "a.md", ns=(known.st_atime_ns, known.st_mtime_ns))
    (folder / "b/c.txt").unlink()
    (folder / "e.txt").write_text("Of elderberries.")
    steps = await run(store, folder)
    assert set(steps) == {
        Started(3),
        Removed("b/c.txt"),
        Indexed("a.md", 1),
        Unchanged("b/d.jsonl"),
        Indexed("e.txt", 1),
    }
    assert list(store.dump()) == await indexed_content(folder, tmp_path / "fresh.db")
    assert [hit.score > 0 for hit in search(store, "grapes elderberries")] == [True, True]
    assert search(store, "apples cherries") == []


async def test_weights_of_terms_do_not_depend_on_earlier_changes(store: Store, folder: Path, tmp_path: Path) -> None:
    await run(store, folder)
    for times in range(3):
        for name in ("a.md", "b/c.txt"):  # neither is last in the store all the time, so their ids are not reused
            (folder / name).write_text(f"{FILES[name]} Change {times}.", "utf-8")
            await run(store, folder)
    with closing(Store(tmp_path / "fresh.db", create=True)) as other:
        await run(other, folder)
        counts = other.words.counts("apples change")
        assert any(counts.values())
        assert store.words.weights(counts) == other.words.weights(counts)


async def test_a_broken_file_is_removed_and_added_again_when_repaired(store: Store, folder: Path) -> None:
    await run(store, folder)
    (folder / "a.md").write_bytes(b"\0")
    assert SkippedFile("a.md", "is not text; give it the suffix of its format") in await run(store, folder)
    assert search(store, "apples") == []
    (folder / "a.md").write_text(FILES["a.md"])
    assert Indexed("a.md", 1) in await run(store, folder)


async def test_a_run_continues_one_that_was_stopped_after_any_file(folder: Path, tmp_path: Path) -> None:
    expected = await indexed_content(folder, tmp_path / "whole.db")
    for stop in range(1, 5):
        store = Store(tmp_path / f"{stop}.db", create=True)
        steps = index(store, folder, unchanged)
        for _ in range(stop):
            await anext(steps)
        await steps.aclose()
        again = await run(store, folder)
        assert sum(isinstance(step, Unchanged) for step in again) == stop - 1
        assert list(store.dump()) == expected
        store.close()


async def test_a_file_at_which_a_run_was_stopped_is_not_stored_partially(folder: Path, tmp_path: Path) -> None:
    expected = await indexed_content(folder, tmp_path / "whole.db")
    for stop in range(4):
        store = Store(tmp_path / f"{stop}.db", create=True)
        left = iter(range(stop))

        def admit(entry: Entry, left: Any = left) -> Entry:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return entry

        with pytest.raises(KeyboardInterrupt):
            await run(store, folder, admit)
        assert set(store.dump()) <= set(expected)
        await run(store, folder)
        assert list(store.dump()) == expected
        store.close()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError
left = int(sys.argv[3])
def admit(entry):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return entry
async def main():
    async for step in index(Store(Path(sys.argv[2]), create=True), Path(sys.argv[1]), admit):
        pass
asyncio.run(main())
"""


async def test_a_run_after_a_kill_at_any_excerpt_completes_the_store(folder: Path, tmp_path: Path) -> None:
    for number in range(9):
        text = "\n\n".join(f"Paragraph {at} of {number}. {'word ' * 150}" for at in range(number * 10 + 1))
        (folder / f"{number}.md").write_text(f"# Document {number}\n\n{text}\n")
    expected = await indexed_content(folder, tmp_path / "whole.db")
    for stop in (0, 7, 150, len(expected) - 1):
        path = tmp_path / f"{stop}.db"
        command = [sys.executable, "-c", KILLED, str(folder), str(path), str(stop)]
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
        assert await process.wait() == -signal.SIGKILL
        assert await indexed_content(folder, path) == expected


async def test_another_embedder_replaces_the_vectors(folder: Path, tmp_path: Path, store: Store) -> None:
    await run(store, folder)
    for model in (LetterModel(), LetterModel("others", 13)):
        store.set_embedder(model.name, model.name)
        steps = await run(store, folder, embedder=Embedder(model))
        assert sum(isinstance(step, Indexed) for step in steps) == 3
        numbers, vectors = store.load_vectors()
        assert vectors.shape == (4, model._dimensions)
        assert np.allclose(np.linalg.norm(vectors.astype(np.float32), axis=1), 1, atol=1e-3)
        assert len(set(numbers.tolist())) == 4
        again = await run(store, folder, embedder=Embedder(model))
        assert sum(isinstance(step, Unchanged) for step in again) == 3


async def test_vectors_of_another_length_are_left_out(store: Store, folder: Path) -> None:
    await run(store, folder, embedder=Embedder(LetterModel()))
    (folder / "a.md").write_text("Of grapes.")
    await run(store, folder, embedder=Embedder(LetterModel(dimensions=7)))
    numbers, vectors = store.load_vectors()
    assert (len(numbers), vectors.shape) == (1, (1, 7))


async def test_a_continued_run_gives_the_same_vectors(folder: Path, tmp_path: Path) -> None:
    expected = await indexed_content(folder, tmp_path / "whole.db", embedder=Embedder(LetterModel()))
    store = Store(tmp_path / "half.db", create=True)
    steps = index(store, folder, unchanged, embedder=Embedder(LetterModel()))
    for _ in range(2):
        await anext(steps)
    await steps.aclose()
    await run(store, folder, embedder=Embedder(LetterModel()))
    assert list(store.dump()) == expected
    store.close()


async def test_entries_that_are_not_valid_evidence_are_reported(store: Store, folder: Path) -> None:
    def admit(entry: Entry) -> Entry:
        if entry["text"] == "Of figs.":
            raise ValueError("page_number: must be a whole number")
        return entry

    assert SkippedFile("b/d.jsonl", "page_number: must be a whole number") in await run(store, folder, admit)
    assert store.counts()["excerpts"] == 2


def link_to_itself(folder: Path) -> None:
    (folder / "b/again").symlink_to(folder)
    (folder / "loop.txt").symlink_to(folder / "loop.txt")


def link_to_other_folder(folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("Not meant for this.")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")


def sparse(folder: Path) -> None:
    with (folder / "log.txt").open("w") as file:
        file.truncate(2**31)


def strange_name(folder: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt"))).write_text("Strange.")


LINK = "is a link; name its target to read it"
SKIPPED: dict[str, tuple[Callable[[Path], object], list[SkippedFile]]] = {
    "links to a parent folder": (
        link_to_itself,
        [SkippedFile("b/again", LINK), SkippedFile("loop.txt", LINK)],
    ),
    "links to another folder": (link_to_other_folder, [SkippedFile("link.txt", LINK)]),
    "pipes": (pipe, [SkippedFile("pipe.txt", "is not a file")]),
    "names that are not UTF-8": (strange_name, [SkippedFile("\ufffd.txt", "has a name that is not UTF-8; rename it")]),
    "sparse files": (
        sparse,
        [SkippedFile("log.txt", "is 2,147,483,648 bytes; at most 67,108,864 are read")],
    ),
    "binary files named as text": (
        lambda folder: (folder / "p.txt").write_bytes(Path(sys.executable).read_bytes()[:5000]),
        [SkippedFile("p.txt", "is not text; give it the suffix of its format")],
    ),
    "broken PDF files": (
        lambda folder: (folder / "b.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Cat"),
        [SkippedFile("b.pdf", "is a broken PDF; open it and save it again")],
    ),
    "scanned PDF files": (
        lambda folder: pdf(folder / "s.pdf", [""]),
        [SkippedFile("s.pdf", "contains no text; a scanned document needs text recognition (OCR) first")],
    ),
    "empty files": (lambda folder: (folder / "e.txt").write_text(" \n"), [SkippedFile("e.txt", "contains no text")]),
}


@pytest.mark.parametrize(("create", "skipped"), SKIPPED.values(), ids=SKIPPED)
async def test_skipped_files_are_reported_and_others_are_indexed(
    create: Callable[[Path], object], skipped: list[SkippedFile], store: Store, folder: Path
) -> None:
    create(folder)
    steps = await run(store, folder)
    assert [one for one in steps if isinstance(one, SkippedFile)] == skipped
    assert sum(isinstance(one, Indexed) for one in steps) == 3


def replace_by_link(path: Path, target: Path) -> None:
    path.rename(path.with_name(f".{path.name}"))
    path.symlink_to(target)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_socket(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


# Changes after the folder was listed, the file that is affected, and the reason why it is skipped
REPLACED: dict[str, tuple[Callable[[Path, Path], object], str, str]] = {
    "a file by a link": (lambda at, secret: replace_by_link(at / "z.txt", secret / "z.txt"), "z.txt", "is a link"),
    "a page by a link": (lambda at, secret: replace_by_link(at / "z.html", secret / "z.html"), "z.html", "is a link"),
    "its folder by a link": (
        lambda at, secret: replace_by_link(at / "b", secret),
        "b/z.txt",
        "cannot be read: Not a directory",
    ),
    "a folder above by a link": (
        lambda at, secret: replace_by_link(at / "c", secret),
        "c/d/z.txt",
        "cannot be read: Not a directory",
    ),
    "a file by a pipe": (lambda at, secret: replace_by_pipe(at / "z.txt"), "z.txt", "is not a file"),
    "a page by a pipe": (lambda at, secret: replace_by_pipe(at / "z.html"), "z.html", "is not a file"),
    "a file by a socket": (lambda at, secret: replace_by_socket(at / "z.txt"), "z.txt", "is not a file"),
    "a file by a folder": (lambda at, secret: replace_by_folder(at / "z.txt"), "z.txt", "is not a file"),
    "a file by nothing": (
        lambda at, secret: (at / "z.txt").unlink(),
        "z.txt",
        "cannot be read: No such file or directory",
    ),
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return a folder outside of the indexed one, with files of the same names."""
    made = tmp_path / "secret"
    for name in ("z.txt", "z.html", "d/z.txt"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("Racing reveals a password.")
    return made


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", REPLACED)
async def test_what_replaces_a_file_after_the_listing_is_not_read(
    case: str, store: Store, folder: Path, secret: Path
) -> None:
    replace, name, reason = REPLACED[case]
    for made in ("z.txt", "z.html", "b/z.txt", "c/d/z.txt"):
        (folder / made).parent.mkdir(parents=True, exist_ok=True)
        (folder / made).write_text("Of zebras.")
    steps = []
    async for step in index(store, folder, unchanged):
        if isinstance(step, Started):  # the folder was listed
            replace(folder, secret)
        steps.append(step)
    assert SkippedFile(name, reason) in steps
    assert search(store, "password") == []
    assert Indexed("a.md", 1) in steps  # the others are indexed


async def test_an_indexed_folder_that_was_replaced_by_a_link_is_not_read(
    store: Store, folder: Path, secret: Path
) -> None:
    await run(store, folder)
    replace_by_link(folder, secret)
    with pytest.raises(ProviderError, match="docs cannot be read: Not a directory"):
        await run(store, folder)
    assert search(store, "password") == []
    assert len(search(store, "apples")) == 1  # nothing was removed


async def test_a_folder_that_was_moved_while_it_is_indexed_is_still_the_one_that_is_read(
    store: Store, folder: Path, secret: Path
) -> None:
    async for step in index(store, folder, unchanged):
        if isinstance(step, Started):
            replace_by_link(folder, secret)
    assert search(store, "password") == []
    assert len(search(store, "apples")) == 1


async def test_a_file_that_grows_while_it_is_read_ends_at_its_first_size(store: Store, folder: Path) -> None:
    text = "Of grapes.\n\n" * 200_000  # more than is read at a time
    growing = folder / "growing.txt"
    growing.write_text(text)
    before = await run(store, folder)

    def admit(entry: Entry) -> Entry:
        if entry.get("file_name") == growing.name and growing.stat().st_size == len(text):
            with growing.open("a") as file:
                file.write(text)
        return entry

    growing.write_text(text)
    after = await run(store, folder, admit, embedder=Embedder(LetterModel()))  # reads all files again
    assert [step for step in after if isinstance(step, Indexed)] == [
        step for step in before if isinstance(step, Indexed)
    ]
    assert growing.stat().st_size == 2 * len(text)


SUFFIX = "has no suffix"
SECRET = "may contain a secret"
KEY = "contains a private key"
PEM = "-----BEGIN {}PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END PRIVATE KEY-----\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG\n-----END CERTIFICATE-----\n"
PRIVATE: dict[str, str] = {
    **dict.fromkeys(("id_rsa", "id_ed25519", "Makefile", "server_key", "kubeconfig", "b/passwd", "a.out/x"), SUFFIX),
    **dict.fromkeys(("credentials.json", "key.txt", "b/api_keys.csv", "API-Key.md", "clientSecret.json"), SECRET),
    **dict.fromkeys(("client_secret_12-ab.apps.json", "service-account-prod.json", "passwords 2024.txt"), SECRET),
    **dict.fromkeys(("my_aws_credentials.csv", "token.txt", "id_rsa.txt", "id_ed25519.md", "secrets.jsonl"), SECRET),
    "notes.txt": KEY,
    "b/server.md": KEY,
    "windows.txt": KEY,
}
PRIVATE_CONTENT = {
    "notes.txt": PEM.format("OPENSSH "),
    "b/server.md": f"\n{CERTIFICATE}{PEM.format('')}",
    "windows.txt": "PuTTY-User-Key-File-3: ssh-ed25519\n",
}
PUBLIC = {
    **dict.fromkeys(("README", "LICENSE", "b/Changelog", "key-findings.md", "password-policy.txt"), "Of grapes."),
    **dict.fromkeys(("secret garden.txt", "tokenizer.md", "monkey.txt", "keynote.txt", "public.txt"), "Of grapes."),
    "tutorial.md": f"# Keys\n\nA private key begins so:\n\n{PEM.format('RSA ')}",
    "certificate.txt": CERTIFICATE,
}


def write_all(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


async def test_files_that_may_contain_secrets_are_skipped_unless_they_are_included(store: Store, folder: Path) -> None:
    content = {name: PRIVATE_CONTENT.get(name, '{"text": "Of grapes."}') for name in PRIVATE}
    write_all(folder, content | PUBLIC)
    steps = await run(store, folder)
    advice = {name: f"{reason}; --include '{Path(name).name}' reads it" for name, reason in PRIVATE.items()}
    assert {step.name: step.reason for step in steps if isinstance(step, SkippedFile)} == advice
    assert {step.name for step in steps if isinstance(step, Indexed)} >= PUBLIC.keys()
    included = await run(store, folder, include=("id_*", "key.txt", "b/server.md"))
    names = {"id_rsa", "id_ed25519", "id_rsa.txt", "id_ed25519.md", "key.txt", "b/server.md"}
    assert {step.name for step in included if isinstance(step, Indexed)} == names
    assert {step.name for step in await run(store, folder) if isinstance(step, Removed)} == names - {"b/server.md"}
    assert len(search(store, "MIIEvQIBADANBgkqhkiG")) == 2  # the tutorial and the certificate


async def test_hidden_files_and_other_formats_are_ignored(store: Store, folder: Path) -> None:
    for name in (".git/a.txt", ".env.txt", "node_modules/x/README.md", "a.py", "b.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    assert (await run(store, folder))[:2] == [Started(3), OtherFormats(((".py", 1), (".png", 1)))]


async def test_only_the_named_files_are_updated(store: Store, folder: Path) -> None:
    (folder / ".draft.md").write_text("Of drafts.")
    (folder / "x.png").write_text("x")
    names = {"b/c.txt", ".draft.md", "x.png", "missing.md", "missing/a.md"}
    assert await run(store, folder, names=names) == [
        Started(2),
        SkippedFile("x.png", NO_READER),
        Indexed(".draft.md", 1),
        Indexed("b/c.txt", 1),
    ]
    (folder / ".draft.md").unlink()
    (folder / "b/c.txt").unlink()
    assert await run(store, folder, names={".draft.md"}) == [Started(0), Removed(".draft.md")]
    assert [row[1] for row in store.dump()] == ["b/c.txt"]


UNREADABLE = """
import ctypes, os, sys
# Root may read all files. Without its capabilities it is an ordinary user.
if os.getuid() == 0:
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capset(header, data) == 0
sys.path.insert(0, os.getcwd())
import asyncio
from pathlib import Path
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError
async def main():
    async for step in index(Store(Path(sys.argv[2]), create=True), Path(sys.argv[1]), lambda entry: entry):
        print(step)
asyncio.run(main())
"""


def test_files_and_folders_without_permission_are_reported(folder: Path, tmp_path: Path) -> None:
    (folder / "a.md").chmod(0)
    (folder / "b").chmod(0)
    command = [sys.executable, "-c", UNREADABLE, str(folder), str(tmp_path / "e.db")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    (folder / "b").chmod(0o755)
    assert sorted(lines) == [
        "SkippedFile(name='a.md', reason='cannot be read: Permission denied')",
        "SkippedFile(name='b/', reason='cannot be read: Permission denied')",
        "Started(files=1)",
    ]


async def test_two_folders_with_the_same_name_are_distinguished(store: Store, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other/docs"
    other.mkdir(parents=True)
    (other / "a.md").write_text("Of avocados.")
    await run(store, folder)
    await run(store, other)
    assert store.folders() == {"docs": folder, "docs-2": other}
    (folder / "a.md").unlink()
    await run(store, folder)
    assert len(search(store, "avocados")) == 1


def test_the_rights_of_others_to_an_existing_store_are_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    Store(path, create=True).close()
    journal = tmp_path / "e.db-journal"
    journal.touch()
    for file in (path, journal):
        file.chmod(0o666)
    Store(path, create=True).close()
    assert path.stat().st_mode & 0o777 == 0o660
    assert not journal.exists() or journal.stat().st_mode & 0o777 == 0o660


def test_a_store_is_private_and_ignored_by_git(tmp_path: Path) -> None:
    Store(tmp_path / "new/e.db", create=True).close()
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new/e.db").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new/.gitignore").read_text() == "*\n"


def with_older_tables(path: Path) -> None:
    Store(path, create=True).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 0")


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE words (word TEXT)")
        database.execute("INSERT INTO words VALUES ('apples')")
        database.commit()


def with_older_terms(path: Path) -> None:
    """Replace the index of words, as if another version had stored other terms."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DELETE FROM about WHERE key = 'tokens'")
        database.execute("INSERT INTO about VALUES ('tokens', '1')")
        database.execute("DROP TABLE words")
        database.execute("CREATE VIRTUAL TABLE words USING fts5(heads, body, content='')")


INVALID_STORES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a missing file": (lambda path: None, "does not exist: fill it with `citestream index DIR`"),
    "another file": (lambda path: path.write_text("It is red. " * 100), "not a database; name another file"),
    "an older store": (with_older_tables, "was written by another version: run `citestream index --rebuild`"),
    "a folder": (lambda path: path.mkdir(), "does not exist"),
    "an empty file": (Path.touch, "is empty: fill it with `citestream index DIR`"),
    "a database of another program": (of_another_program, "is the database of another program: name another file"),
}


@pytest.mark.parametrize(("create", "message"), INVALID_STORES.values(), ids=INVALID_STORES)
def test_an_invalid_store_is_an_error(create: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    create(tmp_path / "e.db")
    with pytest.raises(StoreError, match=r"e\.db") as caught:
        Store(tmp_path / "e.db")
    assert message in str(caught.value)


def test_an_invalid_store_file_is_closed(tmp_path: Path) -> None:
    of_another_program(tmp_path / "e.db")
    with pytest.raises(StoreError):
        Store(tmp_path / "e.db")
    assert str(tmp_path / "e.db") not in {file.path for file in psutil.Process().open_files()}


def test_a_database_of_another_program_is_not_rebuilt(tmp_path: Path) -> None:
    of_another_program(tmp_path / "e.db")
    with pytest.raises(StoreError):
        Store(tmp_path / "e.db", create=True, rebuild=True)
    with closing(sqlite3.connect(tmp_path / "e.db")) as database:
        assert database.execute("SELECT word FROM words").fetchall() == [("apples",)]


async def test_an_older_store_can_be_rebuilt(folder: Path, tmp_path: Path) -> None:
    with_older_tables(tmp_path / "e.db")
    store = Store(tmp_path / "e.db", create=True, rebuild=True)
    await run(store, folder)
    assert list(store.dump()) == await indexed_content(folder, tmp_path / "fresh.db")
    store.close()


async def test_an_outdated_word_index_is_rebuilt_from_the_stored_texts(
    store: Store, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await run(store, folder)
    content, hits = list(store.dump()), search(store, "apples")
    with_older_terms(store.path)
    assert search(store, "apples") == []
    for rebuilds in (1, 0):
        caplog.clear()
        with closing(Store(store.path)) as opened:
            assert search(opened, "apples") == hits
            assert list(opened.dump()) == content
        assert ["its word index is being rebuilt" in message for message in caplog.messages] == [True] * rebuilds


async def test_the_error_for_an_outdated_word_index_that_is_read_only_names_the_command(
    store: Store, folder: Path
) -> None:
    await run(store, folder)
    store.close()
    with_older_terms(store.path)
    with TemporaryDirectory() as public:  # other users cannot enter `tmp_path`
        path = read_only_copy(store.path, Path(public))
        with without_root(), pytest.raises(StoreError, match="run `citestream index` as a user who may write to it"):
            Store(path)


def read_only_copy(file: Path, folder: Path) -> Path:
    copy = Path(shutil.copy(file, folder))
    copy.chmod(0o444)
    folder.chmod(0o755)
    return copy


@contextmanager
def without_root() -> Iterator[None]:
    """Run as the user `nobody` instead of root, which may write to all files."""
    if (user := os.geteuid()) == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def search(store: Store, question: str) -> list[Hit]:
    return store.words.search(store.words.counts(question), 9)


async def test_a_full_disk_is_reported_and_the_store_stays_usable(store: Store, folder: Path, tmp_path: Path) -> None:
    await run(store, folder)
    before = list(store.dump())
    (folder / "large.txt").write_text("Of many fruits and more. " * 100_000)
    (pages,) = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite then fails as on a full disk
    with pytest.raises(StoreError, match=r"the disk is full\. The files that were indexed stay in it"):
        await run(store, folder)
    assert list(store.dump()) == before
    store._database.execute("PRAGMA max_page_count = 1000000")
    await run(store, folder)
    assert list(store.dump()) == await indexed_content(folder, tmp_path / "fresh.db")
