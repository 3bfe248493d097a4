"""What `ask` and `cite` do in a terminal: the same path as the server's, printed."""

import sys
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from citation.evidence import parse_evidence

from .apis.cite import cite_text
from .completion import Completion
from .config import Config
from .encoding import dumps
from .job import Job
from .outgoing import Failed, Shown
from .proxy import Proxy

Fields = dict[str, Any]


async def ask(config: Config, question: str, evidence: list[Fields], model: str, *, as_json: bool) -> None:
    """One answer, shown as it streams, then its references. Raises ProviderError, RequestError, FieldError."""
    proxy = Proxy(config)
    try:
        route = proxy.routes.find(model)
        # A folder may hold more than a request may bring: the budget of the prompt decides what the model is shown
        found = parse_evidence(evidence, limit=max(len(evidence), config.evidence.limit))
        job = Job(model, [{"role": "user", "content": question}], evidence=found, options=route.options)
        outgoing, chunks = proxy.open(job, route, None)
        completion = Completion()
        async with aclosing(outgoing):
            async for event in outgoing:
                if isinstance(event, Failed):
                    raise event.error
                if isinstance(event, Shown) and not as_json:
                    print(event.text, end="", flush=True)
                for chunk in chunks.of(event):
                    completion.add(chunk)
    finally:
        await proxy.aclose()
    body = completion.body()
    if as_json:
        print(dumps(body).decode())
    else:
        print("\n")
        _show_references(body)


async def cite(config: Config, text: str, evidence: list[Fields], scorer: str | None, *, as_json: bool) -> None:
    """A finished text with its markers, then its references. Raises FieldError."""
    options = replace(config.citations, scorer=scorer) if scorer else config.citations
    found = parse_evidence(evidence, limit=max(len(evidence), config.evidence.limit))
    cited = await cite_text(text, found, options, Proxy(config))
    if as_json:
        print(dumps({"object": "citation", "text": cited.text, **cited.fields}).decode())
    else:
        print(cited.text.rstrip("\n") + "\n")
        _show_references(cited.fields)


def _show_references(fields: Mapping[str, Any]) -> None:
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    references, grounding = fields.get("references") or [], fields.get("grounding") or {}
    for reference in references:
        name = reference["title"] or reference["file_name"] or reference["url"] or reference["id"]
        page = f", page {reference['page_number']}" if reference["page_number"] is not None else ""
        style = f"link {reference['url']}" if reference["url"] else ""
        head = Text.assemble(
            (f"[{reference['number']}] ", "bold"), (name, style), f"{page}  support {reference['support']:.2f}"
        )
        console.print(head)
        console.print(Text("    " + " ".join(reference["snippet"].split()), style="dim"))
    if grounding:
        console.print(Text(f"{grounding['supported']} of {grounding['claims']} claims supported", style="dim"))
