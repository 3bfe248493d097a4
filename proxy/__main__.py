"""`python -m proxy` is `citestream`."""

from .cli.commands import main

main(prog_name="citestream")
