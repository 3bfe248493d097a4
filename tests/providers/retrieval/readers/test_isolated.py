"""Documents of clients are read in a separate process, which ends with the request."""

import asyncio
from pathlib import Path

import psutil
import pytest

from citestream.providers.retrieval.readers import UnreadableFileError, entries, start
from citestream.providers.retrieval.readers.isolated import MAX_CHARACTERS, read_document
from tests.providers.retrieval.readers.documents import docx, pdf, pptx, xlsx


def readers() -> list[psutil.Process]:
    """Return the running processes that read documents, without other child processes."""
    running = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in running if start.__file__ in child.cmdline()]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Return a document of each format."""
    pdf(tmp_path / "a.pdf", ["Of the sea.", "Of the tide."], {1: "Water"})
    docx(tmp_path / "a.docx", [("Heading 1", "Tides"), ("", "Twice a day.")])
    pptx(tmp_path / "a.pptx", "Tides", "Twice a day.", [["Port", "Metres"], ["Husum", "3.5"]])
    xlsx(tmp_path / "a.xlsx", {"Tides": [["Port", "Metres"], ["Husum", 3.5]]})
    (tmp_path / "a.html").write_text("<h1>Tides</h1><p>Twice a day.</p><script>no()</script>")
    (tmp_path / "a.csv").write_text("name,price\nStarter,9\n")
    (tmp_path / "a.md").write_text("# Tides\n\nTwice a day. Zweimal am Tag: Äbbe und Flut.\n", "utf-8")
    return sorted(tmp_path.iterdir())


async def test_every_format_is_read_as_in_the_index(files: list[Path]) -> None:
    for path in files:
        assert await read_document(path.read_bytes(), path.name) == list(entries(path, path.name)), path.name


REJECTED: dict[str, tuple[bytes, str, str]] = {
    "a format without a reader": (b"GIF89a", "a.gif", "has no reader; the formats are .adoc, .csv"),
    "a broken file": (b"not a PDF", "a.pdf", "is a broken PDF"),
    "a file without text": (b"  \n ", "a.txt", "contains no text"),
    "a file with too much text": (
        b"word " * (MAX_CHARACTERS // 4),
        "a.txt",
        "contains more than 4,000,000 characters",
    ),
    "a file with large fields, which every excerpt repeats": (
        b"---\na: " + b"x" * 15_000 + b"\n---\n" + b"# a\n\nb\n" * 5_000,
        "a.md",
        "has excerpts of more than 33,554,432 bytes",
    ),
}


@pytest.mark.parametrize("case", REJECTED)
async def test_a_document_is_refused_with_the_reason(case: str) -> None:
    data, name, reason = REJECTED[case]
    with pytest.raises(UnreadableFileError) as refused:
        await read_document(data, name)
    assert refused.value.reason.startswith(reason)


async def test_the_process_ends_at_the_time_limit() -> None:
    with pytest.raises(UnreadableFileError) as refused:
        await read_document(b"text", "a.txt", seconds=0.01)
    assert refused.value.reason == "takes more than 0.01 seconds to read; divide it"
    assert readers() == []


async def test_the_process_ends_if_the_request_is_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):  # the process needs longer to start
            await read_document(b"text", "a.txt")
    assert readers() == []
