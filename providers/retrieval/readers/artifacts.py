"""Artifacts: which files are source text and which were generated from it, by the folder they stand in."""

from pathlib import PurePosixPath
from typing import Any

FOLDERS = frozenset({"artifacts", "generated"})


def artifact(name: str) -> dict[str, Any]:
    """Fields of evidence for a file below a folder called `artifacts` or `generated`; none for any other.

    The next folder below says what kind of artifact it is: `artifacts/book-club-profile/dune.md`.
    """
    folders = PurePosixPath(name).parts[:-1]
    at = next((place for place, folder in enumerate(folders) if folder.casefold() in FOLDERS), None)
    if at is None:
        return {}
    kind = folders[at + 1] if at + 1 < len(folders) else None
    return {"is_generated_artifact": True, "chunk_type": "artifact"} | ({"artifact_kind": kind} if kind else {})
