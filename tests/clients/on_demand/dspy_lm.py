"""DSPy: `dspy.LM`, and a module whose fields are in the text of the answer."""

from importlib.metadata import version

import dspy
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]


def language_model(model: str) -> dspy.LM:
    # region connect
    lm = dspy.LM(
        f"openai/{model}",  # LiteLLM's provider first; Citestream gets what comes after it
        api_base=f"{CITESTREAM}/v1",
        api_key=KEY,
        cache=False,
        num_retries=0,
        extra_body={"evidence": evidence},
    )
    # endregion
    return lm


def called(model: str) -> Seen:
    lm = language_model(model)
    # region call
    (text,) = lm(messages=[{"role": "user", "content": question}])
    print(text)
    for reference in lm.history[-1]["response"].references:
        print(reference["number"], reference["snippet"])
    # endregion
    references = lm.history[-1]["response"].references
    return {
        "text": text,
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[one["spans"][0]["start"] : one["spans"][0]["end"]] for one in references],
    }


def predicted(model: str) -> Seen:
    lm = language_model(model)
    with dspy.context(lm=lm):
        answer = dspy.Predict("question -> answer")(question=question).answer
    references = lm.history[-1]["response"].references
    return {"text": answer, "references": [reference["url"] or reference["file_name"] for reference in references]}


VIA = "`references` of the response in `lm.history`"
way("`dspy.LM`", VIA, called, error=lambda: raised(lambda: called("nobody/nothing")))
way("`dspy.Predict`", VIA, predicted, ["structured/any"])
report("dspy", version("dspy"))
