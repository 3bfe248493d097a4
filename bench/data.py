"""Turn labelled records into rows of features, one row for each (sentence, evidence) pair."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.vectors import Table, table
from citestream.citation.evidence import Evidence
from citestream.citation.support.gates import GateChecks
from citestream.citation.support.scorers import Claim, PreparedEvidence, Scorer, Scores

Record = dict[str, Any]
Cited = dict[str, list[list[int]]]  # 0-based evidence indexes of each sentence of each record


@dataclass(frozen=True, slots=True)
class Pairs:
    """P pairs of a judged sentence and a piece of evidence, with F features."""

    names: tuple[str, ...]
    features: NDArray[np.float32]  # (P, F)
    record: NDArray[np.int64]  # (P,), index of the record
    sentence: NDArray[np.int64]  # (P,), number of the judged sentence
    evidence: NDArray[np.int64]  # (P,), 0-based
    label: NDArray[np.bool_]  # (P,)
    weight: NDArray[np.float64]  # (P,), 0 if a citation counts as neither right nor wrong
    gated: NDArray[np.bool_]  # (P,), refused by a gate
    place: list[tuple[int, int]]  # per scored sentence: record, index among the answer's sentences


def load(paths: Sequence[str | Path]) -> list[Record]:
    """Return the records of JSON-lines files."""
    return [json.loads(line) for path in paths for line in Path(path).read_text("utf-8").splitlines() if line]


def evidence_of(record: Record) -> list[Evidence]:
    """Return the numbered evidence of a record."""
    return [Evidence(i + 1, e["text"], e["id"], title=e.get("title") or None) for i, e in enumerate(record["evidence"])]


def claims_of(record: Record) -> list[tuple[int, Claim]]:
    """Return the judged sentences of a record with their indexes. The sentence before is the context of each."""
    texts = record["answer_sentences"]
    return [
        (i, Claim(text, texts[i - 1] if i else ""))
        for i, text in enumerate(texts)
        if record["sent_label"][i] in {"supported", "unsupported"}
    ]


@dataclass(frozen=True, slots=True)
class Scored:
    """One judged sentence: index of its record, its index there, its scores, and the evidence that gates refuse."""

    record: int
    sentence: int
    scores: Scores
    gated: list[bool]


def pairs(records: Sequence[Record], scorer: Scorer) -> Pairs:
    """Score every judged sentence against all evidence of its record."""
    vectors = table(_texts(records, scorer)) if scorer.needs_vectors else {}
    scored: list[Scored] = []
    for number, record in enumerate(records):
        prepared = prepared_by(scorer, evidence_of(record), vectors)
        for i, plain in claims_of(record):
            claim = replace(plain, vector=vectors.get(plain.text))
            scored.append(scored_by(prepared, number, i, claim, prepared.score(claim)))
    return stack(records, scored)


def prepared_by(scorer: Scorer, evidence: Sequence[Evidence], vectors: Table) -> PreparedEvidence:
    """Return the prepared evidence, with vectors if the scorer needs them."""
    wanted = scorer.texts_to_embed(evidence)
    return scorer.prepare(evidence, np.stack([vectors[text] for text in wanted]) if wanted else None)


def _texts(records: Sequence[Record], scorer: Scorer) -> list[str]:
    windows = [text for record in records for text in scorer.texts_to_embed(evidence_of(record))]
    return windows + [claim.text for record in records for _, claim in claims_of(record)]


def scored_by(prepared: PreparedEvidence, record: int, sentence: int, claim: Claim, scores: Scores) -> Scored:
    """Return the scores of a sentence, with the decision of the gates on every piece of evidence."""
    gates = GateChecks(claim, prepared.index)
    refused = [gates.check(row, tuple(window)) is not None for row, window in enumerate(scores.windows.tolist())]
    return Scored(record, sentence, scores, refused)


def stack(records: Sequence[Record], scored: Sequence[Scored]) -> Pairs:
    """Return scored sentences as pairs with their labels."""
    sizes = [len(one.gated) for one in scored]
    labels, weights = [], []
    for one in scored:
        record, i = records[one.record], one.sentence
        gold = {n for alternative in record["gold_alt"][i] or [record["gold"][i]] for n in alternative}
        supported = record["sent_label"][i] == "supported"
        labels += [supported and n in gold for n in range(len(one.gated))]
        weights += [float(n not in record["ignore"][i]) for n in range(len(one.gated))]
    return Pairs(
        names=scored[0].scores.names,
        features=np.concatenate([one.scores.features for one in scored]),
        record=np.repeat([one.record for one in scored], sizes),
        sentence=np.repeat(np.arange(len(scored)), sizes),
        evidence=np.concatenate([np.arange(size) for size in sizes]),
        label=np.array(labels, dtype=bool),
        weight=np.array(weights),
        gated=np.concatenate([one.gated for one in scored]),
        place=[(one.record, one.sentence) for one in scored],
    )


def folds(records: Sequence[Record], count: int, seed: int = 0) -> NDArray[np.int64]:
    """Return a fold for every record. It depends on the id only, so other records do not change it."""
    return np.array([zlib.crc32(f"{record['id']}/{seed}".encode()) % count for record in records])


def predictions(
    records: Sequence[Record], table: Pairs, probability: NDArray[np.float64], threshold: float, limit: int = 4
) -> Cited:
    """Return the citations of all evidence with at least the probability `threshold`, at most `limit` a sentence."""
    cited: Cited = {r["id"]: [[] for _ in r["answer_sentences"]] for r in records}
    order = np.lexsort((table.evidence, -probability, table.sentence))
    for row in order[probability[order] >= threshold]:
        number, i = table.place[table.sentence[row]]
        chosen = cited[records[number]["id"]][i]
        if len(chosen) < limit:
            chosen.append(int(table.evidence[row]))
    return cited
