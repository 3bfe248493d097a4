"""A process that reads documents cannot read other files or the memory of others, and can change nothing."""

import ctypes
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from citestream.providers.retrieval.readers import SourceFile, start
from citestream.providers.retrieval.readers.reader_process import INDEX_MEMORY_BYTES, ReaderProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these rights exist on Linux")

VERSION_OF_LANDLOCK = (
    444,
    None,
    ctypes.c_size_t(0),
    1,
)  # landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)

# Evaluate an expression as code of a document could
ATTEMPT = """
import ctypes, os, socket, subprocess, sys
from citestream.providers.retrieval.readers import confinement
expression, is_confined, home, address = sys.argv[1:]
if is_confined == "True":
    confinement.confine()
    import mammoth, openpyxl, pypdfium2, selectolax.lexbor  # the readers still find their parsers
try:
    eval(expression)
except OSError as error:
    print(error.strerror)
else:
    print("done")
"""

ATTEMPTS = {
    "reads a file": "open('/etc/passwd').read()",
    "reads the environment of the server": "open(f'/proc/{os.getppid()}/environ').read()",
    "lists a folder": "os.listdir('/etc')",
    "writes a file": "open(home + '/new', 'w')",
    "ends the server": "os.kill(os.getppid(), 0)",
    "connects": "socket.create_connection(address.split(':'))",
    "starts a program": "subprocess.run(['/bin/true'])",
}


@pytest.fixture
def address() -> Iterator[str]:
    """Return the address of a service of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.parametrize("case", ATTEMPTS)
def test_code_in_a_document_cannot_use_the_rights_of_the_server(case: str, tmp_path: Path, address: str) -> None:
    def attempt(*, is_confined: bool) -> str:
        command = [sys.executable, "-I", "-c", ATTEMPT, ATTEMPTS[case], str(is_confined), str(tmp_path), address]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    assert attempt(is_confined=False) == "done"
    if ctypes.CDLL(None).syscall(*VERSION_OF_LANDLOCK) < 6:
        pytest.skip("this kernel cannot confine a process in all of these ways")
    assert attempt(is_confined=True) in ("Permission denied", "Operation not permitted")


def test_a_reader_has_no_keys_no_capabilities_and_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    page = tmp_path / "page.html"
    page.write_text("<p>Ferries cross the bay.</p>")
    with SourceFile.open(page) as source, closing(ReaderProcess()) as process:
        assert [*process.batches(source, "page.html")]
        (reader,) = [child for child in psutil.Process().children() if start.__file__ in child.cmdline()]
        status = Path(f"/proc/{reader.pid}/status").read_text("ascii")
        assert Path(f"/proc/{reader.pid}/oom_score_adj").read_text("ascii") == "1000\n"
        assert "NoNewPrivs:\t1\n" in status
        assert "CapEff:\t0000000000000000\n" in status
        assert (reader.cwd(), "OPENAI_API_KEY" in reader.environ()) == ("/", False)
        assert reader.rlimit(resource.RLIMIT_AS) == (INDEX_MEMORY_BYTES, INDEX_MEMORY_BYTES)
        assert reader.rlimit(resource.RLIMIT_FSIZE) == (0, 0)
        assert reader.rlimit(resource.RLIMIT_CPU)[0] < 1000  # not without limit
