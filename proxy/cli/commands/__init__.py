"""The program `citestream`: its commands with their arguments and help.

Each command imports its dependencies when it runs, so that `--help` is fast.
"""

import sys
from typing import Any

import click

from ..interruption import INTERRUPTED
from ..running import fail
from .answering import ask, chat, cite, index, mcp
from .measuring import evaluate, judge_check
from .models import models
from .serving import check_config, make_key, serve


class Commands(click.Group):
    """A group of commands that exit with 130 on Ctrl-C. Click exits with 1, like after a failure."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the selected command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="citestream")
@click.pass_context
def main(context: click.Context) -> None:
    """Add verified citations to the answers of any LLM, sentence by sentence.

    \b
    citestream serve                                    start the proxy on http://127.0.0.1:8787
    citestream index docs/ && citestream serve          the same, with evidence from a folder
    citestream ask "How high is it?" --evidence docs/   print one cited answer
    citestream chat                                     the same for a conversation
    citestream cite answer.txt --evidence docs/         add citations to a finished text
    citestream COMMAND --help                           show more examples

    \b
    Models without a configuration file:
      extractive         sentences of the evidence, without a model, key or network
      ollama/NAME        Ollama at OLLAMA_HOST, by default on this machine
      openai/NAME        needs OPENAI_API_KEY; OPENAI_BASE_URL for compatible servers
      gemini/NAME        needs GEMINI_API_KEY or GOOGLE_API_KEY
      anthropic/NAME     needs ANTHROPIC_API_KEY

    \b
    Exit codes: 0 success, 1 failure, 2 wrong usage or configuration,
    130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script for SHELL that completes commands, options, files, models and scorers.

    \b
    eval "$(citestream completion bash)"       in ~/.bashrc
    eval "$(citestream completion zsh)"        in ~/.zshrc, after compinit
    citestream completion fish | source        in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        fail(f"this version of click does not support {shell}")
    click.echo(kind(main, {}, "citestream", "_CITESTREAM_COMPLETE").source())


COMMANDS = (serve, ask, chat, index, cite, mcp, evaluate, judge_check, models, check_config, make_key, completion)
for command in COMMANDS:
    main.add_command(command)
