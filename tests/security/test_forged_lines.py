"""The name of a file cannot forge a line of the terminal or of a log."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from citestream.providers.one_line import one_line
from citestream.proxy.observability.logs import LineFormatter, RedactingFormatter

ROOT = Path(__file__).parents[2]
# A name, and the line that it would forge
NAMES = {
    "a line break": ("zz\n[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a carriage return": ("zz\r[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a line separator": ("zz\u2028[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a next-line control": ("zz\u0085[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a vertical tab": ("zz\v[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a form feed": ("zz\f[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a file separator": ("zz\x1c[9] trusted.pdf.txt", "[9] trusted.pdf"),
    "a control of the cursor": ("zz\x1b[1G[9] trusted.pdf.txt", "\x1b[1G"),
    "a bidirectional control": ("zz\u202e[9] trusted.pdf.txt", "\u202e"),
}


def run(folder: Path, *arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("citestream")), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


def test_file_names_stay_inside_their_lines(tmp_path: Path) -> None:
    for folder, content in (("broken", b"\x7fELF\0"), ("docs", b"The bridge was opened in 1932.")):
        (tmp_path / folder).mkdir()
        for name, _ in NAMES.values():
            (tmp_path / folder / name).write_bytes(content)
    (tmp_path / "broken/good.txt").write_text("The sea is blue.")
    outputs = {
        "index": run(tmp_path, "index", "broken", "docs", "--store", "e.db", "--embedder", "none"),
        "ask": run(tmp_path, "ask", "Is the sea blue?", "--evidence", "broken"),
        "cite": run(tmp_path, "cite", "The bridge was opened in 1932.", "--evidence", "docs", "--explain"),
        "error": run(tmp_path, "ask", "Is the sea blue?", "--evidence", f"broken/{NAMES['a line break'][0]}"),
    }
    for command, output in outputs.items():
        assert "zz" in output, command
        assert not [line for line in output.splitlines() if line.lstrip().startswith("[9]")], command
        assert not [forged for _, forged in NAMES.values() if forged != "[9] trusted.pdf" and forged in output], command
    assert outputs["ask"].count("skipped: ") == outputs["index"].count("skipped: ") == len(NAMES)


@pytest.mark.parametrize("formatter", [LineFormatter, RedactingFormatter])
@pytest.mark.parametrize("case", NAMES)
def test_a_name_in_a_log_stays_inside_its_line(case: str, formatter: type[logging.Formatter]) -> None:
    name, forged = NAMES[case]
    try:
        raise ValueError
    except ValueError:
        failure = sys.exc_info()
    for exception in (None, failure):
        record = logging.LogRecord("citestream", logging.WARNING, "", 0, "%s was indexed", (name,), exception)
        line, *traceback = formatter("%(levelname)s %(message)s").format(record).splitlines()
        assert line.startswith("WARNING zz")
        assert bool(traceback) == bool(exception)
        assert forged == "[9] trusted.pdf" or forged not in line


def test_other_text_stays_as_it_is() -> None:
    text = "Größe – 水 🎉 a\u00a0b\u200db"
    assert one_line(text) == text
