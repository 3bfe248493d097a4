"""Confine a process that reads documents: it may compute, read its own program, and write to its pipes.

The parsers of documents are large, and a document may make one of them run code of its author. Linux takes away the
rights with which this code could harm: to read the files and the memory of other programs, to write files, to open
connections, to start programs and to end others. Where the system does not support a measure, the others still apply.
"""

import ctypes
import mimetypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

# Numbers of <linux/prctl.h>, <linux/capability.h> and <linux/landlock.h>, the same on all processors
_NO_NEW_PRIVILEGES = 38
_CAPABILITY_VERSION_3 = 0x20080522
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # how many rights for files there are, by the first version with them
_NETWORK_RIGHTS, _NETWORK_VERSION = 0b11, 4  # to bind and to connect TCP
_SCOPES, _SCOPE_VERSION = 0b11, 6  # abstract Unix sockets, and signals to other programs

_SYSTEM_FILES = (
    *("/dev/null", "/dev/urandom", "/etc/ld.so.cache"),
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *map(str, mimetypes.knownfiles),  # openpyxl reads these lists of file types
)


def limit_resources(memory_bytes: int, cpu_seconds: float) -> None:
    """Limit the address space and the time of computing, and forbid to write files and memory dumps."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # macOS refuses some of them
            resource.setrlimit(kind, (most, most))
    limit_computing(cpu_seconds)


def limit_computing(seconds: float) -> None:
    """End this process after so many more seconds of computing, also if the process that started it has died."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, most))


def confine() -> None:
    """Give up all rights that reading a document does not need, as far as the system allows."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")  # if memory runs out, end this process first
    system = ctypes.CDLL(None, use_errno=True)
    system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    # Without capabilities, root is a user like others
    system.capset(struct.pack("=II", _CAPABILITY_VERSION_3, 0), struct.pack("=6I", *[0] * 6))
    _allow_reading_only(system, _program_files())


def _program_files() -> list[str]:
    """Return the files and folders that the readers import."""
    package = Path(__file__).parents[3]
    folders = [entry.path for entry in os.scandir(package) if entry.is_dir()]  # links, in a checkout
    return [str(package), *folders, sys.prefix, sys.base_prefix, *sys.path, *_SYSTEM_FILES]


def _allow_reading_only(system: ctypes.CDLL, paths: Iterable[str]) -> None:
    """Allow to read these files, and nothing else: https://docs.kernel.org/userspace-api/landlock.html."""
    version = system.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        return  # a kernel before 5.13, or a container that forbids it
    rights = (1 << max(count for since, count in _FILE_RIGHTS.items() if since <= version)) - 1
    network = _NETWORK_RIGHTS if version >= _NETWORK_VERSION else 0
    scopes = _SCOPES if version >= _SCOPE_VERSION else 0
    attributes = struct.pack("=QQQ", rights, network, scopes)
    size = 24 if scopes else 16 if network else 8  # older kernels refuse a longer one
    rules = system.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if rules < 0:
        return
    for path in paths:
        _add_rule(system, rules, path)
    system.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _add_rule(system: ctypes.CDLL, rules: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not on this system
    rights = _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)
    system.syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)
