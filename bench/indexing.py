"""How `citestream index` bears a thousand documents: time, memory, and being killed anywhere, again and again.

The documents are real: the documentation of packages on this machine. Named folders are taken instead.

    python -m bench.indexing                             # what is below this Python and /usr/share/doc
    python -m bench.indexing ~/.rustup/toolchains --kills 10
"""

import argparse
import os
import random
import shutil
import subprocess  # nosec B404 # to kill what is measured
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from citestream.providers.retrieval.readers import READERS
from citestream.providers.retrieval.store import Store

ROOT = Path(__file__).parents[1]
ROOTS = (Path(sys.prefix), Path("/usr/share/doc"))
SMALLEST = 2048  # bytes; below it stands a licence or a list of names
SEED = 11


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    seconds: float
    megabytes: float  # the most that it, or one before it, held


def main(argv: Sequence[str] | None = None) -> None:
    """Print what was measured; exit 1 where a store differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=ROOTS)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=5, help="at random moments of one run after the other")
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
            sys.exit("the store that was killed is another one")


def gather(folders: Sequence[Path], most: int, into: Path) -> list[Path]:
    """Copies of as many documents, the same ones each time, drawn from all that are there."""
    found = sorted(path for folder in folders for path in documents(folder))
    random.Random(SEED).shuffle(found)  # nosec B311 # the same documents each time
    taken = []
    for number, path in enumerate(found[:most]):
        copy = into / f"{number // 100:02}" / f"{number:04} {path.name}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        taken.append(copy)
    return taken


def documents(folder: Path) -> Iterator[Path]:
    """Files of a format that has a reader."""
    for at, _, names in os.walk(folder):
        for path in (Path(at) / name for name in names):
            suffix = path.suffix.lower()
            if suffix and suffix in READERS and not path.is_symlink() and path.stat().st_size >= SMALLEST:
                yield path


def index(docs: Path, store: Path, stop: float = 0.0) -> Run:
    """One run, in a process of its own. `stop`: seconds after which it is killed, if it is still there."""
    command = [sys.executable, "-m", "citestream", "index", str(docs), "--store", str(store)]
    began = time.perf_counter()
    run = subprocess.Popen(  # nosec B603 # our own command
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
    """The content of a store whose runs were killed so many times before one came to its end."""
    draw, moments = random.Random(SEED), []  # nosec B311 # the same moments each time
    for _ in range(times):
        moments.append(draw.uniform(0.1, 1.2 * seconds / times + 1.0))
        index(docs, store, moments[-1])
    last = index(docs, store)
    print(f"killed after {', '.join(f'{moment:.1f}' for moment in moments)} s, then whole in {last.seconds:.1f} s")
    return content(store)


def content(store: Path) -> bytes:
    """Of everything in it."""
    digest = blake2b(digest_size=16)
    opened = Store(store)
    for row in opened.content():
        digest.update(repr(row).encode())
    opened.close()
    print(f"  {store.name}: content {digest.hexdigest()}")
    return digest.digest()


def show(name: str, run: Run, size: int) -> None:
    """One line."""
    print(f"{name}: {run.seconds:.1f} s, {size / 1e6 / run.seconds:.2f} MB/s, at most {run.megabytes:.0f} MB held")


if __name__ == "__main__":
    main()
