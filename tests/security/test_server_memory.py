"""Another program of the same user cannot read the keys in the memory and the environment of the server."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such protection")

# Root may read everything. Without its capabilities, which a program cannot regain, it is an ordinary user.
WITHOUT_ROOT = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
READ = """
import sys
for name in ("environ", "mem", "maps"):
    try:
        open(f"/proc/{sys.argv[1]}/{name}", "rb").close()
        print("allowed")
    except PermissionError:
        print("denied")
"""


def without_root(*command: str) -> list[str]:
    return [sys.executable, "-I", "-c", WITHOUT_ROOT, *command]


def read_of(pid: int) -> list[str]:
    command = without_root(sys.executable, "-I", "-c", READ, str(pid))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_only_root_can_read_the_memory_of_a_server_and_its_workers(
    tmp_path: Path, launch: Callable[..., AbstractContextManager[str]]
) -> None:
    program = str(Path(sys.executable).with_name("citestream"))
    any_program = without_root(sys.executable, "-c", "print(flush=True); input()")
    with subprocess.Popen(any_program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline()
        assert read_of(other.pid) == ["allowed"] * 3
        other.communicate(b"\n")
    command = without_root(program, "serve", "--port", "0", "--workers", "2")
    with launch(command, tmp_path / "log", OPENAI_API_KEY="sk-secret"):
        servers = [child for child in psutil.Process().children(recursive=True) if "serve" in child.cmdline()]
        assert len(servers) == 3
        assert [read_of(server.pid) for server in servers] == [["denied"] * 3] * 3
