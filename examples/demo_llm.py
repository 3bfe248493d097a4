"""Show retrieval, the citation of a finished answer, and a cited answer of a small model on a real llama.cpp server.

python -m examples.demo_llm                          # the same as `make demo-llm`
python -m examples.demo_llm "What is a neap tide?"   # another question for the model
"""

import argparse
import sys
import textwrap
from typing import Any

from openai import OpenAI

from examples.ask import EVIDENCE, HERE, QUESTION, ask, citestream, closest, documents, listening, print_references

# A text of a person or a large model. The last sentence is wrong, and its citation too.
ANSWER = (
    "The Saturn V was 110.6 metres tall. Apollo 12 was struck by lightning twice in the first minute. "
    "Apollo 13 was struck by lightning as well [1]."
)
# A model of 135 million parameters can often copy one fact from one excerpt, and rarely more.
MODEL = "openai/smollm2"
MODEL_QUESTION = "How tall was the Saturn V?"
MODEL_EVIDENCE = 1
EXPECTATION = (
    "SmolLM2 has only 135 million parameters. It can often copy one fact from one excerpt. Many of its other answers "
    "are wrong, and a wrong sentence should then have no marker. Larger models are used in the same way."
)
WIDTH = 100  # columns


def main() -> None:
    options = argparse.ArgumentParser(description="Show retrieval, citation and a small language model.")
    options.add_argument("question", nargs="?", default=MODEL_QUESTION, help="the question for the small model")
    question = options.parse_args().question
    with listening([sys.executable, str(HERE / "llama_server.py")]) as llama:
        upstream = {"OPENAI_BASE_URL": f"{llama}/v1", "OPENAI_API_KEY": "none"}
        with listening([citestream(), "serve", "--port", "0"], upstream) as server:
            evidence = retrieve()
            heading("2. Citation of a finished answer: POST /v1/cite, without a model")
            show(ANSWER)
            cite(server, ANSWER, evidence)
            heading("3. Citation while a small model on this machine answers")
            show(EXPECTATION)
            ask(server, MODEL, question, closest(question, documents(), MODEL_EVIDENCE))


def retrieve() -> list[dict[str, Any]]:
    """Print the excerpts for the question, and return them."""
    evidence = closest(QUESTION, documents(), EVIDENCE)
    heading(f"1. Retrieval: the {len(evidence)} excerpts of examples/documents closest to the question")
    print(QUESTION)
    for number, item in enumerate(evidence, 1):
        begin = textwrap.shorten(item["text"], 70, placeholder=" ...")
        print(f"  {number}. {item['file_name']}, excerpt {item['chunk_index']}: {begin}")
    return evidence


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def show(text: str) -> None:
    print(textwrap.fill(text, WIDTH), end="\n\n", flush=True)


def cite(server: str, text: str, evidence: list[dict[str, Any]]) -> None:
    """Print a finished text with its markers, and its references."""
    client = OpenAI(base_url=f"{server}/v1", api_key="none")
    cited: Any = client.post("/cite", body={"text": text, "evidence": evidence}, cast_to=object)
    print(textwrap.fill(cited["text"], WIDTH))
    print_references(cited["references"])
    grounding = cited["grounding"]
    print(f"{grounding['supported']} of {grounding['claims']} claims are supported.")
    for rejected in grounding["rejected"]:
        print(f"The given text's own citation [{rejected['number']}] was removed: {rejected['reason']}.")


if __name__ == "__main__":
    main()
