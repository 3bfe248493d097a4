"""The command `citestream chat`: a conversation in the terminal, on top of what `citestream ask` does."""

import asyncio
import sys
from contextlib import suppress

import click

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError
from citestream.providers.events import Message

from ..config import Config
from .answer_session import AnswerSession, Files
from .running import describe

PROMPT = "> "
HELP = "/new starts again, /exit or Ctrl-D ends the conversation, Ctrl-C stops an answer"


def chat(config: Config, files: Files | None, model: str, scorer: str | None) -> bool:
    """Answer questions from the terminal or, one a line, from standard input, until it ends. Return whether all were.

    Raise RequestError if the model does not exist, ProviderError if the scorer lacks its model, and KeyboardInterrupt
    for Ctrl-C at the prompt.
    """
    interactive = sys.stdin.isatty()
    if interactive:
        with suppress(ImportError):
            import readline  # noqa: F401 # editing and history of lines in `input`
        click.echo(f"Ask {model} about {files.folder if files else 'the index'}. {HELP}.")
    with asyncio.Runner() as runner:
        session = AnswerSession(config, files, model, scorer)
        runner.run(session.__aenter__())
        try:
            return _Conversation(session, runner, config, model).run(interactive=interactive)
        finally:
            runner.run(session.__aexit__(None, None, None))


class _Conversation:
    """The messages of one conversation."""

    def __init__(self, session: AnswerSession, runner: asyncio.Runner, config: Config, model: str) -> None:
        self._session = session
        self._runner = runner
        self._config = config
        self._model = model
        self._messages: list[Message] = []

    def run(self, *, interactive: bool) -> bool:
        """Read and answer questions until the end of the input. Return whether all were answered."""
        complete = True
        while (line := _read_line(interactive=interactive)) is not None:
            match line.strip():
                case "":
                    pass
                case "/exit" | "/quit" | "/bye":
                    break
                case "/new" | "/clear":
                    self._messages.clear()
                case "/help" | "/?":
                    click.echo(HELP, err=True)
                case question:
                    complete &= self._answer(question)
        return complete

    def _answer(self, question: str) -> bool:
        """Answer one question. Ctrl-C stops the answer and not the conversation. Return whether it is complete."""
        messages = [*self._messages, {"role": "user", "content": question}]
        try:
            printed = self._runner.run(self._session.answer(messages))
        except KeyboardInterrupt:
            click.echo("\nstopped; this question is not part of the conversation", err=True)
            return True
        except (FieldError, ProviderError) as error:
            click.echo(f"citestream: {describe(error, self._model, self._config)}", err=True)
            return False
        if printed.text:
            self._messages = [*messages, {"role": "assistant", "content": printed.text}]
        if printed.error:
            click.echo(f"citestream: {describe(printed.error, self._model, self._config)}", err=True)
        click.echo()
        return printed.error is None


def _read_line(*, interactive: bool) -> str | None:
    """Return the next line, None at the end of the input."""
    if not interactive:
        return sys.stdin.readline() or None
    try:
        return input(PROMPT)
    except EOFError:
        click.echo()
        return None
