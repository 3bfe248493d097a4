"""The commands that answer from evidence and cite: `ask`, `chat`, `cite`, `index` and `mcp`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import (
    CONFIG,
    EVIDENCE,
    EVIDENCE_OR_STORE,
    MODEL,
    SCORER,
    STORE,
    InputPath,
    read_config,
    read_files,
    read_text,
)
from ..running import FAILED, USAGE, fail, reported_errors, run

if TYPE_CHECKING:
    from ...config import Config


@click.command(short_help="Answer a question from the evidence.")
@click.argument("question")
@EVIDENCE_OR_STORE
@MODEL
@SCORER
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the completion as JSON.")
def ask(question: str, evidence: Path | None, model: str, scorer: str | None, path: str | None, as_json: bool) -> None:
    """Answer QUESTION from the evidence and print the cited answer while it streams.

    The references follow, and the sentences that the evidence does not support or contradicts. In a terminal, Markdown
    is rendered. In a file or a pipe, the output is plain text.

    \b
    citestream index docs/ && citestream ask "When did it open?"
    citestream ask "When did it open?" --evidence bridge.md
    citestream ask "When did it open?" --evidence docs/ --model ollama/llama3.2 --json | jq .references
    """
    from ..answer_commands import ask as run_ask

    if not question.strip():
        fail("the question is empty", USAGE)
    config = read_config(path)
    _require_evidence(evidence, config)
    files = read_files(evidence) if evidence else None
    run(run_ask(config, question, files, model, scorer, as_json=as_json), config, model)


@click.command(short_help="Hold a conversation about the evidence.")
@EVIDENCE_OR_STORE
@MODEL
@SCORER
@CONFIG
def chat(evidence: Path | None, model: str, scorer: str | None, path: str | None) -> None:
    """Answer questions from the evidence one after the other, with the conversation so far.

    A question such as "and in Germany?" refers to the ones before. Each answer is printed as by `citestream ask`.
    Standard input that is no terminal contains one question a line.

    \b
    citestream index docs/ && citestream chat
    citestream chat --evidence handbook.pdf --model ollama/llama3.2
    """
    from ..chat_command import chat as run_chat

    config = read_config(path)
    _require_evidence(evidence, config)
    files = read_files(evidence) if evidence else None
    with reported_errors(config, model):
        complete = run_chat(config, files, model, scorer)
    sys.exit(0 if complete else FAILED)


def _require_evidence(evidence: Path | None, config: "Config") -> None:
    if evidence is None and not config.default_retriever:
        fail("no evidence: use --evidence FILE|DIR, or index a folder first: citestream index DIR", USAGE)


@click.command(short_help="Index folders and files as evidence.")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR]...", type=InputPath(path_type=Path))
@STORE
@click.option(
    "--embedder", help="Embedding model: local, provider/model, or none.  [default: that of the index, or none]"
)
@click.option("--rebuild", is_flag=True, help="Delete the index and build a new one.")
@click.option("--watch", is_flag=True, help="Keep running and index every change until Ctrl-C.")
@click.option(
    "--include",
    metavar="PATTERN",
    multiple=True,
    help="Also read files of this name that may contain secrets, or have no suffix.",
)
@CONFIG
def index(
    paths: tuple[Path, ...],
    store: Path,
    embedder: str | None,
    rebuild: bool,
    watch: bool,
    include: tuple[str, ...],
    path: str | None,
) -> None:
    """Index folders and files as evidence for questions.

    Reads text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, JSON and JSONL. A later run reads only changed files and
    removes deleted ones. Without FILE or DIR, everything that is indexed is updated. An interrupted run is continued by
    the next one. Files that may contain keys or passwords, and files without a suffix except README and the like, need
    --include. Skipped files are listed with the reason.

    \b
    citestream index docs/ && citestream serve       answer the questions of all clients from docs/
    citestream index handbook.pdf                    a single file
    citestream index docs/ --embedder local          search by meaning in addition to words
    citestream index --watch                         keep the index of all folders up to date
    """
    from ..index_command import IndexOptions
    from ..index_command import run as run_index

    if rebuild and not paths:
        fail("--rebuild deletes the list of folders: name them", USAGE)
    config = read_config(path)
    run(run_index(config, IndexOptions(paths, store, embedder, rebuild, watch, include)), config, embedder or "")


@click.command(short_help="Serve the Model Context Protocol.")
@CONFIG
def mcp(path: str | None) -> None:
    """Serve the Model Context Protocol on standard input and output.

    Agents start this command and call its tools: cite, verify_citations, and search and fetch for the index. The
    server has the same tools at POST /mcp.

    \b
    claude mcp add citestream -- citestream mcp
    citestream mcp --config /home/ada/citestream.yaml
    """
    from ..mcp_server import serve_mcp

    config = read_config(path)
    run(serve_mcp(config), config)


@click.command(short_help="Add citations to a finished text.")
@click.argument("answer", required=False)
@EVIDENCE
@SCORER
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
    from ..answer_commands import cite as run_cite

    text = read_text(answer)
    if not text.strip():
        fail("the text to cite is empty", USAGE)
    config = read_config(path)
    run(run_cite(config, text, read_files(evidence), scorer, as_json=as_json, explain=explain), config)
