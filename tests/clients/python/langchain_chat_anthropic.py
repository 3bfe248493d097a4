"""LangChain's ChatAnthropic: the references are citations of its content blocks."""

from importlib.metadata import version

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
weather = {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}

# region connect
documents = [
    {
        "type": "document",
        "title": item.get("title") or item["file_name"],
        "source": {"type": "text", "media_type": "text/plain", "data": item["text"]},
        "citations": {"enabled": True},
    }
    for item in evidence
]
asked = HumanMessage([*documents, {"type": "text", "text": question}])
# endregion


def chat(model: str) -> ChatAnthropic:
    return ChatAnthropic(model=model, base_url=CITESTREAM, api_key=KEY, max_tokens=1024, max_retries=0)


def streamed(model: str) -> Seen:
    answer = None
    # region streamed
    llm = ChatAnthropic(model=model, base_url=CITESTREAM, api_key=KEY, max_tokens=1024, max_retries=0)
    for chunk in llm.stream([asked]):
        print(chunk.text, end="")
        answer = chunk if answer is None else answer + chunk
    print()
    for block in answer.content:
        for citation in block.get("citations", ()):
            print(f"{block['text']!r}: {citation['document_title']}, {citation['cited_text']!r}")
    # endregion
    return of(answer, model)


def whole(model: str) -> Seen:
    return of(chat(model).invoke([asked]), model)


def of(answer, model: str = "") -> Seen:
    usage = answer.usage_metadata
    blocks = [block if isinstance(block, dict) else {"type": "text", "text": block} for block in answer.content]
    cited = [block for block in blocks if block.get("citations")]
    if "id" in answer.response_metadata:  # not of a stream
        assert [reference["number"] for reference in stored_references(answer.response_metadata["id"])] == [1, 2]
    return {
        "text": marked(blocks),
        "usage": {
            # Documents have no links, so the prompt is shorter than that of the other clients.
            **({} if model == "extractive" else {"input": usage["input_tokens"]}),
            "output": usage["output_tokens"],
            "cached": usage["input_token_details"].get("cache_read"),
        },
        "references": list(dict.fromkeys(one["document_title"] for block in cited for one in block["citations"])),
        "text_at_offsets": [block["text"].strip() for block in cited],
    }


def marked(content) -> str:
    """The text with a number after each cited block, as a page would show it."""
    numbers, text = {}, ""
    for block in content:
        if block["type"] == "text":
            sentence = block["text"].rstrip()
            found = [
                numbers.setdefault(one["document_title"], len(numbers) + 1) for one in block.get("citations") or ()
            ]
            text += sentence + "".join(f" [{number}]" for number in found) + block["text"][len(sentence) :]
    return text


def calls() -> list[Seen]:
    answer = chat("calling/any").bind_tools([weather]).invoke([asked])
    return [{"name": call["name"], "arguments": call["args"]} for call in answer.tool_calls]


def reasoning() -> str:
    answer = chat("reasoning/any").invoke([asked])
    return "".join(block["reasoning"] for block in answer.content_blocks if block["type"] == "reasoning")


def second_turn() -> str:
    llm = chat("strict/any")
    first = llm.invoke([asked])
    return of(llm.invoke([asked, first, HumanMessage(question)]))["text"]


def cancel() -> bool:
    chunks = chat("silent/lc-anthropic").stream([asked])
    next(chunk for chunk in chunks if chunk.text)
    chunks.close()
    return provider_closed("lc-anthropic")


def breaking() -> Seen:
    found = broken(lambda: (chunk.text for chunk in chat("broken/any").stream([asked])))
    return {name: value for name, value in found.items() if name != "text"}  # without the numbers of a page


way(
    "`ChatAnthropic.stream`",
    "`citations` of the content",
    streamed,
    reasoning=reasoning,
    broken=breaking,
    cancelled=cancel,
)
way(
    "`ChatAnthropic.invoke`",
    "`citations` of the content",
    whole,
    calls=calls,
    second_turn=second_turn,
    error=lambda: raised(lambda: chat("nobody/nothing").invoke([asked])),
)
report("langchain-anthropic", version("langchain-anthropic"))
