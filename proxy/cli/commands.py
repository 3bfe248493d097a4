"""The commands. Each imports what it needs when it runs, so that `--help` answers at once."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from ..config import Config
    from .terminal import Files

FAILED = 1  # it could not be done: no such file, the provider refused, a broken stream
USAGE = 2  # the command or the configuration is wrong (click's own choice)
INTERRUPTED = 130  # Ctrl-C, as shells count it

CONFIG = click.option(
    "--config",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    envvar="CITESTREAM_CONFIG",
    show_envvar=True,
    help="YAML file; config.example.yaml has every option.",
)
_EVIDENCE: dict[str, Any] = {"metavar": "FILE|DIR", "type": click.Path(path_type=Path)}
_TAKEN = "What may be cited: text, Markdown, PDF, DOCX, HTML, CSV, JSON or JSONL; of a folder, all such files."
EVIDENCE = click.option("--evidence", required=True, help=_TAKEN, **_EVIDENCE)
EVIDENCE_OR_STORE = click.option(
    "--evidence", help=f"{_TAKEN}  [default: what `citestream index` has read]", **_EVIDENCE
)
STORE = click.option(
    "--store",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(".citestream/evidence.db"),
    show_default=True,
    help="The file that holds what was read.",
)


def _models(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """What `--model` may be, as far as the configuration says; names of models are the providers' own."""
    from ..config import ConfigError, load

    try:
        config = load(context.params.get("path"))
    except ConfigError:
        return []
    kinds = {name: settings.kind for name, settings in config.providers.items()}
    known = [*config.models, *[name if kind == "extractive" else f"{name}/" for name, kind in kinds.items()]]
    return [name for name in known if name.startswith(begun)]


def _scorers(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """What `--scorer` may be."""
    from citestream.citation.support.scorers import SCORERS

    return [name for name in SCORERS if name.startswith(begun)]


class Commands(click.Group):
    """Commands that end with 130 when they are interrupted, wherever they are; click says 1, as of a failure."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="citestream")
def main() -> None:
    """Every answer of any LLM, cited sentence by sentence.

    \b
    citestream serve                                    a proxy on http://127.0.0.1:8787
    citestream index docs/ && citestream serve          the same, with answers from a folder
    citestream ask "How high is it?" --evidence docs/   one answer in the terminal
    citestream cite answer.txt --evidence docs/         citations for a finished text
    citestream COMMAND --help                           more examples

    \b
    Without a configuration, models are asked for as
      extractive         sentences of the evidence; no model, no key, no network
      ollama/NAME        at OLLAMA_HOST, or on this machine
      openai/NAME        once OPENAI_API_KEY is set; OPENAI_BASE_URL for compatible servers
      gemini/NAME        once GEMINI_API_KEY or GOOGLE_API_KEY is set

    \b
    Exit codes: 0 done, 1 it could not be done, 2 wrong usage or configuration,
    130 interrupted.
    """


@main.command()
@CONFIG
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one.  [default: 8787]")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that share the port.  [default: 1]")
def serve(path: str | None, host: str | None, port: int | None, workers: int | None) -> None:
    """Serve clients of OpenAI's, Ollama's and Gemini's APIs until Ctrl-C.

    Prints `citestream listening on http://HOST:PORT` once it accepts requests. SIGTERM lets running answers finish.
    The address in a browser is the playground.

    \b
    citestream serve --port 9000                          elsewhere; 0 takes a free port
    citestream serve --config my.yaml --workers 2         with options, on two cores
    OPENAI_API_KEY=... citestream serve                   with OpenAI's models too
    """
    from ..config import ConfigError, find_loop, is_loopback
    from ..http.workers import serve as serve_forever
    from ..observability.logs import set_up

    config = _config(path, host=host, port=port, workers=workers)
    if name := find_loop(config):
        variable = (
            "; OPENAI_BASE_URL is meant for applications here: unset it for the server" if name == "openai" else ""
        )
        _fail(f"providers.{name}.base_url is this server's own address{variable}", USAGE)
    set_up(config.log)
    if not (is_loopback(config.server.host) or config.server.keys):
        click.echo(f"citestream: everyone who reaches {config.server.host} may ask, without a key", err=True)
    try:
        serve_forever(config, started=click.echo)
    except ConfigError as error:
        _fail(str(error), USAGE)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        _fail(f"cannot listen on {config.server.host}:{config.server.port}: {reason}; try another --host or --port")


@main.command()
@click.argument("question")
@EVIDENCE_OR_STORE
@click.option(
    "--model",
    metavar="MODEL",
    default="extractive",
    show_default=True,
    shell_complete=_models,
    help="provider/model, or an alias of the configuration.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the whole completion as JSON.")
def ask(question: str, evidence: Path | None, model: str, path: str | None, as_json: bool) -> None:
    """Answer QUESTION from the evidence, cited as it streams.

    Renders Markdown in a terminal; plain text where the output is a file or a pipe.

    \b
    citestream index docs/ && citestream ask "When did it open?"
    citestream ask "When did it open?" --evidence bridge.md
    citestream ask "When did it open?" --evidence docs/ --model ollama/llama3.2 --json | jq .references
    """
    from .terminal import ask as ask_now

    config = _config(path)
    if evidence is None and not config.default_retriever:
        _fail("no evidence: name some with --evidence FILE|DIR, or read a folder first: citestream index DIR", USAGE)
    _run(ask_now(config, question, _files(evidence) if evidence else None, model, as_json=as_json), config, model)


@main.command()
@click.argument("folders", nargs=-1, metavar="[DIR]...", type=click.Path(file_okay=False, exists=True, path_type=Path))
@STORE
@click.option("--embedder", help="Who makes vectors: local, provider/model, or none.  [default: as before; none]")
@click.option("--rebuild", is_flag=True, help="Forget everything and begin anew.")
@click.option("--watch", is_flag=True, help="Go on with every change until Ctrl-C.")
@CONFIG
def index(
    folders: tuple[Path, ...], store: Path, embedder: str | None, rebuild: bool, watch: bool, path: str | None
) -> None:
    """Read the files of a folder, so that questions are answered from them.

    Reads text, Markdown, HTML, PDF, DOCX, CSV, JSON and JSONL. Only what changed is read again, what is gone leaves;
    without DIR, of all folders read before. May be stopped at any time: the next run goes on from there.

    \b
    citestream index docs/ && citestream serve       every client's questions are answered from docs/
    citestream index docs/ --embedder local          by meaning too, not by words alone
    citestream index --watch                         every change of what was read before
    """
    from .index_command import Indexing
    from .index_command import run as run_now

    if rebuild and not folders:
        _fail("--rebuild forgets which folders there were: name them", USAGE)
    config = _config(path)
    _run(run_now(config, Indexing(folders, store, embedder, rebuild, watch)), config, embedder or "")


@main.command()
@click.argument("answer", required=False)
@EVIDENCE
@click.option("--scorer", metavar="NAME", shell_complete=_scorers, help="How alike is measured.  [default: lexical]")
@click.option("--explain", is_flag=True, help="Say for each sentence what decided.")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print what POST /v1/cite answers.")
def cite(
    answer: str | None, evidence: Path, scorer: str | None, explain: bool, path: str | None, as_json: bool
) -> None:
    """Cite a finished ANSWER: a text, a file, or standard input. No model is asked.

    \b
    citestream cite "It opened in 1932." --evidence bridge.md
    citestream cite answer.txt --evidence docs/ --explain
    some-program | citestream cite --evidence docs/ --json
    """
    from .terminal import cite as cite_now

    text = _text(answer)
    config = _config(path)
    _run(cite_now(config, text, _files(evidence), scorer, as_json=as_json, explain=explain), config)


@main.command("eval")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--scorer",
    metavar="NAME",
    default="lexical",
    show_default=True,
    shell_complete=_scorers,
    help="How alike is measured.",
)
@click.option(
    "--plot",
    metavar="PNG|SVG|PDF",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw precision, recall, calibration.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the measures as JSON.")
def evaluate(files: tuple[Path, ...], scorer: str, plot: Path | None, path: str | None, as_json: bool) -> None:
    """Measure citations on labelled FILES of JSON lines: precision, recall, F1, support.

    \b
    citestream eval labelled.jsonl
    citestream eval labelled.jsonl --scorer hybrid --config my.yaml --plot curves.png
    citestream eval labelled.jsonl --json | jq .quality.ALL.f1
    """
    from citestream.citation.evidence import FieldError

    from .eval_command import run

    try:
        run(files, scorer, as_json=as_json, plot=plot, config=_config(path))
    except (FieldError, OSError, ValueError) as error:
        _fail(str(error))


@main.command("check-config")
@click.argument("path", required=False, type=click.Path(dir_okay=False), envvar="CITESTREAM_CONFIG")
def check_config(path: str | None) -> None:
    """Check a configuration file (or the environment alone) and name everything that is wrong.

    Variables and files that hold keys are looked up too, so that a missing one shows here.

    \b
    citestream check-config my.yaml
    """
    config = _config(path)
    click.echo(f"{path or 'the environment'} is fine: providers {', '.join(config.providers)}")


@main.command("make-key")
@click.option("--name", default="", help="Who it is for; the access log shows it.")
@click.option("--stdin", "given", is_flag=True, help="Take the key from standard input instead of making one.")
def make_key(name: str, given: bool) -> None:
    """Make a client key, and what the configuration needs to know it by: a hash, not the key.

    \b
    citestream make-key --name "search app"
    printf %s "$OLD_KEY" | citestream make-key --stdin
    """
    from ..config import hash_key
    from ..http.auth import new_key

    key = sys.stdin.read().strip() if given else new_key()
    if not key:
        _fail("standard input holds no key", USAGE)
    if not given:
        click.echo("For the client, shown this once:", err=True)
        click.echo(key)
    click.echo("For the configuration, under server.keys:", err=True)
    click.echo(f"- name: {json.dumps(name)}\n  sha256: {hash_key(key)}" if name else f"- sha256: {hash_key(key)}")


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands, options, files, models and scorers.

    \b
    eval "$(citestream completion bash)"       in ~/.bashrc
    eval "$(citestream completion zsh)"        in ~/.zshrc, after compinit
    citestream completion fish | source        in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        _fail(f"this version of click cannot complete for {shell}")
    click.echo(kind(main, {}, "citestream", "_CITESTREAM_COMPLETE").source())


def _config(path: str | None, **overrides: Any) -> "Config":
    from ..config import ConfigError, load

    try:
        return load(path, **overrides)
    except ConfigError as error:
        _fail(str(error), USAGE)


def _files(path: Path) -> "Files":
    from citestream.providers.retrieval.evidence_files import UnreadableFileError, evidence_of

    from .terminal import Files

    try:
        return Files(evidence_of(path), path if path.is_dir() else path.parent)
    except UnreadableFileError as error:
        _fail(f"{error}; --evidence takes a file or folder of text, Markdown, PDF, DOCX, HTML, CSV, JSON or JSONL")


def _text(answer: str | None) -> str:
    """The text itself, the content of the file it names, or standard input."""
    if answer is None:
        if sys.stdin.isatty():
            _fail("give a text, a file, or pipe one in", USAGE)
        return sys.stdin.read()
    try:
        if len(answer) < 4096 and Path(answer).is_file():
            return Path(answer).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        _fail(f"{answer}: {error}")
    return answer


def _run(job: Any, config: "Config", model: str = "") -> None:
    """Run to the end; an error in one sentence with what to do about it, not in a traceback. `model`: who is asked."""
    import asyncio

    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError
    from citestream.providers.retrieval.store import StoreError

    from ..config import ConfigError
    from ..http.error_responses import RequestError
    from .error_hints import advice

    try:
        asyncio.run(job)
    except ConfigError as error:
        _fail(str(error), USAGE)
    except (FieldError, ProviderError, RequestError, StoreError) as error:
        _fail("; ".join(filter(None, (str(error).rstrip("."), advice(error, model, config)))))


def _fail(message: str, code: int = FAILED) -> NoReturn:
    click.echo(f"citestream: {message}", err=True)
    sys.exit(code)
