"""Run the commands: `python -m citestream` is `citestream`."""

from citestream.proxy.cli.commands import main

main(prog_name="citestream")
