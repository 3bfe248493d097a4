"""instructor: answers as objects. The completion that is returned with the object keeps `references`."""

from importlib.metadata import version

import instructor
from openai import OpenAI
from pydantic import BaseModel
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
openai = OpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY)


class Answer(BaseModel):
    answer: str


def asked(model: str, mode: instructor.Mode) -> Seen:
    # region ask
    client = instructor.from_openai(openai, mode=mode)
    found, completion = client.chat.completions.create_with_completion(
        model=model,
        messages=[{"role": "user", "content": question}],
        response_model=Answer,
        max_retries=0,
        extra_body={"evidence": evidence},
    )
    print(found.answer)
    for reference in completion.references:
        print(reference["number"], reference["snippet"])
    # endregion
    references = completion.references
    return {
        "text": found.answer,
        "references": [reference["url"] or reference["file_name"] for reference in references],
    }


def in_json(model: str) -> Seen:
    return asked(model, instructor.Mode.JSON)


def in_tools(model: str) -> Seen:
    return asked(model, instructor.Mode.TOOLS)


def in_fence(model: str) -> Seen:
    return asked(model, instructor.Mode.MD_JSON)


VIA = "`completion.references`"
way("`Mode.TOOLS`", VIA, in_tools, ["structured/any"], error=lambda: raised(lambda: in_tools("nobody/nothing")))
way("`Mode.JSON`", VIA, in_json, ["structured/any"])
way("`Mode.MD_JSON`", VIA, in_fence, ["structured/any"])
report("instructor", version("instructor"))
