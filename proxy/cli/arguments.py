"""Options of several commands, their completion in a shell, and the files and texts that they name."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .running import USAGE, fail

if TYPE_CHECKING:
    from ..config import Config
    from .answer_commands import Files

CONFIG = click.option(
    "--config",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    envvar="CITESTREAM_CONFIG",
    show_envvar=True,
    help="YAML file. config.example.yaml lists all options.",
)
_EVIDENCE: dict[str, Any] = {"metavar": "FILE|DIR", "type": click.Path(path_type=Path)}
_EVIDENCE_HELP = "Evidence: a text, Markdown, PDF, DOCX, HTML, CSV, JSON or JSONL file, or a folder with such files."
EVIDENCE = click.option("--evidence", required=True, help=_EVIDENCE_HELP, **_EVIDENCE)
EVIDENCE_OR_STORE = click.option(
    "--evidence", help=f"{_EVIDENCE_HELP}  [default: the index of `citestream index`]", **_EVIDENCE
)
STORE = click.option(
    "--store",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(".citestream/evidence.db"),
    show_default=True,
    help="File of the index.",
)


def complete_model(context: click.Context, option: click.Parameter, prefix: str) -> list[str]:
    """Return completions for `--model`: aliases and provider names. The models of a provider are not listed."""
    from ..config import ConfigError, load

    try:
        config = load(context.params.get("path"))
    except ConfigError:
        return []
    kinds = {name: settings.kind for name, settings in config.providers.items()}
    known = [*config.models, *[name if kind == "extractive" else f"{name}/" for name, kind in kinds.items()]]
    return [name for name in known if name.startswith(prefix)]


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
    """Return the evidence of a file or a folder, or exit with the reason why it cannot be read."""
    from citestream.providers.retrieval.evidence_files import UnreadableFileError, evidence_of

    from .answer_commands import Files

    try:
        return Files(evidence_of(path), path if path.is_dir() else path.parent)
    except UnreadableFileError as error:
        fail(f"{error}; --evidence accepts a file or a folder of text, Markdown, PDF, DOCX, HTML, CSV, JSON or JSONL")


def read_text(answer: str | None) -> str:
    """Return the text, the content of the file that it names, or standard input."""
    if answer is None and sys.stdin.isatty():
        fail("ANSWER is missing: give a text or a file, or use a pipe", USAGE)
    if answer in (None, "-"):
        return sys.stdin.read()
    try:
        if os.path.isfile(answer):  # Path.is_file() raises an error if a long text is no valid path
            return Path(answer).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{answer}: {error}")
    return answer
