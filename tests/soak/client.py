"""A client of the endurance test: it sends requests in every API and checks the answers.

An answer is complete, broken off with an error, refused, cancelled by the client, or has no end. Faults are a nonce of
another client, an end that is not allowed, and missing text or citations.
"""

import asyncio
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import aiohttp

from tests.soak.upstream import HUGE, INVALID_JSON, LEAKED, NONCE

Fields = dict[str, Any]
End = Literal["complete", "broken", "refused", "cancelled", "none"]

KEY = "ck-soak-0123456789"
TIMEOUT = 60.0  # seconds for one answer, far above the timeouts of the server under test
APIS = ("chat", "responses", "ollama", "generate", "gemini")
PROVIDERS = ("openai", "ollama", "gemini")
# How an answer of each model of the upstream ends for a client.
ENDS: dict[str, End] = {
    "good": "complete",
    "drip": "complete",
    "junk": "complete",
    "huge": "complete",
    "cut": "broken",
    "reset": "broken",
    "stall": "broken",
    "busy": "refused",
    "page": "refused",
    "refused": "refused",
    "silent": "refused",
}
SOURCES = ("evidence", "retrieval", "none")
# More than there are concurrent requests, and so few that the caches of words are full within minutes.
NONCES = itertools.cycle([f"nonce{hashlib.sha256(str(at).encode()).hexdigest()[:16]}" for at in range(2000)])
BRIDGE = "The Harlan bridge was opened on 4 May 1932"
FIRST_SENTENCE = "Station {0} sells 41 tickets a day. [1]"


@dataclass(frozen=True)
class Case:
    """One request."""

    api: str
    model: str  # provider/behaviour, or extractive
    source: str = "evidence"
    stream: bool = True
    cancels: bool = False
    scorer: str = "lexical"

    def end(self) -> End:
        """The expected end."""
        end = ENDS.get(self.model.partition("/")[2], "complete")
        if self.cancels:
            return "cancelled"
        return "refused" if end == "broken" and not self.stream else end  # without a stream, the error is the answer

    def allowed_ends(self) -> tuple[End, ...]:
        """Return the allowed ends: an error after a keep-alive is reported in the stream."""
        end = self.end()
        return (end, "broken") if end == "refused" and self.stream else (end,)


@dataclass
class Outcome:
    """An answer as the client received it."""

    end: End
    text: str = ""
    raw: bytes = b""
    status: int = 0


def random_case(rng: Random) -> Case:
    """A random case; two of three have a good answer."""
    good = rng.random() < 2 / 3
    behaviours = [name for name, end in ENDS.items() if (end == "complete") == good]
    model = f"{rng.choice(PROVIDERS)}/{rng.choice(behaviours)}"
    if good and rng.random() < 0.15:
        model = "extractive"
    source = rng.choice(SOURCES[:2] if model == "extractive" else SOURCES)
    stream = source == "none" or rng.random() < 0.75  # without citations, the upstream can only stream
    return Case(
        api=rng.choice(APIS),
        model=model,
        source=source,
        stream=stream,
        cancels=good and stream and rng.random() < 0.1,
        scorer=rng.choice(("lexical", "hybrid")),
    )


def request(case: Case, nonce: str) -> tuple[str, Fields]:
    """Return the path and the body of a request."""
    question = f"When was the Harlan bridge opened? How many tickets does Station {nonce} sell?"
    extra: Fields = {"citations": {"scorer": case.scorer}}
    if case.source == "evidence":
        texts = (
            f"Station {nonce} sells 41 tickets a day.",
            f"The line of {nonce} was opened in 1932, {BRIDGE.lower()}.",
            "Bananas.",
        )
        extra["evidence"] = [{"id": f"{nonce}-{at}", "text": text} for at, text in enumerate(texts)]
    if case.source == "retrieval":
        extra["retrieval"] = {"source": "docs"}
    body: Fields = {"model": case.model, "stream": case.stream, **extra}
    messages = [{"role": "user", "content": question}]
    match case.api:
        case "chat":
            return "/v1/chat/completions", body | {"messages": messages}
        case "responses":
            return "/v1/responses", body | {"input": question}
        case "ollama":
            return "/api/chat", body | {"messages": messages}
        case "generate":
            return "/api/generate", body | {"prompt": question}
        case _:
            call = "streamGenerateContent?alt=sse" if case.stream else "generateContent"
            contents = [{"role": "user", "parts": [{"text": question}]}]
            return f"/v1beta/models/{case.model}:{call}", {"contents": contents, **extra}


async def ask(session: aiohttp.ClientSession, url: str, case: Case, *ends: End) -> tuple[str, Outcome]:
    """Send a request. Return the fault of the answer, or an empty string, and the answer.

    `ends` replaces the allowed ends of the case.
    """
    nonce = next(NONCES)
    path, body = request(case, nonce)
    try:
        async with asyncio.timeout(TIMEOUT):
            outcome = await _send(session, url + path, body, case)
    except TimeoutError:
        return "no end", Outcome("none")
    return check(case, nonce, outcome, ends or case.allowed_ends()), outcome


def check(case: Case, nonce: str, outcome: Outcome, ends: tuple[End, ...]) -> str:
    """Return the fault of an answer, or an empty string. `ends`: the allowed ends."""
    if LEAKED in outcome.text or set(NONCE.findall(outcome.raw.decode("utf-8", "replace"))) - {nonce}:
        return "a nonce of another client"
    if outcome.end not in ends:
        return f"{outcome.end} instead of {' or '.join(ends)}: {outcome.status} {outcome.raw[-300:]!r}"
    complete = outcome.end == "complete"
    text_sent = complete or case.end() == outcome.end == "broken"
    has_first_sentence = case.source == "evidence" and case.model.partition("/")[2] not in ("", "huge")
    if text_sent and has_first_sentence and FIRST_SENTENCE.format(nonce) not in outcome.text:
        return f"the first sentence is missing or not cited: {outcome.text[:200]!r}"
    if complete and case.model.endswith("/huge") and len(outcome.text) < HUGE:
        return "text is missing"
    if complete and case.source == "retrieval" and BRIDGE in outcome.text and "[1]" not in outcome.text:
        return f"the retrieved evidence is not cited: {outcome.text[:200]!r}"
    return ""


async def _send(session: aiohttp.ClientSession, url: str, body: Fields, case: Case) -> Outcome:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with session.post(url, json=body, headers=headers) as answer:
        if answer.status != 200:
            return Outcome("refused", raw=await answer.read(), status=answer.status)
        raw = bytearray()
        try:
            async for data in answer.content.iter_any():
                raw += data
                if case.cancels:
                    answer.close()
                    return Outcome("cancelled", raw=bytes(raw))
        except aiohttp.ClientError:
            return Outcome("broken", raw=bytes(raw), status=200)
    values = [*_values(bytes(raw), case)]
    text = "".join(TEXTS[case.api](value) for value in values)
    failed = any(value.get("error") or value.get("type") == "response.failed" for value in values)
    ended = any(ENDED[case.api](value) for value in values)
    if not failed and not ended:
        return Outcome("none", text, bytes(raw), 200)  # neither an end nor an error
    return Outcome("broken" if failed else "complete", text, bytes(raw), 200)


def _values(raw: bytes, case: Case) -> Iterator[Fields]:
    """Parse the JSON objects of an answer."""
    if not case.stream:
        yield json.loads(raw)
        return
    for line in raw.decode().splitlines():
        data = line.removeprefix("data: ") if case.api not in ("ollama", "generate") else line
        if data.startswith("{") and data.rstrip() != INVALID_JSON:  # passed through in answers without evidence
            yield json.loads(data)


def _chat(value: Fields) -> str:
    return "".join(
        (one.get("delta") or one.get("message") or {}).get("content") or "" for one in value.get("choices", ())
    )


def _responses(value: Fields) -> str:
    if value.get("type") == "response.output_text.delta":
        return str(value["delta"])
    if value.get("object") != "response":
        return ""
    return "".join(part.get("text", "") for item in value["output"] for part in item.get("content", ()))


def _gemini(value: Fields) -> str:
    return "".join(
        part.get("text", "")
        for one in value.get("candidates", ())
        for part in (one.get("content") or {}).get("parts", ())
    )


TEXTS: dict[str, Callable[[Fields], str]] = {
    "chat": _chat,
    "responses": _responses,
    "ollama": lambda value: str((value.get("message") or {}).get("content") or ""),
    "generate": lambda value: str(value.get("response") or ""),
    "gemini": _gemini,
}
ENDED: dict[str, Callable[[Fields], bool]] = {
    "chat": lambda value: any(one.get("finish_reason") for one in value.get("choices", ())),
    "responses": lambda value: value.get("type") == "response.completed" or value.get("status") == "completed",
    "ollama": lambda value: bool(value.get("done")),
    "generate": lambda value: bool(value.get("done")),
    "gemini": lambda value: any(one.get("finishReason") for one in value.get("candidates", ())),
}
