"""The program `citestream`, also as `python -m citestream`."""

import sys


def main() -> None:
    """Run a command. Ctrl-C while the commands are imported exits without a traceback, too."""
    from citestream.proxy.cli.interruption import INTERRUPTED
    from citestream.proxy.cli.own_process import hide_memory, leave_working_directory

    leave_working_directory()
    hide_memory()
    try:
        from citestream.proxy.cli.commands import main as run_command

        run_command(prog_name="citestream")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    if not sys.flags.safe_path:  # `python -m` imports from the working directory, which may contain files of others
        del sys.path[0]
    main()
