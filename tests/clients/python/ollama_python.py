"""ollama-python: chat and generate. Its types drop every field they do not declare, so references come in the text."""

import json
import re
from importlib.metadata import version

import ollama
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]

# region connect
client = ollama.Client(host=CITESTREAM, headers={"Authorization": f"Bearer {KEY}"})
options = {"evidence": evidence, "citations": {"references_in_text": True}}
# endregion
messages = [{"role": "user", "content": question}]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def chat_streamed(model: str) -> Seen:
    text = ""
    # region chat_streamed
    for part in client.chat(model, messages=[{"role": "user", "content": question}], options=options, stream=True):
        text += part.message.content
        print(part.message.content, end="")
    # endregion
    assert part.done_reason == "stop"
    return of(text, part)


def chat_whole(model: str) -> Seen:
    answer = client.chat(model, messages=[{"role": "user", "content": question}], options=options)
    return of(answer.message.content, answer)


def generated(model: str) -> Seen:
    parts = list(client.generate(model, question, options=options, stream=True))
    return of("".join(part.response for part in parts), parts[-1])


def of(text: str, last) -> Seen:
    references = [found["url"] or found["name"] for found in LISTED.finditer(text)]
    return {
        "text": text,
        "usage": {"input": last.prompt_eval_count, "output": last.eval_count},
        "references": references,
        "not_returned": {name: getattr(last, name, None) for name in ("references", "grounding")},
    }


def pieces(model: str):
    for part in client.chat(model, messages=messages, options={"evidence": evidence}, stream=True):
        yield part.message.content


def calls() -> list[Seen]:
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
    message = client.chat("calling/any", messages=messages, options=options, tools=tools).message
    return [{"name": call.function.name, "arguments": call.function.arguments} for call in message.tool_calls]


def reasoning() -> str:
    parts = client.chat("reasoning/any", messages=messages, options=options, stream=True, think=True)
    return "".join(part.message.thinking or "" for part in parts)


def retrieved() -> Seen:
    call = {"function": {"name": "search", "arguments": {}}}
    history = [
        *messages,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_name": "search", "content": json.dumps(evidence)},
    ]
    last = client.chat("openai/gpt-4.1", messages=history, options={"citations": {"references_in_text": True}})
    seen = of(last.message.content, last)
    return {"text": seen["text"], "references": seen["references"]}


def second_turn() -> str:
    given = {"evidence": evidence}
    first = client.chat("strict/any", messages=messages, options=given).message
    return client.chat("strict/any", messages=[*messages, first, *messages], options=given).message.content


def cancel() -> bool:
    parts = client.chat("silent/ollama-python", messages=messages, options=options, stream=True)
    next(part for part in parts if part.message.content)
    parts.close()
    return provider_closed("ollama-python")


way(
    "`chat(stream=True)`",
    "`references_in_text`",
    chat_streamed,
    reasoning=reasoning,
    error=lambda: raised(lambda: list(pieces("nobody/nothing"))),
    broken=lambda: broken(lambda: pieces("broken/any")),
    cancelled=cancel,
)
way(
    "`chat()`",
    "`references_in_text`",
    chat_whole,
    calls=calls,
    retrieved=retrieved,
    second_turn=second_turn,
    error=lambda: raised(lambda: client.chat("nobody/nothing", messages=messages)),
)
way("`generate(stream=True)`", "`references_in_text`", generated)
report("ollama-python", version("ollama"))
