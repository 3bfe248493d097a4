"""Google's Agent Development Kit: an agent with a Gemini model. Events keep `grounding_metadata`."""

import asyncio
import os
from importlib.metadata import version

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types
from report import CASE, CITESTREAM, KEY, Seen, report, way

question, evidence = CASE["question"], CASE["evidence"]
os.environ |= {"GOOGLE_GEMINI_BASE_URL": CITESTREAM, "GOOGLE_API_KEY": KEY, "GOOGLE_GENAI_USE_VERTEXAI": "false"}


async def answered(model: str, mode: StreamingMode) -> list:
    # region agent
    options = types.HttpOptions(extra_body={"evidence": evidence})
    settings = types.GenerateContentConfig(http_options=options)
    agent = LlmAgent(name="librarian", model=Gemini(model=model), generate_content_config=settings)
    runner = InMemoryRunner(agent=agent, app_name="library")
    # endregion
    session = await runner.session_service.create_session(app_name="library", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    run = runner.run_async(
        user_id="u", session_id=session.id, new_message=message, run_config=RunConfig(streaming_mode=mode)
    )
    return [event async for event in run]


def of(events: list) -> Seen:
    text = "".join(part.text or "" for part in events[-1].content.parts)
    metadata = next(event.grounding_metadata for event in reversed(events) if event.grounding_metadata)
    encoded = text.encode()
    return {
        "text": text,
        "references": [chunk.retrieved_context.uri for chunk in metadata.grounding_chunks],
        "text_at_offsets": [
            encoded[support.segment.start_index or 0 : support.segment.end_index].decode()
            for support in metadata.grounding_supports
        ],
    }


def whole(model: str) -> Seen:
    return of(asyncio.run(answered(model, StreamingMode.NONE)))


def streamed(model: str) -> Seen:
    return of(asyncio.run(answered(model, StreamingMode.SSE)))


way("`LlmAgent`, streamed", "`grounding_metadata` of an event", streamed)
way("`LlmAgent`", "`grounding_metadata` of an event", whole)
report("google-adk", version("google-adk"))
