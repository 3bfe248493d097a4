"""Measure the recall@5 of retrieval by words, by vectors and by both: `python -m bench.retrieval.recall DATA`.

It measures the embedded store, and a PostgreSQL server with pgvector that it starts.

All passages of the data are indexed in one store. Each question should find the passages that support its answer.
Questions of more than 10 records are too general and are skipped. Vectors come from the local embedder (extra
`semantic`). The baseline of both together is each of them alone. Takes minutes.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import asyncpg
import numpy as np

from bench.data.pairs import Record, load
from bench.data.vectors import Table, table
from citestream.providers.embedding import Embedder, Limits
from citestream.providers.retrieval.folder.folder_retriever import FolderRetriever
from citestream.providers.retrieval.folder.indexing import embedding_text, index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.postgres import PostgresRetriever, Settings
from citestream.providers.retrieval.retriever import Retriever
from tests.upstreams.postgres import postgres

FOUND = 5
TABLE = """
CREATE EXTENSION vector;
CREATE TABLE passages (id text PRIMARY KEY, title text, text text, embedding vector(512),
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || text)) STORED);
"""
INDEXED = """
CREATE INDEX ON passages USING gin (words);
CREATE INDEX ON passages USING hnsw (embedding vector_cosine_ops);
ANALYZE passages;
"""
SAME_QUESTION = 10

Found = list[str]  # ids of passages, best first


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the passages that support its answer."""

    part: str
    text: str
    wanted: frozenset[str]


class Known:
    """An embedding model with precomputed vectors."""

    name = "bench"
    limits = Limits(texts=512, characters=10**6, text_characters=10**6)

    def __init__(self, known: Table) -> None:
        self._known = known

    async def vectors(self, texts: Sequence[str]) -> Any:
        """Return the vectors (n, D)."""
        return np.stack([self._known[text] for text in texts])

    async def aclose(self) -> None:
        """Do nothing."""


def main() -> None:
    """Index the passages, run all questions and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    records = load(options.parse_args().data)
    passages = passages_of(records)
    questions = questions_of(records, {(p["title"], p["text"]): p["id"] for p in passages})
    known = table([*map(embedding_text, passages), *(question.text for question in questions)])
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(searched(Path(folder), passages, questions, known))
    found |= asyncio.run(searched_in_postgres(passages, questions, known))
    print_table(questions, found)


def passages_of(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return each passage once, as an entry of a JSONL file."""
    found = dict.fromkeys((e.get("title") or "", e["text"]) for record in records for e in record["evidence"])
    return [{"id": f"p{number}", "title": title, "text": text} for number, (title, text) in enumerate(found)]


def questions_of(records: Sequence[Record], ids: Mapping[tuple[str, str], str]) -> list[Question]:
    """Return the questions with a supported answer."""
    asked: defaultdict[str, int] = defaultdict(int)
    for record in records:
        asked[record["question"]] += 1
    found = []
    for record in records:
        gold = {
            place
            for i, alone in enumerate(record["gold"])
            if record["sent_label"][i] == "supported"
            for alternative in record["gold_alt"][i] or [alone]
            for place in alternative
        }
        evidence = [record["evidence"][place] for place in gold]
        wanted = frozenset(ids[one.get("title") or "", one["text"]] for one in evidence)
        if wanted and record["question"] and asked[record["question"]] <= SAME_QUESTION:
            found.append(Question(record["dataset"], record["question"], wanted))
    return found


async def searched(
    folder: Path, passages: Sequence[Mapping[str, str]], questions: Sequence[Question], known: Table
) -> dict[str, list[Found]]:
    """Return the results of words, of vectors and of both for each question. Print the time."""
    (folder / "docs").mkdir()
    lines = "\n".join(json.dumps(passage, ensure_ascii=False) for passage in passages)
    (folder / "docs/passages.jsonl").write_text(lines, "utf-8")
    store, embedder = Store(folder / "evidence.db", create=True), Embedder(Known(known))
    store.set_embedder(embedder.model.name, embedder.model.name)
    began = time.perf_counter()
    async for _ in index(store, folder / "docs", lambda entry: entry, embedder=embedder):
        pass
    print(f"{len(passages)} passages, written in {time.perf_counter() - began:.1f} s without embedding")
    words = FolderRetriever(folder / "evidence.db")
    both = FolderRetriever(folder / "evidence.db", lambda _: embedder)
    found = {
        "words": await _asked(words, questions),
        "vectors": _closest(store, questions, known),
        "both": await _asked(both, questions),
    }
    await words.aclose()
    await both.aclose()
    store.close()
    return found


async def searched_in_postgres(
    passages: Sequence[Mapping[str, str]], questions: Sequence[Question], known: Table
) -> dict[str, list[Found]]:
    """Return the results of a PostgreSQL table by words, and by words and vectors. Print the time."""
    with postgres() as server:
        connection = await asyncpg.connect(server.url)
        await connection.execute(TABLE)
        rows = [(p["id"], p["title"], p["text"], str(known[embedding_text({**p})].tolist())) for p in passages]
        await connection.executemany("INSERT INTO passages VALUES ($1, $2, $3, $4::text::vector)", rows)
        await connection.execute(INDEXED)
        await connection.close()
        settings = Settings(server.url, "passages")
        found = {}
        for name, embedder in (("postgres, words", None), ("postgres, both", Embedder(Known(known)))):
            made = PostgresRetriever(settings, embedder)
            found[name] = await _asked(made, questions)
            await made.aclose()
    return found


async def _asked(retriever: Retriever, questions: Sequence[Question]) -> list[Found]:
    found, taken = [], []
    for question in questions:
        began = time.perf_counter()
        retrieved = await retriever.retrieve(question.text, FOUND)
        taken.append(time.perf_counter() - began)
        found.append([entry["id"] for entry in retrieved.entries])
    print(f"  {1000 * median(taken):.1f} ms a question")
    return found


def _closest(store: Store, questions: Sequence[Question], known: Table) -> list[Found]:
    numbers, vectors = store.load_vectors()
    scores = np.stack([known[question.text] for question in questions]) @ vectors.astype(np.float32).T
    best = numbers[np.argsort(-scores, axis=1)[:, :FOUND]]
    excerpts = store.excerpts({int(number) for number in best.flat})
    return [[excerpts[int(number)].entry["id"] for number in row] for row in best]


def recall(question: Question, found: Found) -> float:
    """Return the share of relevant passages among the first five results."""
    return len(question.wanted & set(found[:FOUND])) / min(len(question.wanted), FOUND)


def print_table(questions: Sequence[Question], found: Mapping[str, list[Found]]) -> None:
    """Print the table."""
    parts = sorted({question.part for question in questions})
    print(f"\nrecall@{FOUND}         " + " ".join(f"{part:>14s}" for part in ("ALL", *parts)))
    print(f"{'questions':16s} " + " ".join(f"{_count(questions, part):14d}" for part in ("", *parts)))
    for name, rows in found.items():
        means = []
        for part in ("", *parts):
            pairs = zip(questions, rows, strict=True)
            means.append(mean(recall(question, row) for question, row in pairs if part in ("", question.part)))
        print(f"{name:16s} " + " ".join(f"{value:14.3f}" for value in means))


def _count(questions: Sequence[Question], part: str) -> int:
    return sum(part in ("", question.part) for question in questions)


if __name__ == "__main__":
    main()
