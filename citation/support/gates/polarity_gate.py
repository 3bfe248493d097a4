"""Polarity gate: refuse if only one side negates something, or if the sides use antonyms."""

from collections import Counter

from ...text.words.polarity import NEGATING_PREFIXES
from .clause import Clause

# A negation applies to this many content terms after it, or before it if none follow ("bestätigt das nicht").
_SCOPE_AFTER, _SCOPE_BEFORE, _SCOPE_WIDE = 3, 2, 5
_MIN_NEGATED = 4  # letters; before fewer, "in" is part of another word
# The first term of a claim usually names its subject.
_SUBJECT_TERMS = 1


def contradiction(claim: Clause, passage: Clause) -> str:
    """Describe how the two contradict each other, or return ""."""
    negated = _negated(claim, passage) or _negated(passage, claim)
    opposed = _opposed(claim, passage)
    if bool(negated) == bool(opposed):
        return ""  # no difference, or two that cancel: "did not rise" and "fell"
    return negated or opposed


def _negated(one: Clause, other: Clause) -> str:
    """Describe what `one` negates and `other` states; "" if nothing, or if both negate a common term."""
    if not one.negations:
        return ""
    negated = {term for scope in one.negation_scopes(_SCOPE_WIDE, _SCOPE_WIDE) for term in one.terms[scope]}
    others = {term for scope in other.negation_scopes(_SCOPE_WIDE, _SCOPE_WIDE) for term in other.terms[scope]}
    if not negated or negated & others:
        return ""
    times, there = Counter(one.terms), set(other.terms)
    for scope in one.negation_scopes(_SCOPE_AFTER, _SCOPE_BEFORE):
        terms = one.terms[scope]
        stated = [term for term in terms if term in there and times[term] == 1]
        needed = len(terms) / 2 if terms and terms[0] >= "\u2e80" else (len(terms) + 1) / 2
        if stated and len(stated) >= needed:
            return f"one side denies {one.original_text(scope)}"
    return ""


def _opposed(one: Clause, other: Clause) -> str:
    """Describe words of `one` whose antonyms `other` uses near the same terms, or return ""."""
    own = {(family, member) for _, family, member in one.antonyms}
    for start, family, member in one.antonyms:
        for there, other_family, other_member in other.antonyms:
            if family != other_family or member == other_member:
                continue
            if (family, other_member) in own or _agrees_better(one, other, (family, member), there):
                continue
            if one.nearby_terms(start) & other.nearby_terms(there):
                return "one side says the opposite"
    return _negated_by_prefix(one, other)


def _agrees_better(one: Clause, other: Clause, pole: tuple[int, int], there: int) -> bool:
    """Return whether `other` also uses the word of `one`, in a part that shares as much as that of its antonym."""
    terms = set(one.terms[_SUBJECT_TERMS:])
    same = [start for start, family, member in other.antonyms if (family, member) == pole]
    shared = [len(terms & other.part_terms(start, start + 1)) for start in same]
    return max(shared, default=-1) >= len(terms & other.part_terms(there, there + 1))


def _negated_by_prefix(one: Clause, other: Clause) -> str:
    """Describe a word that one side has only with a negating prefix, and the other only without, or return ""."""
    own, others = set(one.terms), set(other.terms)
    others, own = others - own, own - others
    prefixed = any(term.startswith(NEGATING_PREFIXES) for term in others)
    for term in one.terms if others else ():
        if term in own and len(term) >= _MIN_NEGATED and (prefixed or term.startswith(NEGATING_PREFIXES)):
            for prefix in NEGATING_PREFIXES:
                bare = term.removeprefix(prefix)
                if (bare in others and len(bare) >= _MIN_NEGATED) or prefix + term in others:
                    return f"one side says {prefix}{bare}"
    return ""
