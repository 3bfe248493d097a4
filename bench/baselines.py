"""Baselines for scorers: always the best evidence, BM25, and the rule of RAGFlow."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.data.pairs import Cited, Record, evidence_of, prepared_by
from bench.data.vectors import table
from citestream.citation.cite import scored
from citestream.citation.support.calibration import calibrate
from citestream.citation.support.scorers import Claim, scorer

_TOKEN = re.compile(r"[a-z0-9à-ÿ]+|[\u3400-\u9fff]")
_K1, _B = 1.2, 0.75  # the usual values by Robertson
_MOST_CITED = 4


def tokens(text: str) -> list[str]:
    """Return lower-case Latin words and digits, and single characters and pairs of Chinese text."""
    found = _TOKEN.findall(text.lower())
    return found + [a + b for a, b in pairwise(found) if min(a, b) > "\u3400"]


def bm25(record: Record, sentence: str) -> NDArray[np.float64]:
    """Return the BM25 scores (N,) of the evidence, as a share of the score of a text with all terms of the sentence."""
    texts = [tokens(f"{e.get('title') or ''} {e['text']}") for e in record["evidence"]]
    mean = sum(map(len, texts)) / len(texts) or 1.0
    counts = [Counter(text) for text in texts]
    query = Counter(tokens(sentence))
    idf = {term: _idf(sum(term in count for count in counts), len(texts)) for term in query}
    most = sum(idf[term] * n * (_K1 + 1) for term, n in query.items()) or 1.0
    return np.array(
        [_score(query, idf, count, len(text) / mean) / most for count, text in zip(counts, texts, strict=True)]
    )


def _score(query: Counter[str], idf: dict[str, float], count: Counter[str], length: float) -> float:
    return sum(
        n * idf[term] * count[term] * (_K1 + 1) / (count[term] + _K1 * (1 - _B + _B * length))
        for term, n in query.items()
        if count[term]
    )


def _idf(found: int, texts: int) -> float:
    return math.log(1 + (texts - found + 0.5) / (found + 0.5))


def best_one(scores: Sequence[NDArray[np.float64]]) -> list[tuple[int, float]]:
    """Return the best piece of evidence for each sentence and its score."""
    return [(int(np.argmax(score)), float(score.max())) for score in scores]


def ragflow_rule(records: Sequence[Record], token_weight: float) -> Cited:
    """Return the citations by the rule of RAGFlow for whole answers, with vectors of the local embedder."""
    which = scorer("ragflow", token_weight=token_weight)
    answers = [[Claim(text) for text in record["answer_sentences"]] for record in records]
    excerpts = [text for record in records for text in which.texts_to_embed(evidence_of(record))]
    vectors = table(excerpts + [claim.text for answer in answers for claim in answer])
    cited: Cited = {}
    for record, answer in zip(records, answers, strict=True):
        prepared = prepared_by(which, evidence_of(record), vectors)
        scores = scored([replace(claim, vector=vectors[claim.text]) for claim in answer], prepared)
        judged = [calibrate(one) for one in scores if one is not None]
        ranked = [np.argsort(-one.probability, kind="stable")[:_MOST_CITED].tolist() for one in judged]
        cited[record["id"]] = [
            [row for row in best if one.probability[row] >= one.threshold[row]]
            for one, best in zip(judged, ranked, strict=True)
        ]
    return cited
