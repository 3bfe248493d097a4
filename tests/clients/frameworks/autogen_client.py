"""AutoGen: OpenAIChatCompletionClient. Its results have the text and the usage only."""

import asyncio
import re
from importlib.metadata import version

from autogen_core.models import CreateResult, ModelInfo, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)
info = ModelInfo(vision=False, function_calling=True, json_output=True, family="unknown", structured_output=True)
messages = [UserMessage(content=question, source="user")]


def client_of(model: str) -> OpenAIChatCompletionClient:
    extra = {"evidence": evidence, "citations": {"references_in_text": True}}
    # region connect
    client = OpenAIChatCompletionClient(
        model=model,
        base_url=f"{CITESTREAM}/v1",
        api_key=KEY,
        model_info=info,
        extra_body=extra,
    )
    # endregion
    return client


async def created(model: str) -> CreateResult:
    client = client_of(model)
    try:
        return await client.create(messages)
    finally:
        await client.close()


async def streaming(model: str) -> CreateResult:
    client = client_of(model)
    try:
        *pieces, result = [piece async for piece in client.create_stream(messages, include_usage=True)]
    finally:
        await client.close()
    assert "".join(pieces) == result.content
    return result


def whole(model: str) -> Seen:
    return of(asyncio.run(created(model)))


def streamed(model: str) -> Seen:
    return of(asyncio.run(streaming(model)))


def of(result: CreateResult) -> Seen:
    return {
        "text": result.content,
        "usage": {"input": result.usage.prompt_tokens, "output": result.usage.completion_tokens},
        "references": [found["url"] or found["name"] for found in LISTED.finditer(result.content)],
    }


way("`OpenAIChatCompletionClient.create_stream`", "`references_in_text`", streamed)
way(
    "`OpenAIChatCompletionClient.create`",
    "`references_in_text`",
    whole,
    error=lambda: raised(lambda: whole("nobody/nothing")),
)
report("autogen-ext", version("autogen-ext"))
