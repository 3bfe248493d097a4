"""Simon Willison's `llm`: models of an OpenAI-compatible server. It sends no evidence, so Citestream retrieves it."""

import os
import re
import tempfile
from importlib.metadata import version
from pathlib import Path

import yaml
from report import CASE, KEY, Seen, broken, raised, report, way

RETRIEVING = os.environ["CITESTREAM_RETRIEVING"]
folder = Path(tempfile.mkdtemp())
os.environ["LLM_USER_PATH"] = str(folder)
# region models
NAMES = [*CASE["models"], "broken/any", "nobody/nothing"]
entries = [
    {"model_id": name, "model_name": name, "api_base": f"{RETRIEVING}/v1", "api_key_name": "own"} for name in NAMES
]
(folder / "extra-openai-models.yaml").write_text(yaml.safe_dump(entries))
# endregion
(folder / "keys.json").write_text(f'{{"own": "{KEY}"}}')
import llm

LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def streamed(model: str) -> Seen:
    response = llm.get_model(model).prompt(CASE["question"])
    text = "".join(response)
    return {**of(text), "not_returned": {"references": (response.response_json or {}).get("references")}}


def whole(model: str) -> Seen:
    response = llm.get_model(model).prompt(CASE["question"], stream=False)
    text = response.text()
    assert [reference["number"] for reference in response.response_json["references"]] == [1, 2]  # `llm logs --json`
    return of(text)


def of(text: str) -> Seen:
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way(
    "streamed",
    "`references_in_text`",
    streamed,
    broken=lambda: broken(lambda: llm.get_model("broken/any").prompt(CASE["question"])),
)
way(
    "`--no-stream`",
    "`references_in_text`, `references` in the log",
    whole,
    error=lambda: raised(lambda: whole("nobody/nothing")),
)
report("llm", version("llm"))
