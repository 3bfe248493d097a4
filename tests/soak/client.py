"""One client of the soak test: it asks in any API and checks the answer.

An answer is complete, broken off with an error, refused, or left by the client. Errors are words of another client in
an answer, a broken stream that looks complete, and text that arrived and was not delivered.
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

from tests.soak.upstream import HALF, HUGE, LEAKED, NONCE

Fields = dict[str, Any]
Fate = Literal["whole", "broken", "refused", "left"]

KEY = "ck-soak-0123456789"
PATIENCE = 60.0  # seconds for one answer: far above every limit of the server under test
APIS = ("chat", "responses", "ollama", "generate", "gemini")
PROVIDERS = ("openai", "ollama", "gemini")
# How each model of the upstream ends, as clients see it.
FATES: dict[str, Fate] = {
    "good": "whole",
    "drip": "whole",
    "junk": "whole",
    "huge": "whole",
    "cut": "broken",
    "reset": "broken",
    "stall": "broken",
    "busy": "refused",
    "page": "refused",
    "refused": "refused",
    "silent": "refused",
}
SOURCES = ("evidence", "retrieval", "none")
# As many as are never under way at once, and so few that the caches of words are full within minutes.
NONCES = itertools.cycle([f"nonce{hashlib.sha256(str(at).encode()).hexdigest()[:16]}" for at in range(2000)])
BRIDGE = "The Harlan bridge was opened on 4 May 1932"
FIRST = "Station {0} sells 41 tickets a day. [1]"


@dataclass(frozen=True)
class Case:
    """One request."""

    api: str
    model: str  # provider/behaviour, or extractive
    source: str = "evidence"
    stream: bool = True
    leaves: bool = False
    scorer: str = "lexical"

    def fate(self) -> Fate:
        """How it has to end."""
        end = FATES.get(self.model.partition("/")[2], "whole")
        if self.leaves:
            return "left"
        return "refused" if end == "broken" and not self.stream else end  # half an answer would look like a whole one

    def fates(self) -> tuple[Fate, ...]:
        """Return the allowed ends: an error after a keep-alive is reported in the stream."""
        end = self.fate()
        return (end, "broken") if end == "refused" and self.stream else (end,)


@dataclass
class Outcome:
    """The received answer."""

    fate: Fate
    text: str = ""
    raw: bytes = b""
    status: int = 0


def drawn(rng: Random) -> Case:
    """Any of them; two of three are good."""
    good = rng.random() < 2 / 3
    behaviours = [name for name, fate in FATES.items() if (fate == "whole") == good]
    model = f"{rng.choice(PROVIDERS)}/{rng.choice(behaviours)}"
    if good and rng.random() < 0.15:
        model = "extractive"
    source = rng.choice(SOURCES[:2] if model == "extractive" else SOURCES)
    stream = source == "none" or rng.random() < 0.75  # the upstream knows no answers in one piece
    return Case(
        api=rng.choice(APIS),
        model=model,
        source=source,
        stream=stream,
        leaves=good and stream and rng.random() < 0.1,
        scorer=rng.choice(("lexical", "hybrid")),
    )


def asked(case: Case, nonce: str) -> tuple[str, Fields]:
    """Path and body."""
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


async def ask(session: aiohttp.ClientSession, url: str, case: Case, *fates: Fate) -> tuple[str, Outcome]:
    """Ask, read, judge: what is wrong with the answer, or nothing; and what came.

    `fates`: how it may end, where that is not given by the case.
    """
    nonce = next(NONCES)
    path, body = asked(case, nonce)
    try:
        async with asyncio.timeout(PATIENCE):
            outcome = await _outcome(session, url + path, body, case)
    except TimeoutError:
        return "no end", Outcome("left")
    return judged(case, nonce, outcome, fates or case.fates()), outcome


def judged(case: Case, nonce: str, got: Outcome, fates: tuple[Fate, ...]) -> str:
    """Return the error of an answer, or nothing. `fates`: the allowed ends."""
    if LEAKED in got.text or set(NONCE.findall(got.raw.decode("utf-8", "replace"))) - {nonce}:
        return "another client's words"
    if got.fate not in fates:
        return f"{got.fate} instead of {' or '.join(fates)}: {got.status} {got.raw[-300:]!r}"
    told = case.source == "evidence" and case.model != "extractive" and not case.model.endswith("/huge")
    told = told and (got.fate == "whole" or case.fate() == got.fate == "broken")  # its first sentence was sent
    if told and FIRST.format(nonce) not in got.text:
        return f"text that arrived is missing or not cited: {got.text[:200]!r}"
    if got.fate == "whole" and case.model.endswith("/huge") and len(got.text) < HUGE:
        return "text is missing"
    if got.fate == "whole" and case.source == "retrieval" and f"{BRIDGE}" in got.text and "[1]" not in got.text:
        return f"what was retrieved is not cited: {got.text[:200]!r}"
    return ""


async def _outcome(session: aiohttp.ClientSession, url: str, body: Fields, case: Case) -> Outcome:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with session.post(url, json=body, headers=headers) as answer:
        if answer.status != 200:
            return Outcome("refused", raw=await answer.read(), status=answer.status)
        raw = bytearray()
        try:
            async for data in answer.content.iter_any():
                raw += data
                if case.leaves:
                    answer.close()
                    return Outcome("left", raw=bytes(raw))
        except aiohttp.ClientError:
            return Outcome("broken", raw=bytes(raw), status=200)
    values = [*_values(bytes(raw), case)]
    text = "".join(TEXTS[case.api](value) for value in values)
    failed = any(value.get("error") or value.get("type") == "response.failed" for value in values)
    ended = any(ENDED[case.api](value) for value in values)
    if not failed and not ended:
        return Outcome("left", text, bytes(raw), 200)  # neither an end nor an error: never right
    return Outcome("broken" if failed else "whole", text, bytes(raw), 200)


def _values(raw: bytes, case: Case) -> Iterator[Fields]:
    """The JSON objects of an answer."""
    if not case.stream:
        yield json.loads(raw)
        return
    for line in raw.decode().splitlines():
        data = line.removeprefix("data: ") if case.api not in ("ollama", "generate") else line
        if data.startswith("{") and data.rstrip() != HALF:  # passes unchanged if nothing is cited
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
