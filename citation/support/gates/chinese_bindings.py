"""Bindings of Chinese sentences, which are compared by characters, because their words are not separated by spaces."""

import re
from collections.abc import Iterator, Sequence

from ...text.clauses import Statement
from ...text.normalize import to_simplified
from .alignment import Alignment
from .disagreement import Disagreement, Reason

_PIECE = re.compile("[，,；;。！？!?：:、\\n]|而(?!且)")
_FILLERS = re.compile("[的了是则也均共为在有于\\s]")
_LONGEST = 24  # characters of a claim; longer ones state several things
_LONG = 32  # characters of a sentence that restricts one thing
_SHORTEST = 2  # characters of each of its two parts, without numbers
_RESTRICTED = re.compile(
    "(?:只有|只限|仅限|只在|仅在|仅对|只对|只能|唯有|仅|只)(?:于|在|对|能|有|是)*(?P<word>[\u4e00-\u9fff]{2})"
)
_ALSO = re.compile("也|同样|还可|以及|任何|所有")
_DENIED = frozenset({"not", "no", "may_not", "denies", "only", "except", "without", "unless"})
_COVERED = 0.6  # share of the claim that the passage has


def mixed_chinese_pieces(claim: Statement, passages: Sequence[Statement]) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim begins as one part of the passage and ends as another.

    "刘芳教历史" is one of the parts of "张明教物理，刘芳教历史"; "张明教历史" mixes the two.
    """
    said = _plain(claim.text)
    if not 2 * _SHORTEST <= len(said) <= _LONGEST:
        return
    pieces = [piece for passage in passages for part in _PIECE.split(passage.text) if len(piece := _plain(part)) > 1]
    if any(said in piece for piece in pieces):
        return
    for at in range(1, len(said) - 1):
        head, tail = said[:at], said[at:]
        for one in pieces:
            if not one.startswith(head) or one[at:] == "":
                continue
            for other in pieces:
                if other is one or not other.endswith(tail) or other == tail:
                    continue
                subject, value = other[: -len(tail)], one[at:]
                if _comparable(head, subject) and value not in said and subject not in said:
                    detail = f"the passage has “{tail}” for “{subject}”, and “{value}” for “{head}”"
                    yield Disagreement(Reason.BINDING, detail, rule="conjuncts")
                    return


def _plain(text: str) -> str:
    """Return simplified characters without particles and punctuation."""
    return _FILLERS.sub("", to_simplified(text)).strip("，。；！？,.;!? ")


def _comparable(one: str, other: str) -> bool:
    """Return whether two beginnings may be two subjects: about equally long, or with an equal end."""
    return one != other and (abs(len(one) - len(other)) <= 1 or one[-1] == other[-1])


def outside_chinese_restriction(claim: Statement, best: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim extends to others what the passage restricts with 只 or 仅."""
    if _DENIED & claim.kinds() or best.coverage < _COVERED or len(best.passage.text) > _LONG:
        return
    for op in best.passage.of("only"):
        found = _RESTRICTED.match(best.passage.text, op.start)
        if found and (found["word"] not in claim.text or _ALSO.search(claim.text)):
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{found[0]}”", 0.6, rule="outside")
            return
