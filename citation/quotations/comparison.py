"""Compare a quotation with the evidence: are these its words?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from ..text.steps import Steps
from .evidence_words import EvidenceWords, Ints, Passage
from .letters import columns

MAX_WORDS: Final = 300  # words that are compared at once, in 3 ms; longer quotations are compared in parts
_MIN_RUN: Final = 10  # columns of a passage that a stitched quotation consists of; fewer agree by chance
_MIN_COVERED: Final = 0.9  # share of a stitched quotation that is in such passages; the remainder connects them
_MAX_LEFT_OUT: Final = 6  # words between two passages that count as one altered passage
# Share of the letters of an altered quotation that its passage has in the same order. Of the made quotations in
# tests/citation/quotations, the least of the altered has 0.64, and the most of the invented 0.21.
_MIN_SIMILAR: Final = 0.6


class QuotationStatus(StrEnum):
    """The result of the comparison."""

    EXACT = "exact"
    ALTERED = "altered"  # words were replaced, added or left out
    STITCHED = "stitched"  # passages from several places, without a sign between them or of different excerpts
    MISATTRIBUTED = "misattributed"  # exact, but not in an excerpt that is cited for it
    ABSENT = "absent"


class Change(NamedTuple):
    """Words of a quotation, and those of the evidence instead. One of both may be empty."""

    quoted: tuple[int, int]
    passage: Passage


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result for one quotation: the passages that it consists of, and how it differs from an altered one."""

    status: QuotationStatus
    passages: tuple[Passage, ...] = ()
    changes: tuple[Change, ...] = ()


ABSENT: Final = Comparison(QuotationStatus.ABSENT)


def compare_in_steps(
    parts: Sequence[Sequence[str]], evidence: EvidenceWords, attributed: Collection[int]
) -> Steps[Comparison]:
    """Compare a quotation. `parts`: its words between ellipses. `attributed`: indexes of the evidence cited for it."""
    order = [*attributed, *(index for index in range(len(evidence.evidence)) if index not in attributed)]
    for index in order:
        if passages := _in_order(parts, evidence, index):
            is_wrong = bool(attributed) and index not in attributed
            status = QuotationStatus.MISATTRIBUTED if is_wrong else QuotationStatus.EXACT
            return Comparison(status, tuple(passages))
        yield None
    yield from evidence.index_in_steps()
    results: list[tuple[int, Comparison]] = []
    offset = 0
    for part in parts:
        for start in range(0, len(part), MAX_WORDS):
            words = part[start : start + MAX_WORDS]
            result = yield from _compare_part_in_steps(words, offset + start, evidence)
            results.append((sum(map(columns, words)), result))
        offset += len(part)
    return _joined(results, evidence)


def _in_order(parts: Sequence[Sequence[str]], evidence: EvidenceWords, index: int) -> list[Passage]:
    """Return the passages of the parts, if a piece of evidence has all of them in this order."""
    passages: list[Passage] = []
    for part in parts:
        passage = evidence.find("".join(part), index, passages[-1].end if passages else 0)
        if passage is None:
            return []
        passages.append(passage)
    return passages


def _compare_part_in_steps(words: Sequence[str], offset: int, evidence: EvidenceWords) -> Steps[Comparison]:
    ids = evidence.ids(words)
    widths = np.array([columns(word) for word in words])
    if not _may_be_similar(ids, widths):
        return ABSENT
    runs = yield from _runs_in_steps(ids, widths, evidence)
    if sum(int(widths[start : start + length].sum()) for start, length, _ in runs) >= _MIN_COVERED * widths.sum():
        passages = [passage for _, _, passage in runs]
        if len(runs) == 1 and runs[0][1] == len(ids):
            return Comparison(QuotationStatus.EXACT, tuple(passages))
        if any(_is_apart(previous, passage, evidence) for previous, passage in pairwise(passages)):
            return Comparison(QuotationStatus.STITCHED, tuple(passages))
        if len({passage.item for passage in passages}) > 1:  # across two excerpts of a document
            return Comparison(QuotationStatus.EXACT, tuple(passages))
    return _altered(ids, widths, offset, evidence)


def _may_be_similar(ids: Ints, widths: Ints) -> bool:
    return bool(widths[ids > 0].sum() >= _MIN_SIMILAR * widths.sum())


def _runs_in_steps(ids: Ints, widths: Ints, evidence: EvidenceWords) -> Steps[list[tuple[int, int, Passage]]]:
    """Return the passages that a quotation consists of, from left to right the longest: start, length, place."""
    runs: list[tuple[int, int, Passage]] = []
    start = 0
    while start < len(ids):
        length, passage = evidence.longest_run(ids[start:], runs[-1][2] if runs else None)
        yield None
        if passage and (length == len(ids) or widths[start : start + length].sum() >= _MIN_RUN):
            runs.append((start, length, passage))
            start += length
        else:
            start += 1
    return runs


def _is_apart(previous: Passage, passage: Passage, evidence: EvidenceWords) -> bool:
    if passage.item != previous.item:
        return not evidence.follows(passage, previous)
    return not 0 <= passage.first - previous.end <= _MAX_LEFT_OUT


def _altered(ids: Ints, widths: Ints, offset: int, evidence: EvidenceWords) -> Comparison:
    """Return the most similar passage and how the quotation differs from it; ABSENT if none is similar."""
    window = evidence.window(ids)
    if window is None:
        return ABSENT
    pairs = _common(ids, evidence.ids_of(window))
    if not pairs or sum(int(widths[quoted]) for quoted, _ in pairs) < _MIN_SIMILAR * widths.sum():
        return ABSENT
    first, last = pairs[0][1], pairs[-1][1]
    passage = Passage(window.item, window.first + first, window.first + last + 1)
    changes: list[Change] = []
    ends = [(-1, first - 1), *pairs, (len(ids), last + 1)]
    for (quoted, matched), (next_quoted, next_other) in pairwise(ends):
        if next_quoted - quoted > 1 or next_other - matched > 1:
            instead = Passage(window.item, window.first + matched + 1, window.first + next_other)
            changes.append(Change((offset + quoted + 1, offset + next_quoted), instead))
    return Comparison(QuotationStatus.ALTERED, (passage,), tuple(changes))


def _common(quoted: Ints, passage: Ints) -> list[tuple[int, int]]:
    """Return the longest common subsequence of two lists of words, as pairs of their indexes."""
    lengths = np.zeros((len(quoted) + 1, len(passage) + 1), np.int32)
    for row, word in enumerate(quoted, 1):
        extended = lengths[row - 1, :-1] + (passage == word)
        lengths[row, 1:] = np.maximum.accumulate(np.maximum(lengths[row - 1, 1:], extended))
    pairs: list[tuple[int, int]] = []
    row, column = len(quoted), len(passage)
    while row and column:
        if quoted[row - 1] == passage[column - 1]:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif lengths[row, column] == lengths[row - 1, column]:
            row -= 1
        else:
            column -= 1
    return _nearest(pairs[::-1], passage)


def _nearest(pairs: list[tuple[int, int]], passage: Ints) -> list[tuple[int, int]]:
    """Return the pairs with each word of the passage, except the first, at its first place after the previous one."""
    nearest = pairs[:1]
    for quoted, place in pairs[1:]:
        start = nearest[-1][1] + 1
        same = np.flatnonzero(passage[start : place + 1] == passage[place])
        nearest.append((quoted, start + int(same[0])))
    return nearest


def _joined(results: Sequence[tuple[int, Comparison]], evidence: EvidenceWords) -> Comparison:
    """Return the result for a quotation of several parts, which are not all in one piece of evidence in this order."""
    if len(results) == 1:
        return results[0][1]
    total = sum(width for width, _ in results)
    similar = sum(width for width, result in results if result.status is not QuotationStatus.ABSENT)
    if similar < _MIN_SIMILAR * total:
        return ABSENT
    passages = tuple(passage for _, result in results for passage in result.passages)
    if any(result.status in (QuotationStatus.ABSENT, QuotationStatus.ALTERED) for _, result in results):
        changes = tuple(change for _, result in results for change in result.changes)
        return Comparison(QuotationStatus.ALTERED, passages, changes)
    follow = all(
        passage.item == previous.item or evidence.follows(passage, previous) for previous, passage in pairwise(passages)
    )
    in_order = all(b.item != a.item or b.first >= a.end for a, b in pairwise(passages))
    stitched = not (follow and in_order) or any(result.status is QuotationStatus.STITCHED for _, result in results)
    return Comparison(QuotationStatus.STITCHED if stitched else QuotationStatus.EXACT, passages)
