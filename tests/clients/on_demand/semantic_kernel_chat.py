"""Semantic Kernel: OpenAIChatCompletion. A message has the raw completion in `inner_content`."""

import asyncio
from importlib.metadata import version

from openai import AsyncOpenAI
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory

question, evidence = CASE["question"], CASE["evidence"]
history = ChatHistory()
history.add_user_message(question)
settings = OpenAIChatPromptExecutionSettings(extra_body={"evidence": evidence})


async def asked(model: str) -> Seen:
    async with AsyncOpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY) as client:
        # region whole
        service = OpenAIChatCompletion(ai_model_id=model, async_client=client)
        settings = OpenAIChatPromptExecutionSettings(extra_body={"evidence": evidence})
        message = await service.get_chat_message_content(history, settings)
        print(message.content)
        for reference in message.inner_content.references:
            print(reference["number"], reference["snippet"])
        # endregion
    usage = message.metadata["usage"]
    counts = {"input": usage.prompt_tokens, "output": usage.completion_tokens}
    return {**of(message.content, message.inner_content.references), "usage": counts}


async def streaming(model: str) -> Seen:
    text, references = "", []
    async with AsyncOpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY) as client:
        service = OpenAIChatCompletion(ai_model_id=model, async_client=client)
        async for piece in service.get_streaming_chat_message_content(history, settings):
            text += piece.content or ""
            references = getattr(piece.inner_content, "references", None) or references
    return of(text, references)


def of(text: str, references) -> Seen:
    return {
        "text": text,
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[one["spans"][0]["start"] : one["spans"][0]["end"]] for one in references],
    }


def whole(model: str) -> Seen:
    return asyncio.run(asked(model))


def streamed(model: str) -> Seen:
    return asyncio.run(streaming(model))


way("`OpenAIChatCompletion`, streamed", "`inner_content.references` of the finish chunk", streamed)
way(
    "`OpenAIChatCompletion`",
    "`inner_content.references`",
    whole,
    error=lambda: raised(lambda: whole("nobody/nothing")),
)
report("semantic-kernel", version("semantic-kernel"))
