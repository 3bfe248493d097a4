"""Measure `citestream index` with a thousand documents: time, memory, and recovery after being killed.

The documents are the documentation of packages on this machine, or the files of folders on the command line. The
baseline of the interrupted runs is the index of an uninterrupted one. Takes two minutes.

    python -m bench.retrieval.indexing                             # files of this Python and in /usr/share/doc
    python -m bench.retrieval.indexing ~/.rustup/toolchains --kills 10
"""

import argparse
import os
import random
import shutil
import subprocess  # nosec B404 # kills the measured process
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.readers import READERS

ROOT = Path(__file__).parents[2]
ROOTS = (Path(sys.prefix), Path("/usr/share/doc"))
SMALLEST = 2048  # bytes; smaller files are licenses or lists of names
SEED = 11


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    seconds: float
    megabytes: float  # maximum of this and all earlier child processes


def main(argv: Sequence[str] | None = None) -> None:
    """Print the results. Exit with 1 if the index after interruptions differs from that of an uninterrupted run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=ROOTS)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=5, help="number of runs to kill at random times")
    told = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="citestream-bench-") as home:
        docs = Path(home) / "docs"
        taken = gather(told.folders, told.documents, docs)
        kinds = Counter(path.suffix.lower() or "none" for path in taken)
        size = sum(path.stat().st_size for path in taken)
        print(f"{len(taken)} documents, {size / 1e6:.1f} MB: {', '.join(f'{n} {k}' for k, n in kinds.most_common())}")
        whole = Path(home) / "whole.db"
        first = index(docs, whole)
        show("first run", first, size)
        opened = Store(whole)
        print(f"  {opened.counts()}, the file has {whole.stat().st_size / 1e6:.1f} MB")
        opened.close()
        show("nothing changed", index(docs, whole), size)
        if told.kills and killed(docs, Path(home) / "killed.db", told.kills, first.seconds) != content(whole):
            sys.exit("the index after interruptions differs")


def gather(folders: Sequence[Path], most: int, into: Path) -> list[Path]:
    """Copy this many documents, drawn with a fixed seed, and return their number."""
    found = sorted(path for folder in folders for path in documents(folder))
    random.Random(SEED).shuffle(found)  # nosec B311 # fixed seed: the same documents each time
    taken = []
    for number, path in enumerate(found[:most]):
        copy = into / f"{number // 100:02}" / f"{number:04} {path.name}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        taken.append(copy)
    return taken


def documents(folder: Path) -> Iterator[Path]:
    """Yield files whose format has a reader."""
    for at, _, names in os.walk(folder):
        for path in (Path(at) / name for name in names):
            suffix = path.suffix.lower()
            if suffix and suffix in READERS and not path.is_symlink() and path.stat().st_size >= SMALLEST:
                yield path


def index(docs: Path, store: Path, stop: float = 0.0) -> Run:
    """Run the command in a new process. Kill it after `stop` seconds if it is still running."""
    command = [sys.executable, "-m", "citestream", "index", str(docs), "--store", str(store)]
    began = time.perf_counter()
    run = subprocess.Popen(  # nosec B603 # command of this project
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if stop:
        try:
            run.wait(stop)
        except subprocess.TimeoutExpired:
            run.kill()
    run.wait()
    return Run(time.perf_counter() - began, getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024)


def killed(docs: Path, store: Path, times: int, seconds: float) -> bytes:
    """Return the content of an index after this many killed runs and a complete one."""
    draw, moments = random.Random(SEED), []  # nosec B311 # fixed seed: the same times each time
    for _ in range(times):
        moments.append(draw.uniform(0.1, 1.2 * seconds / times + 1.0))
        index(docs, store, moments[-1])
    last = index(docs, store)
    print(f"killed after {', '.join(f'{moment:.1f}' for moment in moments)} s, then complete in {last.seconds:.1f} s")
    return content(store)


def content(store: Path) -> bytes:
    """Return a hash of the content of an index."""
    digest = blake2b(digest_size=16)
    opened = Store(store)
    for row in opened.dump():
        digest.update(repr(row).encode())
    opened.close()
    print(f"  {store.name}: content {digest.hexdigest()}")
    return digest.digest()


def show(name: str, run: Run, size: int) -> None:
    """Print one line."""
    print(f"{name}: {run.seconds:.1f} s, {size / 1e6 / run.seconds:.2f} MB/s, at most {run.megabytes:.0f} MB held")


if __name__ == "__main__":
    main()
