"""The processor decides the ONNX file."""

import pytest

from citestream.providers.judging.checkers.processors import Processor, processor, runs, this_processor

LINUX = "processor\t: 0\nflags\t\t: fpu sse2 {}\nbugs\t\t: spectre_v1\nflags\t\t: fpu\n"

MACHINES = {
    "a recent server": ("x86_64", LINUX.format("avx2 avx512f avx512_vnni"), Processor.AVX512_VNNI),
    "a server before 2019": ("x86_64", LINUX.format("avx2 avx512f"), Processor.AVX512),
    "a desktop": ("x86_64", LINUX.format("avx avx2"), Processor.AVX2),
    "an old desktop": ("x86_64", LINUX.format("avx"), Processor.ANY),
    "Windows": ("AMD64", "", Processor.AVX2),
    "a recent Mac": ("arm64", "", Processor.ARM64),
    "a server with ARM": ("aarch64", "Features\t: fp asimd\n", Processor.ARM64),
    "another machine": ("riscv64", "isa\t: rv64imafdc\n", Processor.ANY),
}


@pytest.mark.parametrize(("machine", "cpuinfo", "kind"), MACHINES.values(), ids=MACHINES)
def test_the_instructions_of_a_processor_are_recognised(machine: str, cpuinfo: str, kind: Processor) -> None:
    assert processor(machine, cpuinfo) is kind


def test_a_file_for_every_processor_is_the_last_choice() -> None:
    assert runs(Processor.AVX512) == (Processor.AVX512, Processor.AVX2, Processor.ANY)
    assert {runs(kind)[-1] for kind in Processor} == {Processor.ANY}
    assert this_processor() in Processor
