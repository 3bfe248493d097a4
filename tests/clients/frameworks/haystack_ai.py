"""Haystack: OpenAIChatGenerator. Its replies keep the text and the usage, so the references come in the text."""

import re
from importlib.metadata import version

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from report import CASE, CITESTREAM, KEY, Seen, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]
LISTED = re.compile(r"^- \[\d+\] (?:\[.*\]\((?P<url>.*)\)|(?P<name>.*))$", re.MULTILINE)


def generator(model: str, callback=None) -> OpenAIChatGenerator:
    # region connect
    generator = OpenAIChatGenerator(
        model=model,
        api_base_url=f"{CITESTREAM}/v1",
        api_key=Secret.from_token(KEY),
        generation_kwargs={"extra_body": {"evidence": evidence, "citations": {"references_in_text": True}}},
        streaming_callback=callback,
    )
    # endregion
    return generator


def streamed(model: str) -> Seen:
    pieces = []
    (reply,) = generator(model, pieces.append).run([ChatMessage.from_user(question)])["replies"]
    assert "".join(piece.content for piece in pieces) == reply.text
    return of(reply)


def whole(model: str) -> Seen:
    (reply,) = generator(model).run([ChatMessage.from_user(question)])["replies"]
    usage = reply.meta["usage"]
    return {**of(reply), "usage": {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}}


def of(reply: ChatMessage) -> Seen:
    return {
        "text": reply.text,
        "references": [found["url"] or found["name"] for found in LISTED.finditer(reply.text)],
        "not_returned": {name: reply.meta.get(name) for name in ("annotations", "references")},
    }


way("`OpenAIChatGenerator.run`, streamed", "`references_in_text`", streamed)
way(
    "`OpenAIChatGenerator.run`",
    "`references_in_text`",
    whole,
    error=lambda: raised(lambda: whole("nobody/nothing")),
)
report("haystack-ai", version("haystack-ai"))
