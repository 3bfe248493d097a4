"""Every scorer beside the baselines, quality and time, from one run: `python -m bench.attribution DATA.jsonl`.

Everything fitted is cross-validated by record: a record's citations come from a forest and a threshold that have not
seen it. Intervals: 95 %, records drawn with replacement. Time: 20 excerpts of 200 words, scoring and decision together.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from bench.baselines import best_one, bm25
from bench.data import Pairs, Record, claims_of, folds, load, pairs, predictions
from bench.fit import FOLDS, MOST_BAD, Probabilities, cross_validate
from citation.attribute import attribute
from citation.evaluate import Quality, evaluate, interval
from citation.evidence import Evidence
from citation.scoring import Claim, Scorer, scorer

EXCERPTS, WORDS = 20, 200
TIMED_SENTENCES = 300
MEASURES = ("precision", "recall", "f1", "balanced", "bad")

Cited = dict[str, list[list[int]]]


@dataclass(frozen=True, slots=True)
class System:
    """A row of the table."""

    name: str
    cited: Cited
    microseconds: float | None = None  # a sentence
    milliseconds: float | None = None  # preparation


def main() -> None:
    """Run everything, print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    options.add_argument("--json", type=Path, help="write the numbers there")
    chosen = options.parse_args()
    records = load(chosen.data)
    rows = [report(records, system(records)) for system in SYSTEMS]
    print_table(rows)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")


def always_best(records: Sequence[Record]) -> System:
    """Cites the best one by BM25, whatever the sentence."""
    return System("best one, always", _bm25(records, lambda _: -1.0))


def bm25_best(records: Sequence[Record]) -> System:
    """Cites the best one by BM25 above a threshold fitted on the other folds."""
    fold = folds(records, FOLDS)
    held = {}
    for f in range(FOLDS):
        train = [r for r, at in zip(records, fold, strict=True) if at != f]
        held[f] = max((t / 50 for t in range(50)), key=partial(_f1_at, train))
    number = {record["id"]: int(f) for record, f in zip(records, fold, strict=True)}
    return System("BM25, best one", _bm25(records, lambda record: held[number[record["id"]]]))


def lexical(records: Sequence[Record]) -> System:
    """The default scorer."""
    return fitted("lexical", records, pairs(records, scorer("lexical")))


# A colleague's scorer is one line here.
SYSTEMS: list[Callable[[Sequence[Record]], System]] = [always_best, bm25_best, lexical]


def fitted(name: str, records: Sequence[Record], table: Pairs) -> System:
    """Any scorer with a calibration of its own: forest and threshold held out."""
    microseconds, milliseconds = timing(scorer(name), records)
    return System(name, held_out(records, table), microseconds, milliseconds)


def held_out(records: Sequence[Record], table: Pairs) -> Cited:
    """Citations of every record by a forest and at a threshold that come from the other folds."""
    probability = cross_validate(list(records), table)
    fold = folds(records, FOLDS)
    cited: Cited = {}
    for f in range(FOLDS):
        inside = {r["id"] for r, at in zip(records, fold, strict=True) if at == f}
        outside = [r for r in records if r["id"] not in inside]
        threshold = _threshold(records, table, probability, outside)
        cited |= {i: c for i, c in predictions(records, table, probability, threshold).items() if i in inside}
    return cited


def timing(which: Scorer, records: Sequence[Record]) -> tuple[float, float]:
    """Median µs a sentence and ms of preparation, English, scoring and decision, without an embedder's own time."""
    english = [r for r in records if r["lang"] == "en"] or list(records)
    words = [word for r in english for e in r["evidence"] for word in e["text"].split()]
    evidence = [Evidence(n + 1, " ".join(words[n * WORDS : (n + 1) * WORDS]), str(n)) for n in range(EXCERPTS)]
    claims: list[Claim] = [claim for r in english for _, claim in claims_of(r)][:TIMED_SENTENCES]
    prepared, preparing = which.prepare(evidence), []
    for _ in range(5):
        start = time.perf_counter()
        prepared = which.prepare(evidence)
        preparing.append(time.perf_counter() - start)
    taken = []
    for claim in claims:
        start = time.perf_counter()
        attribute(claim, prepared.score(claim), prepared)
        taken.append(time.perf_counter() - start)
    return 1e6 * statistics.median(taken), 1e3 * statistics.median(preparing)


def report(records: Sequence[Record], system: System) -> dict[str, Any]:
    """A system's numbers: overall with intervals, per data set, and expertqa's `post_hoc` negatives apart."""
    quality = evaluate(records, system.cited)
    post_hoc = [r for r in records if "post_hoc" in r["id"]]
    return {
        "name": system.name,
        "microseconds": system.microseconds,
        "milliseconds": system.milliseconds,
        "quality": {name: asdict(q) for name, q in quality.items()},
        "post_hoc_bad": evaluate(post_hoc, system.cited)["ALL"].bad if post_hoc else None,
        "intervals": {m: interval(records, system.cited, attrgetter(m)) for m in ("f1", "balanced", "bad")},
    }


def print_table(rows: list[dict[str, Any]]) -> None:
    """For people."""
    for row in rows:
        time_taken = (
            ""
            if row["microseconds"] is None
            else f"   {row['microseconds']:.0f} µs a sentence, {row['milliseconds']:.1f} ms preparation"
        )
        print(f"\n{row['name']}{time_taken}")
        print(f"  {'':16s} {'sup':>5s} {'uns':>5s} " + " ".join(f"{m:>9s}" for m in MEASURES))
        for name, q in row["quality"].items():
            numbers = " ".join(f"{q[m]:9.3f}" for m in MEASURES)
            print(f"  {name:16s} {q['supported']:5d} {q['unsupported']:5d} {numbers}")
        print("  95 %: " + ", ".join(f"{m} {lo:.3f}-{hi:.3f}" for m, (lo, hi) in row["intervals"].items()))
        if row["post_hoc_bad"] is not None:
            print(f"  bad on post_hoc negatives: {row['post_hoc_bad']:.3f}")


def _bm25(records: Sequence[Record], threshold: Callable[[Record], float]) -> Cited:
    cited: Cited = {r["id"]: [[] for _ in r["answer_sentences"]] for r in records}
    for record in records:
        judged = claims_of(record)
        for (i, _), (best, score) in zip(judged, best_one(_bm25_scores(record)), strict=True):
            if score >= threshold(record):
                cited[record["id"]][i] = [best]
    return cited


_SCORES: dict[str, list[Any]] = {}


def _bm25_scores(record: Record) -> list[Any]:
    if record["id"] not in _SCORES:
        _SCORES[record["id"]] = [bm25(record, claim.text) for _, claim in claims_of(record)]
    return _SCORES[record["id"]]


def _f1_at(records: Sequence[Record], threshold: float) -> float:
    return evaluate(records, _bm25(records, lambda _: threshold))["ALL"].f1


def _threshold(records: Sequence[Record], table: Pairs, probability: Probabilities, outside: Sequence[Record]) -> float:
    for threshold in np.arange(0.2, 0.95, 0.01):
        quality: Quality = evaluate(outside, predictions(records, table, probability, float(threshold)))["ALL"]
        if quality.bad <= MOST_BAD:
            break
    return float(threshold)


if __name__ == "__main__":
    main()
