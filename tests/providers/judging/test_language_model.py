"""A language model as a judge."""

import math
from collections.abc import AsyncGenerator

import pytest

from citestream.providers.errors import ProviderError, rejected
from citestream.providers.events import ChatRequest, Event
from citestream.providers.judging.language_model import MAX_REPLY_CHARACTERS, PARAMETERS, LanguageModelJudge
from citestream.providers.scripted import ENVELOPE, ScriptedProvider, chunk, usage

QUESTION = [{"role": "user", "content": "Document: It is red.\nClaim: It is red."}]


async def test_the_reply_has_text_alternatives_and_a_token_count() -> None:
    top = [{"token": "Yes", "logprob": math.log(0.9)}, {"token": "No", "logprob": math.log(0.1)}]
    delta = {"index": 0, "delta": {"content": "Yes"}, "finish_reason": None}
    scored = {**ENVELOPE, "choices": [{**delta, "logprobs": {"content": [{"token": "Yes", "top_logprobs": top}]}}]}
    reply = await LanguageModelJudge(ScriptedProvider(scored, chunk({}, "stop"), usage(1, 20)).stream, "m").ask(
        QUESTION
    )
    assert (reply.text, list(reply.top), reply.tokens) == ("Yes", top, 21)


async def test_a_verbose_model_is_stopped_after_its_first_words() -> None:
    piece = " because the passage says so"
    provider = ScriptedProvider("Yes", *[piece] * 1000)
    reply = await LanguageModelJudge(provider.stream, "m").ask(QUESTION)
    assert reply.text.startswith("Yes because")
    assert len(reply.text) <= MAX_REPLY_CHARACTERS + len(piece)
    assert provider.open == 0
    assert reply.tokens > 0


class StrictProvider:
    """A provider that rejects unknown parameters, as servers of OpenAI's API do."""

    def __init__(self, *known: str, status: int = 400, content: str = "") -> None:
        """`content`: a message that is rejected, too."""
        self.known = {*known}
        self.status = status
        self.content = content
        self.received: list[set[str]] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        self.received.append({*request.params})
        if {*request.params} - self.known or any(one["content"] == self.content for one in request.messages):
            raise rejected(self.status, {}, b'{"error": {"message": "unknown parameter"}}')
        async for event in ScriptedProvider("No").stream(request):
            yield event


async def test_rejected_parameters_are_not_sent_again() -> None:
    provider = StrictProvider("temperature", "max_tokens")
    judge = LanguageModelJudge(provider.stream, "m")
    assert [(await judge.ask(QUESTION)).text for _ in range(2)] == ["No", "No"]
    assert provider.received == [{*PARAMETERS[0]}, {*PARAMETERS[1]}, {*PARAMETERS[1]}]


async def test_a_request_rejected_for_its_content_does_not_change_the_parameters() -> None:
    provider = StrictProvider(*PARAMETERS[0], *PARAMETERS[2], content="poison")
    judge = LanguageModelJudge(provider.stream, "m")
    with pytest.raises(ProviderError):
        await judge.ask([{"role": "user", "content": "poison"}])
    provider.received.clear()
    await judge.ask(QUESTION)
    assert provider.received == [{*PARAMETERS[0]}]


@pytest.mark.parametrize("status", [401, 404, 429, 500])
async def test_other_errors_do_not_change_the_parameters(status: int) -> None:
    provider = StrictProvider(status=status)
    with pytest.raises(ProviderError):
        await LanguageModelJudge(provider.stream, "m").ask(QUESTION)
    assert len(provider.received) == 1
