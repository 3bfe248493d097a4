"""`citestream index` in real processes with real files."""

import json
import os
import select
import signal
import socketserver
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from openai import OpenAI

from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError, index_lock
from citestream.proxy.cli.reports import NO_PASSAGE, SEARCH_BY_MEANING
from tests.providers.retrieval.readers.documents import pdf
from tests.proxy.cli.test_cli import in_a_terminal

Launch = Callable[..., AbstractContextManager[str]]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a working directory with documents in docs/."""
    (tmp_path / "docs/sub").mkdir(parents=True)
    (tmp_path / "docs/bridge.md").write_text("# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.\n")
    (tmp_path / "docs/sub/fruit.txt").write_text("Bananas grow in the tropics.\n")
    pdf(tmp_path / "docs/tides.pdf", ["Of the sea.", "The tide turns every six hours."])
    return tmp_path


def citestream(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    with running(home, *arguments) as process:
        output, errors = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def running(home: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a command. To save time, an index has no vectors unless the arguments name an embedder."""
    if arguments[0] == "index" and len(arguments) > 1 and "--embedder" not in arguments:
        arguments += ("--embedder", "none")
    return started(home, *arguments)


def started(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-u", "-m", "citestream", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=home, stdout=pipe, stderr=pipe, text=True, env=environment)


def content(store: Path) -> list[tuple[Any, ...]]:
    opened = Store(store)
    found = list(opened.dump())
    opened.close()
    return found


def test_index_prints_a_summary(home: Path) -> None:
    (home / "docs/broken.pdf").write_bytes(b"%PDF-1.7 nonsense")
    (home / "docs/program.txt").write_bytes(b"\x7fELF\0\0")
    done = citestream(home, "index", "docs")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{home}/docs: 3 indexed, 2 skipped; .citestream/evidence.db contains 4 excerpts of 3 files\n"
    assert sorted(done.stderr.splitlines()) == [
        "skipped: broken.pdf is a broken PDF; open it and save it again",
        "skipped: program.txt is not text; give it the suffix of its format",
    ]
    (home / "docs/sub/fruit.txt").unlink()
    second_run = citestream(home, "index")
    assert second_run.stdout.startswith(f"{home}/docs: 0 indexed, 2 unchanged, 1 deleted, 2 skipped; ")


def test_a_new_index_has_vectors_until_it_is_told_otherwise(home: Path) -> None:
    with started(home, "index", "docs") as run:
        assert run.communicate()[0].endswith("contains 4 excerpts of 3 files, 4 vectors\n")
    done = citestream(home, "ask", "Which fruits come from hot countries?", "--json")
    assert json.loads(done.stdout)["grounding"]["retrieval"]["by_vectors"] == 4
    assert citestream(home, "index", "--embedder", "none").stdout.endswith("contains 4 excerpts of 3 files\n")
    with started(home, "index", "docs") as run:
        assert run.communicate()[0].endswith("contains 4 excerpts of 3 files\n")


def test_formats_without_a_reader_are_counted_with_advice(home: Path) -> None:
    for name in ("a.png", "b.PNG", "c.film", "old.doc", "sheet.ods"):
        (home / "docs" / name).write_bytes(b"\0")
    done = citestream(home, "index", "docs")
    assert (done.returncode, done.stdout.split(":")[1].split(";")[0]) == (0, " 3 indexed")
    assert done.stderr == (
        "not read, because their formats have no reader: 2 .png, 1 .film, 1 .doc, 1 .ods; save a copy of .doc and .ods "
        "files as DOCX, XLSX, PPTX or PDF\n"
    )


SINGLE_FILES = {
    "one file": ([["docs/bridge.md"]], {"bridge.md"}),
    "two files of one folder, one after the other": (
        [["docs/bridge.md"], ["docs/tides.pdf"]],
        {"bridge.md", "tides.pdf"},
    ),
    "files of two folders": ([["docs/bridge.md", "docs/sub/fruit.txt"]], {"bridge.md", "fruit.txt"}),
    "a file, then its folder": ([["docs/bridge.md"], ["docs"]], {"bridge.md", "sub/fruit.txt", "tides.pdf"}),
    "a folder, then a file in it": ([["docs"], ["docs/sub/fruit.txt"]], {"bridge.md", "sub/fruit.txt", "tides.pdf"}),
    "a folder and a file in it": ([["docs", "docs/bridge.md"]], {"bridge.md", "sub/fruit.txt", "tides.pdf"}),
    "a file, then everything again": ([["docs/bridge.md"], []], {"bridge.md"}),
}


@pytest.mark.parametrize(("runs", "names"), SINGLE_FILES.values(), ids=SINGLE_FILES)
def test_single_files_are_indexed(runs: list[list[str]], names: set[str], home: Path) -> None:
    for paths in runs:
        done = citestream(home, "index", *paths)
        assert (done.returncode, done.stderr) == (0, "")
    assert {row[1] for row in content(home / ".citestream/evidence.db")} == names


def test_a_single_file_is_updated_and_removed(home: Path) -> None:
    assert "docs/bridge.md: 1 indexed; " in citestream(home, "index", "docs/bridge.md").stdout
    (home / "docs/bridge.md").write_text("It was opened in 1933.")
    assert "docs/bridge.md: 1 indexed; " in citestream(home, "index").stdout
    (home / "docs/bridge.md").unlink()
    assert "docs/bridge.md: 0 indexed, 1 deleted; " in citestream(home, "index").stdout


UNREAD = {
    "a picture": ("photo.png", b"\x89PNG", "has no reader; the formats are .adoc, "),
    "a binary file": ("a.txt", b"\x7fELF\0\0", "is not text; give it the suffix of its format"),
    "a key": ("id_rsa.txt", b"secret", "may contain a secret; --include 'id_rsa.txt' reads it"),
    "a link": ("link.txt", None, "1 indexed"),
}


@pytest.mark.parametrize(("name", "data", "message"), UNREAD.values(), ids=UNREAD)
def test_a_named_file_is_read_or_skipped_with_the_reason(
    name: str, data: bytes | None, message: str, home: Path
) -> None:
    path = home / name
    path.write_bytes(data) if data else path.symlink_to(home / "docs/bridge.md")
    done = citestream(home, "index", name)
    assert message in done.stdout + done.stderr
    assert (done.returncode, "nothing is indexed" in done.stderr) == ((1, True) if data else (0, False))


def test_ask_answers_from_the_index(home: Path) -> None:
    assert citestream(home, "index", "docs").returncode == 0
    done = citestream(home, "ask", "When was the Harlan bridge opened?")
    assert "opened on 4 May 1932 by the mayor. [1]" in done.stdout
    assert "[1] bridge.md, Bridge" in done.stdout
    body = json.loads(citestream(home, "ask", "How often does the tide turn?", "--json").stdout)
    assert (body["references"][0]["file_name"], body["references"][0]["page_number"]) == ("tides.pdf", 2)


def test_references_in_a_terminal_link_to_the_file_and_the_page(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert citestream(home, "index", "docs").returncode == 0
    for evidence in ((), ("--evidence", str(home / "docs"))):
        shown = in_a_terminal("ask", "How often does the tide turn?", *evidence, cwd=home)
        assert "]8;" in shown
        assert f"file://{home}/docs/tides.pdf#page=2" in shown


def test_ask_without_evidence_and_index_explains_the_options(home: Path) -> None:
    done = citestream(home, "ask", "q")
    assert done.returncode == 2
    assert "citestream index DIR" in done.stderr


def test_serve_answers_any_client_from_the_index(home: Path, launch: Launch) -> None:
    assert citestream(home, "index", "docs").returncode == 0
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0"]
    with launch(command, home / "log", cwd=home, PYTHONPATH=str(ROOT)) as url:
        client = OpenAI(base_url=f"{url}/v1", api_key="none")
        messages: Any = [{"role": "user", "content": "Where do bananas grow?"}]
        answer = client.chat.completions.create(model="extractive", messages=messages).model_dump()
    assert answer["references"][0]["file_name"] == "sub/fruit.txt"
    assert "evidence: .citestream/evidence.db, 4 excerpts of 3 files" in (home / "log").read_text()


WRONG = {
    "no index yet": (("index",), 1, "does not exist: fill it with `citestream index DIR`"),
    "unknown folder": (("index", "nowhere"), 1, "nowhere does not exist"),
    "a folder of an unset variable": (("index", ""), 2, "the path is empty"),
    "unknown embedder": (("index", "docs", "--embedder", "psychic"), 1, "'psychic' is neither local nor"),
    "rebuild without a folder": (("index", "--rebuild"), 2, "name them"),
}


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_one_sentence_with_an_exit_code(
    arguments: tuple[str, ...], code: int, message: str, home: Path
) -> None:
    done = citestream(home, *arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert message in done.stderr


def test_rebuild_replaces_an_unusable_index(home: Path) -> None:
    assert citestream(home, "index", "docs").returncode == 0
    before = content(home / ".citestream/evidence.db")
    with closing(sqlite3.connect(home / ".citestream/evidence.db")) as database:
        database.execute("PRAGMA user_version = 0")
    assert "--rebuild" in citestream(home, "index", "docs").stderr
    assert citestream(home, "index", "docs", "--rebuild").returncode == 0
    assert content(home / ".citestream/evidence.db") == before


def test_an_index_with_terms_of_another_version_is_rebuilt_with_a_message(home: Path) -> None:
    assert citestream(home, "index", "docs").returncode == 0
    before = content(home / ".citestream/evidence.db")
    store = Store(home / ".citestream/evidence.db")
    store.set_metadata("tokens", "0")
    store.close()
    run = citestream(home, "index", "docs")
    assert (run.returncode, content(home / ".citestream/evidence.db")) == (0, before)
    assert "was indexed by another version: its word index is being rebuilt" in run.stderr


def test_watch_indexes_every_change(home: Path) -> None:
    with running(home, "index", "docs", "--watch") as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert "3 indexed" in run.stdout.readline()
        assert "watching" in run.stderr.readline()
        output = ""
        for number in range(100):  # until the watcher has started
            (home / f"docs/new{number}.txt").write_text("Kumquats are a fruit.")
            if output := _line_within(run.stdout, 0.2):
                break
        run.send_signal(signal.SIGINT)
        assert "indexed" in output
        run.communicate(timeout=100)
    assert run.returncode == 130


def _line_within(stream: Any, seconds: float) -> str:
    return str(stream.readline()) if select.select([stream], [], [], seconds)[0] else ""


class WaitingEmbedder(socketserver.ThreadingTCPServer):
    """An embedder that answers a request when the test allows it."""

    daemon_threads = True

    def __init__(self) -> None:
        self.reached, self.may_answer = Event(), Event()
        super().__init__(("127.0.0.1", 0), _Embeddings)


class _Embeddings(BaseHTTPRequestHandler):
    server: WaitingEmbedder

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.reached.set()
        self.server.may_answer.wait()
        data = [{"index": at, "embedding": [1.0, 0.5]} for at in range(len(request["input"]))]
        body = json.dumps({"object": "list", "data": data, "model": "m"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def embedder(home: Path) -> Iterator[WaitingEmbedder]:
    with WaitingEmbedder() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/v1"
        options = f"{{kind: openai, base_url: '{address}', api_key: sk-none-0123456789}}"
        (home / "c.yaml").write_text(f"providers: {{extractive: null, slow: {options}}}\n")
        yield server
        server.may_answer.set()
        server.shutdown()


SLOW_INDEX = ("index", "docs", "--embedder", "slow/m", "--config", "c.yaml")


def test_ctrl_c_stops_after_the_current_file_and_the_next_run_continues(home: Path, embedder: WaitingEmbedder) -> None:
    with running(home, *SLOW_INDEX) as run:
        assert run.stderr is not None
        assert embedder.reached.wait(60)  # the first file is being indexed
        run.send_signal(signal.SIGINT)
        assert [run.stderr.readline() for _ in range(2)][1].startswith("stopping after this file")
        embedder.may_answer.set()
        output, errors = run.communicate(timeout=100)
    assert run.returncode == 130
    assert "stopped: the same command without --rebuild continues from here" in errors
    assert "Traceback" not in errors
    assert ": 1 indexed; " in output
    second_run = citestream(home, *SLOW_INDEX)
    assert second_run.returncode == 0
    assert "2 indexed, 1 unchanged" in second_run.stdout


def test_ask_says_that_the_documents_were_searched_by_words_only(home: Path, embedder: WaitingEmbedder) -> None:
    embedder.may_answer.set()
    assert citestream(home, *SLOW_INDEX).returncode == 0
    embedder.shutdown()
    embedder.server_close()
    done = citestream(home, "ask", "When was the Harlan bridge opened?", "--config", "c.yaml")
    assert (done.returncode, "opened on 4 May 1932" in done.stdout) == (0, True)
    assert "The documents were searched by words only: " in done.stdout


def test_a_search_by_words_that_finds_nothing_says_what_to_do(home: Path) -> None:
    assert citestream(home, "index", "docs").returncode == 0
    done = citestream(home, "ask", "Wie viel kostet die Kartusche?")
    assert done.stdout.endswith(f"\n{NO_PASSAGE} {SEARCH_BY_MEANING}\n")


def test_a_second_ctrl_c_stops_at_once_without_a_traceback(home: Path, embedder: WaitingEmbedder) -> None:
    with running(home, *SLOW_INDEX) as run:
        assert run.stderr is not None
        assert embedder.reached.wait(60)
        run.send_signal(signal.SIGINT)
        assert [run.stderr.readline() for _ in range(2)][1].startswith("stopping after this file")
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=100)
    assert run.returncode == 130
    assert (output, errors) == ("", "")
    embedder.may_answer.set()
    assert citestream(home, *SLOW_INDEX).returncode == 0


def test_two_indexers_of_a_new_store_both_succeed(home: Path) -> None:
    (home / "others").mkdir()
    for number in range(100):
        (home / f"docs/{number}.txt").write_text(f"Station {number} sells tickets.")
        (home / f"others/{number}.txt").write_text(f"Platform {number} is closed.")
    with running(home, "index", "docs") as one, running(home, "index", "others") as two:
        results = [run.communicate(timeout=120) for run in (one, two)]
    assert [one.returncode, two.returncode] == [0, 0], results
    with closing(Store(home / ".citestream/evidence.db")) as store:
        assert store.counts()["files"] == 203


def test_an_indexer_explains_why_it_waits(home: Path) -> None:
    store = home / ".citestream/evidence.db"
    lock = ExitStack()
    lock.enter_context(index_lock(store, lambda: None))
    with running(home, "index", "docs") as run:
        assert run.stderr is not None
        assert "waiting for another `citestream index` that writes to .citestream/evidence.db" in run.stderr.readline()
        assert run.poll() is None
        lock.close()
        run.communicate(timeout=100)
    assert run.returncode == 0


def test_an_empty_folder_is_an_error_after_the_other_folders_were_indexed(home: Path) -> None:
    (home / "empty").mkdir()
    done = citestream(home, "index", "empty", "docs")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"citestream: {home}/empty: no file to index; Citestream reads text, Markdown, HTML, PDF, DOCX, PPTX, "
        "XLSX, CSV, JSON or JSONL\n"
    )
    assert f"{home}/docs: 3 indexed" in done.stdout


def test_a_folder_whose_files_were_deleted_is_not_an_error(home: Path) -> None:
    (home / "one").mkdir()
    (home / "one/bridge.md").write_text("It was opened in 1932.")
    assert "contains 1 excerpt of 1 file\n" in citestream(home, "index", "one").stdout
    (home / "one/bridge.md").unlink()
    done = citestream(home, "index", "one")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 deleted" in done.stdout


def test_a_store_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    expected = r"/evidence\.db\.lock cannot be written: Not a directory; --store FILE names another file"
    with pytest.raises(StoreError, match=expected), index_lock(tmp_path / "file/evidence.db", lambda: None):
        pass
