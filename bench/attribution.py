"""Compare the quality and speed of all scorers with baselines: `python -m bench.attribution DATA.jsonl`.

All fitted parameters are cross-validated by record. Intervals are 95 % bootstrap intervals over records. Times come
from bench/scoring_time.py. All systems use the vectors of the local embedder. The baselines of bench/baselines.py run
on the same records. Takes many minutes with all data.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from bench.baselines import best_one, bm25, ragflow_rule
from bench.data.pairs import Cited, Pairs, Record, claims_of, folds, load, predictions
from bench.fit import FOLDS, Probabilities, cross_validate
from bench.fit_entailment import look_again
from bench.scoring_time import Cost, cost
from citestream.citation.support.calibration import calibration
from citestream.proxy.cli.checking.record_measures import evaluate, interval

MEASURES = ("precision", "recall", "f1", "balanced", "bad")


@dataclass(frozen=True, slots=True)
class System:
    """A row of the table."""

    name: str
    cited: Cited
    cost: Cost | None = None


def main() -> None:
    """Run all systems and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    options.add_argument("--reader", default=f"{sys.prefix}/cross-encoder", help="folder of a cross-encoder")
    options.add_argument("--json", type=Path, help="file for the results")
    chosen = options.parse_args()
    records = load(chosen.data)
    rows = [report(records, system(records)) for system in systems(chosen.reader)]
    print_details(rows)
    print_table(rows)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")


def systems(reader: str) -> list[Callable[[Sequence[Record]], System]]:
    """Return the systems to compare. Add a line here to compare another scorer."""
    found: list[Callable[[Sequence[Record]], System]] = [always_best, bm25_best]
    found += [partial(ragflow, 0.7), partial(ragflow, 0.1), lexical, hybrid]
    return [*found, partial(entailment, reader)] if Path(reader).is_dir() else found


def always_best(records: Sequence[Record]) -> System:
    """Cite the best evidence by BM25 for every sentence."""
    return System("always the best", _bm25(records, lambda _: -1.0))


def bm25_best(records: Sequence[Record]) -> System:
    """Cite the best evidence by BM25 above a threshold that is fitted on the other folds."""
    fold = folds(records, FOLDS)
    held = {}
    for f in range(FOLDS):
        train = [r for r, at in zip(records, fold, strict=True) if at != f]
        held[f] = max((t / 50 for t in range(50)), key=partial(_f1_at, train))
    number = {record["id"]: int(f) for record, f in zip(records, fold, strict=True)}
    return System("BM25, best", _bm25(records, lambda record: held[number[record["id"]]]))


def ragflow(token_weight: float, records: Sequence[Record]) -> System:
    """Apply the rule of RAGFlow to whole answers, without fitting."""
    name = f"RAGFlow's rule, {token_weight:g}/{1 - token_weight:g}"
    return System(name, ragflow_rule(records, token_weight), cost("ragflow", records, token_weight=token_weight))


def lexical(records: Sequence[Record]) -> System:
    """Cite with the default scorer."""
    return fitted("lexical", records)


def hybrid(records: Sequence[Record]) -> System:
    """Cite with the hybrid scorer, which uses embeddings."""
    return fitted("hybrid", records)


def fitted(name: str, records: Sequence[Record]) -> System:
    """Cite with a scorer whose forests are fitted without the record."""
    return System(name, cited_by(name, records, *cross_validate(records, name)), cost(name, records))


def entailment(reader: str, records: Sequence[Record]) -> System:
    """Cite with the hybrid scorer and a cross-encoder for undecided pairs, both fitted without the record."""
    table, first = cross_validate(records, "hybrid")
    second = look_again(Path(reader), records, table, first)
    return System("checker", cited_by("hybrid", records, table, second), cost("checker", records, reader=reader))


def cited_by(name: str, records: Sequence[Record], table: Pairs, probability: Probabilities) -> Cited:
    """Return what a scorer cites where no model cites anything, at its default threshold."""
    threshold = calibration(name).thresholds["balanced"].alone
    return predictions(records, table, probability, np.full(len(probability), threshold))


def report(records: Sequence[Record], system: System) -> dict[str, Any]:
    """Return the results of a system: overall with intervals, per data set, across languages, and for `post_hoc`."""
    post_hoc = [r for r in records if "post_hoc" in r["id"]]
    across = [r for r in records if ">" in r["lang"]]
    return {
        "name": system.name,
        "milliseconds": asdict(system.cost) if system.cost else None,
        "quality": {name: asdict(q) for name, q in evaluate(records, system.cited).items()},
        "across_languages": asdict(evaluate(across, system.cited)["ALL"]),
        "post_hoc_bad": evaluate(post_hoc, system.cited)["ALL"].bad if post_hoc else None,
        "intervals": {m: interval(records, system.cited, attrgetter(m)) for m in ("f1", "balanced", "bad")},
    }


def print_details(rows: Sequence[dict[str, Any]]) -> None:
    """Print a table for each scorer with a row per data set."""
    for row in rows:
        print(f"\n{row['name']}\n  {'':16s} {'sup':>5s} {'uns':>5s} " + " ".join(f"{m:>9s}" for m in MEASURES))
        for name, q in row["quality"].items():
            numbers = " ".join(f"{q[m]:9.3f}" for m in MEASURES)
            print(f"  {name:16s} {q['supported']:5d} {q['unsupported']:5d} {numbers}")
        if row["post_hoc_bad"] is not None:
            print(f"  bad on post_hoc negatives: {row['post_hoc_bad']:.3f}")


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print all systems as Markdown. `across` is the F1 of answers in another language than their evidence."""
    head = ("", "F1", "95 %", "balanced", "95 %", "bad", "95 %", "across", "ms per sentence", "mean", "ms preparation")
    print(f"\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        cells = [row["name"]]
        for measure, (low, high) in row["intervals"].items():
            cells += [f"{row['quality']['ALL'][measure]:.3f}", f"{low:.3f}-{high:.3f}"]
        cells.append(f"{row['across_languages']['f1']:.3f}")
        spent = row["milliseconds"]
        cells += (
            [f"{spent['median']:.2f}", f"{spent['mean']:.2f}", f"{spent['preparation']:.0f}"] if spent else [""] * 3
        )
        print(f"| {' | '.join(cells)} |")


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


if __name__ == "__main__":
    main()
