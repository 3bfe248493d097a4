"""Measure the time per sentence in the pipeline, with the standard load of 20 excerpts of 200 words."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.data.pairs import Record, claims_of
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import Claim
from citestream.proxy.config import Config, ScoringConfig
from citestream.proxy.scorers import Scorers

EXCERPTS, WORDS = 20, 200
SENTENCES = 300
PREPARED = 5  # times


@dataclass(frozen=True, slots=True)
class Cost:
    """Times in milliseconds. The mean includes work for single sentences, such as the cross-encoder."""

    median: float  # scoring and decision for a sentence
    mean: float
    preparation: float  # preparation of the evidence, concurrent with the answer


def cost(name: str, records: Sequence[Record], reader: str = "", token_weight: float = 0.1) -> Cost:
    """Return the time of a scorer with the local embedder, one sentence after the other."""
    return asyncio.run(
        _cost(
            Options(scorer=name),
            records,
            ScoringConfig(checker=reader, ragflow_token_weight=token_weight, deadline_seconds=10, cache_bytes=0),
        )
    )


async def _cost(options: Options, records: Sequence[Record], config: ScoringConfig) -> Cost:
    english = [r for r in records if r["lang"] == "en"] or list(records)
    claims = [claim for r in english for _, claim in claims_of(r)][:SENTENCES]
    evidence = excerpts(english)
    scorers = Scorers(Config(scoring=config, citations=options))
    warm = scorers.open(options, evidence[:1])
    await warm.embed()
    await warm.score_all([Claim("The model is loaded now.")])
    preparing, taken = [], []
    for _ in range(PREPARED):
        began = time.perf_counter()
        scoring = scorers.open(options, evidence)
        await scoring.embed()
        await scoring.prepared()
        preparing.append(time.perf_counter() - began)
    for claim in claims:
        began = time.perf_counter()
        await scoring.decide([claim], options)
        taken.append(time.perf_counter() - began)
    assert not scoring.degraded
    await scorers.aclose()
    return Cost(1e3 * statistics.median(taken), 1e3 * statistics.mean(taken), 1e3 * statistics.median(preparing))


def excerpts(records: Sequence[Record]) -> list[Evidence]:
    """Return excerpts of equal length from the words of all evidence."""
    words = [word for r in records for e in r["evidence"] for word in e["text"].split()]
    parts = [words[at : at + WORDS] for at in range(0, EXCERPTS * WORDS, WORDS)]
    return [Evidence(n, " ".join(part), str(n)) for n, part in enumerate(parts, 1)]
