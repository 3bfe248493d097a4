"""Codex: `codex exec` with a provider of its own. Citestream retrieves the evidence."""

import os
import tempfile
from pathlib import Path

from report import CASE, report, way
from terminal_command import answered, installed

HOME = Path(tempfile.mkdtemp())
CONFIGURATION = f"""
model_provider = "citestream"
[model_providers.citestream]
name = "citestream"
base_url = "{os.environ["CITESTREAM_RETRIEVING"]}/v1"
env_key = "CITESTREAM_KEY"
wire_api = "responses"
"""
(HOME / "config.toml").write_text(CONFIGURATION)
program, version = installed("@openai/codex", "codex")


def asked(model: str):
    command = [program, "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--model", model, CASE["question"]]
    return answered(command, CODEX_HOME=str(HOME))


way("`codex exec`", "`references_in_text`", asked, ["openai/gpt-4.1", "anthropic/claude-sonnet-5"])
report("codex", version)
