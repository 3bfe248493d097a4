"""Mirascope: calls of a registered provider. It sends no evidence, so Citestream retrieves it."""

import os
from importlib.metadata import version

from mirascope import llm
from reference_list import listed
from report import CASE, KEY, Seen, report, way

question = CASE["question"]
MODELS = ["extractive"]  # the library uses what follows the first slash up to the second, so the name must have none
llm.register_provider(
    "openai:completions", scope="openai/", base_url=f"{os.environ['CITESTREAM_RETRIEVING']}/v1", api_key=KEY
)


def streamed(model: str) -> Seen:
    response = llm.Model(f"openai/{model}").stream(question)
    return of("".join(response.text_stream()))


def whole(model: str) -> Seen:
    return of(llm.Model(f"openai/{model}").call(question).text())


def of(text: str) -> Seen:
    return {"text": text.rstrip("\n"), "references": listed(text)}


way("`Model.stream`", "`references_in_text`", streamed, MODELS)
way("`Model.call`", "`references_in_text`", whole, MODELS)
report("mirascope", version("mirascope"))
