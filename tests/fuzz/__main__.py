"""`python -m tests.fuzz [--seconds N] [TARGET ...]`: run atheris on the targets, one after the other.

Each target runs in its own process and starts with its seeds. An input that raises an exception is written to `.fuzz/`,
and the exit status is 1.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.targets import SEEDS, TARGETS

FOLDER = Path(".fuzz")
SINGLE = "--single"  # internal option: fuzz one target in this process
MAX_SECONDS = 10  # maximum time for one input
MAX_BYTES = 4096  # maximum length of an input; errors of longer inputs concern limits, which have other tests
MAX_MEGABYTES = 2048  # maximum memory; no input of this length needs more


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    if sys.argv[1:2] == [SINGLE]:
        fuzz(sys.argv[2], sys.argv[3:])
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    failed = [name for name in arguments.targets or TARGETS if not passed(name, arguments.seconds)]
    print(f"{len(arguments.targets or TARGETS) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


def passed(name: str, seconds: int) -> bool:
    """Return whether atheris found no error in this target."""
    print(f"--- {name}", flush=True)
    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS[name]):
            (Path(corpus) / str(number)).write_bytes(seed)
        command = [sys.executable, "-m", "tests.fuzz", SINGLE, name, corpus]
        command += [f"-max_total_time={seconds}", f"-timeout={MAX_SECONDS}", f"-max_len={MAX_BYTES}"]
        command += [f"-rss_limit_mb={MAX_MEGABYTES}", f"-artifact_prefix={FOLDER}/{name}-", "-print_final_stats=1"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    output = (done.stdout + done.stderr).splitlines()
    statistics = [line for line in output if "stat::number_of_executed" in line]
    errors = [line for line in output if not line.startswith(("#", "INFO: Instr", "WARNING: "))]
    print("\n".join(errors[-60:] if done.returncode else statistics), flush=True)
    return done.returncode == 0


def fuzz(name: str, arguments: list[str]) -> None:
    """Run atheris on one target. This ends the process."""
    import atheris

    for module in [module for module in sys.modules if module.split(".")[0] in ("citation", "providers", "proxy")]:
        del sys.modules[module]  # imported again below, so that atheris measures the coverage
    del sys.modules["tests.fuzz.targets"]
    with atheris.instrument_imports(include=["citation", "providers", "proxy"]):
        from tests.fuzz.targets import TARGETS as INSTRUMENTED
    atheris.Setup([sys.argv[0], *arguments], INSTRUMENTED[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
