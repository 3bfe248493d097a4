"""The arguments of a Chinese predicate, by word order and by the words that mark them."""

from collections.abc import Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary


def chinese_arguments(
    statement: Statement, predicate: ContentToken, tokens: Sequence[ContentToken]
) -> tuple[list[ContentToken], list[ContentToken]]:
    """Return agent and patient of a predicate by word order.

    被 and 由 mark the agent, 把 and 将 the patient, 向 and 从 … 手中 the other side of a trade: "甲向乙转让".
    """
    role = vocabulary("zh").role
    left = [t for t in tokens if t.word < predicate.word]
    right = [t for t in tokens if t.word > predicate.word]
    before = [op for op in statement.operators if op.word < predicate.word and op.clause == predicate.clause]
    if moved := next((op for op in before if op.kind == "object"), None):
        right += [t for t in left if t.word >= moved.after]
        left = [t for t in left if t.word < moved.word]
    for op in before:
        marker, between = statement.text_of(op), statement.text[op.end : predicate.start]
        held = marker in role("source") and any(word in between for word in role("holder"))
        aside = [t for t in left if t.word >= op.after] if held or marker in role("recipient") else []
        if len(aside) < len(left):
            left, right = left[: len(left) - len(aside)], right + aside
    if by := next((op for op in before if op.kind == "by"), None):
        acting = [t for t in left if t.word >= by.after]
        return acting, [t for t in left if t.word < by.word] + right
    return left, right
