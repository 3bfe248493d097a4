"""The process that reads a file for too long is ended, and another process reads the next file."""

from contextlib import closing
from pathlib import Path

import pytest

from citestream.providers.retrieval.folder.directory_walk import SkippedFile
from citestream.providers.retrieval.folder.indexing import Indexed, index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.readers import BATCH, SourceFile, UnreadableFileError, entries
from citestream.providers.retrieval.readers.reader_process import ReaderProcess

PAGE = "<html><title>Ferries</title><h1>Bay</h1><p>Ferries cross the bay.</p></html>"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


def test_a_process_reads_several_files(page: Path, tmp_path: Path) -> None:
    long = tmp_path / "long.html"
    long.write_text("".join(f"<h2>Pier {n}</h2><p>{'The ferry leaves. ' * 60}</p>" for n in range(2 * BATCH)))
    with closing(ReaderProcess()) as process:
        for path in (page, long, page):
            with SourceFile.open(path) as source:
                batches = [*process.batches(source, path.name)]
            assert [len(batch) for batch in batches[:-1]] == [BATCH] * (len(batches) - 1)
            assert [entry["text"] for batch in batches for entry in batch] == [
                entry["text"] for entry in entries(path, path.name)
            ]
    assert len([*entries(long, "long.html")]) > BATCH


def test_a_process_is_ended_at_the_time_limit(page: Path) -> None:
    reason = r"page\.html takes more than 0 seconds to read; divide it"
    with SourceFile.open(page) as source:
        with closing(ReaderProcess(seconds=0.0)) as process, pytest.raises(UnreadableFileError, match=reason):
            next(process.batches(source, "page.html"))
        with closing(ReaderProcess()) as process:
            assert next(process.batches(source, "page.html"))


def test_unread_batches_of_a_file_are_not_returned_for_the_next_file(page: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<p>Trains cross the river.</p>")
    with closing(ReaderProcess()) as process:
        with SourceFile.open(page) as source, closing(process.batches(source, "page.html")) as batches:
            assert next(batches)
        with SourceFile.open(other) as source:
            ((entry,),) = process.batches(source, "other.html")
    assert entry["text"] == "Trains cross the river."


def test_an_error_of_the_reader_is_passed_on(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"no PDF")
    with pytest.raises(UnreadableFileError) as raised:
        next(entries(broken, "broken.pdf"))
    with (
        SourceFile.open(broken) as source,
        closing(ReaderProcess()) as process,
        pytest.raises(UnreadableFileError) as passed_on,
    ):
        next(process.batches(source, "broken.pdf"))
    assert str(passed_on.value) == str(raised.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.html").write_text(PAGE)
    (docs / "b.txt").write_text("Bananas grow in the tropics.")
    return docs


async def test_indexing_continues_after_a_file_that_takes_too_long(folder: Path, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "e.db", create=True)) as store:
        first = [step async for step in index(store, folder, dict, file_seconds=0.0)]
        assert SkippedFile("a.html", "takes more than 0 seconds to read; divide it") in first
        assert Indexed("b.txt", 1) in first
        assert Indexed("a.html", 1) in [step async for step in index(store, folder, dict)]
