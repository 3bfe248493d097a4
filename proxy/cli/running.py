"""Run a command that may fail: its exit codes, and its errors in one sentence with a hint."""

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from ..config import Config

FAILED = 1  # the command failed: no such file, an error of the provider, an incomplete stream
USAGE = 2  # wrong usage or configuration, the same code as in click


def run(command: Coroutine[Any, Any, None], config: "Config", model: str = "") -> None:
    """Run a coroutine and report errors in one sentence with a hint. `model` is used for hints about providers."""
    import asyncio

    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError
    from citestream.providers.one_line import one_line
    from citestream.providers.retrieval.folder.store_file import StoreError

    from ..config import ConfigError
    from ..http.error_responses import RequestError
    from .error_hints import hint

    try:
        asyncio.run(command)
    except ConfigError as error:
        fail(str(error), USAGE)
    except (FieldError, ProviderError, RequestError, StoreError) as error:
        fail("; ".join(filter(None, (one_line(str(error)).rstrip("."), hint(error, model, config)))))


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Print an error and exit."""
    click.echo(f"citestream: {message}", err=True)
    sys.exit(code)
