"""The commands about published checkers: `models list`, `models pull` and `models remove`."""

from typing import TYPE_CHECKING

import click

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
