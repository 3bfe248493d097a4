"""LangChain's ChatOllama: its types drop every field they do not declare, so references come in the text."""

import re
from importlib.metadata import version

from langchain_core.messages import HumanMessage
from langchain_ollama import ChatOllama
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)
weather = {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}

# region options
sent = {"headers": {"Authorization": f"Bearer {KEY}"}}
options = {"evidence": evidence, "citations": {"references_in_text": True}}
# endregion


def streamed(model: str) -> Seen:
    answer = None
    # region streamed
    llm = ChatOllama(model=model, base_url=CITESTREAM, client_kwargs=sent)
    for chunk in llm.stream(question, options=options):
        print(chunk.text, end="")
        answer = chunk if answer is None else answer + chunk
    # endregion
    return of(answer)


def whole(model: str) -> Seen:
    return of(ChatOllama(model=model, base_url=CITESTREAM, client_kwargs=sent).invoke(question, options=options))


def of(answer) -> Seen:
    usage = answer.usage_metadata
    return {
        "text": answer.text,
        "usage": {"input": usage["input_tokens"], "output": usage["output_tokens"]},
        "references": [found["url"] or found["name"] for found in LISTED.finditer(answer.text)],
        "not_returned": {name: answer.response_metadata.get(name) for name in ("references", "grounding")},
    }


def stream(model: str):
    return ChatOllama(model=model, base_url=CITESTREAM, client_kwargs=sent).stream(
        question, options={"evidence": evidence}
    )


def calls() -> list[Seen]:
    llm = ChatOllama(model="calling/any", base_url=CITESTREAM, client_kwargs=sent).bind_tools([weather])
    return [
        {"name": call["name"], "arguments": call["args"]} for call in llm.invoke(question, options=options).tool_calls
    ]


def reasoning() -> str:
    chunks = ChatOllama(model="reasoning/any", base_url=CITESTREAM, client_kwargs=sent, reasoning=True).stream(
        question, options=options
    )
    return "".join(chunk.additional_kwargs.get("reasoning_content", "") for chunk in chunks)


def second_turn() -> str:
    llm = ChatOllama(model="strict/any", base_url=CITESTREAM, client_kwargs=sent)
    first = llm.invoke(question, options={"evidence": evidence})
    return llm.invoke([HumanMessage(question), first, HumanMessage(question)], options={"evidence": evidence}).text


def cancel() -> bool:
    chunks = stream("silent/lc-ollama")
    next(chunk for chunk in chunks if chunk.text)
    chunks.close()
    return provider_closed("lc-ollama")


way(
    "`ChatOllama.stream`",
    "`references_in_text`",
    streamed,
    reasoning=reasoning,
    broken=lambda: broken(lambda: (chunk.text for chunk in stream("broken/any"))),
    cancelled=cancel,
)
way(
    "`ChatOllama.invoke`",
    "`references_in_text`",
    whole,
    calls=calls,
    second_turn=second_turn,
    error=lambda: raised(
        lambda: ChatOllama(model="nobody/nothing", base_url=CITESTREAM, client_kwargs=sent).invoke(question)
    ),
)
report("langchain-ollama", version("langchain-ollama"))
