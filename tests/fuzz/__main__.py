"""`python -m tests.fuzz [--seconds N] [TARGET ...]`: atheris on every target, one after the other.

Each runs in its own process, from its seeds. Input that raises an exception is written to `.fuzz/`; the status is 1.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.targets import SEEDS, TARGETS

FOLDER = Path(".fuzz")
ONE = "--one"  # how this program calls itself for a single target
ONE_INPUT_SECONDS = 10  # maximum for one input; the longest has a few kilobytes
LONGEST = 4096  # bytes of an input: what is wrong at a megabyte is wrong at four kilobytes, or a matter of limits
MEMORY = 2048  # megabytes, above which something has grown that should not


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    if sys.argv[1:2] == [ONE]:
        fuzz(sys.argv[2], sys.argv[3:])
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    failed = [name for name in arguments.targets or TARGETS if not passed(name, arguments.seconds)]
    print(f"{len(arguments.targets or TARGETS) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


def passed(name: str, seconds: int) -> bool:
    """Whether nothing was found in this target."""
    print(f"--- {name}", flush=True)
    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS[name]):
            (Path(corpus) / str(number)).write_bytes(seed)
        command = [sys.executable, "-m", "tests.fuzz", ONE, name, corpus]
        command += [f"-max_total_time={seconds}", f"-timeout={ONE_INPUT_SECONDS}", f"-max_len={LONGEST}"]
        command += [f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={FOLDER}/{name}-", "-print_final_stats=1"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    told = (done.stdout + done.stderr).splitlines()
    show = [line for line in told if "stat::number_of_executed" in line]
    wrong = [line for line in told if not line.startswith(("#", "INFO: Instr", "WARNING: "))]
    print("\n".join(wrong[-60:] if done.returncode else show), flush=True)
    return done.returncode == 0


def fuzz(name: str, arguments: list[str]) -> None:
    """Does not return."""
    import atheris

    for module in [module for module in sys.modules if module.split(".")[0] in ("citation", "providers", "proxy")]:
        del sys.modules[module]  # to be imported again, counting which lines are reached
    del sys.modules["tests.fuzz.targets"]
    with atheris.instrument_imports(include=["citation", "providers", "proxy"]):
        from tests.fuzz.targets import TARGETS as COUNTED
    atheris.Setup([sys.argv[0], *arguments], COUNTED[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
