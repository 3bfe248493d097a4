"""Gates: deterministic checks that can refuse a support, each with a reason, however similar claim and passage are.

Numbers: every number of the claim must be in the passage, with its unit. Clauses: claim and passage must agree in their
operators (negation, modality, quantifiers, bounds, …) and bindings (who did what to whom, which value belongs to which
name). For languages without word lists of their own, only negations and opposite words are compared.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ...text import Quantity, analyze_sentence, analyze_title
from ...text.clauses import LANGUAGES, Statement
from ...text.segmentation import Kind
from ...text.tables import whole_table
from ...text.words import compounds
from ...text.words.inflection import inflections
from ..claims import makes_claim
from ..features.excerpts import language_of
from ..features.index import Index, Surroundings
from ..scorers import Claim
from .agreement import agreement
from .alignment import Alignment
from .clause import Clause
from .clause_comparison import compare
from .disagreement import Disagreement, Reason
from .instances import is_instance
from .missing import missing_statement
from .number_gate import NumberGate, PassageNumbers
from .operators.frequency import is_same_frequency
from .polarity_gate import contradiction
from .shared_language import language_for, shared_language
from .statements import passage_statements, repeats, statement

__all__ = ["Disagreement", "GateChecks", "Reason", "Refusal"]

# Two sentences with a smaller share of common terms are about different things; their polarities cannot be compared.
_SAME_TOPIC = 0.7
# Pairs of Chinese characters match less often: one different character changes two pairs.
_SAME_TOPIC_HAN = 0.4
# A sentence with a smaller share of the claim's terms is not compared clause by clause.
_MIN_SHARED, _MIN_SHARED_HAN = 0.5, 0.2
_FEW_TERMS, _MANY_TERMS = 8, 10
# Terms. A longer claim states many things, and comparing it takes more than it finds.
_MAX_COMPARED, _MAX_COMPARED_HAN = 12, 24
# Characters. A longer claim of so few terms repeats them, and aligning it takes as long as its length times that of a
# sentence.
_LONGEST_COMPARED = 600
_SHORT, _SHORT_HAN = 6, 20  # terms of a claim that states one thing
# Terms that the closest sentence of the passage has besides those of the claim. Where there are more than seven, what
# is taken for a disagreement is found with as many true claims (138) as false ones (146). Without these, the mean AUC
# over all data sets, each left out, was .773 instead of .770; as many held-out near-misses were decided rightly.
_SIMPLE, _SIMPLE_HAN = 6, 15
# A claim of up to eight terms and a sentence with at most three others: the claim repeats it. Of such English
# near-misses that would be cited, 14 of 27 false ones and 3 of 31 true ones have a disagreement.
_REPEATED, _FEW_OTHERS = 8, 3
_HAN_BREAK = re.compile("[，；。：]")  # ends a statement of a Chinese sentence, which often has several


@dataclass(frozen=True, slots=True)
class Refusal:
    """A gate refuses the support: the reason, and the words of claim and passage that disagree."""

    reason: Reason
    detail: str
    same_topic: bool = True  # False: the passage would not support the claim with the right number either


class GateChecks:
    """The gates of one claim, which is analyzed once for all evidence."""

    def __init__(self, claim: Claim, index: Index, *, by_words: bool = True) -> None:
        """`index`: the index of the evidence to check.

        `by_words`: the score compares words only, so that a short claim must have most of its words in the passage.
        """
        self.index, self._by_words = index, by_words
        analysis = analyze_sentence(claim.text, index.known_languages)
        self._han = han = language_of(analysis) == "han"
        self._text, self._analysis, self._quantities = claim.text, analysis, analysis.quantities
        self._terms = set(analysis.terms)
        self._repetitive = len(claim.text) > _LONGEST_COMPARED and len(self._terms) <= _MAX_COMPARED_HAN
        self.short = not self._repetitive and len(self._terms) <= (_SHORT_HAN if han else _SHORT)
        # The most terms that a sentence may have besides those of the claim if both are a simple pair. None: any is too
        # many.
        self._most_others: int | None = None
        if self.short:
            self._most_others = _SIMPLE_HAN if han else _SIMPLE
        elif not self._repetitive and not han and len(self._terms) <= _REPEATED:
            self._most_others = _FEW_OTHERS
        # A model may cite "OK", and an excerpt may contain it.
        self._courtesy = len(claim.text.split()) == 1 and not makes_claim(claim.text, Kind.PROSE)
        self._language = language_for(analysis, claim.text)
        self._counterparts = self._find_counterparts(analysis.terms)
        self._languages: dict[int, str | None] = {}  # languages of the compared evidence by row
        self._windows: dict[tuple[int, tuple[int, int]], Surroundings] = {}  # the compared windows by row and span

    @cached_property
    def _claim(self) -> Clause:
        """The claim as a clause."""
        return Clause(self._text, self._analysis, 0, len(self._text), self._quantities)

    @cached_property
    def _numbers(self) -> NumberGate:
        """The gate for numbers."""
        return NumberGate(self._text, self._analysis, self._claim, han=self._han)

    @cached_property
    def _topic_terms(self) -> set[str]:
        """The terms that say what the claim is about."""
        return self._claim.topic_terms()

    def refusal(self, row: int, window: tuple[int, int], *, certain_only: bool = False) -> Refusal | None:
        """Return what speaks against the support by `window`, a span of the evidence in `row`, or None.

        In simple pairs every disagreement does, and in others only those that are certain: of the others that the
        comparison finds there, as many are found with true claims as with false ones. `certain_only`: look for the
        certain ones only in simple pairs, too.
        """
        if self._is_repeated(row, window):
            return None
        found = self.mismatch(row, window)
        if found:
            return found
        certain_only = certain_only or not self.is_simple(row, window)
        first = next(self._disagreements(row, window, certain_only=certain_only), None)
        return Refusal(first.reason, first.detail) if first else None

    def _is_repeated(self, row: int, window: tuple[int, int]) -> bool:
        """Return whether the passage states the claim word for word."""
        spans = self._surroundings(row, window).around
        return not self._courtesy and repeats(self.index.evidence[row].text, spans, self._text)

    def mismatch(self, row: int, window: tuple[int, int]) -> Refusal | None:
        """Return the refusal for a number, or for a negation in a language without word lists, or None."""
        if self._courtesy:
            return Refusal(Reason.NO_SUPPORT, "the sentence does not state anything")
        if not self._numbers.quantities and self._shared_language(row):
            return None
        passage = self._passage(row, window)
        mismatch, same_topic = self._numbers.mismatch(passage, lambda number: self._is_instance(number, row, window))
        if mismatch:
            reason = Reason.UNIT if self._numbers.has_other_unit(passage) else Reason.NUMBER_MISMATCH
            return Refusal(reason, mismatch, same_topic)
        if not self._shared_language(row) and passage.nearest:
            detail = contradiction(self._claim, passage.nearest)
            return Refusal(Reason.NEGATION, detail) if detail else None
        return None

    def _is_instance(self, number: Quantity, row: int, window: tuple[int, int]) -> bool:
        """Return whether a number of the claim meets a condition that the evidence states as a bound."""
        compared = len(self._terms) <= _MAX_COMPARED and not self._repetitive
        language = self._shared_language(row) if compared else None
        if language is None:
            return False
        claim, found = self._parsed(row, window, language, in_order=True)
        passages = list(found)
        return is_instance(number, claim, passages) or is_same_frequency(claim, number, passages)

    def disagreements(self, row: int, window: tuple[int, int]) -> list[Disagreement]:
        """Return every way in which `window`, a span of the evidence in `row`, disagrees with the claim.

        Empty where claim and evidence share no language that has word lists.
        """
        return list(self._disagreements(row, window))

    def agreement(self, row: int, window: tuple[int, int]) -> float:
        """Return by how much the log odds of support rise because no gate refuses the support.

        Call this method only for such pairs. The result is 0 unless the pair is simple, and claim and evidence share a
        language that has word lists.
        """
        language = self._shared_language(row) if self.is_simple(row, window) else None
        if not language:
            return 0.0
        claim, passages = self._parsed(row, window, language)
        shared = 0.0
        for passage in passages:
            shared = max(shared, Alignment(claim, passage).coverage)
            if shared >= 1:
                break  # the others do not matter
        return agreement(shared)

    def is_simple(self, row: int, window: tuple[int, int]) -> bool:
        """Return whether the claim is short, and the sentence of `window` that is closest to it states little else.

        A longer claim may repeat nearly the whole sentence.
        """
        if self._most_others is None:
            return False
        analysis = self.index.analyses[row]
        most, others = -1, 0
        for start, end in self._statements_in(row, self._surroundings(row, window).inside):
            terms = analysis.terms_in(start, end)
            shared = len(self._terms.intersection(terms))
            if shared > most:
                most, others = shared, sum(term not in self._terms for term in terms)
        return others <= self._most_others

    def _statements_in(self, row: int, spans: list[list[int]]) -> list[list[int]]:
        """Return the spans of the statements in sentences: the parts between commas in Chinese, else the sentences."""
        if self._language != "zh":
            return spans
        text = self.index.evidence[row].text
        parts: list[list[int]] = []
        for start, end in spans:
            breaks = [start, *(found.end() for found in _HAN_BREAK.finditer(text, start, end)), end]
            parts += [[begin, after] for begin, after in pairwise(breaks)]
        return parts

    def _disagreements(
        self, row: int, window: tuple[int, int], *, certain_only: bool = False
    ) -> Iterator[Disagreement]:
        """Yield the ways in which a passage disagrees with the claim, and whether it lacks what the claim states."""
        language = self._shared_language(row)
        if not language:
            return
        yield from self._contradictions(row, window, language, certain_only=certain_only)
        if self._by_words and self.short:
            evidence = self.index.evidence[row]
            title = set(analyze_title(evidence.title).terms) if evidence.title else set()
            yield from missing_statement(*self._parsed(row, window, language), title)

    def _contradictions(
        self, row: int, window: tuple[int, int], language: str, *, certain_only: bool
    ) -> Iterator[Disagreement]:
        """Yield the ways in which a passage contradicts the claim."""
        spans = self._relevant(row, self._surroundings(row, window).around)
        if not spans:
            return
        evidence, analysis = self.index.evidence[row], self.index.analyses[row]
        claim = statement(self._text, 0, len(self._text), language, self._quantities)
        passages = list(passage_statements(evidence.text, spans, language, analysis))
        title = analyze_title(evidence.title).terms if evidence.title else ()
        known = {*title, *analysis.terms_in(spans[0][0], window[1])}
        yield from compare(claim, passages, known, certain_only=certain_only)

    def _parsed(
        self, row: int, window: tuple[int, int], language: str, *, in_order: bool = False
    ) -> tuple[Statement, Iterator[Statement]]:
        """Return the claim and the sentences in and around `window`.

        Unless `in_order`, those with most terms of the claim are first. They often decide, so that the others are not
        parsed.
        """
        claim = statement(self._text, 0, len(self._text), language, self._quantities)
        spans = self._surroundings(row, window).around
        if not in_order:
            shares = self._shared_terms(row, spans)
            spans = [spans[at] for at in sorted(range(len(spans)), key=shares.__getitem__, reverse=True)]
        return claim, passage_statements(self.index.evidence[row].text, spans, language, self.index.analyses[row])

    def _relevant(self, row: int, spans: list[list[int]]) -> list[list[int]]:
        """Return the spans to parse: those with terms of the claim, and the one after the best of them.

        Where one sentence has all terms, or the claim has many, the others do not matter. The list is empty if no
        sentence shares enough with the claim to be compared. To parse a sentence takes 40 µs.
        """
        wanted = self._terms
        han = self._language == "zh"
        if not wanted or self._repetitive or len(wanted) > (_MAX_COMPARED_HAN if han else _MAX_COMPARED):
            return []
        if any("|" in self.index.evidence[row].text[a:b] for a, b in spans):
            return spans  # a row does not contain the words of the column headers
        shares = self._shared_terms(row, spans)
        best = max(range(len(spans)), key=shares.__getitem__)
        words = sum(term[0] != "#" for term in wanted)  # numbers are confirmed before, some by a computation
        found = sum(shares) if self.short and not han else shares[best]  # a short claim may rest on two sentences
        if found < (_MIN_SHARED_HAN if han else _MIN_SHARED) * words:
            return []
        if shares[best] == len(wanted) or (len(wanted) > _MANY_TERMS and not han):
            return spans[best : best + 2]
        few = 1 if len(wanted) <= _FEW_TERMS else 2
        return [span for n, span in enumerate(spans) if shares[n] >= few or n in {best, best + 1}]

    def _surroundings(self, row: int, window: tuple[int, int]) -> Surroundings:
        """Return the sentences in and around `window`, stored for the next check of the same window."""
        key = row, window
        if key not in self._windows:
            self._windows[key] = self.index.surroundings(row, *window)
        return self._windows[key]

    def _find_counterparts(self, terms: Sequence[str]) -> dict[str, AbstractSet[str]]:
        """Return other terms by which the evidence states those of the claim: "genehmigt" for "genehmigen".

        German compounds are included: "Abonnentenzahl" for "Zahl" and "Abonnent".
        """
        language, known = self._language, self.index.vocabulary
        if language not in LANGUAGES or language == "zh" or len(self._terms) > _MAX_COMPARED:
            return {}
        found: dict[str, AbstractSet[str]] = (
            dict(compounds.counterparts(list(dict.fromkeys(terms)), known)) if language == compounds.LANGUAGE else {}
        )
        for term in self._terms:
            if others := inflections(term, language) & known.keys():
                found[term] = others.union(found.get(term, ()))
        return found

    def _shared_terms(self, row: int, spans: Sequence[Sequence[int]]) -> list[int]:
        """Return how many terms of the claim each span has, in any form, as synonyms or as German compounds."""
        analysis, wanted = self.index.analyses[row], self._terms
        shares: list[int] = []
        for start, end in spans:
            terms = analysis.terms_in(start, end)
            shared = wanted.intersection(terms)
            shared.update(term for term, others in self._counterparts.items() if not others.isdisjoint(terms))
            shares.append(len(shared))
        return shares

    def _shared_language(self, row: int) -> str | None:
        """Return the language of claim and evidence if they share one that has word lists."""
        if row not in self._languages:
            theirs, text = self.index.languages[row], self.index.evidence[row].text
            self._languages[row] = shared_language(self._text, self._language, text, theirs)
        return self._languages[row]

    def _passage(self, row: int, window: tuple[int, int]) -> PassageNumbers:
        """Return what the gates compare, with the numbers of one more sentence on each side of the window.

        A year or a unit is often stated there once for all.
        """
        evidence, analysis = self.index.evidence[row], self.index.analyses[row]
        surroundings = self._surroundings(row, window)
        start, end = whole_table(evidence.text, *surroundings.span)
        quantities = analysis.quantities_in(start, end) if self._numbers.quantities else []
        nearest = self._nearest(row, surroundings.inside)
        return PassageNumbers(
            evidence.text,
            analysis,
            evidence.title or "",
            quantities,
            Clause(evidence.text, analysis, *nearest, quantities) if nearest else None,
            (start, end),
        )

    def _nearest(self, row: int, spans: Sequence[Sequence[int]]) -> tuple[int, int] | None:
        """Return the span that shares most terms with the claim, or None if none is about the same topic."""
        analysis = self.index.analyses[row]
        best, most = None, (_SAME_TOPIC_HAN if self._han else _SAME_TOPIC) * len(self._topic_terms)
        for start, end in spans:
            shared = len(self._topic_terms.intersection(analysis.terms_in(start, end)))
            if shared and shared >= most and (best is None or shared > most):
                best, most = (start, end), shared
        return best
