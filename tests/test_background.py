"""The tests pass in the background too, where shells ignore SIGINT."""

import os
import subprocess
import sys
from pathlib import Path

TEST = "tests/proxy/cli/test_cli.py::test_any_interrupted_command_exits_with_130"


def test_interruptions_work_in_a_run_that_ignores_sigint() -> None:
    ignore = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", ignore, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TEST]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout[-2000:]
