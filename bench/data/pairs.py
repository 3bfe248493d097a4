"""Turn labelled records into rows of features, one row for each (sentence, evidence) pair."""

import hashlib
import json
import lzma
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.data.vectors import Table, table
from citestream.citation.evidence import Evidence
from citestream.citation.support.gates import GateChecks
from citestream.citation.support.scorers import Claim, PreparedEvidence, Scorer, Scores

Record = dict[str, Any]
CODE = [Path(__file__).parents[2] / "citation" / part for part in ("support", "text")]
CHECKED = 3
LEAST_COVERED = 0.6  # minimum of `coverage`, whose maximum is 3
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
    refusal: NDArray[np.str_]  # (P,), reason of the gate that certainly refuses the pair, or ""
    kinds: tuple[str, ...]  # K kinds of disagreements that are not certain, see `Disagreement.kind`
    disagreements: NDArray[np.bool_]  # (P, K); they count in simple pairs
    simple: NDArray[np.bool_]  # (P,), see `GateChecks.is_simple`
    agreement: NDArray[np.float64]  # (P,), see `GateChecks.agreement`
    place: list[tuple[int, int]]  # per scored sentence: record, index among the answer's sentences

    @property
    def gated(self) -> NDArray[np.bool_]:
        """Return which pairs a gate refuses, (P,)."""
        return np.asarray((self.refusal != "") | (self.simple & self.disagreements.any(axis=1)))

    def after_gates(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities, (P,), as the gates leave them: 0 for what is refused, more for what agrees."""
        odds = probability * np.exp(self.agreement)
        return np.asarray(np.where(self.gated, 0.0, odds / (odds + 1 - probability)))


def load(paths: Sequence[str | Path]) -> list[Record]:
    """Return the records of JSON Lines files; a name that ends in `.xz` is decompressed."""
    return [json.loads(line) for path in map(Path, paths) for line in _read(path).splitlines() if line]


def _read(path: Path) -> str:
    raw = path.read_bytes()
    return (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")


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
    """One judged sentence: index of its record, its index there, its scores, and what the gates find."""

    record: int
    sentence: int
    scores: Scores
    refusals: list[str]  # reason of the gate that certainly refuses each piece of evidence, or ""
    disagreements: list[frozenset[str]]  # the kinds of disagreements with each that are not certain
    simple: list[bool]  # see `GateChecks.is_simple`
    agreement: list[float]  # see `GateChecks.agreement`


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


def cached_pairs(records: Sequence[Record], scorer: Scorer) -> Pairs:
    """Return `pairs`, from a file in the temporary folder if the same records and the same code made it.

    The 13,000 records of all files take a minute.
    """
    digest = hashlib.sha256(json.dumps(list(records)).encode())
    for path in sorted(path for folder in CODE for path in folder.rglob("*")):
        if path.suffix in {".py", ".txt"}:
            digest.update(path.read_bytes())
    cache = Path(tempfile.gettempdir()) / f"citestream-pairs-{scorer.name}-{digest.hexdigest()[:16]}.npz"
    if not cache.exists():
        computed = pairs(records, scorer)
        arrays: dict[str, Any] = {field.name: np.array(getattr(computed, field.name)) for field in fields(Pairs)}
        np.savez(cache, **arrays)
    with np.load(cache) as stored:
        columns: dict[str, Any] = dict(stored)
    for name in ("names", "kinds"):
        columns[name] = tuple(columns[name].tolist())
    columns["place"] = [(record, i) for record, i in columns["place"].tolist()]
    return Pairs(**columns)


def prepared_by(scorer: Scorer, evidence: Sequence[Evidence], vectors: Table) -> PreparedEvidence:
    """Return the prepared evidence, with vectors if the scorer needs them."""
    wanted = scorer.texts_to_embed(evidence)
    return scorer.prepare(evidence, np.stack([vectors[text] for text in wanted]) if wanted else None)


def _texts(records: Sequence[Record], scorer: Scorer) -> list[str]:
    windows = [text for record in records for text in scorer.texts_to_embed(evidence_of(record))]
    return windows + [claim.text for record in records for _, claim in claims_of(record)]


def scored_by(prepared: PreparedEvidence, record: int, sentence: int, claim: Claim, scores: Scores) -> Scored:
    """Return scores with what the gates find in the `CHECKED` pieces of evidence that cover most.

    The others are hardly ever cited, and neither is evidence that covers less than `LEAST_COVERED`. The gates take
    1.3 ms per passage, ten times as long as everything else.
    """
    by_words = prepared.name == "lexical"
    gates = GateChecks(claim, prepared.index, by_words=by_words)
    covered = coverage(scores.names, scores.features)
    refusals = [""] * len(covered)
    disagreements: list[frozenset[str]] = [frozenset()] * len(covered)
    simple, agreement = [False] * len(covered), [0.0] * len(covered)
    for row in np.argsort(-covered, kind="stable")[:CHECKED].tolist():
        if covered[row] < LEAST_COVERED:
            break
        window = tuple(scores.windows[row].tolist())
        refusal = gates.mismatch(row, window)
        found = gates.disagreements(row, window)
        certain = [refusal.reason] if refusal else [one.reason for one in found if one.certain]
        refusals[row] = certain[0].value if certain else ""
        disagreements[row] = frozenset(one.kind for one in found if not one.certain)
        simple[row] = gates.is_simple(row, window)
        agreement[row] = gates.agreement(row, window) if by_words else 0.0
    return Scored(record, sentence, scores, refusals, disagreements, simple, agreement)


def coverage(names: Sequence[str], features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a rough order of evidence without any model: the sum of three kinds of coverage."""
    return np.asarray(features[:, [names.index(name) for name in ("cover_3", "soft_3", "cover_all")]].sum(axis=1))


def stack(records: Sequence[Record], scored: Sequence[Scored]) -> Pairs:
    """Return scored sentences as pairs with their labels.

    Where gold is known for the whole set of evidence only, the pairs of a supported sentence are neither right nor
    wrong.
    """
    sizes = [len(one.refusals) for one in scored]
    kinds = tuple(sorted({kind for one in scored for found in one.disagreements for kind in found}))
    labels, weights = [], []
    for one in scored:
        record, i = records[one.record], one.sentence
        gold = {n for alternative in record["gold_alt"][i] or [record["gold"][i]] for n in alternative}
        supported = record["sent_label"][i] == "supported"
        labels += [supported and n in gold for n in range(len(one.refusals))]
        known = not supported or record["gold_level"] == "chunk"
        weights += [float(known and n not in record["ignore"][i]) for n in range(len(one.refusals))]
    return Pairs(
        names=scored[0].scores.names,
        features=np.concatenate([one.scores.features for one in scored]),
        record=np.repeat([one.record for one in scored], sizes),
        sentence=np.repeat(np.arange(len(scored)), sizes),
        evidence=np.concatenate([np.arange(size) for size in sizes]),
        label=np.array(labels, dtype=bool),
        weight=np.array(weights),
        refusal=np.concatenate([one.refusals for one in scored]),
        kinds=kinds,
        disagreements=np.array(
            [[kind in found for kind in kinds] for one in scored for found in one.disagreements], dtype=bool
        ),
        simple=np.concatenate([one.simple for one in scored]),
        agreement=np.concatenate([one.agreement for one in scored]),
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
