"""The page about the commands, from their own help; conf.py writes it whenever the site is built."""

from collections.abc import Iterator

import click

from citestream.proxy.cli.commands import main

HEAD = """# Commands

What `citestream COMMAND --help` says. [In the terminal](terminal.md) has exit codes, scripts and completion.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for name in main.commands for line in _section(name))])


def _section(name: str) -> Iterator[str]:
    command = main.commands[name]
    context = click.Context(command, info_name=f"citestream {name}", terminal_width=100, max_content_width=100)
    yield f"## `citestream {name}`\n"
    yield f"```text\n{command.get_help(context)}\n```\n"
