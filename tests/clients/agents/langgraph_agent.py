"""LangGraph: a graph with a model of LangChain, which keeps annotations with the Responses API."""

from importlib.metadata import version

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]


def graph_of(model: str):
    # region graph
    llm = ChatOpenAI(
        model=model,
        base_url=f"{CITESTREAM}/v1",
        api_key=KEY,
        use_responses_api=True,
        extra_body={"evidence": evidence},
    )
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda state: {"messages": [llm.invoke(state["messages"])]})
    graph.add_edge(START, "answer")
    # endregion
    return graph.compile()


def asked() -> dict:
    return {"messages": [{"role": "user", "content": question}]}


def streamed(model: str) -> Seen:
    pieces, text = None, ""
    for message, _ in graph_of(model).stream(asked(), stream_mode="messages"):
        text += message.text
        pieces = message if pieces is None else pieces + message
    return {**of(pieces), "text": text}


def whole(model: str) -> Seen:
    return of(graph_of(model).invoke(asked())["messages"][-1])


def of(message) -> Seen:
    annotations = [one for part in message.content for one in part.get("annotations", ())]
    text = message.text
    return {
        "text": text,
        "references": [one["url"] for one in annotations],
        "text_at_offsets": [text[one["start_index"] : one["end_index"]] for one in annotations],
    }


def second_turn() -> str:
    first = graph_of("strict/any").invoke(asked())
    return graph_of("strict/any").invoke({"messages": [*first["messages"], *asked()["messages"]]})["messages"][-1].text


VIA = "annotations of the content"
way('`graph.stream(stream_mode="messages")`', VIA, streamed)
way("`graph.invoke`", VIA, whole, second_turn=second_turn, error=lambda: raised(lambda: whole("nobody/nothing")))
report("langgraph", version("langgraph"))
