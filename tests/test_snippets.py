"""Run every command and snippet of the README and the documentation unchanged."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
import yaml
from click import Context

from citestream.proxy.cli.commands import main
from citestream.proxy.config import load
from tests.conftest import Launch, Start
from tests.upstreams.postgres import postgres

ROOT = Path(__file__).parents[1]
GENERATED = {"api.md", "commands.md", "configuration.md"}  # pages of the site generated from the code
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED),
    *sorted((ROOT / "docs/clients").glob("*.md")),
]
BLOCK = re.compile(
    r"^(?:<!-- (?:from|check_text by) (?P<source>\S+?):?(?: .*)? -->\n)?```(?P<language>\S*)[^\n]*\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SERVES = re.compile(r"\bcitestream serve\b")
OF_HUB = re.compile(r"citestream models (?:pull|check|remove) ")
ADDRESS = "http://127.0.0.1:8787"
INSTALLS = re.compile(r"(?:pip|pipx|uv tool) install '?\.(?:\[(?P<extras>[\w,]+)\])?'?")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BRIDGE = "# The bridge\n\nIt was opened on 4 May 1932. It carries two lanes of traffic.\n"
APPLICATION = """
from openai import OpenAI

messages = [{"role": "user", "content": "When did it open?"}]
print(OpenAI().chat.completions.create(model="gpt-4.1", messages=messages).choices[0].message.content)
"""  # an application that was written without Citestream
WITHOUT_KEY = {"providers": {"extractive": {"kind": "extractive"}}, "default_provider": "extractive"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    language: str
    code: str

    @property
    def name(self) -> tuple[str, str]:
        """Return the page and the first line, which identify the block."""
        return self.page, self.code.partition("\n")[0]


def blocks() -> Iterator[Block]:
    """Yield the blocks of all pages, without those that name their script: tests/test_guides.py compares them."""
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text("utf-8")):
            if not found["source"]:
                yield Block(page.relative_to(ROOT).as_posix(), found["language"], found["code"])


class User:
    """A user with a checkout and a folder of documents."""

    def __init__(self, folder: Path, launch: Launch, start: Start) -> None:
        self.folder = folder
        self.launch = launch
        self.start = start
        for name in ("docs", "documents"):
            (folder / name).mkdir()
            (folder / name / "bridge.md").write_text(BRIDGE)
        (folder / "answer.txt").write_text("The bridge was opened in 1932.")
        (folder / "my.yaml").write_text("log: {level: info}\n")
        (folder / "examples").symlink_to(ROOT / "examples")
        self.programs = folder / ".venv/bin"
        self.programs.mkdir(parents=True)
        (folder / "your_app.py").write_text(APPLICATION)
        (self.programs / "activate").write_text("# its folder is in the path of every line here\n")
        self._program("python", f'exec {shlex.quote(sys.executable)} "$@"')
        self._program("citestream", f'exec {shlex.quote(sys.executable)} -m citestream "$@"')

    def _program(self, name: str, line: str) -> None:
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{line}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def run(self, line: str) -> str:
        """Return the output of a shell command, which must succeed."""
        if ADDRESS in line:
            line = line.replace(ADDRESS, self.start(WITHOUT_KEY))
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}
        command = ["bash", "-o", "pipefail", "-euc", line]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def check_server(self, line: str) -> None:
        """Check that a server started with this command accepts requests."""
        variables, words = line.split("citestream ", 1)
        environment = dict(word.split("=", 1) for word in shlex.split(variables) if "=" in word)
        command = [sys.executable, "-m", "citestream", *shlex.split(words), "--port", "0"]
        log = self.folder / "server.log"
        with self.launch(command, log, cwd=self.folder, PYTHONPATH=str(ROOT), **environment) as url:
            assert httpx.get(f"{url}/readyz").status_code == 200


def run_shell(block: Block, user: User) -> None:
    """Run the block line by line."""
    for line in commands(block):
        if line.startswith("make "):  # CI runs the targets; this checks that they exist
            subprocess.run(["make", "-n", *shlex.split(line)[1:]], cwd=ROOT, check=True, capture_output=True)
        elif install := INSTALLS.fullmatch(line):  # tests/test_packaging.py installs into an empty environment
            extras = set(filter(None, (install["extras"] or "").split(",")))
            assert extras <= PROJECT["optional-dependencies"].keys()
        elif OF_HUB.match(line):  # tests/proxy/cli/test_models_command.py runs these with a hub of its own
            _, name, *arguments = shlex.split(line)
            command = main.commands[name]
            command.make_parser(Context(command, info_name=name)).parse_args(arguments)
        elif SERVES.search(line):
            *before, serve = line.split(" && ")
            [user.run(one) for one in before]
            user.check_server(serve)
        else:
            user.run(line)


def commands(block: Block) -> list[str]:
    """Return the lines without their comments."""
    return [stripped for line in block.code.splitlines() if (stripped := re.sub(r"(^|\s+)# .*", "", line))]


def check_fish_completion(block: Block, user: User) -> None:
    """Check the script that fish would read, because fish may not be installed."""
    (line,) = commands(block)
    script, _, source = line.partition(" | ")
    assert source == "source"
    assert "complete --no-files --command citestream" in user.run(script)


def run_curl(block: Block, user: User) -> None:
    """Send the request of a curl command with httpx. `make test-clients` runs curl itself."""
    program, flag, address, header, name, data, body = shlex.split(block.code)
    assert (program, flag, header, data) == ("curl", "-N", "-H", "-d")
    address = address.replace(ADDRESS, user.start())
    answer = httpx.post(address, content=body, headers=dict([name.split(": ")])).text
    assert "110.6 metres tall. [1]" in answer
    assert '"references":[{"number":1' in answer


def check_error(block: Block, user: User) -> None:
    """Check a command and its error message, word for word."""
    line, message = block.code.removeprefix("$ ").split("\n", 1)
    command = [sys.executable, "-m", "citestream", *shlex.split(line)[1:]]
    environment = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, message)


def check_configuration(block: Block, user: User) -> None:
    """Load the configuration, with the variables and files that it names."""
    secret = user.folder / "secret"
    secret.write_text("k")
    file = user.folder / "configured.yaml"
    file.write_text(re.sub(r"/run/secrets/\w+", str(secret), block.code))
    variables = re.findall(r"\$\{(\w+)|api_key_env: (\w+)", block.code)
    environment = {name: "k" for names in variables for name in names if name}
    loaded = load(str(file), environ=environment).model_dump(exclude_defaults=True, warnings=False)
    assert yaml.safe_load(block.code).keys() <= loaded.keys()


def check_readiness(block: Block, user: User) -> None:
    """Compare the keys with the answer of a server that has such a provider and such a retriever."""
    closed_port = "http://127.0.0.1:9"
    providers = {"openai": {"kind": "openai", "base_url": f"{closed_port}/v1", "api_key": "none"}}
    search = {"kind": "http", "url": closed_port, "body": {"q": "{query}"}}
    address = user.start({"providers": providers, "retrievers": {"docs": search}})
    documented, answer = json.loads(block.code), httpx.get(f"{address}/readyz").json()
    assert answer.keys() == documented.keys()
    assert {name: check.keys() for name, check in answer["checks"].items()} == {
        name: check.keys() for name, check in documented["checks"].items()
    }


def check_retrieval_report(block: Block, user: User) -> None:
    """Compare the keys with the report of an answer from a folder."""
    documented = json.loads(block.code)
    user.run("citestream index docs/")
    retrievers = {"docs": {"kind": "folder", "store": str(user.folder / ".citestream/evidence.db")}}
    address = user.start({**WITHOUT_KEY, "retrievers": retrievers, "default_retriever": "docs"})
    request = {"model": "extractive", "messages": [{"role": "user", "content": documented["query"]}]}
    answer = httpx.post(f"{address}/v1/chat/completions", json=request).json()
    assert answer["grounding"]["retrieval"].keys() == documented.keys()


def run_sql(block: Block, user: User) -> None:
    """Run the statements in PostgreSQL and check the indexes."""
    with postgres() as server:
        server.run("CREATE EXTENSION vector; CREATE TABLE pages (title text, text text, embedding vector(3));")
        server.run(block.code)
        assert " 2\n" in server.run("SELECT count(*) FROM pg_indexes WHERE tablename = 'pages';")


def check_text(block: Block, user: User) -> None:
    """Check that a block of text contains no command."""
    assert not re.search(r"^(?:\$ |(?:make|pip|pipx|uv|citestream|curl|python) )", block.code, re.MULTILINE)


Runner = Callable[[Block, User], None]
KINDS: dict[str, Runner] = {
    "": run_shell,
    "sh": run_shell,
    "curl": run_curl,
    "fish": check_fish_completion,
    "yaml": check_configuration,
    "text": check_text,
    "refused": check_error,
    "ready": check_readiness,
    "retrieved": check_retrieval_report,
    "sql": run_sql,
}
REPORTS = {'"checks"': "ready", '"source"': "retrieved"}  # a key that identifies a JSON answer
SPHINX = {"{include}", "{toctree}"}  # checked by the build of the site

# Programs and console sessions, with the test that runs each of them and checks its output.
RUN_BY = {
    ("docs/start.md", "$ make demo"): "test_examples: test_the_console_output_of_a_page_is_what_the_command_prints",
    ("README.md", "$ citestream cite"): "test_examples: test_the_console_output_of_a_page_is_what_the_command_prints",
    ("README.md", "from openai import OpenAI"): "test_examples: test_the_python_code_of_the_readme_runs",
    (
        "docs/start.md",
        'import OpenAI from "openai";',
    ): "clients/start_page: faults",  # `make test-clients` installs the packages of Node
    ("docs/component.md", "<"): "browser/test_component: test_the_guide_runs_in_a_page",
    ("docs/attribution.md", "$ citestream cite"): (
        "test_docs: test_the_traced_sentences_are_decided_as_their_page_says"
    ),
    ("docs/extend.md", '"""Verbatim:'): "test_docs: test_the_scorer_of_the_page_cites_quotations",
    ("docs/extend.md", '"""Footnotes:'): "test_docs: test_the_dialect_of_the_page_adds_its_field",
    ("docs/extend.md", '"""Echo:'): "test_docs: test_the_provider_of_the_page_streams",
    ("docs/library.md", "from citestream import Evidence, Options, cite"): (
        "test_docs: test_the_library_does_what_its_page_says"
    ),
    ("docs/library.md", "from citestream import Evidence, Options, Response"): (
        "test_docs: test_the_library_does_what_its_page_says"
    ),
    ("docs/start.md", "from openai import OpenAI"): "test_docs: test_the_first_program_prints_a_cited_answer",
    ("docs/continuous-integration.md", "on: pull_request"): (
        "proxy/cli/test_answer_checks: test_the_workflow_of_the_page_is_valid"
    ),
    ("docs/continuous-integration.md", "repos:"): "proxy/cli/test_answer_checks: test_the_hook_checks_changed_answers",
    ("docs/mcp.md", '{"mcpServers": {"citestream": {"command"'): (
        "proxy/apis/mcp/test_mcp_clients: test_the_configurations_of_the_page_connect_a_client"
    ),
    ("docs/mcp.md", '{"mcpServers": {"citestream": {"url"'): (
        "proxy/apis/mcp/test_mcp_clients: test_the_configurations_of_the_page_connect_a_client"
    ),
    ("docs/mcp.md", '{\n  "claims"'): "proxy/apis/mcp/test_mcp_clients: test_the_result_of_the_page_is_returned",
    ("docs/verify.md", '{"labels"'): "test_docs: test_the_format_of_a_checker_in_the_page_is_read",
    ("docs/benchmarks.md", '{"id": "1"'): "test_docs: test_the_labelled_record_of_the_page_can_be_measured",
}


def kind(block: Block) -> str:
    """Return the language of a block, or a more specific kind for some shell and JSON blocks."""
    if block.language == "sh" and block.code.startswith("curl "):
        return "curl"
    if block.language == "json":
        return next((name for key, name in REPORTS.items() if key in block.code), "json")
    return "refused" if block.language == "console" and "\ncitestream: " in block.code else block.language


def label(block: Block) -> str:
    return f"{block.page}: {block.code[:30]}"


RUN_HERE = [block for block in blocks() if kind(block) in KINDS]
RUN_ELSEWHERE = [block for block in blocks() if kind(block) not in KINDS.keys() | SPHINX]


@pytest.fixture
def user(tmp_path: Path, launch: Launch, citestream_server: Start) -> User:
    return User(tmp_path, launch, citestream_server)


@pytest.mark.parametrize("block", RUN_HERE, ids=label)
def test_every_snippet_runs_unchanged(block: Block, user: User) -> None:
    KINDS[kind(block)](block, user)


def test_every_other_program_is_run_by_its_own_test() -> None:
    def known(block: Block) -> set[tuple[str, str]]:
        return {(page, start) for page, start in RUN_BY if block.page == page and block.code.startswith(start)}

    assert [label(block) for block in RUN_ELSEWHERE if len(known(block)) != 1] == []
    assert set().union(*map(known, RUN_ELSEWHERE)) == RUN_BY.keys()
    for named in RUN_BY.values():
        file, test = named.split(": ")
        assert f"def {test}(" in (ROOT / f"tests/{file}.py").read_text("utf-8")


def test_a_block_within_a_list_contains_no_command() -> None:
    """The other tests do not read it. The SQL in docs/scaling.md is a query that Citestream sends itself."""
    languages = {
        found for page in PAGES for found in re.findall(r"^[ \t]+```(\S+)$", page.read_text("utf-8"), re.MULTILINE)
    }
    assert languages == {"sql"}


def inline() -> set[str]:
    """Return the commands in sentences and in fenced blocks that are not run line by line."""
    spans = {span for page in PAGES for span in re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))}
    return {span for span in spans if re.match(r"citestream [a-z-]+( |$)", span)}


@pytest.mark.parametrize("line", sorted(inline()))
def test_a_command_within_a_sentence_has_valid_options(line: str) -> None:
    _, name, *arguments = shlex.split(line.replace("COMMAND", "ask"))
    command = main.commands[name]
    command.make_parser(Context(command, info_name=name)).parse_args(arguments)


# Commands within sentences that no test can run.
EXCEPTIONS = {
    "kubectl apply -k": "needs a cluster; tests/test_deploy.py validates the manifests",
    "npm install ./proxy/component": "tests/test_packaging.py packs this folder",
    "npx prettier --print-width 120": "is run by hand, and is not installed",
}
PROGRAMS = re.compile(r"(?:\w+=\S+ )*(?:\S*/)?(curl|docker|kubectl|make|npm|npx|ollama|pip|pipx|python|uv) (.+)")
INSTALLS_PACKAGE = re.compile(r"(?:tool )?install (?:--no-compile --target DIR )?(?:\.|'(?:\.|citestream)\[\w+\]')")


def other_commands() -> dict[str, tuple[str, str]]:
    """Return the commands of other programs in sentences and tables: the program and its arguments."""
    pages = [re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL) for page in PAGES]
    spans = {span for page in pages for span in re.findall(r"`([^`\n]+)`", page)}
    found = {span: PROGRAMS.fullmatch(span) for span in spans}
    return {span: (command[1], command[2]) for span, command in found.items() if command}


def test_a_command_of_another_program_can_run_or_is_an_exception() -> None:
    unknown = []
    for command, (program, arguments) in sorted(other_commands().items()):
        if program == "make":
            known = (
                subprocess.run(["make", "-n", *shlex.split(arguments)], cwd=ROOT, capture_output=True).returncode == 0
            )
        elif program == "python":
            module = re.match(r"-m ([\w.]+)", arguments)
            known = module is not None and find_spec(module[1]) is not None
        else:
            known = command in EXCEPTIONS or INSTALLS_PACKAGE.fullmatch(arguments) is not None
        if not known:
            unknown.append(command)
    assert unknown == []
    assert EXCEPTIONS.keys() <= other_commands().keys()


def test_every_extra_that_the_pages_name_exists() -> None:
    texts = [path.read_text("utf-8") for path in [*PAGES, *ROOT.glob("p*/**/*.py")]]
    named = {
        extra for text in texts for names in re.findall(r"citestream\[([\w,]+)\]", text) for extra in names.split(",")
    }
    named |= {extra for text in texts for extra in re.findall(r"install_command\([\"'](\w+)[\"']\)", text)}
    assert {"otel", "plot"} <= named <= PROJECT["optional-dependencies"].keys()
