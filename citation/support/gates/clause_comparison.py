"""Compare a claim with the sentences of a passage and list all disagreements."""

from collections.abc import Collection, Iterator, Sequence

from ...text.clauses import ContentToken, Statement
from ...text.clauses.statement import DENIALS
from ...text.clauses.vocabulary import vocabulary
from ...text.normalize import character_pairs
from ...text.words import compounds
from .alignment import Alignment
from .bindings.chinese_bindings import (
    exchanged_ends,
    outside_chinese_restriction,
    swapped_chinese_passive,
    unknown_chinese_names,
)
from .bindings.chinese_clauses import (
    added_comparison,
    mixed_clauses,
    other_agent_in_clause,
    other_member_in_clause,
    other_topic,
    planned_as_done,
)
from .bindings.compared_values import has_computed_value, value_of_compared
from .bindings.comparisons import compare_grades
from .bindings.conjuncts import mixed_conjuncts
from .bindings.dates import computed_for_stated_date, stated_for_computed_date
from .bindings.names_and_classes import other_class_member, other_number_of_name, unknown_names
from .bindings.replaced import (
    added_words,
    modifier_from_elsewhere,
    outside_restriction,
    word_from_elsewhere,
)
from .bindings.swapped_bindings import swapped_bindings
from .bindings.tables import wrong_table_cell
from .bindings.values import value_of_another, value_of_other_class_member
from .disagreement import Disagreement
from .operators.conditions import conditions, other_condition, universal
from .operators.denied import excluded, only_denied
from .operators.framing import (
    claims_absence,
    retracted_by_next_sentence,
    retraction_of,
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .operators.frequency import frequency
from .operators.modality import certainty, modality, supposed, undecided, weaker_elsewhere
from .operators.negations import negation
from .operators.overturned import overturned, taken_back_in_both
from .operators.quantifiers import bounds, only_added, quantifiers
from .operators.time_and_cause import (
    different_time,
    effect_as_cause,
    ended,
    opposite_cause,
    opposite_change,
    origin_of_move,
    swapped_motion,
    unknown_cause,
)
from .roles.order import swapped_order
from .roles.other_arguments import other_argument
from .roles.relations import swapped_objects, swapped_roles

# Two sentences with a smaller share of common words have different topics, so their operators cannot be compared.
_COMPARABLE = 0.6
# With a smaller share of equal words in the best sentence nothing is compared: few such pairs reach `_COMPARABLE`.
_PROMISING = 0.3
_FEWEST = 2  # words in common
_CONDITIONAL = frozenset({"if", "unless", "only", "except", "without"})
_BOTH = 2  # clauses denied: "opens only if it is turned", "stays shut unless it is turned"
# With a smaller share of words found anywhere in the passage, a word in another place is no evidence of an error.
_MENTIONED = 0.85
_MENTIONED_CONJUNCTS = 0.5  # the same where two words are compared with two words of the passage
_NAMED = 0.3  # with a smaller share of common words, the name is not the only difference
# With a smaller share, the two sides may describe different events.
_SAME_EVENT = 0.5
_HALF = 0.5  # share of the words of a claim about all of something
_NEARLY_ALL = 0.8  # with a larger share in the whole claim, a smaller share of each clause is enough
_BRIEF_HAN = 12  # characters of a claim that is compared by characters
_ENDS = " .。!*_\"'“”"  # characters around a sentence that state nothing
_SHORT = 10  # tokens of a claim that is one statement about one thing


def compare(
    claim: Statement, passages: Sequence[Statement], known: set[str], *, certain_only: bool = False
) -> Iterator[Disagreement]:
    """Yield the disagreements between `claim` and `passages`, which are neighbouring sentences.

    `known`: stems of the title, which may name the subject of the passage. `certain_only`: make only the comparisons
    that find disagreements that are `certain`. In labelled answers, where nearly all pairs are complex, deciding takes
    0.77 of the CPU then.
    """
    if not claim.tokens or not passages or any(_contains(passage, claim) for passage in passages):
        return
    tabular = list(wrong_table_cell(claim, passages))
    if tabular:
        yield from tabular
        return
    shared = [_shared(claim, passage) for passage in passages]
    if max(shared) < _PROMISING * len(claim.stems):
        return
    if len(claim.tokens) > _SHORT:  # only the best sentence is compared
        at = shared.index(max(shared))
        passages = passages[at : at + 2]
    alignments = _alignments(claim, passages)
    best = max(alignments, key=_rank)
    comparable = best.coverage >= _COMPARABLE and best.shared >= min(_FEWEST, len(claim.tokens))
    if comparable:
        denied = list(_denied(claim, passages, alignments, best))
        yield from denied if denied and not any(compare_grades(best)) else ()
        yield from other_number_of_name(claim, best)
        yield from other_class_member(claim, alignments, known)
    if best.coverage >= _HALF:
        yield from only_added(claim, passages)
    if not certain_only:
        yield from stated_in_heading_only(claim, alignments)
        yield from claims_absence(claim, passages)
        if comparable:
            yield from _of_best(claim, passages, alignments, best)
        elif _mentioned(claim, alignments) >= _COMPARABLE:  # two sentences together state it
            yield from retracted_by_next_sentence(claim, passages, alignments.index(best))
        yield from _of_passage(claim, passages, alignments, best, known)
    yield from _denied_in_part(claim, alignments, best)


def _alignments(claim: Statement, passages: Sequence[Statement]) -> list[Alignment]:
    """Align the claim with each sentence."""
    stems = [passage.stems.keys() for passage in passages]
    return [
        Alignment(claim, passage, frozenset().union(*stems[:n], *stems[n + 1 :])) for n, passage in enumerate(passages)
    ]


def _rank(alignment: Alignment) -> tuple[int, int, bool, bool]:
    """Return the sort key of a sentence: its share of the claim; no opposites; no heading; the claim's first word."""
    opposites = sum(match.sign < 0 for _, match in alignment.pairs())
    return alignment.shared, -opposites, not alignment.passage.heading, alignment.matches[0] is not None


def _of_passage(
    claim: Statement,
    passages: Sequence[Statement],
    alignments: Sequence[Alignment],
    best: Alignment,
    known: set[str],
) -> Iterator[Disagreement]:
    """Yield the disagreements with the passage as a whole: certainty, bindings, missing words and names."""
    if best.shared >= _FEWEST and _mentioned(claim, alignments) >= _SAME_EVENT:
        following = passages.index(best.passage) + 1
        yield from certainty(best)
        yield from undecided(best, passages[following] if following < len(passages) else None)
    if len(claim.tokens) <= _SHORT:
        yield from _of_short_claim(claim, alignments)
    yield from other_argument(claim, alignments)
    yield from overturned(claim, alignments)
    yield from _unknown_reason(claim, best, alignments)
    if best.shared:
        yield from opposite_change(claim, passages, similar=best.coverage >= _COMPARABLE)
    yield from outside_restriction(claim, best, alignments, known)
    if best.coverage >= _HALF:
        yield from universal(best)
        yield from weaker_elsewhere(claim, best, alignments)
    if best.coverage >= _COMPARABLE:
        yield from added_words(claim, best, alignments, known)
        yield from word_from_elsewhere(claim, best, alignments)
        yield from modifier_from_elsewhere(claim, best, alignments)
        yield from other_condition(claim, best, alignments)
    if claim.language == "zh":
        yield from _in_chinese(claim, passages, alignments, best)
    if best.coverage >= _NAMED:
        yield from unknown_names(claim, alignments, known)


def _of_short_claim(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield the words and values that the passage binds to others."""
    mentioned = _mentioned(claim, alignments)
    if mentioned >= _COMPARABLE and claim.language != "zh":  # it adds nothing to `other_topic`
        yield from swapped_bindings(claim, alignments, nameable=mentioned < _MENTIONED)
    yield from value_of_another(claim, alignments)
    yield from value_of_other_class_member(claim, alignments)
    yield from stated_for_computed_date(claim, alignments)
    yield from value_of_compared(claim, alignments)
    if mentioned >= _MENTIONED_CONJUNCTS and not has_computed_value(claim, alignments):
        yield from mixed_conjuncts(claim, alignments)


def _denied_in_part(claim: Statement, alignments: Sequence[Alignment], best: Alignment) -> Iterator[Disagreement]:
    """Yield what the passage only denies."""
    if len(claim.tokens) > _SHORT:
        return
    if _mentioned(claim, alignments) >= _COMPARABLE:
        yield from only_denied(claim, alignments, best)
    yield from excluded(claim, alignments)


def _in_chinese(
    claim: Statement, passages: Sequence[Statement], alignments: Sequence[Alignment], best: Alignment
) -> Iterator[Disagreement]:
    """Yield the disagreements that are looked for in Chinese only."""
    yield from exchanged_ends(claim, passages)
    yield from outside_chinese_restriction(claim, best)
    yield from swapped_chinese_passive(claim, passages)
    yield from other_topic(claim, alignments)
    yield from mixed_clauses(claim, alignments)
    yield from other_member_in_clause(claim, alignments)
    yield from other_agent_in_clause(claim, alignments)
    yield from planned_as_done(claim, alignments)
    yield from added_comparison(claim, best)
    if best.coverage >= _NAMED:
        yield from unknown_chinese_names(claim, passages)


def _shared(claim: Statement, passage: Statement) -> float:
    """Return how many words of the claim a sentence has; for Chinese, an estimate from its pairs of characters."""
    if claim.language != "zh":
        others: Collection[str] = ()
        if claim.language == compounds.LANGUAGE:
            others = compounds.counterparts(list(claim.stems), passage.stems)
        return sum(stem in passage.stems or stem in others for stem in claim.stems)
    if len(claim.text) <= _BRIEF_HAN:  # one synonym changes most pairs: 台风造成停电, 停电引发了台风
        return len(claim.stems) * sum(map(passage.text.__contains__, claim.text)) / len(claim.text)
    pairs = set(character_pairs(claim.text))
    return len(claim.stems) * sum(pair in passage.text for pair in pairs) / max(1, len(pairs))


def _of_best(
    claim: Statement, passages: Sequence[Statement], alignments: Sequence[Alignment], best: Alignment
) -> Iterator[Disagreement]:
    """Yield the disagreements with the sentence that shares most with the claim."""
    same, compared = compare_grades(best)
    if same or compared:
        yield from compared
        yield from bounds(best)
        yield from stated_as_fiction(best)
        return
    for clause in _comparable_clauses(best):
        yield from modality(best, clause)
        yield from supposed(best, clause)
        yield from quantifiers(best, clause)
    yield from swapped_roles(best)
    yield from swapped_order(best)
    yield from swapped_objects(best)
    yield from swapped_motion(best)
    yield from origin_of_move(best)
    yield from computed_for_stated_date(best)
    yield from frequency(best)
    yield from bounds(best)
    yield from conditions(best)
    yield from stated_as_fiction(best)
    yield from stated_as_question(best)
    yield from retracted_by_next_sentence(claim, passages, alignments.index(best))
    yield from different_time(best)
    yield from ended(best)
    yield from opposite_cause(best)
    yield from unknown_cause(best, alignments)
    yield from effect_as_cause(best)


def _comparable_clauses(alignment: Alignment) -> list[int]:
    """Return the clauses of the claim that the sentence has, too."""
    least = _SAME_EVENT if alignment.coverage >= _NEARLY_ALL else _COMPARABLE
    return [clause for clause in range(alignment.claim.clauses) if alignment.within(clause) >= least]


def _denied(
    claim: Statement, passages: Sequence[Statement], alignments: Sequence[Alignment], best: Alignment
) -> Iterator[Disagreement]:
    """Yield the negations on one side only, unless another sentence of the passage denies what the claim denies."""
    denied = [one for clause in _comparable_clauses(best) for one in negation(best, clause)]
    if denied and (
        _denied_elsewhere(claim, alignments, best)
        or _taken_back(claim, alignments, best)
        or taken_back_in_both(claim, passages, best.passage)
    ):
        return
    if not (len(denied) == _BOTH and _CONDITIONAL & claim.kinds() and _CONDITIONAL & best.passage.kinds()):
        yield from denied


def _denied_elsewhere(claim: Statement, alignments: Sequence[Alignment], best: Alignment) -> bool:
    """Return whether a neighbouring sentence denies what the claim denies: "The board did not approve it."."""
    if not DENIALS & claim.kinds():
        return False
    for alignment in alignments:
        if alignment is best or not DENIALS & alignment.passage.kinds():
            continue
        for token, match, known in zip(claim.tokens, alignment.matches, best.matches, strict=True):
            denied = match is not None and known is None and token.sign < 0 and match.sign * match.token.sign < 0
            if denied and not _in_place(claim, token):
                return True
    return False


def _in_place(claim: Statement, token: ContentToken) -> bool:
    """Return whether a word behind a preposition is no statement of its own: "in the library"."""
    return bool(token.before) and claim.language == "en"


def _taken_back(claim: Statement, alignments: Sequence[Alignment], best: Alignment) -> bool:
    """Return whether the next sentence denies the best one, and so states what the claim denies.

    "The pool would reopen in May. It is still closed." says that it has not reopened.
    """
    if not DENIALS & claim.kinds() or DENIALS & best.passage.kinds():
        return False
    at = alignments.index(best)
    if at + 1 < len(alignments):
        following = alignments[at + 1]
        about_it = not vocabulary(claim.language).role("pronoun").isdisjoint(following.passage.words[:1])
        if about_it and any(match.sign < 0 and token.sign != match.token.sign for token, match in following.pairs()):
            return True
    return bool(retraction_of(claim, [one.passage for one in alignments], at))


def _unknown_reason(claim: Statement, best: Alignment, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the best sentence states what the claim gives a reason for, but not the reason."""
    reasons = {op.clause for op in claim.of("because")}
    if not reasons or best.coverage >= _COMPARABLE:
        return
    effect = [match for token, match in best.tokens if token.clause not in reasons]
    if sum(match is not None for match in effect) >= max(_FEWEST, _COMPARABLE * len(effect)):
        yield from unknown_cause(best, alignments)


def _mentioned(claim: Statement, alignments: Sequence[Alignment]) -> float:
    """Return the share of the claim's tokens that are found in any of the sentences."""
    found = [any(alignment.matches[at] for alignment in alignments) for at in range(len(claim.tokens))]
    return sum(found) / len(found)


def _contains(passage: Statement, claim: Statement) -> bool:
    """Return whether a sentence contains the claim word for word."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()
