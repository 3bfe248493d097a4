"""Short claims whose statement the passage does not contain: "The bridge is ugly", where it only says when it opened.

Scores of words cannot tell which words are missing. Of the short claims of the labelled data that would be cited
otherwise, this comparison refuses 6 true and 21 false ones, nearly all of them in complex pairs.
"""

from collections.abc import Iterable, Iterator

from ...text.clauses import Statement
from .alignment import Alignment
from .disagreement import Disagreement, Reason

MAX_TOKENS = 6  # a longer claim states more than one thing, and paraphrases more of it
FEWEST = 3  # a claim of more words names more than its subject before its predicate
LEAST = 0.5  # share of the claim's words that the passage must contain


def missing_statement(claim: Statement, passages: Iterable[Statement], known: set[str]) -> Iterator[Disagreement]:
    """Yield a disagreement if a short claim shares few words with the passage, or, if very short, only its subject.

    `passages`: read until all words are found. `known`: stems of the title. Claims with numbers are left to the other
    gates, because equal numbers are strong evidence, and so are Chinese claims, in which words have no spaces between
    them.
    """
    if not 0 < len(claim.tokens) <= MAX_TOKENS or claim.language == "zh":
        return
    if any(token.quantity is not None for token in claim.tokens):
        return
    contained = [token.stem in known for token in claim.tokens]
    any_read = False
    for passage in passages:
        any_read = True
        matches = Alignment(claim, passage).matches
        contained = [found or match is not None for found, match in zip(contained, matches, strict=True)]
        if all(contained):
            return
    if not any_read:
        return
    first = contained.index(False)
    after = range(first, len(contained))
    few = len(contained) <= FEWEST or sum(contained) <= LEAST * len(contained)
    only_subject = few and first > 0 and not any(contained[first:]) and any(claim.tokens[at].verbal for at in after)
    if only_subject or sum(contained) < LEAST * len(contained):
        missing = [token for token, found in zip(claim.tokens, contained, strict=True) if not found]
        words = ", ".join(f"“{claim.text_of(token)}”" for token in missing)
        yield Disagreement(Reason.NO_SUPPORT, f"the passage does not mention {words}", rule="missing")
