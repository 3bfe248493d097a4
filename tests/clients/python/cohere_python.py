"""The cohere package: chat_stream, chat and the asynchronous client; the references are Cohere's citation objects."""

import asyncio
from collections.abc import Sequence
from importlib.metadata import version

import cohere
from report import CASE, CITESTREAM, KEY, Seen, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
messages = [{"role": "user", "content": question}]

# region connect
client = cohere.ClientV2(api_key=KEY, base_url=CITESTREAM)
documents = [{"id": piece["id"], "data": {key: piece[key] for key in piece if key != "id"}} for piece in evidence]
# endregion


def streamed(model: str) -> Seen:
    text, citations = "", []
    # region streamed
    for event in client.chat_stream(model=model, messages=messages, documents=documents):
        if event.type == "content-delta":
            text += event.delta.message.content.text
            print(event.delta.message.content.text, end="")
        elif event.type == "citation-start":
            citations.append(event.delta.message.citations)
        elif event.type == "message-end":
            end = event
    print()
    for citation in citations:
        print(f"{citation.start}-{citation.end}: {citation.text}", [source.id for source in citation.sources])
    # endregion
    assert end.delta.finish_reason == "COMPLETE"
    return of(text, citations, end.delta.usage, end.references)


def whole(model: str) -> Seen:
    answer = client.chat(model=model, messages=messages, documents=documents)
    assert stored_references(answer.id) == answer.references
    return of(answer.message.content[0].text, answer.message.citations, answer.usage, answer.references)


def asynchronous(model: str) -> Seen:
    async def ask() -> cohere.V2ChatResponse:
        async with cohere.AsyncClientV2(api_key=KEY, base_url=CITESTREAM) as own:
            return await own.chat(model=model, messages=messages, documents=documents)

    answer = asyncio.run(ask())
    return of(answer.message.content[0].text, answer.message.citations, answer.usage, answer.references)


def of(text: str, citations: Sequence[cohere.Citation], usage: cohere.Usage, references: list[Seen]) -> Seen:
    """The text has no markers, so they are added here after each cited sentence, from its citation."""
    sources = list(dict.fromkeys(source.id for citation in citations for source in citation.sources))
    assert sources == [reference["id"] for reference in references]
    assert all(text[citation.start : citation.end] == citation.text for citation in citations)
    return {
        "text": marked(text, citations, sources),
        "usage": {
            "input": usage.tokens.input_tokens,
            "output": usage.tokens.output_tokens,
            "cached": usage.cached_tokens,
        },
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [citation.text for citation in citations],
    }


def marked(text: str, citations: Sequence[cohere.Citation], sources: list[str]) -> str:
    for citation in reversed(citations):
        markers = "".join(f"[{sources.index(source.id) + 1}]" for source in citation.sources)
        text = f"{text[: citation.end]} {markers}{text[citation.end :]}"
    return text


def calls() -> list[Seen]:
    function = {"name": "weather", "parameters": {"type": "object", "properties": {}}}
    tools = [{"type": "function", "function": function}]
    answer = client.chat(model="calling/any", messages=messages, documents=documents, tools=tools)
    assert answer.finish_reason == "TOOL_CALL"
    return [{"name": call.function.name, "arguments": call.function.arguments} for call in answer.message.tool_calls]


def reasoning() -> str:
    answer = client.chat(model="reasoning/any", messages=messages, documents=documents)
    return "".join(block.thinking for block in answer.message.content if block.type == "thinking")


def retrieved() -> Seen:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    history = [
        *messages,
        {"role": "assistant", "tool_plan": "I search.", "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [{"type": "document", "document": document} for document in documents],
        },
    ]
    answer = client.chat(model="openai/gpt-4.1", messages=history)
    citations = answer.message.citations
    assert all(source.tool_output["text"] for citation in citations for source in citation.sources)
    seen = of(answer.message.content[0].text, citations, answer.usage, answer.references)
    return {"text": seen["text"], "references": seen["references"]}


def second_turn() -> str:
    first = client.chat(model="strict/any", messages=messages, documents=documents)
    history = [*messages, first.message, *messages]
    answer = client.chat(model="strict/any", messages=history, documents=documents)
    return marked(answer.message.content[0].text, answer.message.citations, ["moon", "apollo"])


def broken() -> Seen:
    """Check that an interrupted stream ends with the reason ERROR, as in Cohere's API."""
    text, citations = "", []
    for event in client.chat_stream(model="broken/any", messages=messages, documents=documents):
        if event.type == "content-delta":
            text += event.delta.message.content.text
        elif event.type == "citation-start":
            citations.append(event.delta.message.citations)
        elif event.type == "message-end" and event.delta.finish_reason == "ERROR":
            return {"text": marked(text, citations, ["moon"]), "type": "ERROR", "message": event.delta.error}
    raise AssertionError("no error")


def cancel() -> bool:
    events = client.chat_stream(model="silent/cohere-python", messages=messages, documents=documents)
    next(event for event in events if event.type == "content-delta")
    events.close()
    return provider_closed("cohere-python")


way(
    "`chat_stream()`",
    "`citation-start` events, `references` of `message-end`",
    streamed,
    error=lambda: raised(lambda: list(client.chat_stream(model="nobody/nothing", messages=messages))),
    broken=broken,
    cancelled=cancel,
)
way(
    "`chat()`",
    "`message.citations`, `references`",
    whole,
    calls=calls,
    reasoning=reasoning,
    retrieved=retrieved,
    second_turn=second_turn,
    error=lambda: raised(lambda: client.chat(model="nobody/nothing", messages=messages)),
)
way("`AsyncClientV2.chat()`", "`message.citations`, `references`", asynchronous)
report("cohere (Python)", version("cohere"))
