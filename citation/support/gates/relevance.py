"""Which sentences of the evidence a claim is compared with, by their terms, and what they state besides it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ...text import Analysis
from ...text.clauses import LANGUAGES
from ...text.words import compounds
from ...text.words.inflection import inflections
from ..features.index import Index

# Two sentences with a smaller share of common terms are about different things; their polarities cannot be compared.
_SAME_TOPIC = 0.7
# Pairs of Chinese characters match less often: one different character changes two pairs.
_SAME_TOPIC_HAN = 0.4
# A sentence with a smaller share of the claim's terms is not compared clause by clause.
_MIN_SHARED, _MIN_SHARED_HAN = 0.5, 0.2
# Terms of a claim. Up to 8, a sentence is relevant if it has one of them, and above if it has two. Above 10, only the
# sentence with most of them and the one after it are compared.
_FEW_TERMS, _MANY_TERMS = 8, 10
# Terms. A longer claim states many things, and comparing it takes more than it finds.
_MAX_COMPARED, _MAX_COMPARED_HAN = 12, 24
# Characters. A longer claim of so few terms repeats them, and aligning it takes as long as its length times that of a
# sentence.
_LONGEST_COMPARED = 600
_SHORT, _SHORT_HAN = 6, 20  # terms of a claim that states one thing
Spans = list[list[int]]  # sentences: start, end


class ClaimTerms:
    """The terms of a claim, which are searched in the sentences of the evidence. `row`: a piece of the evidence."""

    def __init__(self, text: str, analysis: Analysis, language: str | None, index: Index, *, han: bool) -> None:
        """`language`: of the claim, None if it is not known. `han`: its script is Chinese or Japanese."""
        self._index, self._language, self._han = index, language, han
        self._terms = set(analysis.terms)
        repetitive = len(text) > _LONGEST_COMPARED and len(self._terms) <= _MAX_COMPARED_HAN
        self.short = not repetitive and len(self._terms) <= (_SHORT_HAN if han else _SHORT)
        self.states_little = not repetitive and len(self._terms) <= _MAX_COMPARED
        most = _MAX_COMPARED_HAN if language == "zh" else _MAX_COMPARED
        self._is_compared = not repetitive and 0 < len(self._terms) <= most  # clause by clause
        self._counterparts = self._find_counterparts(analysis.terms)

    def relevant(self, row: int, spans: Spans) -> Spans:
        """Return the spans to parse: those with terms of the claim, and the one after the best of them.

        Where one sentence has all terms, or the claim has many, the others do not matter. The list is empty if no
        sentence shares enough with the claim to be compared. To parse a sentence takes 40 µs.
        """
        if not self._is_compared:
            return []
        if any("|" in self._index.evidence[row].text[a:b] for a, b in spans):
            return spans  # a row does not contain the words of the column headers
        han, count = self._language == "zh", len(self._terms)
        shares = self._shared_terms(row, spans)
        best = max(range(len(spans)), key=shares.__getitem__)
        words = sum(term[0] != "#" for term in self._terms)  # numbers are confirmed before, some by a computation
        shared = sum(shares) if self.short and not han else shares[best]  # a short claim may rest on two sentences
        if shared < (_MIN_SHARED_HAN if han else _MIN_SHARED) * words:
            return []
        if shares[best] == count or (count > _MANY_TERMS and not han):
            return spans[best : best + 2]
        few = 1 if count <= _FEW_TERMS else 2
        return [span for n, span in enumerate(spans) if shares[n] >= few or n in {best, best + 1}]

    def closest_first(self, row: int, spans: Spans) -> Spans:
        """Return the spans in the order of the number of terms that they share with the claim."""
        shares = self._shared_terms(row, spans)
        return [spans[index] for index in sorted(range(len(spans)), key=shares.__getitem__, reverse=True)]

    def nearest(self, row: int, spans: Spans, topic: set[str]) -> tuple[int, int] | None:
        """Return the span with most of the terms `topic`, or None if none is about the same topic."""
        analysis = self._index.analyses[row]
        best, most = None, (_SAME_TOPIC_HAN if self._han else _SAME_TOPIC) * len(topic)
        for start, end in spans:
            shared = len(topic.intersection(analysis.terms_in(start, end)))
            if shared and shared >= most and (best is None or shared > most):
                best, most = (start, end), shared
        return best

    def _shared_terms(self, row: int, spans: Spans) -> list[int]:
        """Return how many terms of the claim each span has, in any form, as synonyms or as German compounds."""
        analysis = self._index.analyses[row]
        shares: list[int] = []
        for start, end in spans:
            terms = analysis.terms_in(start, end)
            shared = self._terms.intersection(terms)
            shared.update(
                term for term, counterparts in self._counterparts.items() if not counterparts.isdisjoint(terms)
            )
            shares.append(len(shared))
        return shares

    def _find_counterparts(self, terms: Sequence[str]) -> dict[str, AbstractSet[str]]:
        """Return other terms by which the evidence states those of the claim: "genehmigt" for "genehmigen".

        German compounds are included: "Abonnentenzahl" for "Zahl" and "Abonnent".
        """
        language, vocabulary = self._language, self._index.vocabulary
        if language not in LANGUAGES or language == "zh" or len(self._terms) > _MAX_COMPARED:
            return {}
        counterparts: dict[str, AbstractSet[str]] = (
            dict(compounds.counterparts(list(dict.fromkeys(terms)), vocabulary))
            if language == compounds.LANGUAGE
            else {}
        )
        for term in self._terms:
            if forms := inflections(term, language) & vocabulary.keys():
                counterparts[term] = forms.union(counterparts.get(term, ()))
        return counterparts
