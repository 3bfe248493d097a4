"""Restrictions: the claim extends to others what the passage restricts with "only"."""

import re
from collections.abc import Iterator
from operator import attrgetter

from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ....text.spans import Span
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason

_ONLY_REACH = 3  # words between "only" and the word that it restricts
_LONG = 20  # tokens of a passage that restricts one thing
_HALF = 0.5  # share of the claim that the passage has, if it restricts what the claim extends
_RESTRICTED = re.compile(
    "(?:只有|只限|仅限|只在|仅在|仅对|只对|只能|唯有|仅|只)(?:于|在|对|能|有|是)*(?P<word>[\u4e00-\u9fff]{2})"
)
_LONG_HAN = 32  # characters of a Chinese sentence that restricts one thing
_COVERED_HAN = 0.6  # share of a Chinese claim that the passage has
_NOT_EXTENDED = DENIALS | {"except", "without", "unless"}  # operators of a claim that extends nothing


def outside_restriction(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim extends to others what the passage restricts: "only on weekdays".

    The claim has none of the words after "only", or it has others in addition to them.
    """
    claim, best = aligned.claim, aligned.best
    passage = best.passage
    if _NOT_EXTENDED & claim.kinds() or best.coverage < _HALF or len(passage.tokens) > _LONG:
        return
    own = [op.after for op in claim.of("only")]
    unknown = [t for t in aligned.unknown() if not t.verbal]
    if own:
        unknown = [t for t in unknown if any(0 <= t.word - after < _ONLY_REACH for after in own)]
    if not unknown:
        return
    for op in passage.of("only"):
        near = [t for t in passage.tokens if 0 <= t.word - op.after < _ONLY_REACH][:2]
        preceding = [t for t in passage.tokens if 0 < op.word - t.word < _ONLY_REACH]
        modified = (
            not near and len(preceding) > 1 and not preceding[0].verbal and preceding[1].word == preceding[0].word + 1
        )
        near = near or preceding[-1:]
        if not near or op.clause not in best.matching_clauses:
            continue
        joined = any(t.piece for t in unknown) or "all" in claim.kinds()
        narrower = modified and preceding[-2] not in best.matched  # "to sales staff only", "new employees"
        if joined or narrower or not any(t in best.matched for t in near):
            restricted: list[Span] = [op, *near]
            said = passage.text_of(*sorted(restricted, key=attrgetter("start")))
            word = claim.text_of(unknown[0])
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{said}”, not “{word}”", rule="outside")
            return


def outside_chinese_restriction(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim extends to others what the passage restricts with 只 or 仅."""
    claim, best = aligned.claim, aligned.best
    if claim.language != "zh" or best.coverage < _COVERED_HAN or len(best.passage.text) > _LONG_HAN:
        return
    if (_NOT_EXTENDED | {"only"}) & claim.kinds():
        return
    also = vocabulary("zh").role("also")
    for op in best.passage.of("only"):
        found = _RESTRICTED.match(best.passage.text, op.start)
        if found and (found["word"] not in claim.text or any(word in claim.text for word in also)):
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{found[0]}”", rule="outside")
            return
