"""Measure what citing one answer costs without the server: ten sentences, 20 excerpts of about 800 characters.

python -m bench.answer_cost

*New* excerpts have not been seen before. Their baseline are the *same* ones, which are in the cache, in the same round.
Takes 10 seconds.
"""

import asyncio
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter, defaultdict
from time import process_time

from bench.evidence_reading import numbered, unlike
from bench.proxy.sample_text import answer, excerpts
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.calibration import calibrate_all
from citestream.citation.support.scorers import Claim
from citestream.citation.text import analyze_sentence
from citestream.proxy.config import Config
from citestream.proxy.http.serving import garbage
from citestream.proxy.scorers import Scorers

ROUNDS = 40  # the fastest round counts, because other processes can run on the machine
EXCERPTS, TOKENS = 20, 200
_MARKER = re.compile(r"\s*\[(\d+)\]")


async def main() -> None:
    """Print the CPU time of each part in ms."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    garbage.configure()  # as the server does
    scorers, claims = Scorers(Config()), claims_of("".join(answer(TOKENS).tokens))
    texts = list(excerpts(EXCERPTS))
    times: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, evidence in (("same", numbered(texts)), ("new", unlike(texts))):
            for part, taken in (await measure(scorers, evidence, claims)).items():
                times[f"{part}, {name} excerpts"].append(taken)
    for part, taken_in_rounds in times.items():
        print(f"{part:40}{min(taken_in_rounds):8.2f}")
    await scorers.aclose()


async def measure(scorers: Scorers, evidence: list[Evidence], claims: list[Claim]) -> dict[str, float]:
    """Return the milliseconds of each part."""
    options, clock = Options(), [process_time()]
    scoring = scorers.open(options, evidence)
    prepared = await scoring.prepared()
    clock.append(process_time())
    analyze_sentence.cache_clear()
    scores = calibrate_all(await scoring.score_all(claims), options.strictness)
    clock.append(process_time())
    for claim, one in zip(claims, scores, strict=True):
        await scoring.decide_scored(claim, one, prepared, options)
    clock.append(process_time())
    for claim in claims:
        await scoring.score_all([claim])
    clock.append(process_time())
    parts = ("prepare", "score together", "decide", "score one by one")
    return {part: 1000 * (after - before) for part, before, after in zip(parts, clock[:-1], clock[1:], strict=True)}


def claims_of(text: str) -> list[Claim]:
    """Return the sentences of an answer, each with the one before."""
    claims: list[Claim] = []
    context = ""
    cited_before = Counter[int]()
    for sentence in re.split(r"(?<=\.)\s+", text.strip()):
        cited = frozenset(map(int, _MARKER.findall(sentence)))
        claims.append(Claim(_MARKER.sub("", sentence), context, "", cited, dict(cited_before)))
        cited_before.update(cited)
        context = claims[-1].text
    return claims


if __name__ == "__main__":
    asyncio.run(main())
