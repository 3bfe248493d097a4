"""Cases of tools, guardrails and quotations: long texts, many passages, many quotations."""

import json
from collections.abc import Callable
from typing import Any

from bench.isolation.cases import SENTENCE, Case

PASSAGES = [
    f"Excerpt {n}: "
    + " ".join(f"The pump of hall {n * m % 997} was tested in {1900 + (n + m) % 100}." for m in range(22))
    for n in range(100)
]
QUOTATIONS = "\n\n".join(
    f'It says "The pump of hall {n} was never tested in the year {1900 + n % 100} by anyone".' for n in range(500)
)
LONG_QUOTATION = f'It says "{" ".join(PASSAGES[:40])[:9_000].strip()} zzz {" ".join(PASSAGES[50:])[:900].strip()}".'


def _tool(name: str, **arguments: Any) -> Case:
    params = {"name": name, "arguments": arguments}
    return Case({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, "/mcp")


def _guardrail(**fields: Any) -> Case:
    return Case({"request_data": {}, "litellm_call_id": "c1", **fields}, "/beta/litellm_basic_guardrail_api")


def _cited(text: str, passages: list[str]) -> Case:
    return Case({"text": text, "evidence": [{"text": passage} for passage in passages]}, "/v1/cite")


def _tool_results() -> list[dict[str, Any]]:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    content = json.dumps([{"text": passage} for passage in PASSAGES])
    return [
        {"role": "user", "content": "Which pump?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": content},
    ]


TOOLS: dict[str, Callable[[], Case]] = {
    "500 altered quotations": lambda: _cited(QUOTATIONS, PASSAGES),
    "quotation of 10,000 characters": lambda: _cited(LONG_QUOTATION, PASSAGES),
    "paragraph of quotation marks": lambda: _cited("“" * 200_000, [SENTENCE]),
    "quotations in 2 MB of evidence": lambda: _cited(QUOTATIONS[:2_000], [" ".join(PASSAGES) * 9]),
    "tool, 100 passages": lambda: _tool("verify_citations", text=SENTENCE * 20, evidence=PASSAGES),
    "tool, text of 1 MB": lambda: _tool("cite", text=SENTENCE * 40_000, evidence=[SENTENCE]),
    "tool, unknown arguments": lambda: _tool("cite", **{f"a{n}": n for n in range(100_000)}),
    "guardrail, tool results": lambda: _guardrail(input_type="request", structured_messages=_tool_results()),
    "guardrail, 128 texts": lambda: _guardrail(
        input_type="response",
        texts=[f"{SENTENCE} {n}" * 20 for n in range(128)],
        additional_provider_specific_params={"evidence": [{"text": passage} for passage in PASSAGES]},
    ),
}
