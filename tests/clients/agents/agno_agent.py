"""Agno: an agent, whose answer has the citations."""

from importlib.metadata import version

from agno.agent import Agent
from agno.models.openai.like import OpenAILike
from report import CASE, CITESTREAM, KEY, Seen, report, way

question, evidence = CASE["question"], CASE["evidence"]


def agent_of(model: str) -> Agent:
    # region agent
    llm = OpenAILike(id=model, base_url=f"{CITESTREAM}/v1", api_key=KEY, extra_body={"evidence": evidence})
    agent = Agent(model=llm, telemetry=False)
    # endregion
    return agent


def whole(model: str) -> Seen:
    answer = agent_of(model).run(question)
    return {"text": answer.content, "references": [one.url for one in answer.citations.urls]}


way("`Agent.run`", "`citations` of the answer", whole)
report("agno", version("agno"))
