"""Measure which minimum score keeps unwanted excerpts of a folder away: `python -m bench.retrieval.min_score DATA`.

Two folders are indexed by words: the passages of the labelled data, and the guides in `docs/`. Prompts that have
nothing to do with them (of coding agents, and of chats) should get no excerpts. Questions about them should keep the
passages that support the answer (data) or the excerpts of the right guide (docs). The baseline is a minimum of 0, which
keeps everything. Takes minutes.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from bench.data.pairs import load
from bench.retrieval.recall import passages_of, questions_of
from citestream.providers.retrieval.folder.folder_retriever import FolderRetriever
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store

ROOT = Path(__file__).parents[2]
QUESTIONS = Path(__file__).parent / "questions" / "folder_questions.jsonl"
TOP_K = 8  # the default of a retriever
THRESHOLDS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


@dataclass(frozen=True, slots=True)
class Asked:
    """The scores of the excerpts that a question got, and which of them are relevant."""

    kind: str
    scores: tuple[float, ...]
    relevant: tuple[bool, ...]  # empty for a question without relevant excerpts

    def kept(self, threshold: float) -> int:
        """Return how many excerpts have at least this score."""
        return sum(score >= threshold for score in self.scores)

    def found(self, threshold: float) -> int:
        """Return how many relevant excerpts have at least this score."""
        return sum(score >= threshold for score, wanted in zip(self.scores, self.relevant, strict=True) if wanted)


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    print("guides\n" + table(asyncio.run(of_guides())))
    if data := options.parse_args().data:
        print("\nlabelled data\n" + table(asyncio.run(of_data(data))))


async def of_guides() -> list[Asked]:
    """Ask all questions of the guides."""
    with tempfile.TemporaryDirectory() as folder:
        retriever = await indexed(Path(folder), ROOT / "docs")
        asked = [await ask(retriever, one, lambda entry, one=one: _is_of(entry, one)) for one in read(QUESTIONS)]
        await retriever.aclose()
    return asked


async def of_data(files: Sequence[str]) -> list[Asked]:
    """Ask the questions of the data, and all prompts that have nothing to do with it."""
    records = load(files)
    passages = passages_of(records)
    questions = questions_of(records, {(p["title"], p["text"]): p["id"] for p in passages})
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        (source / "passages.jsonl").write_text("\n".join(map(json.dumps, passages)), "utf-8")
        retriever = await indexed(Path(folder), source)
        unrelated = [one for one in read(QUESTIONS) if one["kind"] != "related"]
        asked = [await ask(retriever, one, None) for one in unrelated]
        for question in questions:
            one = {"kind": "related", "question": question.text}
            asked.append(await ask(retriever, one, lambda entry, wanted=question.wanted: entry["id"] in wanted))
        await retriever.aclose()
    return asked


async def indexed(folder: Path, source: Path) -> FolderRetriever:
    """Return a retriever of the files in `source`."""
    store = Store(folder / "evidence.db", create=True)
    async for _ in index(store, source, lambda entry: entry):
        pass
    store.close()
    return FolderRetriever(folder / "evidence.db")


async def ask(retriever: FolderRetriever, one: Mapping[str, Any], is_relevant: Any) -> Asked:
    """Return the scores for a question. `is_relevant`: of an entry; None: no entry is."""
    entries = (await retriever.retrieve(one["question"], TOP_K)).entries
    related = one["kind"] == "related"
    relevant = tuple(bool(related and is_relevant(entry)) for entry in entries)
    return Asked(one["kind"], tuple(entry["score"] for entry in entries), relevant)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the questions: their kind, text, and the guide that answers them."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _is_of(entry: Mapping[str, Any], question: Mapping[str, Any]) -> bool:
    return Path(entry["file_name"]).name == question.get("file")


def table(asked: Sequence[Asked]) -> str:
    """Return a table: for each threshold, what unrelated prompts get and what related questions keep."""
    kinds = sorted({one.kind for one in asked} - {"related"})
    heads = [f"{kind}: with excerpts, excerpts" for kind in kinds] + ["related: with relevant, relevant kept"]
    lines = ["| min_score | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    related = [one for one in asked if one.kind == "related"]
    all_found = sum(one.found(0.0) for one in related)
    for threshold in THRESHOLDS:
        cells = []
        for kind in kinds:
            counts = [one.kept(threshold) for one in asked if one.kind == kind]
            cells.append(f"{mean(map(bool, counts)):.0%}, {mean(counts):.1f}")
        found = [one.found(threshold) for one in related]
        cells.append(f"{mean(map(bool, found)):.1%}, {sum(found) / all_found:.1%}")
        lines.append(f"| {threshold:.2f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
