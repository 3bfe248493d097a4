"""LangChain's ChatXAI with the address of Citestream: it keeps the list of links that ChatOpenAI drops."""

from importlib.metadata import version

from langchain_core.messages import HumanMessage
from langchain_xai import ChatXAI
from report import CASE, CITESTREAM, KEY, Seen, broken, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]


def chat(model: str) -> ChatXAI:
    # region connect
    llm = ChatXAI(
        model=model,
        xai_api_base=f"{CITESTREAM}/v1",
        xai_api_key=KEY,
        stream_usage=True,
        extra_body={"evidence": evidence},
    )
    # endregion
    return llm


def streamed(model: str) -> Seen:
    llm, answer = chat(model), None
    # region streamed
    for chunk in llm.stream(question):
        print(chunk.text, end="")
        answer = chunk if answer is None else answer + chunk
    print()
    print(answer.additional_kwargs["citations"])
    # endregion
    return of(answer)


def whole(model: str) -> Seen:
    return of(chat(model).invoke(question))


def of(answer) -> Seen:
    usage = answer.usage_metadata
    reasoning = usage["output_token_details"].get("reasoning", 0)  # xAI counts it apart, so ChatXAI adds it
    return {
        "text": answer.text,
        "usage": {"input": usage["input_tokens"], "output": usage["output_tokens"] - reasoning, "reasoning": reasoning},
        "references": answer.additional_kwargs["citations"],
        "not_returned": {name: answer.additional_kwargs.get(name) for name in ("references", "annotations")},
    }


def second_turn() -> str:
    llm = chat("strict/any")
    return llm.invoke([HumanMessage(question), llm.invoke(question), HumanMessage(question)]).text


way(
    "`ChatXAI.stream`",
    "`citations`, the links",
    streamed,
    broken=lambda: broken(lambda: (chunk.text for chunk in chat("broken/any").stream(question))),
)
way(
    "`ChatXAI.invoke`",
    "`citations`, the links",
    whole,
    second_turn=second_turn,
    error=lambda: raised(lambda: chat("nobody/nothing").invoke(question)),
)
report("langchain-xai", version("langchain-xai"))
