"""Measure the preparation of 20 excerpts of about 800 characters, new ones and cached ones.

python -m bench.evidence_reading
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from time import process_time

from bench.proxy.sample_text import excerpts
from citestream.citation.evidence import Evidence
from citestream.citation.support.excerpts import ExcerptCache
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text import analyze_text, split_sentences

ROUNDS = 40  # the fastest round counts, because other processes can run on the machine
EXCERPTS, CHARACTERS = 20, 800
KEPT = 100_000  # small enough that new evidence also evicts entries
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"
OTHERS = {"German": "wattenmeer.md", "Chinese": "solar-terms.md"}

_requests = count()


def main() -> None:
    """Print the CPU time of each part in ms, for each language."""
    texts = {"English": list(excerpts(EXCERPTS))}
    for language, name in OTHERS.items():
        text = (DOCUMENTS / name).read_text("utf-8") * EXCERPTS
        texts[language] = [text[at * CHARACTERS : (at + 1) * CHARACTERS] for at in range(EXCERPTS)]
    print(f"{'ms for 20 excerpts':20}{'words':>8}{'sentences':>11}{'new':>8}{'same':>8}")
    for language, of_one in texts.items():
        same = partial(numbered, of_one)
        new = partial(unlike, of_one)
        scorer = LexicalScorer(ExcerptCache(KEPT))
        row = (
            fastest(lambda given: [analyze_text(one.text, with_names=False) for one in given], same),
            fastest(lambda given: [split_sentences(one.text) for one in given], same),
            fastest(scorer.prepare, new),
            fastest(scorer.prepare, same),
        )
        print("{:20}{:8.2f}{:11.2f}{:8.2f}{:8.3f}".format(language, *row))


def fastest(run: Callable[[list[Evidence]], object], evidence: Callable[[], list[Evidence]]) -> float:
    """Return the milliseconds of the fastest round. Each round has different evidence."""
    best = float("inf")
    for _ in range(ROUNDS):
        given = evidence()
        began = process_time()
        run(given)
        best = min(best, process_time() - began)
    return 1000 * best


def numbered(texts: list[str], end: str = "") -> list[Evidence]:
    """Return the evidence of one request. `end` makes its excerpts unique."""
    received = [(text + end).encode() for text in texts]
    return [Evidence(n, text.decode(), f"e{n}", title=f"Document {n}") for n, text in enumerate(received, 1)]


def unlike(texts: list[str]) -> list[Evidence]:
    """Return evidence that no earlier request contained."""
    return numbered(texts, f" Retrieved for request {next(_requests)}.")


if __name__ == "__main__":
    main()
