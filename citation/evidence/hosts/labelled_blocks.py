"""Passages in labelled blocks of text: AnythingLLM, RAGFlow, LlamaIndex, LM Studio, PrivateGPT and others.

A format is a wrapper with two literals of the host, and a pattern for the head of one block. All text after the head,
up to the next one, is the passage. A passage may contain the literals of the wrapper.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from .prompt_evidence import HostPassage, MarkerSyntax, PromptEvidence
from .turn import MAX_TRIES, Turn, is_quoted


@dataclass(frozen=True, slots=True)
class BlockFormat:
    """How one host writes passages as labelled blocks."""

    host: str
    place: str  # "user", "system" or "tool"
    signature: str  # a literal of the host in the same message
    opening: str  # a regular expression up to the first block; empty if the first block opens the message
    closing: str  # a regular expression after the last block; empty if there is none
    separator: str  # a regular expression between two blocks
    block: re.Pattern[str]  # one block, with the groups `label` and `text`, and names of fields
    syntax: MarkerSyntax = MarkerSyntax.NONE
    asks: str = ""  # the literal by which a system message asks for markers; a tool result needs it as second sign
    first_label: int | None = None  # labels are consecutive numbers from here; None: any labels
    question: re.Pattern[str] | None = None  # in what follows the wrapper, with the group `question`
    leads: str = ""  # the literal with which the message begins
    fields: Mapping[str, str] = field(default_factory=dict)  # group -> field of evidence


_METADATA = r"(?:<document_metadata>\n(?:sourceDocument: (?P<source>[^\n]*)\n)?(?:[^\n<]*\n)*?</document_metadata>\s*)?"
# The metadata of a LlamaIndex document, between blank lines. Its readers set at least the path of the file.
_LLAMAINDEX_METADATA = r"(?:(?:(?:file_path|file_name): (?P<file>[^\n]*)|url: (?P<url>[^\n]*)|[^\n:]+: [^\n]*)\n)+\n"
_QUERY = re.compile(r"Query:\s*(?P<question>.*?)\s*(?:\nAnswer:\s*)?$", re.DOTALL)
_LLAMAINDEX = BlockFormat(
    "llamaindex-citation",
    "user",
    "Please provide an answer based solely on the provided sources.",
    r"Below are several numbered sources of information[.:].*\n(?:Begin refining!\n)?------\n",
    r"\n------\nQuery: ",
    r"\n(?=Source \d+:(?:\n|$))",
    re.compile(r"Source (?P<label>\d+):\n?(?P<text>.*)", re.DOTALL),
    syntax=MarkerSyntax.BRACKETS,
    first_label=1,
    question=_QUERY,
    leads="Please provide an answer based solely on the provided sources.",
)
_RAGFLOW_HEAD = r"ID: \d+\n(?:├── |└── Content:\n)"
# The default prompts of RAGFlow end the passages with a quotation mark, or with a sentence in the language of its page.
# After a prompt that ends with the passages comes the citation prompt.
_RAGFLOW_CLOSING = (
    r"`\.\n|[.。]\n +- \*\*[^\n]*\*\*[:：]|Based on the provided document or chat history, add citations"
    r"|\n[ \t]*(?:The above is|Das oben Genannte ist die|Esa es la base|Ce qui précède est la|O acima é a base"
    r"|Di atas adalah|Trên đây là|Выше приведена|以上是知识库|以上是知識庫|上記がナレッジベース)"
)
_RAGFLOW = BlockFormat(
    "ragflow",
    "system",
    "└── Content:\n",
    rf"(?:^|\n)(?={_RAGFLOW_HEAD})",
    _RAGFLOW_CLOSING,
    rf"\n(?:-{{6}}\n{{1,3}})?(?={_RAGFLOW_HEAD})",
    re.compile(
        r"ID: (?P<label>\S+)\n(?:├── Title: (?P<title>[^\n]*)\n)?(?:├── URL: (?P<url>[^\n]*)\n)?(?:├── [^\n]*\n)*"
        r"└── Content:\n?(?P<text>.*)",
        re.DOTALL,
    ),
    syntax=MarkerSyntax.RAGFLOW,
    asks="[ID:",
    first_label=0,
    fields={"title": "file_name", "url": "url"},
)

FORMATS = (
    BlockFormat(
        "anythingllm",
        "system",
        "[END CONTEXT 0]",
        r"Context:.*\n",
        "",
        r"\n[ \t]*(?=\[CONTEXT \d+\]:\n)",
        re.compile(
            r"\[CONTEXT (?P<label>\d+)\]:\n" + _METADATA + r"(?P<text>.*?)\n?\[END CONTEXT (?P=label)\]", re.DOTALL
        ),
        first_label=0,
        fields={"source": "file_name"},
    ),
    _RAGFLOW,
    replace(  # an agent has a finished text cited
        _RAGFLOW, opening=rf"<context>\n+(?={_RAGFLOW_HEAD})", closing=r"\n</context>", first_label=None
    ),
    replace(_RAGFLOW, place="tool", closing="", first_label=None),  # results of an agent
    _LLAMAINDEX,
    replace(
        _LLAMAINDEX,
        separator=r"\n\n(?=(?:[^\n:]+: [^\n]*\n)+\nSource \d+:\n)",
        block=re.compile(_LLAMAINDEX_METADATA + _LLAMAINDEX.block.pattern, re.DOTALL),
        fields={"file": "file_name", "url": "url"},
    ),
    BlockFormat(
        "lm-studio",
        "user",
        "Use the citations above",
        r"The following citations were found.*\n",
        r"\nUse the citations above",
        r"\n(?=Citation \d+: \")",
        re.compile(r'Citation (?P<label>\d+): "(?P<text>.*)"\s*', re.DOTALL),
        first_label=1,
        question=re.compile(r"User Query:\s*(?P<question>.*)$", re.DOTALL),
        leads="The following citations were found",
    ),
    BlockFormat(
        "quivr",
        "system",
        "Source: 0",
        r"context to complete the task:.*\n",
        "",
        r"\n(?=Filename: )",
        re.compile(r"Filename: (?P<file>[^\n]*)\nSource: (?P<label>\d+)\s*\n(?P<text>.*)", re.DOTALL),
        first_label=0,
        fields={"file": "file_name"},
    ),
    BlockFormat(
        "privategpt",
        "tool",
        "Citation identifier [",
        "",
        "",
        r"\n={3}\s*\n(?=Citation identifier \[)",
        re.compile(r"Citation identifier \[(?P<label>\w+)\]\n---\nContent:\n?(?P<text>.*?)(?:\n===\s*)?", re.DOTALL),
        syntax=MarkerSyntax.BRACKETS,
    ),
    BlockFormat(
        "haystack",
        "user",
        "Question:",
        r"Documents:\n",
        r"\nQuestion:",
        r"\n(?=Document \d+:)",
        re.compile(r"Document (?P<label>\d+):\s*(?P<text>.*)", re.DOTALL),
        first_label=1,
        question=re.compile(r"Question:\s*(?P<question>.*?)\s*(?:\nAnswer:\s*)?$", re.DOTALL),
    ),
)


def recognise_blocks(turn: Turn) -> PromptEvidence | None:
    """Return the evidence of the first format that fits."""
    for form in FORMATS:
        texts = {"user": (turn.user,), "system": turn.system, "tool": turn.tools}[form.place]
        found = [read for text in texts if form.signature in text and (read := _read(form, text))]
        asked = not form.asks or any(form.asks in text for text in turn.system)
        if found and (asked or form.place != "tool"):
            passages = [passage for read, _ in found for passage in read] if form.place == "tool" else found[0][0]
            syntax = form.syntax if asked else MarkerSyntax.NONE
            return PromptEvidence(form.host, tuple(passages), _question(form, found[0][1], turn), syntax)
    return None


def _read(form: BlockFormat, text: str) -> tuple[tuple[HostPassage, ...], str] | None:
    """Return the passages and what follows the wrapper."""
    if form.leads and not text.lstrip().startswith(form.leads):
        return None
    body, rest = _inside(form, text)
    if not body:
        return None
    blocks = [form.block.fullmatch(block.strip("\n")) for block in re.split(form.separator, body.strip())]
    matched = [block for block in blocks if block]
    if len(matched) < len(blocks):
        return None  # something between the blocks is not the host's
    passages = tuple(_passage(form, block) for block in matched if block["text"].strip())
    return (passages, rest) if passages and _labels_fit(form, [block["label"] for block in matched]) else None


def _inside(form: BlockFormat, text: str) -> tuple[str, str]:
    """Return the content of the wrapper and the text after it; both empty without a wrapper."""
    openings = islice(re.finditer(form.opening, text), MAX_TRIES)
    start = next((found.end() for found in openings if not is_quoted(text, found.start())), None)
    if start is None:
        return "", ""
    if not form.closing:
        return text[start:], ""
    closings = list(re.finditer(form.closing, text[start:]))
    if not closings:
        return "", ""
    body = text[start:]
    heads = [found.end() for found in re.finditer(form.separator, body[: closings[-1].start()])]
    end = next(found.start() for found in closings if found.start() >= (heads[-1] if heads else 0))
    return body[:end], body[end:].lstrip()


def _passage(form: BlockFormat, block: re.Match[str]) -> HostPassage:
    named = {name: block[group].strip() for group, name in form.fields.items() if block[group]}
    return HostPassage(block["label"], block["text"].strip(), named)


def _labels_fit(form: BlockFormat, labels: Sequence[str]) -> bool:
    if form.first_label is None:
        return True
    return labels == [str(number) for number in range(form.first_label, form.first_label + len(labels))]


def _question(form: BlockFormat, rest: str, turn: Turn) -> str:
    found = form.question.search(rest) if form.question else None
    return found["question"].strip() if found else turn.user
