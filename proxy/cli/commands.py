"""The commands of `citestream`. Each command imports its dependencies when it runs, so that `--help` is fast."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from .arguments import (
    CONFIG,
    EVIDENCE,
    EVIDENCE_OR_STORE,
    STORE,
    complete_model,
    complete_scorer,
    read_config,
    read_files,
    read_text,
)
from .interruption import INTERRUPTED
from .running import USAGE, fail, run


class Commands(click.Group):
    """A group of commands that exit with 130 on Ctrl-C. Click exits with 1, like after a failure."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the selected command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="citestream")
def main() -> None:
    """Add verified citations to the answers of any LLM, sentence by sentence.

    \b
    citestream serve                                    start the proxy on http://127.0.0.1:8787
    citestream index docs/ && citestream serve          the same, with evidence from a folder
    citestream ask "How high is it?" --evidence docs/   print one cited answer
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


@main.command()
@CONFIG
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on; 0 selects a free port.  [default: 8787]"
)
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that share the port.  [default: 1]")
def serve(path: str | None, host: str | None, port: int | None, workers: int | None) -> None:
    """Start the proxy for clients of the OpenAI, Ollama, Gemini, Anthropic and Cohere APIs.

    Prints `citestream listening on http://HOST:PORT` as soon as it accepts requests. After SIGTERM, running answers
    are completed. Open the address in a browser to use the playground.

    \b
    citestream serve --port 9000                          another port; 0 selects a free one
    citestream serve --config my.yaml --workers 2         a configuration file and two processes
    OPENAI_API_KEY=... citestream serve                   also use the models of OpenAI
    """
    from ..config import ConfigError, find_loop, is_loopback
    from ..http.serving.workers import serve as serve_forever
    from ..observability.logs import configure_logging

    config = read_config(path, host=host, port=port, workers=workers)
    if name := find_loop(config):
        variable = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}.get(name)
        hint = f"; unset {variable} for the server, it is a setting of its clients" if variable else ""
        fail(f"providers.{name}.base_url is the address of this server{hint}", USAGE)
    configure_logging(config.log)
    if not (is_loopback(config.server.host) or config.server.keys):
        click.echo(f"citestream: warning: {config.server.host} accepts requests without a key", err=True)
    try:
        serve_forever(config, started=click.echo)
    except ConfigError as error:
        fail(str(error), USAGE)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        fail(f"cannot listen on {config.server.host}:{config.server.port}: {reason}; try another --host or --port")


@main.command()
@click.argument("question")
@EVIDENCE_OR_STORE
@click.option(
    "--model",
    metavar="MODEL",
    default="extractive",
    show_default=True,
    shell_complete=complete_model,
    help="provider/model, or an alias from the configuration.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the completion as JSON.")
def ask(question: str, evidence: Path | None, model: str, path: str | None, as_json: bool) -> None:
    """Answer QUESTION from the evidence and print the cited answer while it streams.

    In a terminal, Markdown is rendered. In a file or a pipe, the output is plain text.

    \b
    citestream index docs/ && citestream ask "When did it open?"
    citestream ask "When did it open?" --evidence bridge.md
    citestream ask "When did it open?" --evidence docs/ --model ollama/llama3.2 --json | jq .references
    """
    from .answer_commands import ask as run_ask

    if not question.strip():
        fail("the question is empty", USAGE)
    config = read_config(path)
    if evidence is None and not config.default_retriever:
        fail("no evidence: use --evidence FILE|DIR, or index a folder first: citestream index DIR", USAGE)
    run(run_ask(config, question, read_files(evidence) if evidence else None, model, as_json=as_json), config, model)


@main.command()
@click.argument("folders", nargs=-1, metavar="[DIR]...", type=click.Path(file_okay=False, exists=True, path_type=Path))
@STORE
@click.option(
    "--embedder", help="Embedding model: local, provider/model, or none.  [default: that of the index, or none]"
)
@click.option("--rebuild", is_flag=True, help="Delete the index and build a new one.")
@click.option("--watch", is_flag=True, help="Keep running and index every change until Ctrl-C.")
@CONFIG
def index(
    folders: tuple[Path, ...], store: Path, embedder: str | None, rebuild: bool, watch: bool, path: str | None
) -> None:
    """Index the files of a folder as evidence for questions.

    Reads text, Markdown, HTML, PDF, DOCX, CSV, JSON and JSONL. A later run reads only changed files and removes deleted
    ones. Without DIR, all indexed folders are updated. An interrupted run is continued by the next one.

    \b
    citestream index docs/ && citestream serve       answer the questions of all clients from docs/
    citestream index docs/ --embedder local          search by meaning in addition to words
    citestream index --watch                         keep the index of all folders up to date
    """
    from .index_command import IndexOptions
    from .index_command import run as run_index

    if rebuild and not folders:
        fail("--rebuild deletes the list of folders: name them", USAGE)
    config = read_config(path)
    run(run_index(config, IndexOptions(folders, store, embedder, rebuild, watch)), config, embedder or "")


@main.command()
@click.argument("answer", required=False)
@EVIDENCE
@click.option(
    "--scorer", metavar="NAME", shell_complete=complete_scorer, help="Measure of similarity.  [default: lexical]"
)
@click.option("--explain", is_flag=True, help="Explain the decision for each sentence.")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the response of POST /v1/cite as JSON.")
def cite(
    answer: str | None, evidence: Path, scorer: str | None, explain: bool, path: str | None, as_json: bool
) -> None:
    """Add citations to a finished ANSWER, which is a text, a file, or standard input. No model is used.

    \b
    citestream cite "It opened in 1932." --evidence bridge.md
    citestream cite answer.txt --evidence docs/ --explain
    some-program | citestream cite --evidence docs/ --json
    """
    from .answer_commands import cite as run_cite

    text = read_text(answer)
    if not text.strip():
        fail("the text to cite is empty", USAGE)
    config = read_config(path)
    run(run_cite(config, text, read_files(evidence), scorer, as_json=as_json, explain=explain), config)


@main.command("eval")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--scorer",
    metavar="NAME",
    default="lexical",
    show_default=True,
    shell_complete=complete_scorer,
    help="Measure of similarity.",
)
@click.option(
    "--plot",
    metavar="PNG|SVG|PDF",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Plot precision, recall and calibration to a file.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def evaluate(files: tuple[Path, ...], scorer: str, plot: Path | None, path: str | None, as_json: bool) -> None:
    """Measure the precision, recall, F1 and support accuracy of citations on labelled FILES in JSONL format.

    \b
    citestream eval labelled.jsonl
    citestream eval labelled.jsonl --scorer hybrid --config my.yaml --plot curves.png
    citestream eval labelled.jsonl --json | jq .quality.ALL.f1
    """
    from citestream.citation.evidence import FieldError

    from .eval_command import run as run_eval

    try:
        run_eval(files, scorer, as_json=as_json, plot=plot, config=read_config(path))
    except (FieldError, OSError, ValueError) as error:
        fail(str(error))


@main.command("judge-check")
@click.argument("model")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--sample", type=int, default=0, help="Number of pairs to ask about.  [default: all]")
@click.option("--price", type=float, default=0.0, help="Price of a million tokens, to print the cost.")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def judge_check(
    model: str, files: tuple[Path, ...], sample: int, price: float, path: str | None, as_json: bool
) -> None:
    """Measure how well, how fast and at what cost MODEL judges near-misses and the labelled pairs of FILES.

    MODEL is provider/model, or onnx:FOLDER of a cross-encoder. Each pair is asked about at most twice: once alone, and
    once with the scorer and the gates in front, as in an answer.

    \b
    citestream judge-check ollama/bespoke-minicheck
    citestream judge-check openai/gpt-4.1-nano --sample 200 --price 0.10
    citestream judge-check onnx:models/minicheck labelled.jsonl --json
    """
    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError

    from ..config import ConfigError
    from ..http.error_responses import RequestError
    from .judge_check_command import run as run_judge_check

    try:
        run_judge_check(files, model, sample=sample, price=price, as_json=as_json, config=read_config(path))
    except (ConfigError, FieldError, OSError, RequestError) as error:
        fail(str(error))
    except ProviderError as error:
        fail(error.message)


@main.command("check-config")
@click.argument("path", required=False, type=click.Path(dir_okay=False), envvar="CITESTREAM_CONFIG")
def check_config(path: str | None) -> None:
    """Validate a configuration file, or only the environment variables, and print all errors.

    Variables and files with API keys are read too, so that a missing one is reported. So are the packages, models and
    certificates that the options need. Nothing is connected. An evidence store that does not exist yet is a warning.

    \b
    citestream check-config my.yaml
    """
    import asyncio

    from ..config import ConfigError
    from ..config_check import check_requirements

    config = read_config(path)
    try:
        unusable = asyncio.run(check_requirements(config))
    except ConfigError as error:
        fail(str(error), USAGE)
    for name, reason in unusable.items():
        click.echo(f"warning: {name} cannot be used yet: {reason}", err=True)
    click.echo(f"{path or 'the environment'} is valid: providers {', '.join(config.providers)}")


@main.command("make-key")
@click.option("--name", default="", help="Name of the client for the access log.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the key from standard input instead of creating one.")
def make_key(name: str, from_stdin: bool) -> None:
    """Create a client key and print its hash for the configuration.

    \b
    citestream make-key --name "search app"
    printf %s "$OLD_KEY" | citestream make-key --stdin
    """
    from ..config import hash_key
    from ..http.middleware.auth import new_key

    key = sys.stdin.read().strip() if from_stdin else new_key()
    if not key:
        fail("standard input contains no key", USAGE)
    if not from_stdin:
        click.echo("For the client. The key is not stored and not shown again:", err=True)
        click.echo(key)
    click.echo("For the configuration, in server.keys:", err=True)
    click.echo(f"- name: {json.dumps(name)}\n  sha256: {hash_key(key)}" if name else f"- sha256: {hash_key(key)}")


@main.command()
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
