"""The kind of this machine's processor, which decides the file with 8-bit weights that runs fast on it."""

import platform
from enum import StrEnum
from functools import cache
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")  # Linux only
_ARM = frozenset({"arm64", "aarch64"})
_X86 = frozenset({"x86_64", "amd64"})


class Processor(StrEnum):
    """A processor, by its instructions for 8-bit integers. The names are those of the files on model hubs."""

    AVX512_VNNI = "avx512_vnni"
    AVX512 = "avx512"
    AVX2 = "avx2"
    ARM64 = "arm64"
    ANY = "any"


# Which files a processor can run, the fastest first.
_RUNS = {
    Processor.AVX512_VNNI: (Processor.AVX512_VNNI, Processor.AVX512, Processor.AVX2),
    Processor.AVX512: (Processor.AVX512, Processor.AVX2),
    Processor.AVX2: (Processor.AVX2,),
    Processor.ARM64: (Processor.ARM64,),
    Processor.ANY: (),
}


@cache
def this_processor() -> Processor:
    """Return the kind of the processor of this machine."""
    cpuinfo = _CPUINFO.read_text("utf-8", "replace") if _CPUINFO.is_file() else ""
    return processor(platform.machine(), cpuinfo)


def processor(machine: str, cpuinfo: str) -> Processor:
    """Return the kind of a processor. `cpuinfo`: the content of /proc/cpuinfo, empty if there is none."""
    machine = machine.lower()
    if machine in _ARM:
        return Processor.ARM64
    if machine not in _X86:
        return Processor.ANY
    if not cpuinfo:
        return Processor.AVX2  # macOS and Windows: every processor since 2013
    flags = set(cpuinfo.partition("flags")[2].partition("\n")[0].split())
    if "avx512_vnni" in flags:
        return Processor.AVX512_VNNI
    if "avx512f" in flags:
        return Processor.AVX512
    return Processor.AVX2 if "avx2" in flags else Processor.ANY


def runs(kind: Processor) -> tuple[Processor, ...]:
    """Return the kinds of files that a processor can run, the fastest first. The last one runs everywhere."""
    return (*_RUNS[kind], Processor.ANY)
