"""Jobs: the parts of a client's request that a provider receives."""

from collections.abc import Callable
from typing import Any

import pytest

from citestream.citation.evidence import EvidenceLimits
from citestream.citation.options import Options
from citestream.providers.events import ChatRequest
from citestream.providers.wire.anthropic.messages_request import messages_body
from citestream.providers.wire.gemini.generation_config import generate_content_body
from citestream.providers.wire.ollama.chat_request import chat_body
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.pipeline.request.job import Job

Fields = dict[str, Any]

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
WRITERS = {"anthropic": messages_body, "gemini": generate_content_body, "ollama": chat_body}
OTHER = {"model": "another", "messages": [], "contents": [], "stream": False}


def parsed(body: Fields) -> Job:
    return OpenAIChatApi().parse(body, Options(), EvidenceLimits(items=9, characters=999))


@pytest.mark.parametrize("api", WRITERS)
def test_a_client_of_another_api_cannot_write_the_request_to_the_provider(api: str) -> None:
    write: Callable[[ChatRequest], Fields] = WRITERS[api]
    own = {"request": OTHER, "headers": {"x-api-key": "stolen", "Host": "ex.org"}}
    sent = []
    for body in (CHAT, {**CHAT, **dict.fromkeys([*WRITERS, "google"], own)}):
        messages, params = parsed(body).for_provider(api, native=False)
        assert api not in params
        sent.append(write(ChatRequest("m", messages, params)))
    assert sent[0] == sent[1]


def test_fields_of_one_provider_do_not_replace_the_text_of_a_part() -> None:
    own = {"text": "Hi", "type": "image", "cache_control": {"type": "ephemeral"}}
    part = {"type": "text", "text": "[1] Ice melts at 0 °C.", "anthropic": own, "google": own}
    message = {"role": "user", "content": [part]}
    (block,) = messages_body(ChatRequest("m", [message]))["messages"][0]["content"]
    assert block == {"type": "text", "text": part["text"], "cache_control": own["cache_control"]}
    ((found,),) = [one["parts"] for one in generate_content_body(ChatRequest("m", [message]))["contents"]]
    assert found["text"] == part["text"]


def test_a_message_for_ollama_keeps_the_text_that_has_the_evidence() -> None:
    message = {"role": "user", "content": "[1] Ice melts at 0 °C.", "ollama": {"content": "Hi", "images": ["aGk="]}}
    sent = chat_body(ChatRequest("m", [message]))["messages"]
    assert sent == [{"role": "user", "content": "[1] Ice melts at 0 °C.", "images": ["aGk="]}]
