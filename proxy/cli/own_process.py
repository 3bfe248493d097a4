"""Protect this process: import nothing from the working directory, and keep other programs out of its memory."""

import ctypes
import os
import sys

_PR_SET_DUMPABLE = 4  # <linux/prctl.h>


def leave_working_directory() -> None:
    """Import nothing from the working directory, which may contain files of others.

    Relative and empty parts of PYTHONPATH mean the working directory.
    """
    if sys.flags.ignore_environment:
        return
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    relative = {os.path.abspath(part) for part in parts if not os.path.isabs(part)} if any(parts) else set()
    sys.path[:] = [entry for entry in sys.path if entry and entry not in relative]


def hide_memory() -> None:
    """Forbid other programs of this user to read the memory and the environment of this process, which contain keys.

    On Linux only. Processes that are forked inherit this. It also prevents memory dumps.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
