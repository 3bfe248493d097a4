"""Bindings of Chinese sentences, which are compared by characters, because their words are not separated by spaces."""

import re
from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ....text.normalize import to_simplified
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason

_PIECE = re.compile("[，,；;。！？!?：:、\\n]|而(?!且)")
_LONG = 32  # characters of a sentence that restricts one thing
_SHORTEST = 2  # characters of each of its two parts, without numbers
_RESTRICTED = re.compile(
    "(?:只有|只限|仅限|只在|仅在|仅对|只对|只能|唯有|仅|只)(?:于|在|对|能|有|是)*(?P<word>[\u4e00-\u9fff]{2})"
)
_NOT_EXTENDED = DENIALS | {"only", "except", "without", "unless"}  # operators of a claim that extends nothing
# "甲被乙起诉", "甲由乙推荐"
_PASSIVE = re.compile("(?P<patient>[\u4e00-\u9fffA-Za-z]{2,12})(?:被|遭到?|由)(?P<rest>[\u4e00-\u9fffA-Za-z]{3,16})")
_LONGEST_NAME = 5  # characters
_COVERED = 0.6  # share of the claim that the passage has


def _role(name: str) -> frozenset[str]:
    return vocabulary("zh").role(name)


def outside_chinese_restriction(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim extends to others what the passage restricts with 只 or 仅."""
    claim, best = aligned.claim, aligned.best
    if _NOT_EXTENDED & claim.kinds() or best.coverage < _COVERED or len(best.passage.text) > _LONG:
        return
    for op in best.passage.of("only"):
        found = _RESTRICTED.match(best.passage.text, op.start)
        if found and (found["word"] not in claim.text or any(word in claim.text for word in _role("also"))):
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{found[0]}”", rule="outside")
            return


def swapped_chinese_passive(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a passive sentence has the two sides of the other, active one in the same order.

    "甲公司被乙银行起诉" is not what "甲公司起诉了乙银行" says.
    """
    text = to_simplified(aligned.claim.text)
    for passage in aligned.passages:
        other = to_simplified(passage.text)
        for passive, active in ((text, other), (other, text)):
            found = _PASSIVE.search(passive)
            if not found or _PASSIVE.search(active):
                continue
            patient, agent = _known_end(found["patient"], active), _known_start(found["rest"], active)
            if not patient or not agent:
                continue
            first, second = active.find(patient), active.find(agent)
            between = active[first + len(patient) : second]
            verb = set(found["rest"][len(agent) :]) - _role("weak")
            if first < second and verb.intersection(between) and not _PIECE.search(between):
                detail = f"the passage has “{patient}” and “{agent}” the other way round"
                yield Disagreement(Reason.ROLE, detail, rule="role")
                return


def _known_end(phrase: str, text: str) -> str:
    """Return the longest end of `phrase` that `text` contains, "" if it is shorter than a word."""
    return next((phrase[at:] for at in range(len(phrase) - 1) if phrase[at:] in text), "")


def _known_start(phrase: str, text: str) -> str:
    """Return the longest beginning of `phrase` that `text` contains, "" if it is shorter than a word."""
    return next((phrase[:end] for end in range(len(phrase), _SHORTEST - 1, -1) if phrase[:end] in text), "")


def unknown_chinese_names(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement for a person or an office of the claim of which the passage has no two characters.

    A person: a surname and one or two characters that the passage has none of. An office: a word whose last
    character, such as 局, ends another word of the passage.
    """
    claim = aligned.claim
    text = "".join(to_simplified(passage.text) for passage in aligned.passages)
    for token in claim.tokens:
        word = token.folded
        if token.quantity is not None or token.operator or not _SHORTEST <= len(word) <= _LONGEST_NAME:
            continue
        if any(word[at : at + 2] in text for at in range(len(word) - 1)):
            continue
        person = word[0] in _role("surname") and _begins_or_follows(claim, token) and word[0] not in text
        office = len(word) > _SHORTEST and word[-1] in _role("office") and word[-1] in text
        if person or office:
            yield Disagreement(Reason.UNKNOWN_NAME, f"the passage does not mention “{word}”", rule="name")
            return


def _begins_or_follows(claim: Statement, token: ContentToken) -> bool:
    """Return whether a word begins a clause, or is the agent of a passive: "由高远设计", "是高远发现的"."""
    return token.start == 0 or claim.text[token.start - 1] in "，。；：由被是向对与和给"


def chinese_arguments(
    statement: Statement, pivot: ContentToken, tokens: Sequence[ContentToken]
) -> tuple[list[ContentToken], list[ContentToken]]:
    """Return agent and patient of a predicate by word order.

    被 and 由 mark the agent, 把 and 将 the patient, 向 and 从 … 手中 the other side of a trade: "甲向乙转让".
    """
    left = [t for t in tokens if t.word < pivot.word]
    right = [t for t in tokens if t.word > pivot.word]
    before = [op for op in statement.operators if op.word < pivot.word and op.clause == pivot.clause]
    if moved := next((op for op in before if op.kind == "object"), None):
        right += [t for t in left if t.word >= moved.after]
        left = [t for t in left if t.word < moved.word]
    for op in before:
        said, behind = statement.text_of(op), statement.text[op.end : pivot.start]
        held = said in _role("source") and any(word in behind for word in _role("holder"))
        aside = [t for t in left if t.word >= op.after] if held or said in _role("recipient") else []
        if len(aside) < len(left):
            left, right = left[: len(left) - len(aside)], right + aside
    if by := next((op for op in before if op.kind == "by"), None):
        acting = [t for t in left if t.word >= by.after]
        return acting, [t for t in left if t.word < by.word] + right
    return left, right
