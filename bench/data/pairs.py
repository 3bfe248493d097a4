"""Turn labelled records into rows of features, one row for each (sentence, evidence) pair."""

import hashlib
import json
import lzma
import tempfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.data.vectors import Table, table
from citestream.citation.evidence import Evidence
from citestream.citation.support.attribution_phrases import without_attribution
from citestream.citation.support.candidates import is_candidate
from citestream.citation.support.decision import VERBATIM, repeats_passage
from citestream.citation.support.gates import CHECK_FEATURES, GateChecks
from citestream.citation.support.scorers import Claim, PreparedEvidence, Scorer, Scores
from citestream.citation.support.scores import MAX_QUESTION_CHARACTERS
from citestream.citation.text.segmentation.blocks import prefix_length

Record = dict[str, Any]
CODE = [Path(__file__).parents[2] / "citation" / part for part in ("support", "text")]
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
    candidate: NDArray[np.bool_]  # (P,), see `is_candidate`
    verbatim: NDArray[np.bool_]  # (P,), whether the passage contains the sentence word for word
    refused: NDArray[np.bool_]  # (P,), whether a finding refuses a sentence that repeats the passage otherwise
    place: list[tuple[int, int]]  # per scored sentence: record, index among the answer's sentences

    def column(self, name: str) -> NDArray[np.float32]:
        """Return one feature, (P,)."""
        return self.features[:, self.names.index(name)]

    def decided(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities, (P,), with those of what is decided without the forests."""
        found = np.where(self.verbatim, np.maximum(probability, VERBATIM), probability)
        return np.asarray(np.where(self.candidate & ~self.refused, found, 0.0))


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
    """Return the judged sentences of a record with their indexes, without the numbers of list items.

    The sentence before is the context of each. `citations` of a record are those of a model: 0-based indexes of the
    evidence for each sentence.
    """
    texts = [without_attribution(text[prefix_length(text) :].strip()) or text for text in record["answer_sentences"]]
    question = record.get("question") or ""
    by_model = record.get("citations") or [[]] * len(texts)
    contexts = record.get("contexts") or ["", *texts]
    before = list(accumulate(by_model, lambda counts, cited: counts + Counter(_numbers(cited)), initial=Counter[int]()))
    return [
        (i, Claim(text, contexts[i], question[:MAX_QUESTION_CHARACTERS], _numbers(by_model[i]), before[i]))
        for i, text in enumerate(texts)
        if record["sent_label"][i] in {"supported", "unsupported"}
    ]


def _numbers(indexes: Sequence[int]) -> frozenset[int]:
    return frozenset(index + 1 for index in indexes)


@dataclass(frozen=True, slots=True)
class Scored:
    """One judged sentence: index of its record, its index there, its scores, and what the gates find."""

    record: int
    sentence: int
    scores: Scores
    candidate: NDArray[np.bool_]  # (N,)
    verbatim: NDArray[np.bool_]  # (N,)
    refused: NDArray[np.bool_]  # (N,)


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
    columns["names"] = tuple(columns["names"].tolist())
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
    """Return scores with what the checks find in the candidates, as features."""
    checks = GateChecks(claim, prepared.index)
    candidate = is_candidate(scores.features, scores.names)
    found = np.zeros((len(candidate), len(CHECK_FEATURES)), dtype=np.float32)
    verbatim, refused = np.zeros_like(candidate), np.zeros_like(candidate)
    for row in np.flatnonzero(candidate).tolist():
        start, end = scores.windows[row].tolist()
        verbatim[row] = checks.repeats(row, (start, end))
        present = {finding.feature for finding in checks.findings(row, (start, end))}
        found[row] = [name in present for name in CHECK_FEATURES]
        passage = prepared.evidence[row].text[start:end]
        refused[row] = repeats_passage(scores, row, claim.text, passage, present)
    features = np.concatenate((scores.features, found), axis=1)
    scores = replace(scores, names=scores.names + CHECK_FEATURES, features=features)
    return Scored(record, sentence, scores, candidate, verbatim, refused)


def stack(records: Sequence[Record], scored: Sequence[Scored]) -> Pairs:
    """Return scored sentences as pairs with their labels.

    Where gold is known for the whole set of evidence only, the pairs of a supported sentence are neither right nor
    wrong.
    """
    sizes = [len(one.candidate) for one in scored]
    labels, weights = [], []
    for one in scored:
        record, i = records[one.record], one.sentence
        gold = {n for alternative in record["gold_alt"][i] or [record["gold"][i]] for n in alternative}
        supported = record["sent_label"][i] == "supported"
        labels += [supported and n in gold for n in range(len(one.candidate))]
        known = not supported or record["gold_level"] == "chunk"
        weights += [float(known and n not in record["ignore"][i]) for n in range(len(one.candidate))]
    return Pairs(
        names=scored[0].scores.names,
        features=np.concatenate([one.scores.features for one in scored]),
        record=np.repeat([one.record for one in scored], sizes),
        sentence=np.repeat(np.arange(len(scored)), sizes),
        evidence=np.concatenate([np.arange(size) for size in sizes]),
        label=np.array(labels, dtype=bool),
        weight=np.array(weights),
        candidate=np.concatenate([one.candidate for one in scored]),
        verbatim=np.concatenate([one.verbatim for one in scored]),
        refused=np.concatenate([one.refused for one in scored]),
        place=[(one.record, one.sentence) for one in scored],
    )


def folds(records: Sequence[Record], count: int, seed: int = 0) -> NDArray[np.int64]:
    """Return a fold for every record. It depends on the id only, so other records do not change it."""
    return np.array([zlib.crc32(f"{record['id']}/{seed}".encode()) % count for record in records])


def predictions(
    records: Sequence[Record],
    table: Pairs,
    probability: NDArray[np.float64],
    threshold: NDArray[np.float64],
    limit: int = 4,
) -> Cited:
    """Return the citations of all evidence that reaches its threshold, (P,), at most `limit` a sentence."""
    cited: Cited = {r["id"]: [[] for _ in r["answer_sentences"]] for r in records}
    order = np.lexsort((table.evidence, -probability, table.sentence))
    for row in order[probability[order] >= threshold[order]]:
        number, i = table.place[table.sentence[row]]
        chosen = cited[records[number]["id"]][i]
        if len(chosen) < limit:
            chosen.append(int(table.evidence[row]))
    return cited
