"""Read a document that a client sent, in a process of its own with limits on time and memory.

Parsers of PDF and DOCX are large, and a document can be built to keep them busy forever. A thread could not be
stopped, and would slow down the other requests of the server: https://docs.python.org/3/glossary.html#term-GIL
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import READERS, Entry
from .part import NoTextError, UnreadableFileError

SECONDS = 30.0  # a PDF of 500 pages takes 10 s
MAX_CHARACTERS = 4_000_000  # limit of the text: about 2000 pages, as much as a page in a browser can search
# Limit of the JSON: MAX_CHARACTERS that need an escape of 6 bytes, and 8 MB for other fields. Titles and fields of the
# file are repeated in every excerpt, so a document of 8 MB could fill the memory of the server with them.
MAX_OUTPUT_BYTES = 32 * 2**20
MEMORY_BYTES = 2 * 2**30  # address space; a PDF of 30 MB takes 300 MB
FAILED = "cannot be read: its reader ran out of memory or failed"

# The process gets no other variables: it needs no keys.
_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


async def read_document(data: bytes, name: str, seconds: float = SECONDS) -> list[Entry]:
    """Return the excerpts of a document. `name`: its file name, whose suffix is the format.

    Raises UnreadableFileError. If it is cancelled, the process ends.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in READERS:
        raise UnreadableFileError(name, f"has no reader; the formats are {', '.join(sorted(filter(None, READERS)))}")
    with TemporaryDirectory(prefix="citestream-document-") as folder:
        path = Path(folder) / f"document{suffix}"
        await asyncio.to_thread(path.write_bytes, data)
        output = await _run([str(path), name], name, seconds)
    return await asyncio.to_thread(_entries, output, name)


async def _run(arguments: list[str], name: str, seconds: float) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(["-B"] if sys.dont_write_bytecode else []),
        *("-m", __package__, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=reader_environment(),
    )
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate()
    except TimeoutError:
        raise UnreadableFileError(name, f"takes more than {seconds:g} seconds to read") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output


def reader_environment() -> dict[str, str]:
    """Return the variables of a process that reads documents."""
    given = {variable: os.environ[variable] for variable in _VARIABLES if variable in os.environ}
    # One thread: the arrays are small, and every thread of OpenBLAS reserves address space
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}


def _entries(output: bytes, name: str) -> list[Entry]:
    """Return the entries that the process printed. The last line is `{}` if it read the whole document."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in output.splitlines()]
    last = lines.pop() if lines else {"error": FAILED}
    if "error" in last:
        raise UnreadableFileError(name, last["error"])
    if last:
        raise UnreadableFileError(name, FAILED)
    if not lines:
        raise NoTextError(name, "contains no text; a scanned document needs text recognition (OCR) first")
    return lines
