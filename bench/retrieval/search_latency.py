"""Measure the latency of full-text search in a large corpus.

`python -m bench.retrieval.search_latency --excerpts 20000 100000` measures two sizes. The corpus is synthetic: the
frequencies of its words follow Zipf's law with an offset, because both stores leave out stop words, which are the most
frequent words of a language. A question is eight words of one excerpt, so that most of them are common and the excerpt
that it should find is known. Each store is asked the same questions in turns with and without the limit on the rows
that are ranked, one at a time, and then with the limit and several at a time. The baseline is the search without the
limit. With `--vectors`, the folder also has random vectors, and so has each question. Takes several minutes.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import numpy as np
from numpy.typing import NDArray

from citestream.providers.embedding import Embedder, Limits
from citestream.providers.retrieval import term_selection
from citestream.providers.retrieval.folder.folder_retriever import FolderRetriever
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.postgres import PostgresRetriever, Settings
from citestream.providers.retrieval.retriever import Retriever
from tests.upstreams.postgres import Postgres, postgres

SEED = 7
VOCABULARY = 50_000
OFFSET = 20  # added to each rank, in place of the stop words
QUESTION_WORDS = 8
FOUND = 8  # results of a question
UNLIMITED = 10**9
DIMENSIONS = 512  # numbers in a vector
CONCURRENT = 16  # searches at a time

TABLE = """
CREATE TABLE excerpts (id text PRIMARY KEY, title text, text text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || text)) STORED);
ALTER TABLE excerpts ALTER words SET STATISTICS 1000;
"""
SIZES = """
SELECT avg(octet_length(text))::int AS text, avg(pg_column_size(words))::int AS words,
    pg_relation_size('by_words') AS index, pg_total_relation_size('excerpts') AS total FROM excerpts
"""


@dataclass(slots=True)
class Result:
    """The measurements of one store with or without the limit."""

    seconds: list[float] = field(default_factory=list)
    found: int = 0  # questions whose excerpt is among the results

    def line(self, name: str) -> str:
        """Return one line of the table."""
        p50, p99 = np.percentile(self.seconds, [50, 99]) * 1000
        share = 100 * self.found / len(self.seconds)
        return f"  {name:10s} p50 {p50:7.1f} ms   p99 {p99:7.1f} ms   excerpt found {share:5.1f} %"


class RandomVectors:
    """An embedding model without a meaning, of the size of the local one."""

    name = "random"
    limits = Limits(texts=512, characters=10**6, text_characters=10**6)

    def __init__(self) -> None:
        self._draw = np.random.default_rng(SEED)

    async def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors (n, D)."""
        drawn = self._draw.normal(size=(len(texts), DIMENSIONS)).astype(np.float32)
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return drawn

    async def aclose(self) -> None:
        """Do nothing."""


def main() -> None:
    """Fill both stores with each size, ask all questions and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--excerpts", type=int, nargs="+", default=[20_000, 100_000])
    options.add_argument("--words", type=int, default=120, help="words of an excerpt")
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--misspelt", type=int, default=0, help="words of a question with a mistake, of 8")
    options.add_argument("--vectors", action="store_true", help="search the folder by vectors, too")
    options.add_argument("--stores", nargs="+", choices=("folder", "postgres"), default=["folder", "postgres"])
    chosen = options.parse_args()
    for count in chosen.excerpts:
        texts = corpus(count, chosen.words)
        questions = questions_about(texts, chosen.questions, chosen.misspelt)
        if "folder" in chosen.stores:
            asyncio.run(measure_folder(texts, questions, RandomVectors() if chosen.vectors else None))
        if "postgres" in chosen.stores:
            asyncio.run(measure_postgres(texts, questions))


def corpus(count: int, words: int) -> list[str]:
    """Return this many texts of this many words."""
    generator = np.random.default_rng(SEED)
    names = np.array(vocabulary())
    frequencies = 1 / (np.arange(VOCABULARY) + OFFSET)
    drawn = generator.choice(VOCABULARY, size=(count, words), p=frequencies / frequencies.sum())
    return [" ".join(names[row]) for row in drawn]


def vocabulary() -> list[str]:
    """Return words of two to four syllables, each different from the others after stemming."""
    draw = random.Random(SEED)  # nosec B311 # fixed seed: the same words each time
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprtvz" for vowel in "aiou"]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(draw.choices(syllables, k=draw.randint(2, 4))) + "k"] = None
    return list(words)


def questions_about(texts: Sequence[str], count: int, misspelt: int) -> list[tuple[int, str]]:
    """Return the number of an excerpt and a question about it, for each question. `misspelt`: words with a mistake."""
    draw = random.Random(SEED)  # nosec B311 # fixed seed: the same questions each time
    questions = []
    for number in draw.sample(range(len(texts)), count):
        words = draw.sample(texts[number].split(), QUESTION_WORDS)
        words[:misspelt] = [misspell(word, draw) for word in words[:misspelt]]
        questions.append((number, " ".join(words)))
    return questions


def misspell(word: str, draw: random.Random) -> str:
    """Return the word without one of its letters, or with one exchanged with the next."""
    place = draw.randrange(1, len(word) - 2)
    exchanged = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return exchanged if exchanged != word and draw.random() < 0.5 else word[:place] + word[place + 1 :]


async def measure_folder(
    texts: Sequence[str], questions: Sequence[tuple[int, str]], model: RandomVectors | None
) -> None:
    """Measure the embedded store and print the result."""
    embedder = Embedder(model) if model else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evidence.db"
        store = Store(path, create=True)
        excerpts = []
        with store.transaction():
            root = store.folder(Path(folder))
            for number, text in enumerate(texts):
                name = f"{number}.txt"
                entry = {"id": str(number), "text": text, "file_name": name}
                excerpts.append(store.add_excerpt(store.add_file(root.number, name, b""), 0, name, entry))
            if model:
                store.set_embedder(model.name, model.name)
                store.add_vectors(excerpts, await model.vectors(texts))
        store.close()
        print(f"folder, {len(texts)} excerpts, {path.stat().st_size / len(texts):.0f} bytes each")
        retriever = FolderRetriever(path, lambda _: embedder)
        await measure(retriever, questions)
        await retriever.aclose()


async def measure_postgres(texts: Sequence[str], questions: Sequence[tuple[int, str]]) -> None:
    """Measure a PostgreSQL table and print the result."""
    with postgres() as server:
        await fill(server, texts)
        retriever = PostgresRetriever(Settings(server.url, "excerpts", timeout=60))
        await measure(retriever, questions)
        await retriever.aclose()


async def fill(server: Postgres, texts: Sequence[str]) -> None:
    """Create and fill the table, and print its size."""
    connection = await asyncpg.connect(server.url)
    await connection.execute(TABLE)
    rows = [(str(number), "", text) for number, text in enumerate(texts)]
    await connection.copy_records_to_table("excerpts", records=rows, columns=["id", "title", "text"])
    await connection.execute("CREATE INDEX by_words ON excerpts USING gin (words)")
    await connection.execute("VACUUM ANALYZE excerpts")
    (sizes,) = await connection.fetch(SIZES)
    await connection.close()
    print(
        f"postgres, {len(texts)} excerpts, bytes each: text {sizes['text']}, tsvector {sizes['words']}, "
        f"GIN index {sizes['index'] / len(texts):.0f}, all {sizes['total'] / len(texts):.0f}"
    )


async def measure(retriever: Retriever, questions: Sequence[tuple[int, str]]) -> None:
    """Ask each question with and without the limit, in turns, and print the times."""
    results = {"no limit": Result(), "limit": Result()}
    limits = {"no limit": UNLIMITED, "limit": term_selection.MAX_ROWS}
    await retriever.retrieve(questions[0][1], FOUND)  # opens the connection
    for number, question in questions:
        for name, result in results.items():
            with max_rows(limits[name]):
                began = time.perf_counter()
                retrieved = await retriever.retrieve(question, FOUND)
                result.seconds.append(time.perf_counter() - began)
            result.found += str(number) in [entry["id"] for entry in retrieved.entries]
    results[f"{CONCURRENT} at once"] = await measure_concurrent(retriever, questions)
    for name, result in results.items():
        print(result.line(name), flush=True)


async def measure_concurrent(retriever: Retriever, questions: Sequence[tuple[int, str]]) -> Result:
    """Ask the questions with the limit, CONCURRENT at a time."""
    result, unasked = Result(), iter(questions)

    async def client() -> None:
        for number, question in unasked:
            began = time.perf_counter()
            retrieved = await retriever.retrieve(question, FOUND)
            result.seconds.append(time.perf_counter() - began)
            result.found += str(number) in [entry["id"] for entry in retrieved.entries]

    await asyncio.gather(*[client() for _ in range(CONCURRENT)])
    return result


@contextmanager
def max_rows(limit: int) -> Iterator[None]:
    """Change the limit on the rows that are ranked."""
    former, term_selection.MAX_ROWS = term_selection.MAX_ROWS, limit
    try:
        yield
    finally:
        term_selection.MAX_ROWS = former


if __name__ == "__main__":
    main()
