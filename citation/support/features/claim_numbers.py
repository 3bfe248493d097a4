"""The numbers of a claim, and those of the evidence that confirm them in another notation."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, islice

from ...text import Analysis
from ...text.numbers.derived import derived, notations
from ...text.numbers.quantities import Quantity, agrees
from ...text.words.concepts import NO_SYNONYMS, Synonyms
from .index import Index

# Numbers of a claim. A longer list is compared as it is written: the time of all comparisons grows with its length
# times that of the evidence.
MOST_NUMBERS = 40
_MAX_NUMBERS = 500  # numbers of the evidence that are compared with one of the claim: 0.2 ms
_MAX_PAIRS = 5_000  # numbers of the claim times numbers of the evidence: 2 ms
# Numbers are derived only from so many sentences and their neighbours, unless these have more numbers or characters:
# 0.1 ms each.
_MAX_DERIVED, _MAX_COMBINED, _LONGEST = 2, 12, 1200
_MAX_SENTENCES = 200  # sentences with a term that are looked at


class ClaimNumbers:
    """The numbers of one claim. The numbers of the evidence are read once for all of them."""

    def __init__(self, analysis: Analysis, index: Index) -> None:
        """`analysis`: of the claim. `index`: of the evidence."""
        self._analysis, self._index = analysis, index

    def confirming(self, term: str) -> Synonyms:
        """Return the numbers of the evidence that confirm one of the claim: converted, rounded or derived."""
        quantities = self._analysis.quantities
        if term in self._index.vocabulary or len(quantities) > MOST_NUMBERS:
            return NO_SYNONYMS
        claim_numbers = [q for q in quantities if q.strict and q.term == term]
        if not claim_numbers:
            return NO_SYNONYMS
        confirming_terms = {
            q.term for claim_number in claim_numbers for q in self._theirs if agrees(claim_number, q)
        } or self._bases(claim_numbers)
        return Synonyms(frozenset(confirming_terms)) if confirming_terms else NO_SYNONYMS

    @cached_property
    def _theirs(self) -> list[Quantity]:
        """The first numbers of the evidence."""
        most = min(_MAX_NUMBERS, _MAX_PAIRS // len(self._analysis.quantities))
        return list(islice(chain.from_iterable(analysis.quantities for analysis in self._index.analyses), most))

    def _bases(self, claim_numbers: Sequence[Quantity]) -> set[str]:
        """Return the terms of the numbers from which one of the claim follows: 1890 for "25 years later" and 1915."""
        wanted = [form for claim_number in claim_numbers for form in (claim_number, *notations(claim_number))]
        terms: set[str] = set()
        for quantities, numbers in self._derived:
            spans = [(number.start, number.end) for number in numbers if any(agrees(form, number) for form in wanted)]
            terms |= {q.term for q in quantities if any(first <= q.start < last for first, last in spans)}
        return terms

    @cached_property
    def _derived(self) -> list[tuple[list[Quantity], list[Quantity]]]:
        """The numbers of the sentences with most terms of the claim, and the numbers that follow from them."""
        return [
            (quantities, derived(text, quantities))
            for text, quantities in map(self._with_neighbours, self._closest_sentences())
            if 0 < len(quantities) <= _MAX_COMBINED and len(text) <= _LONGEST
        ]

    def _with_neighbours(self, sentence: int) -> tuple[str, list[Quantity]]:
        """Return the text of a sentence and the ones next to it, and its numbers, no more than are too many."""
        index = self._index
        row = int(index.sentence_owner[sentence])
        start, end = index.widened(row, *index.sentence_spans[sentence].tolist())
        quantities = index.analyses[row].quantities_in(start, end)[: _MAX_COMBINED + 1]
        moved = [q._replace(start=q.start - start, end=q.end - start) for q in quantities]
        return index.evidence[row].text[start:end], moved

    def _closest_sentences(self) -> list[int]:
        """Return the sentences with most terms of the claim, if they have a third of them."""
        terms = [term for term in dict.fromkeys(self._analysis.terms) if term[0] != "#"]
        sentences = (set(self._index.sentences_of(term)[:_MAX_SENTENCES].tolist()) for term in terms)
        shared = Counter(chain.from_iterable(sentences))
        return [sentence for sentence, count in shared.most_common(_MAX_DERIVED) if count * 3 >= len(terms)]
