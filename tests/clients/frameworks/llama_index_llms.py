"""LlamaIndex: the models OpenAILike and Ollama. The response has the raw completion, which keeps `references`."""

import re
from importlib.metadata import version

import ollama
from llama_index.core.llms import ChatMessage
from llama_index.llms.ollama import Ollama
from llama_index.llms.openai_like import OpenAILike
from report import CASE, CITESTREAM, KEY, Seen, broken, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def openai_like(model: str) -> OpenAILike:
    # region openai_like
    llm = OpenAILike(
        model=model,
        api_base=f"{CITESTREAM}/v1",
        api_key=KEY,
        is_chat_model=True,
        additional_kwargs={"extra_body": {"evidence": evidence}},
    )
    # endregion
    return llm


def streamed(model: str) -> Seen:
    llm, text = openai_like(model), ""
    # region streamed
    for chunk in llm.stream_chat([ChatMessage(role="user", content=question)]):
        text += chunk.delta or ""
        print(chunk.delta or "", end="")
    print()
    for reference in chunk.raw.references:
        print(reference["number"], reference["snippet"])
    # endregion
    return of(text, chunk.raw.references)


def whole(model: str) -> Seen:
    response = openai_like(model).chat([ChatMessage(role="user", content=question)])
    usage = response.raw.usage
    counts = {"input": usage.prompt_tokens, "output": usage.completion_tokens}
    return {**of(response.message.content, response.raw.references), "usage": counts}


def of(text: str, references) -> Seen:
    spans = [reference["spans"][0] for reference in references]
    return {
        "text": text,
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[span["start"] : span["end"]] for span in spans],
    }


def of_ollama(model: str) -> Seen:
    # region ollama
    llm = Ollama(
        model=model,
        client=ollama.Client(CITESTREAM, headers={"Authorization": f"Bearer {KEY}"}),
        additional_kwargs={"evidence": evidence, "citations": {"references_in_text": True}},
    )
    # endregion
    response = llm.chat([ChatMessage(role="user", content=question)])
    text = response.message.content
    references = [found["url"] or found["name"] for found in LISTED.finditer(text)]
    return {"text": text, "references": references, "not_returned": {"references": response.raw.get("references")}}


def pieces(model: str):
    for chunk in openai_like(model).stream_chat([ChatMessage(role="user", content=question)]):
        yield chunk.delta or ""


way(
    "`OpenAILike.stream_chat`",
    "`raw.references` of the last chunk",
    streamed,
    broken=lambda: broken(lambda: pieces("broken/any")),
)
way(
    "`OpenAILike.chat`",
    "`raw.references`",
    whole,
    error=lambda: raised(lambda: whole("nobody/nothing")),
)
way("`Ollama.chat`", "`references_in_text`", of_ollama)
report("llama-index-core", version("llama-index-core"))
