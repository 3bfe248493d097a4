"""Generate the page about the commands from their help. conf.py writes the page."""

from collections.abc import Iterator

import click

from citestream.proxy.cli.commands import main

HEAD = """# Commands

This page shows the output of `citestream COMMAND --help`. [Command line](terminal.md) describes exit codes, scripts
and completion.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for name in main.commands for line in _section(name, main.commands[name]))])


def _section(name: str, command: click.Command) -> Iterator[str]:
    """Yield the section of a command, and those of its own commands."""
    context = click.Context(command, info_name=f"citestream {name}", terminal_width=100, max_content_width=100)
    yield f"## `citestream {name}`\n"
    yield f"```text\n{command.get_help(context)}\n```\n"
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _section(f"{name} {inner.name}", inner)
