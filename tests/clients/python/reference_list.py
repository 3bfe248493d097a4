"""The list of references at the end of an answer, for clients that show only text."""

import re

LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def listed(text: str) -> list[str]:
    """Return the links or names in the list."""
    return [found["url"] or found["name"] for found in LISTED.finditer(text)]
