"""Print the excerpts of documents as lines of JSON, in a process that can do nothing else; `start.py` runs it.

With a name as argument, for `read_document`, the standard input is the document. The last line is `{}`, or
`{"error": reason}`. Without one, for `ReaderProcess`, the standard input is a socket. It delivers requests as lines of
JSON, each with the descriptor of an open file, and the excerpts of each file are printed as lists.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from . import BATCH, SourceFile, entries_of
from .confinement import confine, limit_computing, limit_resources
from .isolated import MAX_CHARACTERS, MAX_OUTPUT_BYTES, MEMORY_BYTES, SECONDS
from .part import UnreadableFileError
from .reader_process import FILE_SECONDS, INDEX_MEMORY_BYTES

_RECEIVED_BYTES = 2**16  # bytes at a time; a request is shorter, unless the name of its file is very long


def lines(source: SourceFile, name: str) -> Iterator[str]:
    """Yield the entries of a file as JSON."""
    characters = size = 0
    for entry in entries_of(source, name):
        characters += len(entry["text"])
        if characters > MAX_CHARACTERS:
            raise UnreadableFileError(name, f"contains more than {MAX_CHARACTERS:,} characters; index it instead")
        line = json.dumps(entry)
        size += len(line)
        if size > MAX_OUTPUT_BYTES:
            raise UnreadableFileError(name, f"has excerpts of more than {MAX_OUTPUT_BYTES:,} bytes of JSON")
        yield line


def batches(source: SourceFile, name: str, max_bytes: int) -> Iterator[str]:
    """Yield the excerpts of a file as JSON lists of `BATCH` excerpts."""
    entries = entries_of(source, name, max_bytes)
    while batch := list(islice(entries, BATCH)):
        yield json.dumps(batch)


def with_outcome(output: Iterator[str]) -> Iterator[str]:
    """Yield the lines of `output`, and then `{}`, or `{"error": reason}` if the file cannot be read."""
    try:
        yield from output
    except UnreadableFileError as error:
        yield json.dumps({"error": error.reason})
    except MemoryError:
        yield json.dumps({"error": "needs too much memory"})
    else:
        yield "{}"


def read_one(name: str) -> None:
    """Read the document that is the standard input."""
    with SourceFile(os.dup(sys.stdin.fileno()), Path(name)) as source:
        for line in with_outcome(lines(source, name)):
            sys.stdout.write(f"{line}\n")


def read_requested() -> None:
    """Read one file after the other, until there are no more requests."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all processes, and `index` ends this one
    with socket.socket(fileno=os.dup(sys.stdin.fileno())) as requests:
        for request, descriptor in received(requests):
            limit_computing(request["seconds"])
            with SourceFile(descriptor, Path(request["name"])) as source:
                for line in with_outcome(batches(source, request["name"], request["max_bytes"])):
                    sys.stdout.write(f"{line}\n")
                    sys.stdout.flush()


def received(requests: socket.socket) -> Iterator[tuple[Any, int]]:
    """Yield requests with their descriptors."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, _RECEIVED_BYTES, 1)
        while data and not data.endswith(b"\n"):
            data += requests.recv(_RECEIVED_BYTES)
        if not data:
            return
        yield json.loads(data), descriptors[0]


def main() -> None:
    """Give up all other rights, and read one document or all files that are requested."""
    names = sys.argv[1:]
    limit_resources(MEMORY_BYTES if names else INDEX_MEMORY_BYTES, SECONDS if names else FILE_SECONDS)
    confine()
    if names:
        read_one(names[0])
    else:
        read_requested()


if __name__ == "__main__":
    main()
