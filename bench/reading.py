"""Reading evidence: what twenty excerpts of some 800 characters cost, new ones and such as came before.

python -m bench.reading
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from time import process_time

from bench.proxy.text import excerpts
from citestream.citation.evidence import Evidence
from citestream.citation.support.excerpts import ExcerptCache
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text import analyze_text, split_sentences

ROUNDS = 40  # the fastest counts: what is measured is the code, not who else uses the machine
EXCERPTS, CHARACTERS = 20, 800
KEPT = 100_000  # characters, so that what is new pays for forgetting, too
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"
OTHERS = {"German": "wattenmeer.md", "Chinese": "solar-terms.md"}

_requests = count()


def main() -> None:
    """Print ms of CPU of each part, for each language."""
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
    """Milliseconds of the fastest round; each has evidence of its own."""
    best = float("inf")
    for _ in range(ROUNDS):
        given = evidence()
        began = process_time()
        run(given)
        best = min(best, process_time() - began)
    return 1000 * best


def numbered(texts: list[str], end: str = "") -> list[Evidence]:
    """The evidence of one request, decoded for it. `end`: what only its excerpts say."""
    received = [(text + end).encode() for text in texts]
    return [Evidence(n, text.decode(), f"e{n}", title=f"Document {n}") for n, text in enumerate(received, 1)]


def unlike(texts: list[str]) -> list[Evidence]:
    """Evidence that no request had before."""
    return numbered(texts, f" Retrieved for request {next(_requests)}.")


if __name__ == "__main__":
    main()
