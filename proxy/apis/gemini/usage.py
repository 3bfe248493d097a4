"""Token counts and log-probabilities, as Gemini's API has them."""

from collections.abc import Mapping
from typing import Any

Fields = dict[str, Any]


def usage_metadata(usage: Mapping[str, Any]) -> Fields:
    """From OpenAI's usage: Gemini counts thoughts beside the answer, OpenAI within it."""
    written, thoughts = usage.get("completion_tokens"), _detail(usage, "completion_tokens_details", "reasoning_tokens")
    counts = {
        "promptTokenCount": usage.get("prompt_tokens"),
        "candidatesTokenCount": None if written is None else written - (thoughts or 0),
        "totalTokenCount": usage.get("total_tokens"),
        "cachedContentTokenCount": _detail(usage, "prompt_tokens_details", "cached_tokens"),
        "thoughtsTokenCount": thoughts,
    }
    return {key: value for key, value in counts.items() if value is not None}


def logprobs_result(logprobs: Mapping[str, Any] | None) -> Fields:
    """From OpenAI's one list: two in parallel."""
    content = (logprobs or {}).get("content") or []
    if not content:
        return {}
    tops = [{"candidates": [_token(top) for top in token.get("top_logprobs") or ()]} for token in content]
    found = {"chosenCandidates": [_token(token) for token in content]}
    return {"logprobsResult": found | ({"topCandidates": tops} if any(top["candidates"] for top in tops) else {})}


def _token(token: Mapping[str, Any]) -> Fields:
    known_as = {} if token.get("token_id") is None else {"tokenId": token["token_id"]}
    return {"token": token.get("token"), **known_as, "logProbability": token.get("logprob")}


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int | None:
    found: int | None = (usage.get(group) or {}).get(name)
    return found
