"""CrewAI: its LLM returns text only."""

import os
import re
from importlib.metadata import version

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
from crewai import LLM
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def called(model: str) -> Seen:
    # region connect
    llm = LLM(
        model=model,
        provider="openai",
        base_url=f"{CITESTREAM}/v1",
        api_key=KEY,
        additional_params={"extra_body": {"evidence": evidence, "citations": {"references_in_text": True}}},
    )
    # endregion
    text = llm.call(question)
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way("`LLM.call`", "`references_in_text`", called, error=lambda: raised(lambda: called("nobody/nothing")))
report("crewai", version("crewai"))
