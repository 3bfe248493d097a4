"""LiteLLM's proxy, asked by openai-python: before Citestream, behind it, and with Citestream as a guardrail."""

import json
import os
from importlib.metadata import version

from openai import OpenAI
from report import CASE, CITESTREAM, KEY, Seen, raised, report, stored_references, way

messages = [{"role": "user", "content": CASE["question"]}]
evidence = {"evidence": CASE["evidence"]}
before = OpenAI(base_url=f"{os.environ['LITELLM']}/v1", api_key=os.environ["LITELLM_MASTER_KEY"])
behind = OpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY)


def streamed(model: str, client: OpenAI = before) -> Seen:
    stream = client.chat.completions.stream(
        model=model, messages=messages, stream_options={"include_usage": True}, extra_body=evidence
    )
    references = []
    with stream as events:
        for event in events:
            if event.type == "chunk":
                references = getattr(event.chunk, "references", None) or references
    assert [reference["number"] for reference in references] == [1, 2]
    return of(events.get_final_completion())


def whole(model: str, client: OpenAI = before) -> Seen:
    completion = client.chat.completions.create(model=model, messages=messages, extra_body=evidence)
    assert [reference["number"] for reference in completion.references] == [1, 2]
    return of(completion)


def of(completion) -> Seen:
    message = completion.choices[0].message
    citations = [annotation.url_citation for annotation in message.annotations]
    return {
        "text": message.content,
        "usage": {"input": completion.usage.prompt_tokens, "output": completion.usage.completion_tokens},
        "references": [citation.url for citation in citations],
        "text_at_offsets": [message.content[citation.start_index : citation.end_index] for citation in citations],
    }


def behind_streamed(model: str) -> Seen:
    return streamed(model, behind)


def behind_whole(model: str) -> Seen:
    return whole(model, behind)


# The application has searched itself: the messages contain the result of a tool.
CALL = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
searched = [
    *messages,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({"results": CASE["evidence"]})},
]


def guarded(model: str) -> Seen:
    answer = before.chat.completions.with_raw_response.create(
        model=model, messages=searched, extra_body={"guardrails": ["citestream"]}
    )
    return guarded_answer(answer.parse().choices[0].message.content, answer.headers)


def guarded_streamed(model: str) -> Seen:
    answer = before.chat.completions.with_raw_response.create(
        model=model, messages=searched, stream=True, extra_body={"guardrails": ["citestream"]}
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in answer.parse() if chunk.choices)
    return guarded_answer(text, answer.headers)


def guarded_answer(text: str, headers) -> Seen:
    references = stored_references(headers["x-litellm-call-id"])
    return {"text": text, "references": [reference["url"] or reference["file_name"] for reference in references]}


VIA = "`message.annotations`, `references`"
unknown = {"error": lambda: raised(lambda: whole("nobody/nothing"))}
way("its proxy before Citestream, streamed", VIA, streamed)
way("its proxy before Citestream", VIA, whole, **unknown)
way("its proxy behind Citestream, streamed", VIA, behind_streamed, ["litellm/small"])
way("its proxy behind Citestream", VIA, behind_whole, ["litellm/small"])
STORED = "`GET /v1/references/{x-litellm-call-id}`"
way("its proxy with Citestream as a guardrail, streamed", STORED, guarded_streamed, ["small"])
way("its proxy with Citestream as a guardrail", STORED, guarded, ["small"])
report("LiteLLM proxy", version("litellm"))
