"""Measure each stage of preparing 20 new English excerpts, and the least that the stage takes in Python.

python -m bench.preparation_stages

The least is the time of the calls that remain if every loop of the stage becomes a call to a function in C: to search
for full stops, to look up words in a dictionary, to create the numbers that are found, to sort the terms. No stage can
take less without a compiled extension. The baseline of each stage is its least. Takes seconds.
"""

import gc
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Callable
from itertools import chain, count
from time import process_time

import numpy as np

from bench.evidence_reading import EXCERPTS, ROUNDS, unlike
from bench.proxy.sample_text import excerpts
from citestream.citation.support.features.excerpts import AnalyzedExcerpt, ExcerptCache, analyze_excerpt
from citestream.citation.support.features.index import Index, SharedIndex
from citestream.citation.text import analyze_text, split_sentences
from citestream.citation.text.numbers.quantities import Quantity, QuantityMatch
from citestream.citation.text.numbers.quantity_parser import QuantityParser
from citestream.citation.text.tokens import Tokens, tokenize
from citestream.citation.text.words.concepts import consonant_skeleton
from citestream.citation.text.words.languages import detect_language, stopwords

LANGUAGE = "en"
_MARKS = re.compile("[.\n!?;…]")


def main() -> None:
    """Print the CPU time of each stage, and its least, in ms for all excerpts."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    gc.disable()
    evidence = unlike(list(excerpts(EXCERPTS)))
    texts = [one.text for one in evidence]
    tokens = [tokenize(text) for text in texts]
    analyzed = [analyze_excerpt(one.text, one.title or "") for one in evidence]
    numbers = [match for one in tokens for match in QuantityParser(one, LANGUAGE).parse()]
    pieces = dict.fromkeys(chain.from_iterable(map(_pieces, texts)), ())
    stages: dict[str, tuple[Callable[[], object], Callable[[], object] | None]] = {
        "sentences": (lambda: list(map(split_sentences, texts)), lambda: list(map(_MARKS.findall, texts))),
        "tokens": (lambda: list(map(tokenize, texts)), lambda: [[pieces[one] for one in _pieces(t)] for t in texts]),
        "language": (lambda: list(map(_language, tokens)), None),
        "numbers": (
            lambda: [QuantityParser(one, LANGUAGE).parse() for one in tokens],
            lambda: [QuantityMatch(Quantity(*one.quantity), one.first, one.after) for one in numbers],
        ),
        "these three, and terms": (
            lambda: [analyze_text(text, with_names=False) for text in texts],
            lambda: list(map(_content, tokens)),  # terms alone
        ),
        "index": (lambda: SharedIndex(analyzed), lambda: _sort_terms(analyzed)),
        "all": (lambda: Index(evidence, ExcerptCache()), None),
    }
    print(f"{'ms':24}{'now':>8}{'least':>8}")
    for name, (now, least) in stages.items():
        print(f"{name:24}{fastest(now):8.2f}" + (f"{fastest(least):8.2f}" if least else ""))
    print(f"{sum(map(len, texts)):,} characters, {sum(map(len, tokens)):,} tokens, {len(numbers)} numbers")


def fastest(run: Callable[[], object]) -> float:
    """Return the shortest CPU time of some rounds, in ms."""
    times: list[float] = []
    for _ in range(ROUNDS):
        began = process_time()
        run()
        times.append(1000 * (process_time() - began))
    return min(times)


def _pieces(text: str) -> list[str]:
    return text.replace(" ", "\n").splitlines(keepends=True)


def _language(tokens: Tokens) -> str | None:
    return detect_language([token.votes for token in tokens.tokens if token.votes])


def _content(tokens: Tokens) -> list[str]:
    ignored = stopwords(LANGUAGE)
    return [token.term for token in tokens.tokens if token.stopword_key not in ignored]


def _sort_terms(analyzed: list[AnalyzedExcerpt]) -> None:
    """Sort the numbers of terms and of pairs of neighbouring terms, and look up the consonants of each term."""
    numbered: defaultdict[str, int] = defaultdict(count().__next__)
    ids = np.array([numbered[term] for one in analyzed for term in one.analysis.terms])
    ids.argsort(kind="stable")
    (ids[:-1] * len(numbered) + ids[1:]).argsort(kind="stable")
    for term in numbered:
        consonant_skeleton(term)


if __name__ == "__main__":
    main()
