"""The commands of a server and its configuration: `serve`, `check-config` and `make-key`."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from ..arguments import CONFIG, read_config
from ..running import USAGE, fail

if TYPE_CHECKING:
    from ...config import Config

REBINDING = (
    "without server.hosts, a web page whose name is rebound to this server (DNS rebinding) can read what GET requests "
    "return; name the hosts of this server in server.hosts"
)


@click.command(short_help="Start the proxy and the playground.")
@CONFIG
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on; 0 selects a free port.  [default: 8787]"
)
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that share the port.  [default: 1]")
@click.option("--judge", metavar="MODEL", help="Model that verifies each sentence, such as openai/gpt-5-nano.")
@click.option("--open", "opens", is_flag=True, help="Open the playground in a browser.")
def serve(
    path: str | None, host: str | None, port: int | None, workers: int | None, judge: str | None, opens: bool
) -> None:
    """Start the proxy for clients of the OpenAI, Ollama, Gemini, Anthropic and Cohere APIs.

    Prints `citestream listening on http://HOST:PORT` as soon as it accepts requests, then how it verifies, its
    documents and its models. After SIGTERM, running answers are completed. The address in a browser is the playground.

    \b
    citestream serve --open                               also open the playground
    citestream serve --port 9000                          another port; 0 selects a free one
    citestream serve --config my.yaml --workers 2         a configuration file and two processes
    OPENAI_API_KEY=... citestream serve                   also use the models of OpenAI
    citestream serve --judge ollama/bespoke-minicheck     verify each sentence with a model too
    """
    from ...config import ConfigError, find_loop, is_loopback
    from ...http.serving.workers import serve as serve_forever
    from ...observability.logs import configure_logging

    config = read_config(path, host=host, port=port, workers=workers, judge=judge)
    if name := find_loop(config):
        variable = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}.get(name)
        hint = f"; unset {variable} for the server, it is a setting of its clients" if variable else ""
        fail(f"providers.{name}.base_url is the address of this server{hint}", USAGE)
    configure_logging(config.log)
    if not (is_loopback(config.server.host) or config.server.keys):
        click.echo(f"citestream: warning: {config.server.host} accepts requests without a key", err=True)
        if not config.server.hosts:
            click.echo(f"citestream: warning: {REBINDING}", err=True)

    def started(message: str) -> None:
        from .serve_summary import open_browser, summary

        address = message.rpartition(" ")[2]
        click.echo("\n".join([message, verification(config), *summary(config, address)]))
        if opens:
            open_browser(address)

    try:
        serve_forever(config, started=started)
    except ConfigError as error:
        fail(str(error), USAGE)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        fail(f"cannot listen on {config.server.host}:{config.server.port}: {reason}; try another --host or --port")


def verification(config: "Config") -> str:
    """Return a line that says how citations are verified."""
    from citestream.providers.judging.checkers import find_checker

    scoring = config.scoring
    checker = find_checker(scoring.checker)
    missing = "" if checker is None or checker.is_installed else f", without {checker.name}: {checker.install_command}"
    if scoring.judge and config.citations.judge:
        return f"each sentence is verified by its words and by the judge {scoring.judge}{missing}"
    if config.citations.scorer == "checker" and not missing:
        return f"each sentence is verified by its words and by the checker {scoring.checker}"
    if scoring.checker and not missing and config.citations.scorer != "auto":
        return f"each sentence is verified by its words; citations.scorer: checker would also use {scoring.checker}"
    hint = missing or "; --judge MODEL or CITESTREAM_JUDGE adds a language model"
    return f"each sentence is verified by its words{hint}"


@click.command("check-config", short_help="Validate a configuration.")
@click.argument("path", required=False, type=click.Path(dir_okay=False), envvar="CITESTREAM_CONFIG")
def check_config(path: str | None) -> None:
    """Validate a configuration file, or only the environment variables, and print all errors.

    Variables and files with API keys are read too, so that a missing one is reported. So are the packages, models and
    certificates that the options need. Nothing is connected. An evidence store that does not exist yet is a warning.

    \b
    citestream check-config my.yaml
    """
    import asyncio

    from ...config import ConfigError
    from ...config_check import check_requirements

    config = read_config(path)
    try:
        unusable = asyncio.run(check_requirements(config))
    except ConfigError as error:
        fail(str(error), USAGE)
    for name, reason in unusable.items():
        click.echo(f"warning: {name} cannot be used yet: {reason}", err=True)
    click.echo(f"{path or 'the environment'} is valid: providers {', '.join(config.providers)}")


@click.command("make-key", short_help="Create a key for a client.")
@click.option("--name", default="", help="Name of the client for the access log.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the key from standard input instead of creating one.")
def make_key(name: str, from_stdin: bool) -> None:
    """Create a client key and print its hash for the configuration.

    \b
    citestream make-key --name "search app"
    printf %s "$OLD_KEY" | citestream make-key --stdin
    """
    from ...config import check_client_key, hash_key
    from ...http.middleware.auth import new_key

    key = sys.stdin.read().strip() if from_stdin else new_key()
    if not key:
        fail("standard input contains no key", USAGE)
    try:
        check_client_key(key)
    except ValueError as error:
        fail(str(error), USAGE)
    if not from_stdin:
        click.echo("For the client. The key is not stored and not shown again:", err=True)
        click.echo(key)
    click.echo("For the configuration, in server.keys:", err=True)
    click.echo(f"- name: {json.dumps(name)}\n  sha256: {hash_key(key)}" if name else f"- sha256: {hash_key(key)}")
