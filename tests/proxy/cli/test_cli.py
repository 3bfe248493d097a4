"""The commands in real processes with real files."""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import socketserver
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
import yaml
from click import Context

from citestream.proxy.cli.commands import main
from citestream.proxy.cli.interruption import INTERRUPTED
from citestream.proxy.cli.running import FAILED, USAGE
from citestream.proxy.config import ClientKey
from citestream.proxy.http.middleware.auth import Keys
from tests.conftest import Launch

ROOT = Path(__file__).parents[3]


COMMANDS = main.commands


def citestream(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "citestream", *arguments]
    return subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, check=False)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    (tmp_path / "bridge.md").write_text("# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.\n")
    (tmp_path / "fruit.txt").write_text("Bananas grow in the tropics.\n")
    return tmp_path


def in_a_terminal(*arguments: str, cwd: Path = ROOT) -> str:
    """Return the output of a command in a pseudo-terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "citestream", *arguments]
    with subprocess.Popen(command, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        written = b""
        while data := _read(ours):
            written += data
    os.close(ours)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # on Linux, the end of the command closes the terminal
        return b""


def test_help_explains_models_and_exit_codes() -> None:
    output = citestream("--help").stdout
    for word in ("serve", "ask", "cite", "check-config", "Exit codes", "OPENAI_API_KEY", "ollama/NAME"):
        assert word in output
    for command in ("serve", "ask", "cite", "check-config"):
        assert "Usage" in citestream(command, "--help").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_has_valid_examples(name: str) -> None:
    examples = re.findall(
        rf"^ *(?:.*&& |.*\| |\w+=\.\.\. |.*\$\()?(citestream {name}\b.*)$", help_text(name), re.MULTILINE
    )
    assert examples
    for example in examples:
        check_options(re.split(r"  | \| |\)\"", example)[0])


def help_text(name: str) -> str:
    """Return the help of a command in a wide terminal."""
    return COMMANDS[name].get_help(Context(COMMANDS[name], info_name=name, terminal_width=200))


def check_options(line: str) -> None:
    """Raise an error of click if the command does not accept these options."""
    _, name, *arguments = shlex.split(line.partition(" &&")[0])
    command = COMMANDS[name]
    command.make_parser(Context(command, info_name=name)).parse_args(arguments)


def test_help_loads_no_large_package() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "citestream", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "click" in loaded
    assert loaded.isdisjoint({"aiohttp", "asyncio", "numpy", "openai", "ollama", "google", "orjson", "yaml"})


def test_ask_answers_from_a_folder(evidence: Path) -> None:
    done = citestream("ask", "When was the Harlan bridge opened?", "--evidence", str(evidence))
    assert done.returncode == 0, done.stderr
    assert "opened on 4 May 1932 by the mayor. [1]" in done.stdout
    assert "[1] bridge.md, Bridge" in done.stdout
    assert "\x1b" not in done.stdout


def test_ask_as_json_is_a_completion(evidence: Path) -> None:
    done = citestream("ask", "When was the Harlan bridge opened?", "--evidence", str(evidence), "--json")
    body = json.loads(done.stdout)
    assert body["object"] == "chat.completion"
    assert body["references"][0]["file_name"] == "bridge.md"


def test_cite_accepts_a_text_a_file_or_a_pipe(evidence: Path, tmp_path: Path) -> None:
    text = "The Harlan bridge was opened on 4 May 1932."
    file = tmp_path / "answer.out"
    file.write_text(text)
    for done in (
        citestream("cite", text, "--evidence", str(evidence)),
        citestream("cite", str(file), "--evidence", str(evidence)),
        citestream("cite", "--evidence", str(evidence), given=text),
    ):
        assert done.returncode == 0, done.stderr
        assert f"{text} [1]" in done.stdout


@pytest.mark.parametrize("length", [300, 5000], ids=lambda length: f"{length} characters")
def test_cite_accepts_a_text_that_is_too_long_for_a_path(evidence: Path, length: int) -> None:
    text = "The Harlan bridge was opened on 4 May 1932."
    done = citestream("cite", f"{text} {'It is long.' * (length // 11)}", "--evidence", str(evidence))
    assert done.returncode == 0, done.stderr
    assert f"{text} [1]" in done.stdout


def test_relevant_evidence_of_a_large_folder_is_selected(evidence: Path) -> None:
    for number in range(300):
        (evidence / f"a{number:03}.txt").write_text(f"Station {number} sells tickets.\n")
    done = citestream("ask", "When was the Harlan bridge opened?", "--evidence", str(evidence), "--json")
    body = json.loads(done.stdout)
    assert body["grounding"]["evidence"]["received"] == 200
    assert [reference["file_name"] for reference in body["references"]] == ["bridge.md"]
    assert 0 < body["references"][0]["score"] <= 1


def test_a_pipe_that_is_closed_early_causes_no_traceback(evidence: Path) -> None:
    command = f"{sys.executable} -m citestream cite 'Bananas grow in the tropics.' --evidence {evidence} | true"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_output_in_a_terminal_has_colours_and_no_control_characters_of_the_evidence(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text(
        json.dumps(
            {"text": "The house is \x1b]0;owned\x07red\u202e.", "title": "T\x1b[2J", "url": "https://e.example/"}
        )
    )
    shown = in_a_terminal("ask", "What colour is the house? red", "--evidence", str(tmp_path / "e.jsonl"))
    assert "]0;ownedred. \x1b[1;36m[1]" in shown
    assert "\x1b]0;" not in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
    assert "https://e.example/" in shown  # a link that the terminal opens
    assert "1 of 1 claim supported" in shown


def test_an_answer_without_a_claim_reports_the_read_evidence(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("The house is red.")
    (tmp_path / "two.md").write_text("The garden is green.")
    question = "Who wrote Faust?"
    one, both = (citestream("ask", question, "--evidence", str(path)) for path in (tmp_path / "one.md", tmp_path))
    for done in (one, both):
        assert done.stdout.startswith("I found no sentence about this.")
    assert one.stdout.endswith("1 passage was read, and is not cited.\n")
    assert both.stdout.endswith("2 passages were read, and none is cited.\n")


def test_links_in_a_terminal_lead_only_to_web_pages(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text(json.dumps({"text": "The house is red.", "url": "javascript:alert(1)"}))
    shown = in_a_terminal("cite", "The house is red.", "--evidence", str(tmp_path / "e.jsonl"))
    assert "]8;" not in shown


def test_cite_as_json_has_the_references(evidence: Path) -> None:
    done = citestream("cite", "Bananas grow in the tropics.", "--evidence", str(evidence), "--json")
    assert json.loads(done.stdout)["references"][0]["file_name"] == "fruit.txt"


def test_cite_explains_its_decisions(evidence: Path) -> None:
    text = "Hello! The Harlan bridge was opened on 4 May 1999 [1]. Bananas grow in the tropics [9]."
    output = citestream("cite", text, "--evidence", str(evidence), "--explain").stdout
    lines = [" ".join(line.split()) for line in output.splitlines()]
    assert lines[lines.index("Hello!") + 1] == "makes no claim"
    assert any(
        re.match(r"0\.\d\d \d\.\d\d 1 bridge\.md, cited by the model refused: the passage", line) for line in lines
    )
    assert any(re.match(r"0\.\d\d \d\.\d\d 2 fruit\.txt supports Bananas grow", line) for line in lines)
    assert "the model cited 9, but there is no such evidence" in output
    done = citestream("cite", text, "--evidence", str(evidence), "--explain", "--json")
    assert [one["claim"] for one in json.loads(done.stdout)["explained"]] == [False, True, True]


def test_cite_explains_quotations(evidence: Path) -> None:
    text = 'It says: "The Harlan bridge was opened on 5 May 1932."'
    output = citestream("cite", text, "--evidence", str(evidence), "--explain").stdout
    assert "quotation The Harlan bridge was opened on 5 May 1932.  altered, evidence 1" in output
    assert "“5” for “4”" in output


def test_evidence_can_be_json_or_jsonl(tmp_path: Path) -> None:
    for name, content in (("e.json", '[{"text": "It is red."}]'), ("e.jsonl", '{"text": "It is red."}\n')):
        (tmp_path / name).write_text(content)
        done = citestream("cite", "It is red.", "--evidence", str(tmp_path / name))
        assert done.returncode == 0, done.stderr


WRONG = {
    "unknown evidence": (("ask", "q", "--evidence", "nowhere"), 1, "nowhere does not exist"),
    "unknown model": (("ask", "q", "--evidence", "README.md", "--model", "nobody/x"), 1, "does not exist"),
    "unknown configuration file": (("serve", "--config", "nowhere.yaml"), 2, "nowhere.yaml"),
    "no evidence at all": (("cite", "text"), 2, "--evidence"),
    "unreachable provider": (
        ("ask", "q", "--evidence", "README.md", "--model", "ollama/x"),
        1,
        "its host refused the connection; does it run at http://127.0.0.1:9? Set its address",
    ),
    "provider without an API key": (
        ("ask", "q", "--evidence", "README.md", "--model", "openai/gpt-4.1"),
        1,
        "the model 'openai/gpt-4.1' needs an API key: set OPENAI_API_KEY where Citestream runs, or add",
    ),
    "a model of a provider without its key": (
        ("ask", "q", "--evidence", "README.md", "--model", "gpt-4o"),
        1,
        "the model 'gpt-4o' needs an API key: set OPENAI_API_KEY where Citestream runs",
    ),
    "an empty question": (("ask", " ", "--evidence", "README.md"), 2, "the question is empty"),
    "a path that is too long": (("cite", "text", "--evidence", "x" * 300), 1, "does not exist"),
    "a text file that does not exist": (
        ("cite", "nowhere.txt", "--evidence", "README.md"),
        1,
        "nowhere.txt does not exist; a text that looks like a file name",
    ),
    "evidence of an unset variable": (("ask", "q", "--evidence", ""), 2, "the path is empty"),
    "an empty text": (("cite", "", "--evidence", "README.md"), 2, "the text to cite is empty"),
    "an invalid address": (("serve", "--host", "300.1.1.1"), 2, "server.host 300.1.1.1 is not an IP address"),
    "a checker without a model": (
        ("cite", "text", "--evidence", "README.md", "--scorer", "checker"),
        1,
        "set scoring.checker in the configuration",
    ),
    "unknown command": (("aks", "q"), 2, "Usage: citestream [OPTIONS]"),
    "unknown scorer": (
        ("cite", "text", "--evidence", "README.md", "--scorer", "psychic"),
        2,
        "'psychic' is not one of: auto, ",
    ),
    "beyond loopback without keys": (("serve", "--host", "0.0.0.0"), 2, "name client keys in server.keys"),
    "too many workers": (("serve", "--workers", "0"), 2, "--workers"),
    "evidence below a file": (("cite", "text", "--evidence", "pyproject.toml/x.jsonl"), 1, "does not exist"),
}


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_one_sentence_with_an_exit_code(
    arguments: tuple[str, ...], code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = citestream(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_program_without_a_command_prints_its_help() -> None:
    done = citestream()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == citestream("--help").stdout


def test_a_hyphen_means_standard_input() -> None:
    done = citestream("cite", "-", "--evidence", "README.md", given="Citestream is a citation proxy.")
    assert done.returncode == 0
    assert done.stdout.startswith("Citestream is a")


def test_a_server_with_itself_as_provider_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8787/v1")
    done = citestream("serve")
    assert done.returncode == 2
    assert done.stderr == (
        "citestream: providers.openai.base_url is the address of this server; "
        "unset OPENAI_BASE_URL for the server, it is a setting of its clients\n"
    )


def test_the_guide_lists_every_exit_code() -> None:
    page = (ROOT / "docs/terminal.md").read_text("utf-8")
    assert [int(code) for code in re.findall(r"^\| (\d+) \| ", page, re.MULTILINE)] == [0, FAILED, USAGE, INTERRUPTED]


def test_check_config_names_every_unknown_key(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {prot: 1}\nciations: {}\n")
    done = citestream("check-config", str(file))
    assert done.returncode == 2
    assert "did you mean port?" in done.stderr
    assert "did you mean citations?" in done.stderr
    assert all(line.startswith("citestream: ") for line in done.stderr.splitlines())
    fine = citestream("check-config", "config.example.yaml")
    assert fine.returncode == 0
    assert fine.stdout == "config.example.yaml is valid: providers extractive, ollama\n"


UNUSABLE: dict[str, tuple[str, str]] = {
    "a scorer without its model": ("citations: {scorer: checker}", "citations.scorer: checker: The scorer"),
    "a judge whose folder is empty": ("scoring: {judge: onnx:/nowhere}", "scoring.judge: "),
    "a template that does not exist": ("evidence: {prompt_files: {system: /nowhere.md}}", "/nowhere.md: No such file"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_check_config_names_what_is_missing(case: str, tmp_path: Path) -> None:
    content, message = UNUSABLE[case]
    (tmp_path / "c.yaml").write_text(content)
    done = citestream("check-config", str(tmp_path / "c.yaml"))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_check_config_warns_about_an_evidence_store_that_does_not_exist_yet(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("retrievers: {docs: {kind: folder, store: /nowhere/evidence.db}}")
    done = citestream("check-config", str(tmp_path / "c.yaml"))
    assert done.returncode == 0
    assert done.stderr.startswith("warning: retrievers.docs cannot be used yet: /nowhere/evidence.db does not exist")


def test_an_environment_variable_names_the_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {port: 0}\nproviders: {mine: {kind: extractive}}\n")
    monkeypatch.setenv("CITESTREAM_CONFIG", str(file))
    assert citestream("check-config").stdout == f"{file} is valid: providers mine\n"
    assert citestream("ask", "What is a licence?", "--evidence", "LICENSE", "--model", "mine").returncode == 0


def test_an_incomplete_answer_is_printed_with_references_and_fails(tmp_path: Path, evidence: Path) -> None:
    body = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Bananas grow in the tropics. And th"}}]}\n\n'
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    with socketserver.TCPServer(("127.0.0.1", 0), _handler((head + body).encode())) as upstream:
        Thread(target=upstream.handle_request, daemon=True).start()
        file = tmp_path / "c.yaml"
        address = f"http://127.0.0.1:{upstream.server_address[1]}/v1"
        file.write_text(f"providers: {{cut: {{kind: openai, base_url: '{address}'}}}}\n")
        done = citestream("ask", "q", "--evidence", str(evidence), "--model", "cut/x", "--config", str(file))
    assert done.returncode == 1
    assert done.stdout.startswith("Bananas grow in the tropics. [1] And th\n\n[1] fruit.txt")
    assert done.stderr.startswith("citestream: ")


def _handler(answer: bytes) -> type[socketserver.StreamRequestHandler]:
    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            self.wfile.write(answer)

    return Answer


def test_make_key_prints_a_key_and_a_configuration_with_its_hash_only() -> None:
    made = citestream("make-key", "--name", 'the "search" app')
    key, entry = made.stdout.split("\n", 1)
    (configured,) = yaml.safe_load(entry)
    assert key not in entry + made.stderr
    assert len(key) >= 43
    assert configured["name"] == 'the "search" app'
    assert Keys([ClientKey(**configured)]).name_of(key) == 'the "search" app'
    assert citestream("make-key").stdout != citestream("make-key").stdout


def test_an_existing_key_is_hashed_and_not_printed() -> None:
    made = citestream("make-key", "--stdin", given="an old key of mine\n")
    assert Keys([ClientKey(**yaml.safe_load(made.stdout)[0])]).name_of("an old key of mine") == "key 1"
    assert "an old key of mine" not in made.stdout + made.stderr
    for refused in ("", "change-me", "a short key", "ключ для клиента", "a key of a client\twith a tab"):
        done = citestream("make-key", "--stdin", given=f"{refused}\n")
        assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("file", sorted(path.name for path in (ROOT / "deploy").glob("compose*.yaml")))
def test_the_example_of_a_deployment_has_no_key_of_its_own(file: str) -> None:
    text = (ROOT / "deploy" / file).read_text("utf-8")
    assert re.findall(r"key: '?(.*?)[:'}]", text.partition("SERVER__KEYS")[2].partition("\n")[0]) == [
        "${CITESTREAM_KEY"
    ]


def test_a_server_without_keys_warns_about_rebound_names(launch: Launch, tmp_path: Path) -> None:
    for options, warned in (
        ({"allow_anonymous": True}, True),
        ({"allow_anonymous": True, "hosts": ["h.example"]}, False),
    ):
        config = tmp_path / "c.yaml"
        config.write_text(yaml.safe_dump({"server": options, "providers": {"extractive": None}}), "utf-8")
        command = [
            sys.executable,
            "-m",
            "citestream",
            "serve",
            "--host",
            "0.0.0.0",
            "--port",
            "0",
            "--config",
            str(config),
        ]
        with launch(command, tmp_path / "log"):
            pass
        assert ("rebinding" in (tmp_path / "log").read_text()) == warned


def test_an_interrupted_command_prints_the_answer_so_far_and_exits_with_130(tmp_path: Path, evidence: Path) -> None:
    piece = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Bananas grow in the tropics. And th"}}]}\n\n'
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    handler = type("Waiting", (_handler((head + piece).encode()),), {"finish": lambda self: self.rfile.read()})
    with socketserver.TCPServer(("127.0.0.1", 0), handler) as upstream:
        Thread(target=upstream.handle_request, daemon=True).start()
        file = tmp_path / "c.yaml"
        file.write_text(
            f"providers: {{slow: {{kind: openai, base_url: 'http://127.0.0.1:{upstream.server_address[1]}/v1'}}}}\n"
        )
        command = [sys.executable, "-m", "citestream", "ask", "q", "--evidence", str(evidence), "--model", "slow/x"]
        with subprocess.Popen(
            [*command, "--config", str(file)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.read(7) == b"Bananas"
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert b"Traceback" not in errors + rest


def test_any_interrupted_command_exits_with_130(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never.jsonl")
    command = [sys.executable, "-m", "citestream", "eval", str(tmp_path / "never.jsonl")]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe) as process,
        open(tmp_path / "never.jsonl", "w"),  # waits until the command reads
    ):
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=100)
    assert (process.returncode, output + errors) == (130, b"")


def test_a_command_that_is_interrupted_while_it_is_imported_exits_with_130(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    command = [sys.executable, "-m", "citestream", "--help"]
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    run = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, timeout=100)
    assert (run.returncode, run.stdout + run.stderr) == (130, b"")


COMPLETIONS = {
    "commands": (["citestream", "che"], "check-config"),
    "options": (["citestream", "ask", "--evi"], "--evidence"),
    "models": (["citestream", "ask", "q", "--model", "ext"], "extractive"),
    "scorers": (["citestream", "cite", "t", "--scorer", "hy"], "hybrid"),
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("words", "completed"), COMPLETIONS.values(), ids=COMPLETIONS)
def test_shells_receive_completions(words: list[str], completed: str, shell: str) -> None:
    """Complete words with the environment variables that the script of each shell sets."""
    current = words[-1] if shell == "fish" else str(len(words) - 1)
    given = {"_CITESTREAM_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": current}
    command = [sys.executable, "-c", "from citestream.proxy.cli.commands import main; main(prog_name='citestream')"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **given}, check=False, capture_output=True, text=True)
    assert re.split(r"[,\s]+", done.stdout)[:2] == ["plain", completed]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_valid(shell: str, tmp_path: Path) -> None:
    script = citestream("completion", shell).stdout
    assert f"_CITESTREAM_COMPLETE={shell}_complete" in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        checked = subprocess.run([shell, "-n", str(tmp_path / "script")], check=False, capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")
