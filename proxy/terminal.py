"""What `ask` and `cite` do in a terminal: the same path as the server's, printed. Plain text where it is piped."""

import sys
from collections.abc import Mapping
from contextlib import aclosing, nullcontext
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from citation.evidence import Evidence, parse_evidence
from providers.errors import ProviderError
from providers.events import Chunk
from providers.retrieval.ranking import relevance

from .apis.extensions import available
from .citing import score_text
from .collecting import Completion
from .config import Config
from .encoding import dumps
from .explained import table
from .job import Job
from .outgoing import Failed
from .proxy import Proxy
from .scorers import Scorers

Fields = dict[str, Any]

WIDE = 200  # columns of tables that are piped: nothing of them is folded

# Control characters could move the cursor or rename the window, those for writing direction hide what is written.
_UNSAFE = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)} - {0x09, 0x0A}
_SAFE = dict.fromkeys(_UNSAFE)


async def ask(config: Config, question: str, evidence: list[Fields], model: str, *, as_json: bool) -> None:
    """One answer, shown as it streams, then its references. Raises ProviderError, RequestError, FieldError."""
    proxy = Proxy(config)
    try:
        route = proxy.routes.find(model)
        messages = [{"role": "user", "content": question}]
        job = Job(model, messages, evidence=_closest(question, evidence, config), options=route.options)
        completion = Completion()
        failed: ProviderError | None = None
        outgoing, chunks = proxy.open(job, route, None)
        with _spinner(model) as spinner:
            async with aclosing(outgoing):
                async for event in outgoing:
                    if isinstance(event, Failed):
                        failed = event.error
                    for chunk in chunks.of(event):
                        completion.add(chunk)
                        if (text := _text(chunk)) and not as_json:
                            spinner.stop()
                            print(shown(text), end="", flush=True)
    finally:
        await proxy.aclose()
    _show(completion.body(), as_json)
    if failed:
        raise failed


async def cite(
    config: Config, text: str, evidence: list[Fields], scorer: str | None, *, as_json: bool, explain: bool = False
) -> None:
    """A finished text with its markers, then its references, and what decided. Raises FieldError."""
    options = available(replace(config.citations, scorer=scorer) if scorer else config.citations)
    found = _parsed(evidence, config)
    scorers = Scorers(config)
    try:
        scored = await score_text(text, found, options, config.evidence.labels, scorers, config.output.links)
        cited = await scored.cited()
        explained = scored.explained() if explain else []
    finally:
        await scorers.aclose()
    body = {"object": "citation", "text": cited.text, **cited.fields}
    if as_json:
        _show(body | ({"explained": [one.as_dict() for one in explained]} if explain else {}), as_json)
        return
    print(shown(cited.text.rstrip("\n")), end="")
    _show(body, as_json)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    for one in explained:
        for part in table(one, found, _SAFE):
            console.print(part)


def shown(text: str) -> str:
    """A text as a terminal may get it; unchanged where the output is a file or a pipe."""
    return text.translate(_SAFE) if sys.stdout.isatty() else text


class _Still:
    """The spinner that is none."""

    def stop(self) -> None:
        """Nothing turns."""


def _spinner(model: str) -> Any:
    """Something that turns until the first word, where somebody looks."""
    if sys.stdout.isatty() and sys.stderr.isatty():
        return Console(stderr=True).status(Text(f"{model} is asked".translate(_SAFE)))
    return nullcontext(_Still())


def _closest(question: str, entries: list[Fields], config: Config) -> tuple[Evidence, ...]:
    """As much evidence as a request may have; of more, what has most to do with the question."""
    scores = relevance(question, [entry["text"] for entry in entries])
    best = sorted(range(len(entries)), key=lambda at: -scores[at])[: config.evidence.limit]
    chosen = [{"score": round(scores[at], 4), **entries[at]} for at in sorted(best)]
    return _parsed(chosen, config)


def _parsed(entries: list[Fields], config: Config) -> tuple[Evidence, ...]:
    """Evidence of one's own files: how much there may be is nobody else's business."""
    characters = max(config.evidence.max_characters, sum(len(entry["text"]) for entry in entries))
    return parse_evidence(entries, limit=max(len(entries), config.evidence.limit), max_characters=characters)


def _text(chunk: Chunk) -> str:
    """The text of the first choice."""
    choices = [choice for choice in chunk.get("choices") or () if not choice.get("index")]
    return "".join((choice.get("delta") or {}).get("content") or "" for choice in choices)


def _show(body: Fields, as_json: bool) -> None:
    """Everything as JSON, or what comes below the text."""
    if as_json:
        print(dumps(body).decode())
    else:
        print("\n")
        _show_references(body)


def _show_references(fields: Mapping[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for reference in fields.get("references") or ():
        head = Text.assemble(
            (f"[{reference['number']}] ", "bold"),
            (_name(reference), _link(reference["url"])),
            f"{_page(reference)}  support {reference['support']:.2f}",
        )
        console.print(head)
        snippet = " ".join(reference["snippet"].translate(_SAFE).split())
        console.print(Text(f"    {snippet}", style="dim"))
    if grounding := fields.get("grounding"):
        counts = f"{grounding['supported']} of {grounding['claims']} claims supported"
        console.print(Text(counts, style="dim"))


def _name(reference: Mapping[str, Any]) -> str:
    """File and title; a title alone would not say where to look."""
    names = [reference["file_name"], reference["title"]]
    name = ", ".join(name for name in names if name) or reference["url"] or reference["id"]
    return str(name).translate(_SAFE)


def _page(reference: Mapping[str, Any]) -> str:
    return f", page {reference['page_number']}" if reference["page_number"] is not None else ""


def _link(url: str | None) -> str:
    """A link that a terminal opens; only addresses of pages."""
    safe = url and url.startswith(("https://", "http://")) and url.isprintable() and " " not in url
    return f"link {url}" if safe else ""
