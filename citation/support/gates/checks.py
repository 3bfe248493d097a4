"""The gates of one claim: its numbers and its clauses are compared with passages of the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...text import Quantity, analyze_sentence, analyze_title
from ...text.clauses import Statement
from ...text.segmentation import Kind
from ...text.tables import whole_table
from ..claims import makes_claim
from ..features.excerpts import language_of
from ..features.index import Index, Surroundings
from ..scores import Claim
from .agreement import agreement
from .alignment import Alignment
from .analyzed_sentence import AnalyzedSentence
from .clause_comparison import compare
from .disagreement import Disagreement, Reason
from .instances import is_instance
from .missing import missing_statement
from .number_gate import NumberGate
from .operators.denied import added_denial
from .passage_numbers import PassageNumbers
from .polarity_gate import contradiction
from .relevance import ClaimTerms
from .shared_language import language_for, shared_language
from .statements import passage_statements, repeats, statement


@dataclass(frozen=True, slots=True)
class Refusal:
    """A gate refuses the support: the reason, and the words of claim and passage that disagree."""

    reason: Reason
    detail: str
    same_topic: bool = True  # False: the passage would not support the claim with the right number either


class GateChecks:
    """The gates of one claim, which is analyzed once for all evidence.

    A passage is given by `row`, the number of a piece of evidence, and `window`, a span of its text.
    """

    def __init__(self, claim: Claim, index: Index, *, by_words: bool = True) -> None:
        """`index`: the index of the evidence to check.

        `by_words`: the score compares words only, so that a short claim must have most of its words in the passage.
        """
        self.index, self._by_words = index, by_words
        self._text, self._analysis = claim.text, analyze_sentence(claim.text, index.known_languages)
        self._han = language_of(self._analysis) == "han"
        self._language = language_for(self._analysis, claim.text)
        self._terms = ClaimTerms(claim.text, self._analysis, self._language, index, han=self._han)
        self.short = self._terms.short
        # A model may cite "OK", and an excerpt may contain it.
        self._courtesy = len(claim.text.split()) == 1 and not makes_claim(claim.text, Kind.PROSE)
        self._languages: dict[int, str | None] = {}  # languages of the compared evidence by row
        self._windows: dict[tuple[int, tuple[int, int]], Surroundings] = {}  # the compared windows by row and span

    @cached_property
    def _claim(self) -> AnalyzedSentence:
        """The claim as one sentence."""
        return AnalyzedSentence(self._text, self._analysis, 0, len(self._text), self._analysis.quantities)

    @cached_property
    def _numbers(self) -> NumberGate:
        """The gate for numbers."""
        return NumberGate(self._text, self._analysis, self._claim, han=self._han)

    @cached_property
    def _topic_terms(self) -> set[str]:
        """The terms that say what the claim is about."""
        return self._claim.topic_terms()

    def refusal(self, row: int, window: tuple[int, int], *, certain_only: bool = False) -> Refusal | None:
        """Return the reason why a passage does not support the claim, or None.

        In simple pairs every disagreement is such a reason. In complex pairs, only those that are certain are: the
        comparison finds as many of the others there with true claims as with false ones. `certain_only`: look for the
        certain ones only in simple pairs, too.
        """
        spans = self._surroundings(row, window).around
        if not self._courtesy and repeats(self.index.evidence[row].text, spans, self._text):
            return None
        found = self.mismatch(row, window)
        if found:
            return found
        certain_only = certain_only or not self.is_simple(row, window)
        first = next(self._disagreements(row, window, certain_only=certain_only), None)
        return Refusal(first.reason, first.detail) if first else None

    def mismatch(self, row: int, window: tuple[int, int]) -> Refusal | None:
        """Return the refusal for a number, or for a negation in a language without word lists, or None."""
        if self._courtesy:
            return Refusal(Reason.NO_SUPPORT, "the sentence does not state anything")
        if not self._numbers.quantities and self._shared_language(row):
            return None
        passage = self._passage(row, window)
        mismatch = self._numbers.mismatch(passage, lambda number: self._is_instance(number, row, window))
        if mismatch:
            reason = Reason.UNIT if self._numbers.has_other_unit(passage) else Reason.NUMBER_MISMATCH
            return Refusal(reason, mismatch.detail, mismatch.same_topic)
        if not self._shared_language(row) and passage.nearest:
            detail = contradiction(self._claim, passage.nearest)
            return Refusal(Reason.NEGATION, detail) if detail else None
        return None

    def _is_instance(self, number: Quantity, row: int, window: tuple[int, int]) -> bool:
        """Return whether a number of the claim meets a condition that the evidence states as a bound."""
        language = self._shared_language(row) if self._terms.states_little else None
        if language is None:
            return False
        return is_instance(number, self._claim_in(language), self._sentences(row, window, language, in_order=True))

    def agreement(self, row: int, window: tuple[int, int]) -> float:
        """Return by how much the log odds of support rise because no gate refuses the support.

        Call this method only for such pairs. The result is 0 unless the pair is simple, and claim and evidence share a
        language that has word lists.
        """
        language = self._shared_language(row) if self.is_simple(row, window) else None
        if not language:
            return 0.0
        claim, shared = self._claim_in(language), 0.0
        for passage in self._sentences(row, window, language):
            shared = max(shared, Alignment(claim, passage).coverage)
            if shared >= 1:
                break  # the others do not matter
        return agreement(shared)

    def is_simple(self, row: int, window: tuple[int, int]) -> bool:
        """Return whether the claim is short, and the sentence of the passage that is closest to it states little else.

        A longer claim may repeat nearly the whole sentence.
        """
        return self._terms.is_simple(row, self._surroundings(row, window).inside)

    def disagreements(self, row: int, window: tuple[int, int]) -> list[Disagreement]:
        """Return every way in which a passage disagrees with the claim.

        Empty where claim and evidence share no language that has word lists.
        """
        return list(self._disagreements(row, window))

    def _disagreements(
        self, row: int, window: tuple[int, int], *, certain_only: bool = False
    ) -> Iterator[Disagreement]:
        """Yield the ways in which a passage disagrees with the claim, and whether it lacks what the claim states."""
        language = self._shared_language(row)
        if not language:
            return
        yield from self._contradictions(row, window, language, certain_only=certain_only)
        if not self.is_simple(row, window):
            yield from added_denial(self._claim_in(language), self._sentences(row, window, language))
        if self._by_words and self.short:
            title = self.index.evidence[row].title
            known = set(analyze_title(title).terms) if title else set()
            yield from missing_statement(self._claim_in(language), self._sentences(row, window, language), known)

    def _contradictions(
        self, row: int, window: tuple[int, int], language: str, *, certain_only: bool
    ) -> Iterator[Disagreement]:
        """Yield the ways in which a passage contradicts the claim."""
        spans = self._terms.relevant(row, self._surroundings(row, window).around)
        if not spans:
            return
        evidence, analysis = self.index.evidence[row], self.index.analyses[row]
        passages = list(passage_statements(evidence.text, spans, language, analysis))
        title = analyze_title(evidence.title).terms if evidence.title else ()
        known = {*title, *analysis.terms_in(spans[0][0], window[1])}
        yield from compare(self._claim_in(language), passages, known, certain_only=certain_only)

    def _claim_in(self, language: str) -> Statement:
        """Return the parsed claim."""
        return statement(self._text, 0, len(self._text), language, self._analysis.quantities)

    def _sentences(
        self, row: int, window: tuple[int, int], language: str, *, in_order: bool = False
    ) -> Iterator[Statement]:
        """Yield the sentences in and around the passage, each parsed when it is needed.

        Unless `in_order`, those with most terms of the claim are first, because they often decide.
        """
        spans = self._surroundings(row, window).around
        spans = spans if in_order else self._terms.closest_first(row, spans)
        return passage_statements(self.index.evidence[row].text, spans, language, self.index.analyses[row])

    def _surroundings(self, row: int, window: tuple[int, int]) -> Surroundings:
        """Return the sentences in and around the passage, stored for the next check of the same passage."""
        key = row, window
        if key not in self._windows:
            self._windows[key] = self.index.surroundings(row, *window)
        return self._windows[key]

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
        nearest = self._terms.nearest(row, surroundings.inside, self._topic_terms)
        return PassageNumbers(
            evidence.text,
            analysis,
            evidence.title or "",
            quantities,
            AnalyzedSentence(evidence.text, analysis, *nearest, quantities) if nearest else None,
            (start, end),
        )
