"""Run all benchmarks but those of the proxy: `make bench`. Run a single one: `python -m bench.providers`.

Quality needs labelled data: JSON Lines files, named in CITESTREAM_DATA and separated by spaces.
"""

import os
import subprocess  # nosec B404 # runs each benchmark in its own process
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

HERE = Path(__file__).parent
NOT_MEASURING = ("__main__", "fit", "fit_entailment")
WANT_DATA = ("attribution", "retrieval.min_score", "retrieval.recall")


def main() -> None:
    """Run all benchmarks. The exit code is 1 if one of them failed."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    failed = []
    for name in programs():
        if name in WANT_DATA and not os.environ.get("CITESTREAM_DATA"):
            print(f"== {name}: left out, CITESTREAM_DATA names no labelled data\n", flush=True)
            continue
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"bench.{name}", *sys.argv[1:]]
        if subprocess.run(command, check=False).returncode:  # nosec B603 # module of this projects
            failed.append(name)
        print(flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def programs() -> list[str]:
    """Return the dotted names of the modules that are benchmarks, below `bench`."""
    modules = [*HERE.glob("*.py"), *HERE.glob("retrieval/*.py"), HERE / "answers" / "__main__.py"]
    runnable = [path for path in modules if 'if __name__ == "__main__"' in path.read_text("utf-8")]
    names = {".".join(path.relative_to(HERE).with_suffix("").parts).removesuffix(".__main__") for path in runnable}
    return sorted(names.difference(NOT_MEASURING))


if __name__ == "__main__":
    main()
