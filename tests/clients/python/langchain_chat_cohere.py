"""LangChain's ChatCohere: the references are Cohere's citation objects in `additional_kwargs`. `stream` drops them."""

from importlib.metadata import version

from langchain_cohere import ChatCohere
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from report import CASE, CITESTREAM, KEY, Seen, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
documents = [{"id": piece["id"], "data": {key: piece[key] for key in piece if key != "id"}} for piece in evidence]
weather = {"title": "weather", "description": "The weather.", "type": "object", "properties": {}}


def named(model: str) -> ChatCohere:
    return ChatCohere(model=model, base_url=CITESTREAM, cohere_api_key=KEY)


def whole(model: str) -> Seen:
    # region whole
    llm = ChatCohere(model=model, base_url=CITESTREAM, cohere_api_key=KEY)
    answer = llm.invoke(question, documents=documents)
    print(answer.content)
    for citation in answer.additional_kwargs["citations"]:
        print(f"{citation.start}-{citation.end}: {citation.text}", [source.id for source in citation.sources])
    # endregion
    return of(answer)


def of(answer: AIMessage) -> Seen:
    """The text has no markers, so they are added here after each cited sentence, from its citation."""
    text, citations = answer.content, answer.additional_kwargs["citations"]
    sources = list(dict.fromkeys(source.id for citation in citations for source in citation.sources))
    references = stored_references(answer.additional_kwargs["id"])
    assert sources == [reference["id"] for reference in references]
    pointed = [text[citation.start : citation.end] for citation in citations]
    for citation in reversed(citations):
        markers = "".join(f"[{sources.index(source.id) + 1}]" for source in citation.sources)
        text = f"{text[: citation.end]} {markers}{text[citation.end :]}"
    usage = answer.usage_metadata
    return {
        "text": text,
        "usage": {"input": usage["input_tokens"], "output": usage["output_tokens"]},
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": pointed,
    }


def calls() -> list[Seen]:
    answer = named("calling/any").bind_tools([weather]).invoke(question, documents=documents)
    return [{"name": call["name"], "arguments": call["args"]} for call in answer.tool_calls]


def retrieved() -> Seen:
    call = {"id": "call_1", "name": "search", "args": {}}
    history = [
        HumanMessage(question),
        AIMessage("", tool_calls=[call], additional_kwargs={"tool_plan": "I search."}),
        ToolMessage([piece["text"] for piece in evidence], tool_call_id="call_1"),
    ]
    answer = named("openai/gpt-4.1").invoke(history)
    seen = of(answer)
    outputs = [source.tool_output for one in answer.additional_kwargs["citations"] for source in one.sources]
    names = {piece["text"]: piece.get("url") or piece["file_name"] for piece in evidence}
    return {"text": seen["text"], "references": [names[output["output"]] for output in outputs]}


def second_turn() -> str:
    llm = named("strict/any")
    first = llm.invoke(question, documents=documents)
    return of(llm.invoke([HumanMessage(question), first, HumanMessage(question)], documents=documents))["text"]


def cancel() -> bool:
    chunks = named("silent/langchain-cohere").stream(question, documents=documents)
    next(chunk for chunk in chunks if chunk.text)
    chunks.close()
    return provider_closed("langchain-cohere")


way(
    "`ChatCohere.invoke`",
    '`additional_kwargs["citations"]`',
    whole,
    calls=calls,
    retrieved=retrieved,
    second_turn=second_turn,
    error=lambda: raised(lambda: named("nobody/nothing").invoke(question)),
    cancelled=cancel,
)
report("langchain-cohere", version("langchain-cohere"))
