"""The parts of a sentence that each of several excerpts supports, where a sentence joins what they say.

A part is a run of terms that the passage or its title contains: "the pump weighs 12 kg" and "the valve costs 40 euros".
Terms that no excerpt contains do not divide a run.
"""

from ..text import analyze_sentence
from .features.index import Index

Parts = tuple[tuple[int, int], ...]

_MIN_TERMS = 2  # shorter runs are chance, unless the claim and the passage have no longer one in common


def supported_parts(claim: str, index: Index, row: int, start: int, end: int) -> Parts:
    """Return the spans of `claim`, in code points, that the passage `start` to `end` of evidence `row` supports.

    They are in order and do not overlap. The result is empty if both have no term in common.
    """
    analysis = analyze_sentence(claim, index.known_languages)
    passage = set(index.analyses[row].terms_in(start, end))
    runs: list[list[int]] = [[]]  # positions of the terms
    for position, term in enumerate(analysis.terms):
        if term in passage or row in index.titles.get(term, ()):
            runs[-1].append(position)
        elif term in index.vocabulary and runs[-1]:
            runs.append([])
    longest = max(map(len, runs))
    return tuple(
        (analysis.starts[run[0]], analysis.ends[run[-1]]) for run in runs if len(run) >= min(_MIN_TERMS, longest) > 0
    )
