"""Log-probabilities of tokens: joined in order when their texts are."""

from typing import Any

LogProbs = dict[str, Any]  # `{"content": [...], "refusal": [...]}`, one entry a token


def joined(first: LogProbs | None, second: LogProbs | None) -> LogProbs | None:
    """Those of two texts in a row."""
    if not first or not second:
        return first or second
    return {key: _concatenated(first.get(key), second.get(key)) for key in {**first, **second}}


def _concatenated(first: Any, second: Any) -> Any:
    return first + second if isinstance(first, list) and isinstance(second, list) else second or first
