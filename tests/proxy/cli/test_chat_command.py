"""`citestream chat`, and the sentences that `ask` and `chat` list below an answer. A server stands for a model."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
ANSWERS = (
    "The Harlan bridge was opened on 4 May 1932. Its paint is made in Iceland.",
    "The Harlan bridge was not opened on 4 May 1932.",
)


class Model(ThreadingHTTPServer):
    """A server with OpenAI's API. It gives the answers one after the other, and records the messages."""

    daemon_threads = True

    def __init__(self) -> None:
        self.messages: list[list[dict[str, Any]]] = []
        self.fails = self.waits = False
        self.reached, self.ended = Event(), Event()
        super().__init__(("127.0.0.1", 0), _Completions)


class _Completions(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = ANSWERS[len(self.server.messages) % len(ANSWERS)]
        self.server.messages.append(request["messages"])
        self.server.reached.set()
        if self.server.fails:
            self.send_error(400)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if self.server.waits:
            self.server.ended.wait()
        for delta, reason in (({"role": "assistant", "content": answer}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.ended.set()
        server.shutdown()


@pytest.fixture
def options(tmp_path: Path, model: Model) -> tuple[str, ...]:
    """Return the options of a command that asks the model about one document."""
    (tmp_path / "bridge.md").write_text("# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.\n")
    address = f"http://127.0.0.1:{model.server_address[1]}/v1"
    (tmp_path / "c.yaml").write_text(f"providers: {{m: {{kind: openai, base_url: '{address}', api_key: none-0}}}}\n")
    config = ("--config", str(tmp_path / "c.yaml"))
    return ("--evidence", str(tmp_path / "bridge.md"), "--model", "m/x", *config)


def citestream(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "citestream", *arguments]
    return subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, check=False)


def test_unsupported_and_contradicted_sentences_are_listed(options: tuple[str, ...]) -> None:
    done = citestream("chat", *options, given="When was the Harlan bridge opened?\nAre you sure?\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n1 of 2 claims supported\nunsupported: Its paint is made in Iceland.\n" in done.stdout
    assert done.stdout.endswith(
        "\n0 of 1 claim supported\ncontradicted: The Harlan bridge was not opened on 4 May 1932.\n"
        "    bridge.md: The Harlan bridge was opened on 4 May 1932 by the mayor.\n\n"
    )


def test_ask_lists_them_too(options: tuple[str, ...]) -> None:
    done = citestream("ask", "When was the Harlan bridge opened?", *options)
    assert done.stdout.endswith("\nunsupported: Its paint is made in Iceland.\n")


def test_a_question_is_sent_with_the_conversation_until_it_starts_again(options: tuple[str, ...], model: Model) -> None:
    done = citestream("chat", *options, given="When?\n\n/help\nAre you sure?\n/new\nWhen?\n/exit\nNever asked\n")
    assert (done.returncode, len(model.messages)) == (0, 3)
    first, second, third = (
        [message["role"] for message in messages if message["role"] != "system"] for messages in model.messages
    )
    assert (first, second, third) == (["user"], ["user", "assistant", "user"], ["user"])
    assert "Its paint is made in Iceland." in json.dumps(model.messages[1])
    assert "/new starts again" in done.stderr


def test_a_failed_question_does_not_end_the_conversation(options: tuple[str, ...], model: Model) -> None:
    model.fails = True
    done = citestream("chat", *options, given="When?\nAnd where?\n")
    assert (done.returncode, len(model.messages)) == (1, 2)
    assert done.stderr.count("citestream: ") == done.stderr.count("; the provider is m\n") == 2
    assert "Traceback" not in done.stderr


def test_a_model_that_does_not_exist_is_an_error_before_the_first_question(options: tuple[str, ...]) -> None:
    done = citestream("chat", *options, "--model", "n/x", given="When?\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the model 'n/x' does not exist" in done.stderr


class Terminal:
    """A command in a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "citestream", *arguments]
        environment = {**os.environ, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self.shown = ""

    def read_until(self, text: str) -> None:
        while text not in self.shown:
            self.shown += os.read(self._ours, 4096).decode()
        self.shown = self.shown.partition(text)[2]

    def write(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> int:
        """Send Ctrl-C until the command ends: readline misses a signal that arrives while it prints the prompt."""
        while True:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
                return self.end()

    def end(self) -> int:
        code = self.process.wait(100)
        os.close(self._ours)
        return code


def test_a_conversation_in_a_terminal_ends_with_ctrl_d(options: tuple[str, ...]) -> None:
    terminal = Terminal("chat", *options)
    terminal.read_until("Ctrl-C stops an answer.")
    terminal.read_until("> ")
    terminal.write("When was the Harlan bridge opened?\n")
    terminal.read_until("Its paint is made in Iceland.")
    terminal.read_until("\n> ")
    terminal.write("\x04")
    assert terminal.end() == 0


def test_ctrl_c_stops_an_answer_and_at_the_prompt_the_command(options: tuple[str, ...], model: Model) -> None:
    model.waits = True
    terminal = Terminal("chat", *options)
    terminal.read_until("> ")
    terminal.write("When?\n")
    assert model.reached.wait(100)
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until("stopped; ")
    terminal.read_until("> ")
    assert terminal.interrupt() == 130
