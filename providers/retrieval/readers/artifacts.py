"""Recognise generated artifacts by the folder of a file."""

from pathlib import PurePosixPath
from typing import Any

FOLDERS = frozenset({"artifacts", "generated"})


def artifact(name: str) -> dict[str, Any]:
    """Return fields of evidence for a file below a folder called `artifacts` or `generated`, {} for any other.

    The next folder is the kind of artifact: `artifacts/book-club-profile/dune.md`.
    """
    folders = PurePosixPath(name).parts[:-1]
    position = next((index for index, folder in enumerate(folders) if folder.casefold() in FOLDERS), None)
    if position is None:
        return {}
    kind = folders[position + 1] if position + 1 < len(folders) else None
    return {"is_generated_artifact": True, "chunk_type": "artifact"} | ({"artifact_kind": kind} if kind else {})
