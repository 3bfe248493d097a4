"""The set-up of the Makefile reports the packages that pip installs, and its failure."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = """\
Looking in indexes: https://pypi.org/simple
Obtaining file:///checkout
  Installing build dependencies: started
Collecting aiohttp<4,>=3.14.3 (from citestream==0.1)
Installing collected packages: aiohttp, citestream
"""


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_progress_ends_with_the_status_of_pip(status: int) -> None:
    command = ["make", "--silent", "--eval", "progress: ; @$(SHOW_PROGRESS)", "progress"]
    done = subprocess.run(command, cwd=ROOT, input=f"{PIP}exit {status}\n", capture_output=True, text=True, check=False)
    assert ((done.returncode == 0), done.stdout) == (status == 0, "")
