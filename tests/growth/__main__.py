"""Search for inputs whose cost grows faster than their length.

python -m tests.growth [--length 100000] [FUNCTION ...]
"""

import argparse
import sys

from tests.growth.measuring import FUNCTIONS, growths


def main() -> None:
    """Print each function whose cost grows faster than its input; exit with status 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", choices=[[], *FUNCTIONS], metavar="FUNCTION")
    parser.add_argument("--length", type=int, default=100_000)
    arguments = parser.parse_args()
    found = False
    for name in arguments.functions or FUNCTIONS:
        slowest = 0.0
        for growth in growths(name, arguments.length):
            slowest = max(slowest, growth.long)
            if growth.is_superlinear:
                found = True
                print(growth, flush=True)
        print(f"{name}: at most {1000 * slowest:.0f} ms", flush=True)
    sys.exit(found)


if __name__ == "__main__":
    main()
