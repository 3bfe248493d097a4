"""Measure on data that was not used for fitting: `python -m bench.generalisation DATA.jsonl DATA.jsonl.xz ...`.

Each source of data is left out in turn: its sentences are judged by weights and thresholds that come from all other
sources. Data that may only be measured is judged by weights that come from all fitted data. The stored weights are in
the table as the baseline; they have seen what was fitted. Takes many minutes with all data.

`auc`: of the highest probability of any evidence (0 where a gate refuses it) for "does anything support this claim".
`true`, `false`: the shares of supported and of unsupported sentences that are cited at the threshold.
`f1`: of citations, where the data judges pairs.
"""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from bench.data.data_sets import NEAR_MISSES
from bench.data.pairs import Pairs, Record, load, predictions
from bench.fit import MOST_BAD, Probabilities, choose, cross_validate, highest, labelled_pairs, leave_out
from citestream.citation.evaluate import Quality, evaluate
from citestream.citation.support.calibration import calibration

# Fewer supported or unsupported sentences give no AUC worth a line in the mean.
FEWEST = 10


@dataclass(frozen=True, slots=True)
class Row:
    """The measures of one data set. NaN if there are too few sentences."""

    supported: int
    unsupported: int
    auc: float
    balanced: float
    true: float
    false: float
    f1: float


MEASURES = tuple(field.name for field in fields(Row))[2:]


def main() -> None:
    """Fit without each source in turn, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    options.add_argument("--scorer", default="lexical", choices=MOST_BAD)
    options.add_argument("--json", type=Path, help="write the numbers there")
    chosen = options.parse_args()
    records, table = labelled_pairs(chosen.data, chosen.scorer)
    held_out = leave_out(records, table)
    stored, default = stored_probabilities(chosen.scorer, table)
    tables = {"stored": measure(records, table, table.after_gates(stored), default)}
    thresholds = choose(records, table, held_out, MOST_BAD[chosen.scorer])
    for name, threshold in thresholds.items():
        tables[f"left out, {name}, from {threshold}"] = measure(records, table, held_out, threshold)
    in_folds = cross_validate(records, table)
    tables["cross-validated, balanced"] = measure(records, table, in_folds, thresholds["balanced"])
    for title, rows in tables.items():
        print_table(title, rows)
    first = records[: len(load(chosen.data[:1]))]
    print(f"\n{chosen.data[0]}, {len(first)} records")
    for name, threshold in thresholds.items():
        for kind, probability in (("left out", held_out), ("cross-validated", in_folds)):
            print_quality(
                f"{kind}, {name}", evaluate(first, predictions(records, table, probability, threshold))["ALL"]
            )
    print_refusals(table, stored, default)
    if chosen.json:
        raw = {name: {data: asdict(row) for data, row in rows.items()} for name, rows in tables.items()}
        chosen.json.write_text(json.dumps(raw, indent=1), "utf-8")


def stored_probabilities(name: str, table: Pairs) -> tuple[Probabilities, float]:
    """Return what the stored weights say of each pair, whatever the gates say, and the default threshold."""
    stored = calibration(name)
    columns = [table.names.index(feature) for feature in stored.features]
    probability = stored.probability(np.ascontiguousarray(table.features[:, columns].T))
    return probability, stored.thresholds["balanced"].threshold


def measure(records: Sequence[Record], table: Pairs, probability: Probabilities, threshold: float) -> dict[str, Row]:
    """Return the measures of each data set."""
    best = highest(table, probability)
    supported = np.array([records[r]["sent_label"][i] == "supported" for r, i in table.place])
    data_set = np.array([records[r]["dataset"] for r, _ in table.place])
    quality = evaluate(records, predictions(records, table, probability, threshold))
    rows = {}
    for name in sorted(set(data_set.tolist()) - {NEAR_MISSES}):
        of_set = data_set == name
        rows[name] = _row(best[of_set], supported[of_set], threshold, quality[name])
    return rows


def _row(best: Probabilities, supported: np.ndarray, threshold: float, quality: Quality) -> Row:
    cited = best >= threshold
    positive, negative = int(supported.sum()), int((~supported).sum())
    both = min(positive, negative) >= FEWEST
    true = float(cited[supported].mean()) if positive else np.nan
    false = float(cited[~supported].mean()) if negative else np.nan
    return Row(
        positive,
        negative,
        float(roc_auc_score(supported, best)) if both else np.nan,
        (true + 1 - false) / 2 if both else np.nan,
        true,
        false,
        quality.f1 if quality.hit else np.nan,
    )


def mean(rows: Mapping[str, Row]) -> dict[str, float]:
    """Return the mean of each measure over the data sets that have it."""
    return {name: float(np.nanmean([getattr(row, name) for row in rows.values()])) for name in MEASURES}


def print_table(name: str, rows: Mapping[str, Row]) -> None:
    """Print one table: a line per data set, and the means over sets with both kinds of sentences."""
    print(f"\n{name}\n{'':20s} {'sup':>5s} {'uns':>5s} " + " ".join(f"{measure:>8s}" for measure in MEASURES))
    for data, row in rows.items():
        numbers = " ".join(f"{getattr(row, measure):8.3f}" for measure in MEASURES)
        print(f"{data:20s} {row.supported:5d} {row.unsupported:5d} {numbers}")
    both = {data: row for data, row in rows.items() if not np.isnan(row.auc)}
    print(f"{f'mean of {len(both)}':32s} " + " ".join(f"{value:8.3f}" for value in mean(both).values()))


def print_refusals(table: Pairs, probability: Probabilities, threshold: float) -> None:
    """Print what each gate objects to in the best pairs of all sentences that are likely enough to be cited.

    A gate helps if the share of false pairs is larger there than among those that pass. Near-misses are included.
    """
    likely = (probability >= threshold) & (table.weight > 0)
    best = likely & (probability == highest(table, probability)[table.sentence])
    print(f"\n{'gate':42s} {'true':>6s} {'false':>6s}")
    for reason in sorted(set(table.refusal[best].tolist())):
        labels = table.label[best & (table.refusal == reason)]
        print(f"{reason or 'not certain':42s} {labels.sum():6d} {(~labels).sum():6d}")
    certain = table.refusal != ""
    for kind, found in zip(table.kinds, table.disagreements.T, strict=True):
        for pair, of_pair in (("simple", table.simple), ("complex, not counted", ~table.simple)):
            labels = table.label[best & found & of_pair & ~certain]
            print(f"{kind + ', ' + pair:42s} {labels.sum():6d} {(~labels).sum():6d}")


def print_quality(name: str, quality: Quality) -> None:
    """Print the measures of citations over all sentences of a file."""
    names = ("precision", "recall", "f1", "balanced", "bad")
    print(f"{name:28s} " + " ".join(f"{measure} {getattr(quality, measure):.3f}" for measure in names))


if __name__ == "__main__":
    main()
