"""The commands. Each imports what it needs when it runs, so that `--help` answers at once."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from .config import Config

FAILED = 1  # it could not be done: no such file, the provider refused, a broken stream
USAGE = 2  # the command or the configuration is wrong (click's own choice)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="citestream")
def main() -> None:
    """Every answer of any LLM, cited sentence by sentence.

    \b
    citestream serve                                    a proxy on http://127.0.0.1:8787
    citestream ask "How high is it?" --evidence docs/   one answer in the terminal
    citestream cite answer.txt --evidence docs/         citations for a finished text

    Exit codes: 0 done, 1 it could not be done, 2 wrong usage or configuration.
    """


@main.command()
@click.option("--config", "path", type=click.Path(dir_okay=False), help="YAML file; see config.example.yaml.")
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one.  [default: 8787]")
def serve(path: str | None, host: str | None, port: int | None) -> None:
    """Serve OpenAI-compatible clients until Ctrl-C."""
    from .app import serve as serve_forever
    from .config import ConfigError

    config = _config(path, host=host, port=port)
    try:
        serve_forever(config, started=click.echo)
    except ConfigError as error:
        _fail(str(error), USAGE)
    except OSError as error:
        _fail(f"cannot listen on {config.server.host}:{config.server.port}: {error.strerror}")


@main.command()
@click.argument("question")
@click.option(
    "--evidence", required=True, type=click.Path(path_type=Path), help="File or folder: text, Markdown, JSON, JSONL."
)
@click.option(
    "--model", default="extractive", show_default=True, help="provider/model, or an alias of the configuration."
)
@click.option("--config", "path", type=click.Path(dir_okay=False), help="YAML file.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole completion as JSON.")
def ask(question: str, evidence: Path, model: str, path: str | None, as_json: bool) -> None:
    """Answer QUESTION from the evidence, cited as it streams."""
    from .terminal import ask as ask_now

    _run(ask_now(_config(path), question, _evidence(evidence), model, as_json=as_json))


@main.command()
@click.argument("answer", required=False)
@click.option(
    "--evidence", required=True, type=click.Path(path_type=Path), help="File or folder: text, Markdown, JSON, JSONL."
)
@click.option("--question", default="", help="What the text answers.")
@click.option("--scorer", default=None, help="How alike is measured.  [default: lexical]")
@click.option("--config", "path", type=click.Path(dir_okay=False), help="YAML file.")
@click.option("--json", "as_json", is_flag=True, help="Print what POST /v1/cite answers.")
def cite(
    answer: str | None, evidence: Path, question: str, scorer: str | None, path: str | None, as_json: bool
) -> None:
    """Cite a finished ANSWER: a text, a file, or standard input. No model is asked."""
    from .terminal import cite as cite_now

    text = _text(answer)
    _run(cite_now(_config(path), text, _evidence(evidence), scorer, as_json=as_json))


@main.command("check-config")
@click.argument("path", required=False, type=click.Path(dir_okay=False))
def check_config(path: str | None) -> None:
    """Check a configuration file (or the environment alone) and name everything that is wrong."""
    config = _config(path)
    click.echo(f"{path or 'the environment'} is fine: providers {', '.join(config.providers)}")


def _config(path: str | None, **overrides: Any) -> "Config":
    from .config import ConfigError, load

    try:
        return load(path, **overrides)
    except ConfigError as error:
        _fail(str(error), USAGE)


def _evidence(path: Path) -> list[dict[str, Any]]:
    from providers.retrieval.files import UnreadableFileError, evidence_of

    try:
        return evidence_of(path)
    except UnreadableFileError as error:
        _fail(f"{error}; --evidence takes a file or folder of text, Markdown, JSON or JSONL")


def _text(answer: str | None) -> str:
    """The text itself, the content of the file it names, or standard input."""
    if answer is None:
        if sys.stdin.isatty():
            _fail("give a text, a file, or pipe one in", USAGE)
        return sys.stdin.read()
    try:
        if len(answer) < 4096 and Path(answer).is_file():
            return Path(answer).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        _fail(f"{answer}: {error}")
    return answer


def _run(job: Any) -> None:
    """Run to the end; an error in one sentence, not in a traceback."""
    import asyncio

    from citation.evidence import FieldError
    from providers.errors import ProviderError

    from .config import ConfigError
    from .errors import RequestError

    try:
        asyncio.run(job)
    except ConfigError as error:
        _fail(str(error), USAGE)
    except (FieldError, ProviderError, RequestError) as error:
        _fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def _fail(message: str, code: int = FAILED) -> NoReturn:
    click.echo(f"citestream: {message}", err=True)
    sys.exit(code)
