"""The program `citestream`, also as `python -m citestream`."""

import sys

from citestream.proxy.cli.interruption import INTERRUPTED


def main() -> None:
    """Run a command. Ctrl-C while the commands are imported exits without a traceback, too."""
    try:
        from citestream.proxy.cli.commands import main as run_command

        run_command(prog_name="citestream")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
