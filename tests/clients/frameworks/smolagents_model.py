"""smolagents: OpenAIModel. A message has the raw completion; a stream has only the text."""

import re
from importlib.metadata import version

from report import CASE, CITESTREAM, KEY, Seen, broken, raised, report, way
from smolagents import OpenAIModel

question, evidence = CASE["question"], CASE["evidence"]
messages = [{"role": "user", "content": [{"type": "text", "text": question}]}]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def model_of(model: str, **more) -> OpenAIModel:
    extra = {"evidence": evidence, **more}
    # region connect
    llm = OpenAIModel(model_id=model, api_base=f"{CITESTREAM}/v1", api_key=KEY, extra_body=extra)
    # endregion
    return llm


def whole(model: str) -> Seen:
    llm = model_of(model)
    # region whole
    message = llm(messages)
    print(message.content)
    for reference in message.raw.references:
        print(reference["number"], reference["snippet"])
    # endregion
    text, references = message.content, message.raw.references
    return {
        "text": text,
        "usage": {"input": message.token_usage.input_tokens, "output": message.token_usage.output_tokens},
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[one["spans"][0]["start"] : one["spans"][0]["end"]] for one in references],
    }


def pieces(model: str, **more):
    for delta in model_of(model, **more).generate_stream(messages):
        yield delta.content or ""


def streamed(model: str) -> Seen:
    text = "".join(pieces(model, citations={"references_in_text": True}))
    return {"text": text, "references": [found["url"] or found["name"] for found in LISTED.finditer(text)]}


way(
    "`OpenAIModel.generate_stream`",
    "`references_in_text`",
    streamed,
    broken=lambda: broken(lambda: pieces("broken/any")),
)
way("`OpenAIModel`", "`raw.references`", whole, error=lambda: raised(lambda: whole("nobody/nothing")))
report("smolagents", version("smolagents"))
