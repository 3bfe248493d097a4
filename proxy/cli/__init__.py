"""The command line interface of `citestream`."""
