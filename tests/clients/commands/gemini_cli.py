"""Gemini CLI: `gemini -p`. Citestream retrieves the evidence."""

import json
import os
import tempfile
from pathlib import Path

from report import CASE, KEY, report, way
from terminal_command import answered, installed

HOME = Path(tempfile.mkdtemp())
(HOME / ".gemini").mkdir()
(HOME / ".gemini" / "settings.json").write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
program, version = installed("@google/gemini-cli", "gemini")


def asked(model: str):
    address = os.environ["CITESTREAM_RETRIEVING"]
    command = [program, "--skip-trust", "-m", model, "-p", CASE["question"]]
    return answered(command, HOME=str(HOME), GEMINI_API_KEY=KEY, GOOGLE_GEMINI_BASE_URL=address)


way("`gemini -p`", "`references_in_text`", asked, ["gemini/gemini-2.5-flash"])
report("gemini-cli", version)
