"""Strands Agents: an agent with OpenAI's model class, which keeps only the text."""

from importlib.metadata import version

from reference_list import listed
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way
from strands import Agent
from strands.models.openai import OpenAIModel

question, evidence = CASE["question"], CASE["evidence"]


def agent_of(model: str) -> Agent:
    # region agent
    llm = OpenAIModel(
        client_args={"base_url": f"{CITESTREAM}/v1", "api_key": KEY, "max_retries": 0},
        model_id=model,
        params={"extra_body": {"evidence": evidence, "citations": {"references_in_text": True}}},
    )
    agent = Agent(model=llm, callback_handler=None)
    # endregion
    return agent


def streamed(model: str) -> Seen:
    result = agent_of(model)(question)
    text = "".join(part["text"] for part in result.message["content"] if "text" in part)
    return {"text": text, "references": listed(text)}


way("`Agent()`", "`references_in_text`", streamed, error=lambda: raised(lambda: streamed("nobody/nothing")))
report("strands-agents", version("strands-agents"))
