"""The gates of one claim: its numbers and its clauses are compared with passages of the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...text import Quantity, agrees, analyze_sentence, analyze_title
from ...text.clauses import Statement
from ...text.tables import whole_table
from ..features.excerpts import language_of
from ..features.index import Index, Surroundings
from ..scores import Claim
from .analyzed_sentence import AnalyzedSentence
from .bindings.tables import CELL, denied_by_cell
from .clause_comparison import compare
from .disagreement import Disagreement, Reason
from .instances import is_instance
from .number_gate import NumberGate
from .passage_numbers import PassageNumbers
from .polarity_gate import contradiction
from .relevance import ClaimTerms
from .shared_language import language_for, shared_language
from .statements import passage_statements, repeats, statement, table_rows

CHECK_FEATURES = (
    "number_missing",  # 1 if the passage does not state a number of the claim, and none follows from those that it has
    "number_conflict",  # 1 if it gives another number for the same thing
    "unit_conflict",  # 1 if it gives the number with another unit
    "denial",  # 1 if only one side denies what both are about
    "disagreement",  # 1 if any other comparison of the clauses finds a difference
)
# A long claim has one number that the passage lacks. In natural answers this says nothing, so the fit does not use it.
# It counts if the claim copies the passage otherwise.
NUMBER_ADDED = "number_added"
# A cell of the claim's row and column denies it, or affirms what it denies. Natural answers have too few to fit this.
DENIED_BY_CELL = "denied_by_cell"


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference that a check found: its feature, the reason for clients, and the words that disagree."""

    feature: str  # one of CHECK_FEATURES, NUMBER_ADDED, or DENIED_BY_CELL
    reason: Reason
    detail: str


class GateChecks:
    """The gates of one claim, which is analyzed once for all evidence.

    A passage is given by `row`, the number of a piece of evidence, and `window`, a span of its text.
    """

    def __init__(self, claim: Claim, index: Index) -> None:
        """`index`: the index of the evidence to check."""
        self.index = index
        self._cited = claim.cited
        self.text, self._analysis = claim.text, analyze_sentence(claim.text, index.known_languages)
        self._han = language_of(self._analysis) == "han"
        self._language = language_for(self._analysis, claim.text)
        self._terms = ClaimTerms(claim.text, self._analysis, self._language, index, han=self._han)
        self._languages: dict[int, str | None] = {}  # languages of the compared evidence by row
        self._windows: dict[tuple[int, tuple[int, int]], Surroundings] = {}  # the compared windows by row and span

    @cached_property
    def _claim(self) -> AnalyzedSentence:
        """The claim as one sentence."""
        return AnalyzedSentence(self.text, self._analysis, 0, len(self.text), self._analysis.quantities)

    @cached_property
    def _numbers(self) -> NumberGate:
        """The gate for numbers."""
        return NumberGate(self.text, self._analysis, self._claim, han=self._han)

    @cached_property
    def _topic_terms(self) -> set[str]:
        """The terms that say what the claim is about."""
        return self._claim.topic_terms()

    def repeats(self, row: int, window: tuple[int, int]) -> bool:
        """Return whether a sentence in or around the passage is the claim word for word."""
        return repeats(self.index.evidence[row].text, self._surroundings(row, window).around, self.text)

    def findings(self, row: int, window: tuple[int, int]) -> list[Finding]:
        """Return what the checks find, at most one finding for each feature; none if it is repeated."""
        if self.repeats(row, window):
            return []
        findings: dict[str, Finding] = {}
        if number := self._number_finding(row, window):
            findings[number.feature] = number
        for disagreement in self.disagreements(row, window):
            findings.setdefault(
                _feature_of(disagreement), Finding(_feature_of(disagreement), disagreement.reason, disagreement.detail)
            )
        return list(findings.values())

    def _number_finding(self, row: int, window: tuple[int, int]) -> Finding | None:
        """Return the finding about a number, or about a negation in a language without word lists."""
        if not self._numbers.quantities and self._shared_language(row):
            return None
        passage = self._passage(row, window)
        mismatch = self._numbers.mismatch(
            passage, lambda number: self._is_instance(number, row, window) or self._is_cited_elsewhere(number, row)
        )
        if mismatch and self._numbers.has_other_unit(passage):
            return Finding("unit_conflict", Reason.UNIT, mismatch.detail)
        if mismatch:
            feature = "number_conflict" if mismatch.conflict else NUMBER_ADDED if mismatch.added else "number_missing"
            return Finding(feature, Reason.NUMBER_MISMATCH, mismatch.detail)
        if not self._shared_language(row) and passage.nearest:
            detail = contradiction(self._claim, passage.nearest)
            return Finding("denial", Reason.NEGATION, detail) if detail else None
        return None

    def _is_cited_elsewhere(self, number: Quantity, row: int) -> bool:
        """Return whether the model cites this evidence together with other evidence that states the number."""
        if self.index.evidence[row].number not in self._cited:
            return False
        return any(
            agrees(number, quantity)
            for other_row, evidence in enumerate(self.index.evidence)
            if other_row != row and evidence.number in self._cited
            for quantity in self.index.analyses[other_row].quantities
        )

    def _is_instance(self, number: Quantity, row: int, window: tuple[int, int]) -> bool:
        """Return whether a number of the claim meets a condition that the evidence states as a bound."""
        language = self._shared_language(row) if self._terms.states_little else None
        if language is None:
            return False
        return is_instance(number, self._claim_in(language), self._sentences(row, window, language, in_order=True))

    def disagreements(self, row: int, window: tuple[int, int]) -> Iterator[Disagreement]:
        """Yield the ways in which the clauses of a passage disagree with the claim.

        None where claim and evidence share no language that has word lists.
        """
        language = self._shared_language(row)
        if language:
            yield from self._contradictions(row, window, language)

    def _contradictions(self, row: int, window: tuple[int, int], language: str) -> Iterator[Disagreement]:
        """Yield the ways in which a passage contradicts the claim."""
        if "\n|" in self.index.evidence[row].text:
            rows = list(table_rows(self.index.evidence[row].text, language))
            yield from denied_by_cell(self._claim_in(language), rows)
        spans = self._terms.relevant(row, self._surroundings(row, window).around)
        if not spans:
            return
        evidence, analysis = self.index.evidence[row], self.index.analyses[row]
        passages = list(passage_statements(evidence.text, spans, language, analysis))
        title = analyze_title(evidence.title).terms if evidence.title else ()
        title_terms = {*title, *analysis.terms_in(spans[0][0], window[1])}
        yield from compare(self._claim_in(language), passages, title_terms)

    def _claim_in(self, language: str) -> Statement:
        """Return the parsed claim."""
        return statement(self.text, 0, len(self.text), language, self._analysis.quantities)

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
            passage_language, text = self.index.languages[row], self.index.evidence[row].text
            self._languages[row] = shared_language(self.text, self._language, text, passage_language)
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


def _feature_of(disagreement: Disagreement) -> str:
    if disagreement.rule == CELL:
        return DENIED_BY_CELL
    return "denial" if disagreement.reason is Reason.NEGATION else "disagreement"
