"""Measure how often the right passage reaches the model: `python -m bench.retrieval.folder_questions`.

The 286 questions about eighteen small folders are in bench/retrieval/folders, with the passage that each needs. A
passage reaches the model if it is among the excerpts that a search of the folder by `citestream ask` uses. The folders
are searched one by one, and all together in one index. The baseline is a search by words alone, without `--embedder`.
The failures of the held-out folders are not printed. Takes seconds.

    python -m bench.retrieval.folder_questions --embedder     # with the vectors of the local embedder
    python -m bench.retrieval.folder_questions --failures     # also print the failures
"""

import asyncio
import csv
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citestream.providers.embedding import Embedder, embedder
from citestream.providers.retrieval.folder.folder_retriever import FolderRetriever
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.retriever import Retrieved
from citestream.proxy.config.service_options import RetrieverConfig
from citestream.proxy.retrievers import KEPT

FOLDERS = Path(__file__).parent / "folders"
PARTS = ("development", "held_out", "second_held_out")
TOP_K: int = RetrieverConfig.model_fields["top_k"].default
FIRST = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and a part of the passage that answers it."""

    kind: str
    text: str
    passage: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rank of the right passage, 0 if it was not found, and whether it reaches the model."""

    part: str
    folder: str
    question: Question
    rank: int
    reached: bool


def main() -> None:
    """Print the tables."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", action="store_true", help="also search by the vectors of the local embedder")
    parser.add_argument("--failures", action="store_true", help="print the failures of the development folders")
    options, _ = parser.parse_known_args()
    asyncio.run(measure(options))


async def measure(options: Namespace) -> None:
    """Search every folder alone, then all of them together."""
    model = embedder("local") if options.embedder else None
    folders = [folder for part in PARTS for folder in sorted((FOLDERS / part).iterdir())]
    alone = [outcome for folder in folders for outcome in await ask([folder], model)]
    together = await ask(folders, model)
    if model:
        await model.aclose()
    for name, outcomes in {"each folder": alone, "all folders together": together}.items():
        print(f"{name}\n{table(outcomes)}\n")
    if options.failures:
        for outcome in alone:
            if outcome.part == PARTS[0] and not outcome.reached:
                print(f"{outcome.folder}: rank {outcome.rank}: {outcome.question.text} -> {outcome.question.passage}")


async def ask(folders: Sequence[Path], model: Embedder | None) -> list[Outcome]:
    """Index the folders in one store and ask the questions of each."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "evidence.db"
        store = Store(path, create=True)
        if model:
            store.set_embedder("local", model.model.name)
        for folder in folders:
            async for _ in index(store, folder / "documents", lambda entry: entry, embedder=model):
                pass
        store.close()
        retriever = FolderRetriever(path, (lambda _: model), timeout=60)
        outcomes = []
        for folder in folders:
            for question in read(folder):
                found = await retriever.retrieve(question.text, TOP_K)
                rank, reached = position(found, question)
                outcomes.append(Outcome(folder.parent.name, folder.name, question, rank, reached))
        await retriever.aclose()
    return outcomes


def position(found: Retrieved, question: Question) -> tuple[int, bool]:
    """Return the rank of the right passage, and whether it is among those that the model receives."""
    for rank, entry in enumerate(found.entries, 1):
        if question.passage in entry["text"]:
            return rank, rank <= KEPT or entry["score"] >= found.min_score
    return 0, False


def read(folder: Path) -> list[Question]:
    """Return the questions about a folder."""
    with (folder / "questions.tsv").open(encoding="utf-8", newline="") as lines:
        return [Question(*row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a table of the shares of questions, by part and by kind."""
    heads = ["questions", "reaches the model", *(f"among the first {rank}" for rank in FIRST)]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for part in PARTS:
        of_part = [outcome for outcome in outcomes if outcome.part == part]
        name = part.replace("_", " ")
        lines.append(row(name, of_part))
        groups = defaultdict[str, list[Outcome]](list)
        for outcome in of_part:
            groups[outcome.question.kind].append(outcome)
            groups[outcome.folder].append(outcome)
        lines += [row(f"{name}: {group}", groups[group]) for group in groups]
    return "\n".join(lines)


def row(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return one row of the table."""
    shares = [
        sum(outcome.reached for outcome in outcomes),
        *(sum(0 < outcome.rank <= first for outcome in outcomes) for first in FIRST),
    ]
    return f"| {name} | {len(outcomes)} | " + " | ".join(f"{share / len(outcomes):.1%}" for share in shares) + " |"


if __name__ == "__main__":
    main()
