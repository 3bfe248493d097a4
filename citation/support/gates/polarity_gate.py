"""Polarity: what one side says and the other denies, or says with the opposite word, is no support."""

from .clause import Clause

# What a negation denies: this many content terms after it, or before it where none follow ("bestätigt das nicht").
_SCOPE_AFTER, _SCOPE_BEFORE, _SCOPE_WIDE = 3, 2, 5
_SHORTEST_NEGATED = 4  # letters; "in" before fewer is part of another word
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "des", "mis")
# What a claim begins with is mostly what it is about.
_TOPIC_TERMS = 1


def contrary(mine: Clause, theirs: Clause) -> str:
    """How one says the contrary of the other; "" where it does not."""
    denied = _denied(mine, theirs) or _denied(theirs, mine)
    opposed = _opposed(mine, theirs)
    if bool(denied) == bool(opposed):
        return ""  # neither, or "did not rise" and "fell"
    return denied or opposed


def _denied(one: Clause, other: Clause) -> str:
    """What `one` denies and `other` says; "" if there is no such thing, or both deny something of the same."""
    if not one.negations:
        return ""
    mine = {term for scope in one.denied(_SCOPE_WIDE, _SCOPE_WIDE) for term in one.terms[scope]}
    if not mine or mine & {term for scope in other.denied(_SCOPE_WIDE, _SCOPE_WIDE) for term in other.terms[scope]}:
        return ""
    for denied in one.denied(_SCOPE_AFTER, _SCOPE_BEFORE):
        scope = one.terms[denied]
        said = [term for term in scope if term in other.terms and one.terms.count(term) == 1]
        needed = len(scope) / 2 if scope and scope[0] >= "\u2e80" else (len(scope) + 1) / 2
        if said and len(said) >= needed:
            return f"one side denies {one.spelled(denied)}"
    return ""


def _opposed(one: Clause, other: Clause) -> str:
    """Words of `one` whose opposite `other` uses beside the same words; "" if there are none."""
    mine = {(family, member) for _, family, member in one.antonyms}
    for start, family, member in one.antonyms:
        for there, other_family, other_member in other.antonyms:
            if family != other_family or member == other_member:
                continue
            if (family, other_member) in mine or _nearer(one, other, (family, member), there):
                continue
            if one.around(start) & other.around(there):
                return "one side says the opposite"
    return _negated_by_prefix(one, other)


def _nearer(one: Clause, other: Clause, pole: tuple[int, int], there: int) -> bool:
    """Whether `other` uses the same word as `one`, beside at least as much of what `one` says as its opposite."""
    said = set(one.terms[_TOPIC_TERMS:])
    same = [start for start, family, member in other.antonyms if (family, member) == pole]
    beside = [len(said & other.beside(start, start + 1)) for start in same]
    return max(beside, default=-1) >= len(said & other.beside(there, there + 1))


def _negated_by_prefix(one: Clause, other: Clause) -> str:
    """A word that only one side has, and only the other with a prefix that negates it; "" if there is none."""
    mine, theirs = set(one.terms), set(other.terms)
    theirs, mine = theirs - mine, mine - theirs
    prefixed = any(term.startswith(_PREFIXES) for term in theirs)
    for term in one.terms if theirs else ():
        if term in mine and len(term) >= _SHORTEST_NEGATED and (prefixed or term.startswith(_PREFIXES)):
            for prefix in _PREFIXES:
                bare = term.removeprefix(prefix)
                if (bare in theirs and len(bare) >= _SHORTEST_NEGATED) or prefix + term in theirs:
                    return f"one side says {prefix}{bare}"
    return ""
