"""Options of several commands, their completion in a shell, and the files and texts that they name."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .running import USAGE, fail

if TYPE_CHECKING:
    from ..config import Config
    from .answer_session import Files

FORMATS = "text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, JSON or JSONL"
CONFIG = click.option(
    "--config",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    envvar="CITESTREAM_CONFIG",
    show_envvar=True,
    help="YAML file. config.example.yaml lists all options.",
)


class InputPath(click.Path):
    """A path of a file or folder to read. An empty one is wrong usage, and the command fails if there is none.

    `Path("")` would be the working directory, and an unset shell variable is empty.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            self.fail("the path is empty", param, ctx)
        if not os.path.exists(value):  # Path.exists() raises an error for a name that is too long
            fail(f"{value} does not exist")
        return super().convert(value, param, ctx)


_EVIDENCE: dict[str, Any] = {"metavar": "FILE|DIR", "type": InputPath(path_type=Path)}
_EVIDENCE_HELP = f"Evidence: a file or a folder of {FORMATS} files."
EVIDENCE_OR_OWN = click.option(
    "--evidence", help=f"{_EVIDENCE_HELP}  [default: the files next to each answer]", **_EVIDENCE
)
EVIDENCE_OR_STORE = click.option(
    "--evidence", help=f"{_EVIDENCE_HELP}  [default: the index of `citestream index`]", **_EVIDENCE
)
MODEL = click.option(
    "--model",
    metavar="MODEL",
    default="extractive",
    show_default=True,
    shell_complete=lambda context, option, prefix: complete_model(context, option, prefix),
    help="provider/model, or an alias from the configuration.",
)
SCORER = click.option(
    "--scorer",
    metavar="NAME",
    callback=lambda context, option, name: check_scorer_name(context, option, name),
    shell_complete=lambda context, option, prefix: complete_scorer(context, option, prefix),
    help="Measure of similarity.  [default: that of the configuration, or lexical]",
)
STORE = click.option(
    "--store",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(".citestream/evidence.db"),
    show_default=True,
    help="File of the index.",
)

_FILE_NAME = re.compile(r"\S*\.(?:txt|text|md|markdown|json|html?|pdf|docx)", re.IGNORECASE)  # not a text of one word


def complete_model(context: click.Context, option: click.Parameter, prefix: str) -> list[str]:
    """Return completions for `--model`: aliases and provider names. The models of a provider are not listed."""
    from ..config import ConfigError, load

    try:
        config = load(context.params.get("path"))
    except ConfigError:
        return []
    kinds = {name: settings.kind for name, settings in config.providers.items()}
    names = [*config.models, *[name if kind == "extractive" else f"{name}/" for name, kind in kinds.items()]]
    return [name for name in names if name.startswith(prefix)]


def check_scorer_name(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Return the value of `--scorer`. An unknown name is wrong usage."""
    from citestream.citation.support.scorers import AUTO, SCORERS

    if name is not None and name not in (AUTO, *SCORERS):
        raise click.BadParameter(f"{name!r} is not one of: {AUTO}, {', '.join(SCORERS)}", context, option)
    return name


def complete_scorer(context: click.Context, option: click.Parameter, prefix: str) -> list[str]:
    """Return completions for `--scorer`."""
    from citestream.citation.support.scorers import SCORERS

    return [name for name in SCORERS if name.startswith(prefix)]


def read_config(path: str | None, **overrides: Any) -> "Config":
    """Return the configuration, or exit with the errors in it. `overrides`: options of the command line."""
    from ..config import ConfigError, load

    try:
        return load(path, **overrides)
    except ConfigError as error:
        fail(str(error), USAGE)


def read_files(path: Path) -> "Files":
    """Return the evidence of a file or a folder, or exit with the reason why it cannot be read.

    Files of a folder that cannot be read are skipped and reported.
    """
    from citestream.providers.retrieval.evidence_files import UnreadableFileError, evidence_of

    from .answer_session import Files, waiting_for

    try:
        with waiting_for(f"reading {path}"):
            entries = evidence_of(path, lambda error: click.echo(f"skipped: {error}", err=True))
    except UnreadableFileError as error:
        fail(f"{error}; --evidence accepts a file or a folder of {FORMATS}")
    return Files(entries, path if path.is_dir() else path.parent)


def read_text(answer: str | None) -> str:
    """Return the text, the content of the file that it names, or standard input."""
    if answer is None and sys.stdin.isatty():
        fail("ANSWER is missing: give a text or a file, or use a pipe", USAGE)
    if answer in (None, "-"):
        return sys.stdin.read()
    try:
        if os.path.isfile(answer):  # Path.is_file() raises an error if a long text is no valid path
            return Path(answer).read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{answer} cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        fail(f"{answer} is not UTF-8 text")
    if _FILE_NAME.fullmatch(answer):
        fail(f"{answer} does not exist; a text that looks like a file name can be given on standard input")
    return answer
