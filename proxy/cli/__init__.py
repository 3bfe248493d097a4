"""The commands of `citestream`."""
