"""Run a command that may fail: its exit codes, and its errors in one sentence with a hint."""

import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from ..config import Config

FAILED = 1  # the command failed: no such file, an error of the provider, an incomplete stream
USAGE = 2  # wrong usage or configuration, the same code as in click


def run(command: Coroutine[Any, Any, None], config: "Config", model: str = "") -> None:
    """Run a coroutine and report errors; see `reported_errors`."""
    import asyncio

    with reported_errors(config, model):
        asyncio.run(command)


@contextmanager
def reported_errors(config: "Config", model: str = "") -> Iterator[None]:
    """Exit with a message in one sentence for every expected error. `model` is used for hints about providers."""
    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError
    from citestream.providers.retrieval.folder.store_file import StoreError

    from ..config import ConfigError
    from ..http.error_responses import RequestError

    try:
        yield
    except ConfigError as error:
        fail(str(error), USAGE)
    except (FieldError, ProviderError, RequestError, StoreError) as error:
        fail(describe(error, model, config))


def describe(error: Exception, model: str, config: "Config") -> str:
    """Return an error of a request to `model` in one sentence with a hint."""
    from citestream.providers.one_line import one_line

    from .error_hints import hint

    return "; ".join(filter(None, (one_line(str(error)).rstrip("."), hint(error, model, config))))


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Print an error, or several in a line each, and exit."""
    for line in message.splitlines():
        click.echo(f"citestream: {line}", err=True)
    sys.exit(code)
