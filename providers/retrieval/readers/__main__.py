"""Print the excerpts of one file as lines of JSON: `python -m citestream.providers.retrieval.readers PATH NAME`.

`read_document` runs this program. The last line is `{}`, or `{"error": reason}`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from . import entries
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
    """Yield the entries of a file as JSON, and the last line."""
    characters = size = 0
    try:
        for entry in entries(path, name):
            characters += len(entry["text"])
            if characters > MAX_CHARACTERS:
                raise UnreadableFileError(path, f"contains more than {MAX_CHARACTERS:,} characters; index it instead")
            line = json.dumps(entry)
            size += len(line)
            if size > MAX_OUTPUT_BYTES:
                raise UnreadableFileError(path, f"has excerpts of more than {MAX_OUTPUT_BYTES:,} bytes of JSON")
            yield line
    except UnreadableFileError as error:
        yield json.dumps({"error": error.reason})
    except MemoryError:
        yield json.dumps({"error": "needs too much memory"})
    else:
        yield "{}"


if __name__ == "__main__":
    limit_memory()
    for line in lines(Path(sys.argv[1]), sys.argv[2]):
        sys.stdout.write(f"{line}\n")
