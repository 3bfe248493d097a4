"""`python -m proxy` is `citestream`."""

from .cli import main

main(prog_name="citestream")
