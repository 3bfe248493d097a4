"""The commands that answer from evidence and cite: `ask`, `chat`, `cite`, `index` and `mcp`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import (
    CONFIG,
    EVIDENCE_OR_OWN,
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
    "--embedder",
    help="Embedding model: local, provider/model, or none.  [default: that of the index, or local if installed]",
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
    citestream index docs/ --embedder none           search by words only, not by meaning
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
@click.argument("answers", nargs=-1, metavar="[ANSWER]...")
@EVIDENCE_OR_OWN
@SCORER
@click.option("--explain", is_flag=True, help="Explain the decision for each sentence.")
@click.option(
    "--fail-under",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Exit with 1 if a smaller share of the claims of an answer is supported.",
)
@click.option(
    "--report",
    "reports",
    metavar="FILE",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a report: JUnit to FILE.xml, SARIF to FILE.sarif.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the response of POST /v1/cite as JSON.")
def cite(
    answers: tuple[str, ...],
    evidence: Path | None,
    scorer: str | None,
    explain: bool,
    fail_under: float,
    reports: tuple[Path, ...],
    path: str | None,
    as_json: bool,
) -> None:
    """Add citations to a finished ANSWER, which is a text, a file, or standard input. No model is used.

    Several files, folders, and JSONL files with an answer on each line are checked instead: the claims of each answer
    are counted, and those that are not supported are listed. The evidence of answers/tides.md is in --evidence, or next
    to it in answers/tides.evidence.json, .md, .pdf and so on, or in the folder answers/tides.evidence.

    \b
    citestream cite "It opened in 1932." --evidence bridge.md
    citestream cite answer.txt --evidence docs/ --explain
    some-program | citestream cite --evidence docs/ --json
    citestream cite answers/ --evidence docs/ --fail-under 0.9 --report citations.sarif
    """
    import asyncio

    from ..answer_checks.answer_files import is_batch
    from ..answer_checks.command import CheckOptions, check_answers
    from ..answer_commands import cite as run_cite

    if is_batch(answers, has_own_evidence=evidence is None) or (answers and reports):
        config = read_config(path)
        common = read_files(evidence) if evidence else None
        options = CheckOptions(fail_under, scorer, reports, as_json)
        with reported_errors(config):
            passes = asyncio.run(check_answers(config, [Path(name) for name in answers], common, options))
        sys.exit(0 if passes else FAILED)
    text = read_text(answers[0] if answers else None)
    if not text.strip():
        fail("the text to cite is empty", USAGE)
    if evidence is None:
        fail("no evidence: use --evidence FILE|DIR", USAGE)
    config = read_config(path)
    command = run_cite(
        config, text, read_files(evidence), scorer, as_json=as_json, explain=explain, fail_under=fail_under
    )
    with reported_errors(config):
        passes = asyncio.run(command)
    if not passes:
        fail(f"fewer than {fail_under:g} of the claims are supported")
