"""Polarity gate: refuse if only one side negates what both state."""

from collections import Counter

from .analyzed_sentence import AnalyzedSentence

# A negation applies to this many content terms after it, or before it if none follow ("bestätigt das nicht").
_SCOPE_AFTER, _SCOPE_BEFORE = 3, 2
_WIDE_SCOPE = 5  # both sides are taken to deny the same if they share a term in this scope


def contradiction(claim: AnalyzedSentence, passage: AnalyzedSentence) -> str:
    """Describe how the two contradict each other, or return ""."""
    return _negated(claim, passage) or _negated(passage, claim)


def _negated(denying: AnalyzedSentence, stating: AnalyzedSentence) -> str:
    """Describe what `denying` negates and `stating` states; "" if nothing, or if both negate a common term."""
    if not denying.negations:
        return ""
    negated = {term for scope in denying.negation_scopes(_WIDE_SCOPE, _WIDE_SCOPE) for term in denying.terms[scope]}
    negated_there = {
        term for scope in stating.negation_scopes(_WIDE_SCOPE, _WIDE_SCOPE) for term in stating.terms[scope]
    }
    if not negated or negated & negated_there:
        return ""
    times, stated_terms = Counter(denying.terms), set(stating.terms)
    for scope in denying.negation_scopes(_SCOPE_AFTER, _SCOPE_BEFORE):
        terms = denying.terms[scope]
        stated = [term for term in terms if term in stated_terms and times[term] == 1]
        needed = len(terms) / 2 if terms and terms[0] >= "\u2e80" else (len(terms) + 1) / 2
        if stated and len(stated) >= needed:
            return f"one side denies {denying.original_text(scope)}"
    return ""
