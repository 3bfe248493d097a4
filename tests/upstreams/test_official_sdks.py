"""The official SDKs, unmodified, accept the answers of the servers that the tests use."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import ollama
import openai
import pytest
from google import genai
from google.genai.types import GenerateContentConfig, HttpOptions

from tests.upstreams import gemini as gemini_upstream
from tests.upstreams import openai as openai_upstream
from tests.upstreams.gemini import Gemini
from tests.upstreams.ollama import MODEL, Ollama
from tests.upstreams.openai import VLLM, OpenAI
from tests.upstreams.wire import Answer, Server

TEXT = "Water boils at 100 °C [1]."
MESSAGES: list[Any] = [{"role": "user", "content": "When does water boil?"}]


@asynccontextmanager
async def openai_client(answer: Answer, key: str = openai_upstream.KEY) -> AsyncIterator[openai.AsyncOpenAI]:
    async with Server(answer) as server, openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=key) as client:
        yield client


@asynccontextmanager
async def gemini_client(answer: Answer, key: str = gemini_upstream.KEY) -> AsyncIterator[Any]:
    async with Server(answer) as server, aiohttp.ClientSession() as session:
        options = HttpOptions(base_url=server.url, api_version="v1beta", aiohttp_client=session)
        yield genai.Client(api_key=key, http_options=options).aio


async def test_openai_python_reads_the_stream() -> None:
    async with openai_client(OpenAI(calls=True)) as client:
        stream = client.chat.completions.stream(model="m", messages=MESSAGES, stream_options={"include_usage": True})
        async with stream as events:
            async for _ in events:
                pass
            final = await events.get_final_completion()
    message = final.choices[0].message
    assert message.content == TEXT
    assert message.tool_calls
    assert message.tool_calls[0].function.arguments == '{"city":"Zürich"}'
    assert final.usage
    assert final.usage.total_tokens == 26


async def test_openai_python_reads_complete_answers_models_and_errors() -> None:
    async with openai_client(OpenAI()) as client:
        completion = await client.chat.completions.create(model="m", messages=MESSAGES)
        assert completion.choices[0].message.content == TEXT
        models = [model.id async for model in client.models.list()]
        assert models == [openai_upstream.MODEL, "gpt-4.1-mini-2025-04-14"]
        with pytest.raises(openai.BadRequestError, match="Unrecognized request argument supplied: evidence"):
            await client.chat.completions.create(model="m", messages=MESSAGES, extra_body={"evidence": []})
    async with openai_client(OpenAI(), key="wrong") as client:
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
            await client.models.list()


async def test_openai_python_reads_the_stream_of_vllm() -> None:
    async with openai_client(VLLM()) as client:
        stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_ollama_python_reads_the_stream_models_and_errors() -> None:
    async with Server(Ollama(thinking=["hm"], calls=1)) as server:
        client = ollama.AsyncClient(server.url)
        parts = [part async for part in await client.chat(MODEL, MESSAGES, stream=True)]
        assert "".join(part.message.content or "" for part in parts) == TEXT
        assert parts[0].message.thinking == "hm"
        assert [call.function.name for part in parts for call in part.message.tool_calls or ()] == ["weather"]
        assert (parts[-1].done, parts[-1].done_reason, parts[-1].eval_count) == (True, "stop", 6)
        assert [model.model for model in (await client.list()).models] == ["qwen3:4b", "llama3.2:latest"]
        with pytest.raises(ollama.ResponseError, match="not found"):
            await client.chat("other", MESSAGES)
        await client._client.aclose()


async def test_google_genai_reads_the_stream_models_and_errors() -> None:
    async with gemini_client(Gemini(thoughts=["hm"], calls=1)) as client:
        stream = await client.models.generate_content_stream(model=gemini_upstream.MODEL, contents="When?")
        chunks = [chunk async for chunk in stream]
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        assert "".join(part.text for part in parts if part.text and not part.thought) == TEXT
        assert [part.function_call.name for part in parts if part.function_call] == ["weather"]
        assert chunks[-1].candidates[0].finish_reason == "STOP"
        assert chunks[-1].usage_metadata.thoughts_token_count == 40
        models = [model.name async for model in await client.models.list()]
        assert models == [f"models/{gemini_upstream.MODEL}", "models/gemini-embedding-001"]
    async with gemini_client(Gemini(), key="wrong") as client:
        config = GenerateContentConfig(temperature=0)
        with pytest.raises(genai.errors.ClientError, match="API key not valid"):
            await client.models.generate_content(model=gemini_upstream.MODEL, contents="When?", config=config)
