"""The command that installs an optional dependency, for error messages."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

PACKAGE = "citestream"


@cache
def install_command(extra: str) -> str:
    """Return the command that installs an extra: from the package index, or in the checkout that is installed.

    pip records where a package comes from in `direct_url.json` (PEP 610). Packages of an index do not have it, and
    only folders have `dir_info`. pip keeps an installed wheel and adds the packages of the extra.
    """
    try:
        origin = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    if "dir_info" not in origin:
        return f"pip install '{PACKAGE}[{extra}]'"
    editable = "--editable " if origin["dir_info"].get("editable") else ""
    return f"pip install {editable}'.[{extra}]' (in the checkout of {PACKAGE})"
