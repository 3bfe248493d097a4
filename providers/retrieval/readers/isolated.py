"""Read a document that a client sent, in a process of its own with limits on time and memory.

Parsers of PDF and DOCX are large, and a document can be built to keep them busy forever. A thread could not be
stopped, and would slow down the other requests of the server: https://docs.python.org/3/glossary.html#term-GIL
"""

import asyncio
import json
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from . import READERS, Entry
from .part import NoTextError, UnreadableFileError
from .reader_command import command, settings

SECONDS = 30.0  # a PDF of 500 pages takes 10 s
MAX_CHARACTERS = 4_000_000  # limit of the text: about 2000 pages, as much as a page in a browser can search
# Limit of the JSON: MAX_CHARACTERS that need an escape of 6 bytes, and 8 MB for other fields. Titles and fields of the
# file are repeated in every excerpt, so a document of 8 MB could fill the memory of the server with them.
MAX_OUTPUT_BYTES = 32 * 2**20
# Address space, of which the program takes 60 MB. A PDF of 30 MB takes 300 MB. deploy/kubernetes/ has room for it.
MEMORY_BYTES = 768 * 2**20
NO_READER = f"has no reader; the formats are {', '.join(sorted(filter(None, READERS)))}"
NO_TEXT = "contains no text; a scanned document needs text recognition (OCR) first"
FAILED = "cannot be read: its reader ran out of memory or failed"


async def read_document(data: bytes, name: str, seconds: float = SECONDS) -> list[Entry]:
    """Return the excerpts of a document. `name`: its file name, whose suffix is the format.

    Raises UnreadableFileError. If it is cancelled, the process ends.
    """
    if Path(name).suffix.lower() not in READERS:
        raise UnreadableFileError(name, NO_READER)
    with TemporaryFile(prefix="citestream-document-") as file:
        await asyncio.to_thread(_write, file, data)
        output = await _run(file, name, seconds)
    return await asyncio.to_thread(_entries, output, name)


def _write(file: IO[bytes], data: bytes) -> None:
    file.write(data)
    file.flush()


async def _run(file: IO[bytes], name: str, seconds: float) -> bytes:
    """Return the output of a process whose standard input is the document. It gets no path."""
    process = await asyncio.create_subprocess_exec(
        *command(name), stdin=file, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, **settings()
    )
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate()
    except TimeoutError:
        raise UnreadableFileError(name, f"takes more than {seconds:g} seconds to read; divide it") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output


def _entries(output: bytes, name: str) -> list[Entry]:
    """Return the entries that the process printed. The last line is `{}` if it read the whole document."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in output.splitlines()]
    last = lines.pop() if lines else {"error": FAILED}
    if "error" in last:
        raise UnreadableFileError(name, last["error"])
    if last:
        raise UnreadableFileError(name, FAILED)
    if not lines:
        raise NoTextError(name, NO_TEXT)
    return lines
