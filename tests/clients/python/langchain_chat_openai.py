"""LangChain's ChatOpenAI: with the Responses API, it keeps annotations; with chat completions, it drops them."""

import json
import re
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)
weather = {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}


def responses_model(model: str) -> ChatOpenAI:
    # region responses
    llm = ChatOpenAI(
        model=model,
        base_url=f"{CITESTREAM}/v1",
        api_key=KEY,
        use_responses_api=True,
        extra_body={"evidence": evidence},
    )
    # endregion
    return llm


def chat_model(model: str) -> ChatOpenAI:
    # region chat
    llm = ChatOpenAI(
        model=model,
        base_url=f"{CITESTREAM}/v1",
        api_key=KEY,
        stream_usage=True,
        extra_body={"evidence": evidence, "citations": {"references_in_text": True}},
    )
    # endregion
    return llm


def responses_streamed(model: str) -> Seen:
    llm = responses_model(model)
    # region responses_streamed
    answer = None
    for chunk in llm.stream(question):
        print(chunk.text, end="")
        answer = chunk if answer is None else answer + chunk
    print()
    for annotation in answer.content[0]["annotations"]:
        print(annotation["title"], annotation["url"], annotation["content"])
    # endregion
    return of_responses(answer)


def responses_whole(model: str) -> Seen:
    return of_responses(responses_model(model).invoke(question))


def chat_streamed(model: str) -> Seen:
    llm, answer = chat_model(model), None
    # region chat_streamed
    for chunk in llm.stream(question):
        print(chunk.text, end="")
        answer = chunk if answer is None else answer + chunk
    # endregion
    return {
        "text": answer.text,
        "usage": counts(answer),
        "references": [found["url"] or found["name"] for found in LISTED.finditer(answer.text)],
        "not_returned": dropped_fields(answer),
    }


def chat_whole(model: str) -> Seen:
    llm = ChatOpenAI(model=model, base_url=f"{CITESTREAM}/v1", api_key=KEY, extra_body={"evidence": evidence})
    # region chat_whole
    answer = llm.invoke(question)
    print(answer.text)
    for reference in stored_references(answer.response_metadata["id"]):  # GET /v1/references/{id}
        print(reference["number"], reference["snippet"])
    # endregion
    references = stored_references(answer.response_metadata["id"])
    spans = [reference["spans"][0] for reference in references]
    return {
        "text": answer.text,
        "usage": counts(answer),
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [answer.text[span["start"] : span["end"]] for span in spans],
        "not_returned": dropped_fields(answer),
    }


def of_responses(answer) -> Seen:
    annotations = answer.content[-1]["annotations"]
    assert [reference["number"] for reference in stored_references(answer.response_metadata["id"])] == [1, 2]
    return {
        "text": answer.text,
        "usage": counts(answer),
        "references": [annotation["url"] for annotation in annotations],
        "text_at_offsets": [
            answer.text[annotation["start_index"] : annotation["end_index"]] for annotation in annotations
        ],
    }


def unlisted(text: str) -> str:
    """Return the text without the list of references."""
    return text.partition("\n\n**References**")[0]


def counts(answer) -> Seen:
    usage = answer.usage_metadata
    return {
        "input": usage["input_tokens"],
        "output": usage["output_tokens"],
        "cached": usage["input_token_details"].get("cache_read"),
        "reasoning": usage["output_token_details"].get("reasoning"),
    }


def dropped_fields(answer) -> Seen:
    everything = {**answer.additional_kwargs, **answer.response_metadata}
    return {name: everything.get(name) for name in ("annotations", "references")}


def calls(llm: ChatOpenAI) -> list[Seen]:
    return [
        {"name": call["name"], "arguments": call["args"]}
        for call in llm.bind_tools([weather]).invoke(question).tool_calls
    ]


def retrieved() -> Seen:
    # region retrieved
    llm = ChatOpenAI(model="openai/gpt-4.1", base_url=f"{CITESTREAM}/v1", api_key=KEY, use_responses_api=True)
    call = {"name": "search", "args": {}, "id": "call_1"}
    found = ToolMessage(json.dumps(evidence), tool_call_id="call_1")
    answer = llm.invoke([HumanMessage(question), AIMessage("", tool_calls=[call]), found])
    # endregion
    seen = of_responses(answer)
    return {"text": seen["text"], "references": seen["references"]}


def second_turn(llm: ChatOpenAI) -> str:
    first = llm.invoke(question)
    return llm.invoke([HumanMessage(question), first, HumanMessage(question)]).text


def cancel(llm: ChatOpenAI, name: str) -> bool:
    chunks = llm.stream(question)
    next(chunk for chunk in chunks if chunk.text)
    chunks.close()
    return provider_closed(name)


for kind, model_of, streamed, whole, via in (
    (
        "use_responses_api=True",
        responses_model,
        responses_streamed,
        responses_whole,
        ("annotations of the content",) * 2,
    ),
    ("", chat_model, chat_streamed, chat_whole, ("`references_in_text`", "`GET /v1/references/{id}`")),
):
    name = f"lc-{kind or 'chat'}"
    way(
        f"`ChatOpenAI({kind}).stream`",
        via[0],
        streamed,
        broken=lambda model_of=model_of: broken(
            lambda: (chunk.text for chunk in model_of("broken/any").stream(question))
        ),
        cancelled=lambda model_of=model_of, name=name: cancel(model_of(f"silent/{name}"), name),
    )
    way(
        f"`ChatOpenAI({kind}).invoke`",
        via[1],
        whole,
        **({"retrieved": retrieved} if kind else {}),
        second_turn=lambda model_of=model_of: unlisted(second_turn(model_of("strict/any"))),
        calls=lambda model_of=model_of: calls(model_of("calling/any")),
        error=lambda model_of=model_of: raised(lambda: model_of("nobody/nothing").invoke(question)),
    )
report("langchain-openai", version("langchain-openai"))
