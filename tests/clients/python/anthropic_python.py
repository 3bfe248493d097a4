"""anthropic: messages.stream() and messages.create(); the references are the citations of its text blocks."""

from importlib.metadata import version

import anthropic
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
declared = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}

# region connect
client = anthropic.Anthropic(base_url=CITESTREAM, api_key=KEY)
results = [
    {
        "type": "search_result",
        "source": item.get("url") or item["file_name"],
        "title": item.get("title") or item["file_name"],
        "content": [{"type": "text", "text": item["text"]}],
        "citations": {"enabled": True},
    }
    for item in evidence
]
messages = [{"role": "user", "content": [*results, {"type": "text", "text": question}]}]
# endregion


def streamed(model: str) -> Seen:
    # region streamed
    with client.messages.stream(model=model, max_tokens=1024, messages=messages) as stream:
        for text in stream.text_stream:
            print(text, end="", flush=True)
        message = stream.get_final_message()
    print()
    for block in message.content:
        for citation in block.citations or ():
            print(f"{block.text!r}: {citation.title}, {citation.cited_text!r}")
    # endregion
    return of(message)


def events(model: str) -> Seen:
    found = client.messages.create(model=model, max_tokens=1024, messages=messages, stream=True)
    text = "".join(marked_events(found))
    last = []
    for event in client.messages.create(model=model, max_tokens=1024, messages=messages, stream=True):
        last += [event] if event.type == "message_delta" else []
    return {"text": text, "references": [one["title"] or one["file_name"] for one in last[0].references]}


def whole(model: str) -> Seen:
    message = client.messages.create(model=model, max_tokens=1024, messages=messages)
    assert [one["number"] for one in message.references] == [1, 2]
    return of(message)


def of(message) -> Seen:
    assert [reference["number"] for reference in stored_references(message.id)] == [1, 2]
    cited = [block for block in message.content if block.type == "text" and block.citations]
    usage = message.usage
    details = usage.output_tokens_details
    return {
        "text": marked(message.content),
        "usage": {
            "input": usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
            "output": usage.output_tokens,
            "cached": usage.cache_read_input_tokens,
            "reasoning": details and details.thinking_tokens,
        },
        "references": list(dict.fromkeys(one.source for block in cited for one in block.citations)),
        "text_at_offsets": [block.text.strip() for block in cited],
    }


def marked(content) -> str:
    """The text with a number after each cited block, as a page would show it."""
    numbers, text = {}, ""
    for block in content:
        if block.type == "text":
            found = [numbers.setdefault(one.source, len(numbers) + 1) for one in block.citations or ()]
            text += with_markers(block.text, found)
    return text


def marked_events(stream):
    """The same, of a stream. The space after a sentence is held until it is known whether the sentence is cited."""
    numbers, held = {}, ""
    for event in stream:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            text = held + event.delta.text
            held = text[len(text.rstrip()) :]
            yield text.rstrip()
        elif event.type == "content_block_delta" and event.delta.type == "citations_delta":
            yield f" [{numbers.setdefault(event.delta.citation.source, len(numbers) + 1)}]"
    yield held


def with_markers(text: str, numbers: list[int]) -> str:
    sentence = text.rstrip()
    return sentence + "".join(f" [{number}]" for number in numbers) + text[len(sentence) :]


def pieces(model: str):
    return marked_events(client.messages.create(model=model, max_tokens=1024, messages=messages, stream=True))


def calls() -> list[Seen]:
    message = client.messages.create(model="calling/any", max_tokens=1024, messages=messages, tools=[declared])
    assert message.stop_reason == "tool_use"
    return [{"name": block.name, "arguments": block.input} for block in message.content if block.type == "tool_use"]


def reasoning() -> str:
    with client.messages.stream(model="reasoning/any", max_tokens=1024, messages=messages) as stream:
        content = stream.get_final_message().content
    return "".join(block.thinking for block in content if block.type == "thinking")


def retrieved() -> Seen:
    call = {"type": "tool_use", "id": "call_1", "name": "search", "input": {}}
    history = [
        {"role": "user", "content": question},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": results}]},
    ]
    seen = of(client.messages.create(model="openai/gpt-4.1", max_tokens=1024, messages=history))
    return {"text": seen["text"], "references": seen["references"]}


def second_turn() -> str:
    first = client.messages.create(model="strict/any", max_tokens=1024, messages=messages)
    history = [*messages, {"role": "assistant", "content": first.content}, {"role": "user", "content": question}]
    return marked(client.messages.create(model="strict/any", max_tokens=1024, messages=history).content)


def cancel() -> bool:
    with client.messages.stream(model="silent/anthropic-python", max_tokens=1024, messages=messages) as stream:
        next(iter(stream.text_stream))
    return provider_closed("anthropic-python")


def unknown():
    return client.messages.create(model="nobody/nothing", max_tokens=1024, messages=messages)


way(
    "`messages.stream()`",
    "`citations` of the text blocks",
    streamed,
    reasoning=reasoning,
    cancelled=cancel,
)
way(
    "`messages.create(stream=True)`",
    "`citations_delta` events, `references` of `message_delta`",
    events,
    broken=lambda: broken(lambda: pieces("broken/any")),
)
way(
    "`messages.create()`",
    "`citations` of the text blocks, `message.references`",
    whole,
    calls=calls,
    retrieved=retrieved,
    second_turn=second_turn,
    error=lambda: raised(unknown),
)
report("anthropic-python", version("anthropic"))
