"""Insert code, output and tables of a run into the guides in docs/clients.

<!-- from FILE: REGION ... -->             regions of a script; without names all of it
<!-- shown by FILE: FUNCTION -->           what that function printed
<!-- matrix --> ... <!-- end of matrix --> a table: `matrix`, `clients`, or `on demand`
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs" / "clients"

Shown = Mapping[tuple[str, str], str]  # (script, function) -> what it printed

_BLOCK = re.compile(
    r"(?P<head>^<!-- (?P<how>from|shown by) (?P<file>[\w./-]+)(?:: (?P<names>[\w ]+))? -->\n```\w+\n)"
    r"(?P<code>.*?)(?=^```$)",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(
    r"^(?P<head><!-- (?P<name>matrix|clients|on demand) -->\n).*?(?P<tail>^<!-- end of (?P=name) -->$)",
    re.MULTILINE | re.DOTALL,
)


def guides() -> list[Path]:
    """Return the pages of docs/clients."""
    return sorted(FOLDER.glob("*.md"))


def with_code(text: str) -> str:
    """Return a guide with the code of the scripts."""
    return _BLOCK.sub(lambda block: block["head"] + _code(block) if block["how"] == "from" else block[0], text)


def with_output(text: str, shown: Shown) -> str:
    """Return a guide with the output of the scripts. Output of scripts that did not run is kept."""

    def printed(block: re.Match[str]) -> str:
        key = (Path(block["file"]).name, block["names"] or "")
        found = shown.get(key) if block["how"] == "shown by" else None
        return block[0] if found is None else f"{block['head']}{found.rstrip()}\n"

    return _BLOCK.sub(printed, text)


def with_tables(text: str, tables: Mapping[str, str]) -> str:
    """Return a guide with these tables, where it has them. Other tables are kept."""

    def inserted(found: re.Match[str]) -> str:
        table = tables.get(found["name"])
        return found[0] if table is None else f"{found['head']}\n{table}\n\n{found['tail']}"

    return _TABLE.sub(inserted, text)


def tables(text: str) -> list[tuple[str, str]]:
    """Return the tables of a guide with their names."""
    return [(found["name"], found[0].strip()) for found in _TABLE.finditer(text)]


def regions(file: Path) -> dict[str, str]:
    """Return the code between `region NAME` and `endregion`, dedented."""
    found, name, lines = {}, "", list[str]()
    for line in file.read_text("utf-8").splitlines(keepends=True):
        if opened := re.fullmatch(r"\s*(?:#|//) region (\w+)\n", line):
            name, lines = opened[1], []
        elif re.fullmatch(r"\s*(?:#|//) endregion\n", line):
            found[name], name = textwrap.dedent("".join(lines)), ""
        elif name:
            lines.append(line)
    return found


def _code(block: re.Match[str]) -> str:
    file = ROOT / block["file"]
    if not block["names"]:
        return file.read_text("utf-8")
    found = regions(file)
    return "\n".join(found[name] for name in block["names"].split())
