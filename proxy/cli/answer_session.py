"""AnswerSession: questions about the evidence whose answers are printed while they stream, for `ask` and `chat`."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.text import Text

from citestream.citation.evidence import Evidence, EvidenceLimits, parse_evidence
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Message
from citestream.providers.retrieval.ranking import relevance

from ..app import App
from ..config import Config
from ..http.encoding import dumps
from ..pipeline.collect_chunks import Completion
from ..pipeline.outgoing import Failed
from ..pipeline.request.job import Job, JobEvidence, Retrieval
from ..pipeline.request.questions import search_query
from .markdown_stream import SAFE, THEME, open_stream
from .reports import FileLinks, print_claims, print_references

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Files:
    """Evidence from files of the command line. `file_name` of an entry is relative to `folder`."""

    entries: list[Fields]
    folder: Path


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed answer. `body`: the completion. `error`: of the provider, if the answer is incomplete."""

    body: Mapping[str, Any]
    error: ProviderError | None = None

    @property
    def text(self) -> str:
        """The text of the answer with its markers."""
        return next((choice["message"].get("content") or "" for choice in self.body.get("choices") or ()), "")


class AnswerSession:
    """One model, and the evidence of files or of the default retriever."""

    def __init__(self, config: Config, files: Files | None, model: str, scorer: str | None = None) -> None:
        """Raise RequestError if the model does not exist, and ProviderError if the scorer lacks its model.

        `scorer`: the scorer of the answers, None for that of the configuration.
        """
        self._app = App(config)
        self._config = config
        self._files = files
        self._model = model
        self._route = self._app.routes.find(model)
        self._options = replace(self._route.options, scorer=scorer) if scorer else self._route.options
        if scorer:  # named by the user, so words alone are no substitute
            self._app.scorers.require(self._app.scorers.resolve(self._options))

    async def __aenter__(self) -> Self:
        """Load the models on this machine, so that the first answer does not do without them."""
        with waiting_for("loading"):
            if not self._files:
                await asyncio.to_thread(self._app.retrievers.open_all)
            await self._app.load()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._app.aclose()

    async def answer(self, messages: Sequence[Message], *, as_json: bool = False) -> Printed:
        """Print the answer to the last message and its references, or the completion as JSON.

        Raise ProviderError if there is no answer, and FieldError.
        """
        query, _ = search_query(messages)
        with waiting_for("searching"):
            evidence = _select_evidence(query, self._files.entries, self._config) if self._files else ()
            retrieval = Retrieval(source="" if self._files else self._config.default_retriever)
            job = Job(self._model, list(messages), evidence=evidence, options=self._options, retrieval=retrieval)
            collected = await self._app.retrievers.search(job, JobEvidence(evidence))
        printed = await self._print_answer(job, collected, quiet=as_json)
        if as_json:
            print(dumps(printed.body).decode())
        else:
            print()
            print_references(printed.body, self._links())
            print_claims(printed.body, printed.text, collected.evidence)
        return printed

    async def _print_answer(self, job: Job, collected: JobEvidence, *, quiet: bool) -> Printed:
        completion = Completion()
        failed: ProviderError | None = None
        batches, chunks = await self._app.open(job, collected, self._route)
        with _AnswerOutput(self._model, quiet=quiet) as output:
            async with aclosing(batches):
                async for event in (event async for batch in batches for event in batch):
                    if isinstance(event, Failed):
                        failed = event.error
                    for chunk in chunks.of(event):
                        completion.add(chunk)
                        output.write(_text_of(chunk))
        return Printed(completion.body(), failed)

    def _links(self) -> FileLinks:
        return FileLinks({}, self._files.folder) if self._files else FileLinks(self._app.retrievers.folders())


def parse_files(entries: list[Fields], config: Config) -> tuple[Evidence, ...]:
    """Return the entries as evidence. The limits for clients do not apply to local files."""
    characters = max(config.evidence.max_characters, sum(len(entry["text"]) for entry in entries))
    limits = EvidenceLimits(items=max(len(entries), config.evidence.limit), characters=characters)
    return parse_evidence(entries, limits=limits)


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
    return parse_files(chosen, config)


def _text_of(chunk: Chunk) -> str:
    """Return the text of the first choice."""
    choices = [choice for choice in chunk.get("choices") or () if not choice.get("index")]
    return "".join((choice.get("delta") or {}).get("content") or "" for choice in choices)
