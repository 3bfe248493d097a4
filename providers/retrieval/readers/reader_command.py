"""How a process that reads documents is started: it imports nothing from the working directory and gets no keys.

`python -m` would import from the working directory, in which a file named json.py may be a document of others.
"""

import json
import os
import sys
from typing import TypedDict

from . import start

# The process gets no other variables: it needs no keys.
_VARIABLES = ("HOME", "LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TMPDIR")
_FOLDER = "/"  # its working directory, which only root can write to


class Start(TypedDict):
    """Arguments of `subprocess.Popen` and asyncio's equivalent."""

    cwd: str
    env: dict[str, str]


def command(*arguments: str) -> list[str]:
    """Return the command of a process that reads documents.

    `-I` ignores the working directory, the variables of Python and the packages of the user. The packages of this
    process are found nevertheless, because the program gets its search path.
    """
    options = ["-I", *(["-B"] if sys.dont_write_bytecode else [])]
    return [sys.executable, *options, start.__file__, json.dumps(search_path()), *arguments]


def search_path() -> list[str]:
    """Return the folders from which this process imports, without the working directory."""
    here = os.path.realpath(os.getcwd())
    return [entry for entry in sys.path if os.path.isabs(entry) and os.path.realpath(entry) != here]


def settings() -> Start:
    """Return the working directory and the environment of the process."""
    environment = {variable: os.environ[variable] for variable in _VARIABLES if variable in os.environ}
    # One thread: the arrays are small, and every thread of OpenBLAS reserves address space.
    return {"cwd": _FOLDER, "env": {**environment, "PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}}
