"""Indexing 1,000 documents needs hardly more memory than indexing 50."""

import os
import sys
from pathlib import Path

import pytest

from citestream.providers.retrieval.folder.store import Store

ROOT = Path(__file__).parents[4]
MAX_DIFFERENCE = 24  # MB: pages of the database, and memory that Python keeps
PARAGRAPH = "Station {n}{at} of the Harlan line sells tickets, and the {n}th train of the day leaves it at noon. " * 6


def write(folder: Path, numbers: range) -> None:
    for n in numbers:
        text = "\n\n".join(PARAGRAPH.format(n=n, at=at) for at in range(8))
        (folder / f"{n // 100}").mkdir(parents=True, exist_ok=True)
        (folder / f"{n // 100}/{n}.md").write_text(f"# Line {n}\n\n{text}\n")


def peak_memory(folder: Path, store: Path) -> float:
    """Index a folder in a new process. Return its peak memory in MB."""
    command = [sys.executable, "-m", "citestream", "index", str(folder), "--store", str(store)]
    started = os.posix_spawn(command[0], command, {**os.environ, "PYTHONPATH": str(ROOT)})
    _, status, usage = os.wait4(started, 0)
    assert status == 0
    return usage.ru_maxrss / 1024


@pytest.mark.slow
def test_the_memory_of_indexing_does_not_grow_with_the_number_of_documents(tmp_path: Path) -> None:
    write(tmp_path / "docs", range(50))
    few = peak_memory(tmp_path / "docs", tmp_path / "few.db")
    write(tmp_path / "docs", range(50, 1000))
    many = peak_memory(tmp_path / "docs", tmp_path / "many.db")
    store = Store(tmp_path / "many.db")
    counts = store.counts()
    store.close()
    assert counts["files"] == 1000
    assert counts["excerpts"] >= 2000
    assert many - few < MAX_DIFFERENCE
