"""Print the excerpts of one file as lines of JSON: `python -m citestream.providers.retrieval.readers PATH NAME`.

`read_document` runs this program. The last line is `{}`, or `{"error": reason}`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from . import Entry, entries
from .isolated import MAX_CHARACTERS, MEMORY_BYTES
from .part import UnreadableFileError


def limit_memory() -> None:
    """Limit the memory of this process, where the platform supports it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def lines(path: Path, name: str) -> Iterator[Entry]:
    """Yield the entries of a file, and the last line."""
    characters = 0
    try:
        for entry in entries(path, name):
            characters += len(entry["text"])
            if characters > MAX_CHARACTERS:
                raise UnreadableFileError(path, f"contains more than {MAX_CHARACTERS:,} characters; index it instead")
            yield entry
    except UnreadableFileError as error:
        yield {"error": error.reason}
    except MemoryError:
        yield {"error": "needs too much memory"}
    else:
        yield {}


if __name__ == "__main__":
    limit_memory()
    for line in lines(Path(sys.argv[1]), sys.argv[2]):
        sys.stdout.write(f"{json.dumps(line)}\n")
