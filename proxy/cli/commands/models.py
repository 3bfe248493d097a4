"""The commands about published checkers: `models list`, `models pull`, `models check` and `models remove`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import CONFIG, read_config
from ..running import USAGE, fail

if TYPE_CHECKING:
    from citestream.providers.judging.checkers import Checker


@click.group()
def models() -> None:
    """Install published models that verify sentences on this machine.

    A model is one of the names that `list` shows, or hf:ORGANISATION/MODEL[@REVISION]. Only its ONNX file for this
    processor, its tokenizer and its configuration are downloaded, to $HF_HOME/citestream. HF_ENDPOINT, HF_TOKEN and
    HF_HUB_OFFLINE work as in other programs. To use it, set `scoring.checker` or `scoring.judge` to its name.

    \b
    citestream models list
    citestream models pull nli-small
    citestream models check nli-small --sample 12
    citestream models remove nli-small
    """


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the models as JSON.")
def list_models(as_json: bool) -> None:
    """Show the known models, and which models are installed."""
    from citestream.providers.errors import ProviderError

    from ..models_command import show

    try:
        show(as_json=as_json)
    except ProviderError as error:
        fail(error.message)


@models.command()
@click.argument("model")
def pull(model: str) -> None:
    """Download MODEL, or the rest of it, and verify its files.

    \b
    citestream models pull nli-multilingual
    citestream models pull hf:cross-encoder/nli-deberta-v3-xsmall@main
    """
    from citestream.providers.errors import ProviderError
    from citestream.providers.judging.checkers.download import pull as download

    try:
        folder = download(_checker(model), lambda line: click.echo(line, err=True))
    except ProviderError as error:
        fail(error.message)
    click.echo(f"installed in {folder}\nuse it with scoring.checker: {model}")


@models.command()
@click.argument("model")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--sample", type=int, default=0, help="Number of answers to measure.  [default: all]")
@click.option("--fit", "fits", is_flag=True, help="Fit the weight of the checker to the answers and store it.")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def check(model: str, files: tuple[Path, ...], sample: int, fits: bool, path: str | None, as_json: bool) -> None:
    """Measure what MODEL changes in the citations of natural answers: kept, removed, F1, and time.

    MODEL can also be onnx:FOLDER. FILES are natural answers in JSONL format; without any, the 48 answers of the package
    are used. Each answer is cited by its words alone, with the model as the checker, and with the model as the judge.
    The result is stored with the model: the scorer `auto` uses the installed model that improves F1 most.

    \b
    citestream models check nli-small
    citestream models check nli-small answers.jsonl --fit
    citestream models check onnx:models/factcg answers.jsonl --json
    """
    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError

    from ...config import ConfigError
    from ..checking.model_check import run as run_check

    try:
        run_check(files, model, sample=sample, fits=fits, as_json=as_json, config=read_config(path))
    except ProviderError as error:
        fail(error.message)
    except (ConfigError, FieldError, OSError) as error:
        fail(str(error))


@models.command()
@click.argument("model")
def remove(model: str) -> None:
    """Delete the files of MODEL."""
    from citestream.providers.errors import ProviderError
    from citestream.providers.judging.checkers import remove as delete

    try:
        size = delete(_checker(model))
    except (ProviderError, OSError) as error:
        fail(str(error))
    if not size:
        fail(f"{model} is not installed")
    click.echo(f"removed {size / 1e6:.1f} MB")


def _checker(model: str) -> "Checker":
    """Return the checker of that name. Exit with an error if there is none."""
    from citestream.providers.errors import ProviderError
    from citestream.providers.judging.checkers import FORMS, find_checker

    try:
        checker = find_checker(model)
    except ProviderError as error:
        fail(error.message, USAGE)
    if checker is None:
        fail(f"{model!r} is not the name of a model: it must be {FORMS}", USAGE)
    return checker
