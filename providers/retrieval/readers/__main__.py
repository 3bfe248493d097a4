"""Print the excerpts of one file as lines of JSON: `python -m citestream.providers.retrieval.readers PATH NAME`.

`read_document` runs this program. The last line is `{}`, or `{"error": reason}`. Without arguments, it reads requests
from its input as lines of JSON, for `ReaderProcess`, and prints the excerpts of each file as lists.
"""

import json
import signal
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from . import BATCH, entries
from .isolated import MAX_CHARACTERS, MAX_OUTPUT_BYTES, MEMORY_BYTES
from .part import UnreadableFileError


def limit_memory() -> None:
    """Limit the memory of this process, where the platform supports it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def lines(path: Path, name: str) -> Iterator[str]:
    """Yield the entries of a file as JSON."""
    characters = size = 0
    for entry in entries(path, name):
        characters += len(entry["text"])
        if characters > MAX_CHARACTERS:
            raise UnreadableFileError(path, f"contains more than {MAX_CHARACTERS:,} characters; index it instead")
        line = json.dumps(entry)
        size += len(line)
        if size > MAX_OUTPUT_BYTES:
            raise UnreadableFileError(path, f"has excerpts of more than {MAX_OUTPUT_BYTES:,} bytes of JSON")
        yield line


def batches(path: Path, name: str, max_bytes: int) -> Iterator[str]:
    """Yield the excerpts of a file as JSON lists of `BATCH` excerpts."""
    found = entries(path, name, max_bytes)
    while batch := list(islice(found, BATCH)):
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


def main() -> None:
    """Read one file, or all files that are requested."""
    limit_memory()
    if len(sys.argv) > 1:
        for line in with_outcome(lines(Path(sys.argv[1]), sys.argv[2])):
            sys.stdout.write(f"{line}\n")
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all processes, and `index` ends this one
    for request in map(json.loads, sys.stdin):
        for line in with_outcome(batches(Path(request["path"]), request["name"], request["max_bytes"])):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
