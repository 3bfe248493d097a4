"""LiteLLM's SDK: completion() with its OpenAI provider, streamed and complete."""

import os
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks GitHub for prices

import litellm
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
messages = [{"role": "user", "content": question}]
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]


def streamed(model: str) -> Seen:
    text, usage = "", None
    # region streamed
    stream = litellm.completion(
        model=f"openai/{model}",  # LiteLLM's provider first; Citestream gets what comes after it
        api_base=f"{CITESTREAM}/v1",
        api_key=KEY,
        messages=[{"role": "user", "content": question}],
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"evidence": evidence},
    )
    for chunk in stream:
        delta = chunk.choices[0].delta
        text += delta.content or ""
        print(delta.content or "", end="")
        if getattr(delta, "annotations", None):
            annotations = delta.annotations
        usage = getattr(chunk, "usage", None) or usage
    print()
    for annotation in annotations:
        print(annotation["url_citation"]["title"], annotation["url_citation"]["url"])
    # endregion
    return of(text, usage, annotations)


def whole(model: str) -> Seen:
    # region whole
    response = litellm.completion(
        model=f"openai/{model}",
        api_base=f"{CITESTREAM}/v1",
        api_key=KEY,
        messages=[{"role": "user", "content": question}],
        extra_body={"evidence": evidence},
    )
    print(response.choices[0].message.content)
    for reference in response.references:
        print(reference["number"], reference["snippet"])
    # endregion
    message = response.choices[0].message
    assert [reference["number"] for reference in response.references] == [1, 2]
    return of(message.content, response.usage, message.annotations)


def of(text: str, usage, annotations) -> Seen:
    citations = [annotation["url_citation"] for annotation in annotations]
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    return {
        "text": text,
        "usage": {
            "input": usage.prompt_tokens,
            "output": usage.completion_tokens,
            "cached": read and read.cached_tokens,
            "reasoning": written and written.reasoning_tokens,
        },
        "references": [citation["url"] for citation in citations],
        "text_at_offsets": [text[citation["start_index"] : citation["end_index"]] for citation in citations],
    }


def ask(model: str, **more):
    return litellm.completion(
        model=f"openai/{model}",
        api_base=f"{CITESTREAM}/v1",
        api_key=KEY,
        extra_body={"evidence": evidence},
        **{"messages": messages, **more},
    )


def pieces(model: str):
    for chunk in ask(model, stream=True):
        yield chunk.choices[0].delta.content or ""


def calls() -> list[Seen]:
    called = ask("calling/any", tools=tools).choices[0].message.tool_calls
    return [{"name": call.function.name, "arguments": call.function.arguments} for call in called]


def reasoning() -> str:
    chunks = ask("reasoning/any", stream=True)
    return "".join(getattr(chunk.choices[0].delta, "reasoning_content", None) or "" for chunk in chunks)


def second_turn() -> str:
    first = ask("strict/any").choices[0].message
    return ask("strict/any", messages=[*messages, first, *messages]).choices[0].message.content


def cancel() -> bool:
    stream = ask("silent/litellm", stream=True)
    next(chunk for chunk in stream if chunk.choices[0].delta.content)
    stream.completion_stream.close()
    return provider_closed("litellm")


way(
    "`completion(stream=True)`",
    "`delta.annotations`",
    streamed,
    reasoning=reasoning,
    broken=lambda: broken(lambda: pieces("broken/any")),
    cancelled=cancel,
)
way(
    "`completion()`",
    "`message.annotations`, `response.references`",
    whole,
    calls=calls,
    second_turn=second_turn,
    error=lambda: raised(lambda: ask("nobody/nothing")),
)
report("litellm", version("litellm"))
