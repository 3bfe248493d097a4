"""Measure the preparation of 20 excerpts, new ones and cached ones, by language.

python -m bench.evidence_reading

The excerpts of `equal content` say the same in each language, those of `equal length` have 800 characters. Ratios are
those to English in the same run: each round measures every language, and the median of the rounds counts. Takes a
minute.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from itertools import count
from operator import truediv
from statistics import median
from time import process_time

from bench.parallel_text import TEXTS, excerpts
from citestream.citation.evidence import Evidence
from citestream.citation.support.features.excerpts import ExcerptCache
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text import analyze_text, split_sentences

ROUNDS = 60
EXCERPTS, CHARACTERS = 20, 800
CACHED = 4_000_000  # units of one character of English text: the indexes of several requests fit

_requests = count()


def main() -> None:
    """Print the CPU time of each part in ms, for each language."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    by_content = {language: excerpts(text, EXCERPTS) for language, text in TEXTS.items()}
    by_length = {language: [(one * CHARACTERS)[:CHARACTERS] for one in texts] for language, texts in by_content.items()}
    report("equal content", by_content)
    report("equal length", by_length)


def report(title: str, texts: dict[str, list[str]]) -> None:
    """Measure all languages in turns, and print a table."""
    cases = [Case(language, of_language) for language, of_language in texts.items()]
    for _ in range(ROUNDS):
        for case in cases:
            case.measure()
    print(f"{title:16}{'characters':>12}{'words':>8}{'sentences':>11}{'new':>8}{'same':>8}{'ratio, new':>12}")
    for case in cases:
        best = {part: min(times) for part, times in case.times.items()}
        ratio = median(map(truediv, case.times["new"], cases[0].times["new"]))
        print(
            f"{case.language:16}{sum(map(len, case.texts)):12,}{best['words']:8.2f}{best['sentences']:11.2f}"
            f"{best['new']:8.2f}{best['same']:8.3f}{ratio:12.2f}"
        )


class Case:
    """The excerpts of one language, and the milliseconds of each round by part."""

    def __init__(self, language: str, texts: list[str]) -> None:
        self.language, self.texts = language, texts
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self._scorer = LexicalScorer(ExcerptCache(CACHED))
        self._scorer.prepare(numbered(texts))

    def measure(self) -> None:
        """Measure one round."""
        new, same = unlike(self.texts), numbered(self.texts)
        for part, run in (
            ("words", lambda: [analyze_text(one.text, with_names=False) for one in new]),
            ("sentences", lambda: [split_sentences(one.text) for one in new]),
            ("new", lambda: self._scorer.prepare(new)),
            ("same", lambda: self._scorer.prepare(same)),
        ):
            began = process_time()
            run()
            self.times[part].append(1000 * (process_time() - began))


def numbered(texts: list[str], end: str = "") -> list[Evidence]:
    """Return the evidence of one request. `end` makes its excerpts unique."""
    received = [(text + end).encode() for text in texts]
    return [Evidence(n, text.decode(), f"e{n}", title=f"Document {n}") for n, text in enumerate(received, 1)]


def unlike(texts: list[str]) -> list[Evidence]:
    """Return evidence that no earlier request contained."""
    return numbered(texts, f" Retrieved for request {next(_requests)}.")


if __name__ == "__main__":
    main()
