"""The commands `citestream ask` and `citestream cite`: the same pipeline as in the server, with printed output."""

import asyncio
import sys
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.text import Text

from citestream.citation.evidence import Evidence, EvidenceLimits, parse_evidence
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk
from citestream.providers.retrieval.ranking import relevance

from ..apis.extensions import check_scorer
from ..app import App
from ..config import Config
from ..http.encoding import dumps
from ..pipeline.cite_text import score_text
from ..pipeline.collect_chunks import Completion
from ..pipeline.outgoing import Failed
from ..pipeline.request.job import Job, JobEvidence, Retrieval
from ..scorers import Scorers
from .markdown_stream import SAFE, THEME, open_stream
from .reports import FileLinks, print_explanations, print_quotations, print_references

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Files:
    """Evidence from files of the command line. `file_name` of an entry is relative to `folder`."""

    entries: list[Fields]
    folder: Path


async def ask(config: Config, question: str, files: Files | None, model: str, *, as_json: bool) -> None:
    """Print the answer to a question while it streams, then its references.

    Without `files` the evidence comes from the default retriever. Raise ProviderError, RequestError or FieldError.
    """
    app = App(config)
    try:
        route = app.routes.find(model)
        evidence = _select_evidence(question, files.entries, config) if files else ()
        retrieval = Retrieval(source="" if files else config.default_retriever)
        if retrieval.source:
            with waiting_for("the models on this machine are being loaded"):
                await asyncio.to_thread(app.retrievers.open_all)
                await app.load()
        messages = [{"role": "user", "content": question}]
        job = Job(model, messages, evidence=evidence, options=route.options, retrieval=retrieval)
        found = await app.retrievers.search(job, JobEvidence(evidence))
        links = FileLinks({}, files.folder) if files else FileLinks(app.retrievers.folders())
        completion = Completion()
        failed: ProviderError | None = None
        batches, chunks = await app.open(job, found, route)
        with _AnswerOutput(model, quiet=as_json) as output:
            async with aclosing(batches):
                async for event in (event async for batch in batches for event in batch):
                    if isinstance(event, Failed):
                        failed = event.error
                    for chunk in chunks.of(event):
                        completion.add(chunk)
                        output.write(_text_of(chunk))
    finally:
        await app.aclose()
    if as_json:
        print(dumps(completion.body()).decode())
    else:
        print()
        print_references(completion.body(), links)
    if failed:
        raise failed


async def cite(
    config: Config, text: str, files: Files, scorer: str | None, *, as_json: bool, explain: bool = False
) -> None:
    """Print a finished text with markers, its references and, with `explain`, the decisions. Raise FieldError."""
    options = check_scorer(replace(config.citations, scorer=scorer) if scorer else config.citations)
    evidence = _parse_files(files.entries, config)
    scorers = Scorers(config)
    try:
        if scorer:  # named by the user, so words alone are no substitute
            scorers.require(scorers.resolve(options))
        scored = await score_text(text, evidence, options, config.evidence.labels, scorers, config.output.links)
        cited = await scored.cited()
        explanations = scored.explained() if explain else []
    finally:
        await scorers.aclose()
    body = {"object": "citation", "text": cited.text, **cited.fields}
    if as_json:
        print(dumps(body | ({"explained": [one.as_dict() for one in explanations]} if explain else {})).decode())
        return
    shown = cited.text.rstrip("\n")
    print(shown.translate(SAFE) if sys.stdout.isatty() else shown, end="\n\n")
    print_references(body, FileLinks({}, files.folder))
    print_explanations(explanations, evidence)
    if explain:
        print_quotations(cited.fields["grounding"]["quotations"], cited.text)


def waiting_for(what: str) -> AbstractContextManager[object]:
    """Show a spinner with a text until the context ends, nothing if the output is not a terminal."""
    interactive = sys.stdout.isatty() and sys.stderr.isatty()
    return Console(stderr=True).status(Text(what.translate(SAFE))) if interactive else nullcontext()


class _AnswerOutput:
    """Output of a streamed answer: a spinner until the first text, then the text. Nothing if `quiet`."""

    def __init__(self, model: str, *, quiet: bool) -> None:
        self._quiet = quiet
        self._stream = open_stream(Console(theme=THEME))
        interactive = not quiet and sys.stdout.isatty() and sys.stderr.isatty()
        waiting = Text(f"waiting for {model}".translate(SAFE))
        self._spinner = Console(stderr=True).status(waiting) if interactive else None

    def __enter__(self) -> Self:
        if self._spinner:
            self._spinner.start()
        return self

    def write(self, text: str) -> None:
        """Print more of the answer."""
        if text and not self._quiet:
            self._stop_spinner()
            self._stream.write(text)

    def __exit__(self, *error: object) -> None:
        self._stop_spinner()
        if not self._quiet:
            self._stream.close()

    def _stop_spinner(self) -> None:
        if self._spinner:
            self._spinner.stop()
            self._spinner = None


def _select_evidence(question: str, entries: list[Fields], config: Config) -> tuple[Evidence, ...]:
    """Return as much evidence as a request can contain, preferring entries that are relevant to the question."""
    scores = relevance(question, [entry["text"] for entry in entries])
    best = sorted(range(len(entries)), key=lambda index: -scores[index])[: config.evidence.limit]
    chosen = [{"score": round(scores[index], 4), **entries[index]} for index in sorted(best)]
    return _parse_files(chosen, config)


def _parse_files(entries: list[Fields], config: Config) -> tuple[Evidence, ...]:
    """Return the entries as evidence. The limits for clients do not apply to local files."""
    characters = max(config.evidence.max_characters, sum(len(entry["text"]) for entry in entries))
    limits = EvidenceLimits(items=max(len(entries), config.evidence.limit), characters=characters)
    return parse_evidence(entries, limits=limits)


def _text_of(chunk: Chunk) -> str:
    """Return the text of the first choice."""
    choices = [choice for choice in chunk.get("choices") or () if not choice.get("index")]
    return "".join((choice.get("delta") or {}).get("content") or "" for choice in choices)
