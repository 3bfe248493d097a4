"""What `ask` and `cite` do in a terminal: the same path as the server's, printed. Plain text where it is piped."""

import sys
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from citestream.citation.evidence import Evidence, parse_evidence
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk
from citestream.providers.retrieval.ranking import relevance

from ..apis.extensions import available
from ..app import App
from ..config import Config
from ..http.encoding import dumps
from ..pipeline.cite_text import score_text
from ..pipeline.collect_chunks import Completion
from ..pipeline.job import Job
from ..pipeline.outgoing import Failed
from ..scorers import Scorers
from .explanation_table import table
from .live_markdown import SAFE, THEME, answering

Fields = dict[str, Any]

WIDE = 200  # columns of tables that are piped: nothing of them is folded


@dataclass(frozen=True, slots=True)
class Files:
    """Evidence from files that are named: its entries, and where their `file_name` leads from."""

    entries: list[Fields]
    folder: Path


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the files stand that references name."""

    folders: Mapping[str, Path]  # of stores, by the beginning of `document_id`
    folder: Path | None = None

    def link(self, reference: Mapping[str, Any]) -> str:
        """The address of the file, at the page; "" for what is none of those files."""
        label, _, name = (reference["document_id"] or "").partition("/")
        folder, name = (self.folder, reference["file_name"]) if self.folder else (self.folders.get(label), name)
        path = (folder / name).resolve() if folder and name else None
        if path is None or folder is None or not path.is_relative_to(folder.resolve()) or not path.is_file():
            return ""
        page = reference["page_number"]
        return path.as_uri() + (f"#page={page}" if page is not None else "")


async def ask(config: Config, question: str, files: Files | None, model: str, *, as_json: bool) -> None:
    """One answer, shown as it streams, then its references. Raises ProviderError, RequestError, FieldError.

    Without `files` the evidence comes from the default retriever.
    """
    app = App(config)
    try:
        route = app.routes.find(model)
        evidence = _closest(question, files.entries, config) if files else ()
        job = Job(model, [{"role": "user", "content": question}], evidence=evidence, options=route.options)
        job = await app.retrievers.retrieved(job)
        folders = {} if files else app.retrievers.folders()
        completion = Completion()
        failed: ProviderError | None = None
        outgoing, chunks = app.open(job, route, None)
        with _Page(model, quiet=as_json) as page:
            async with aclosing(outgoing):
                async for event in outgoing:
                    if isinstance(event, Failed):
                        failed = event.error
                    for chunk in chunks.of(event):
                        completion.add(chunk)
                        page.add(_text(chunk))
    finally:
        await app.aclose()
    _show(completion.body(), as_json, _Places(folders, files.folder if files else None))
    if failed:
        raise failed


async def cite(
    config: Config, text: str, files: Files, scorer: str | None, *, as_json: bool, explain: bool = False
) -> None:
    """A finished text with its markers, then its references, and what decided. Raises FieldError."""
    options = available(replace(config.citations, scorer=scorer) if scorer else config.citations)
    found = _parsed(files.entries, config)
    scorers = Scorers(config)
    try:
        scored = await score_text(text, found, options, config.evidence.labels, scorers, config.output.links)
        cited = await scored.cited()
        explained = scored.explained() if explain else []
    finally:
        await scorers.aclose()
    places = _Places({}, files.folder)
    body = {"object": "citation", "text": cited.text, **cited.fields}
    if as_json:
        _show(body | ({"explained": [one.as_dict() for one in explained]} if explain else {}), as_json, places)
        return
    print(shown(cited.text.rstrip("\n")), end="")
    _show(body, as_json, places)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    for one in explained:
        for part in table(one, found, SAFE):
            console.print(part)


def shown(text: str) -> str:
    """A text as a terminal may get it; unchanged where the output is a file or a pipe."""
    return text.translate(SAFE) if sys.stdout.isatty() else text


class _Page:
    """Where the answer appears: a spinner until its first word, then its text; nothing at all where it is quiet."""

    def __init__(self, model: str, *, quiet: bool) -> None:
        self._quiet = quiet
        self._answer = answering(Console(theme=THEME))
        looking = not quiet and sys.stdout.isatty() and sys.stderr.isatty()
        self._spinner = Console(stderr=True).status(Text(f"{model} is asked".translate(SAFE))) if looking else None

    def __enter__(self) -> Self:
        if self._spinner:
            self._spinner.start()
        return self

    def add(self, text: str) -> None:
        """Show this too."""
        if text and not self._quiet:
            self._still()
            _write(self._answer.feed(text))

    def __exit__(self, *error: object) -> None:
        self._still()
        if not self._quiet:
            _write(self._answer.finish())

    def _still(self) -> None:
        if self._spinner:
            self._spinner.stop()
            self._spinner = None


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


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


def _show(body: Fields, as_json: bool, places: _Places) -> None:
    """Everything as JSON, or what comes below the text."""
    if as_json:
        print(dumps(body).decode())
    else:
        print("\n")
        _show_references(body, places)


def _show_references(fields: Mapping[str, Any], places: _Places) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for reference in fields.get("references") or ():
        head = Text.assemble(
            (f"[{reference['number']}] ", "bold"),
            (_name(reference), _link(reference["url"], places.link(reference))),
            f"{_page(reference)}  support {reference['support']:.2f}",
        )
        console.print(head, soft_wrap=not console.is_terminal)
        snippet = Text(" ".join(reference["snippet"].translate(SAFE).split()), style="dim")
        indented = Padding(snippet, (0, 0, 0, 4), expand=False) if console.is_terminal else "    " + snippet.plain
        console.print(indented, markup=False, soft_wrap=not console.is_terminal)
    if grounding := fields.get("grounding"):
        if (grounding.get("retrieval") or {}).get("error"):
            console.print(Text(grounding["retrieval"]["error"].translate(SAFE), style="red"))
        counts = f"{grounding['supported']} of {grounding['claims']} claims supported"
        console.print(Text(counts, style="dim"))


def _name(reference: Mapping[str, Any]) -> str:
    """File and title; a title alone would not say where to look."""
    names = [reference["file_name"], reference["title"]]
    name = ", ".join(name for name in names if name) or reference["url"] or reference["id"]
    return str(name).translate(SAFE)


def _page(reference: Mapping[str, Any]) -> str:
    return f", page {reference['page_number']}" if reference["page_number"] is not None else ""


def _link(url: str | None, file: str) -> str:
    """A link that a terminal opens: to a page, or to a file that was named here."""
    safe = url and url.startswith(("https://", "http://")) and url.isprintable() and " " not in url
    target = url if safe else file
    return f"link {target}" if target else ""
