"""Formats of hosts that write passages as labelled blocks: AnythingLLM, RAGFlow, LlamaIndex, LM Studio and others.

A format is a wrapper with two literals of the host, and a pattern for the head of a block. A separator is written
exactly as the host writes it: what a passage contains in another form separates nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .prompt_evidence import MarkerSyntax
from .turn import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockFormat:
    """How one host writes passages as labelled blocks."""

    host: str
    place: Place
    signature: str  # a literal of the host in the same message
    opening: str  # a regular expression up to the first block; empty if the first block opens the message
    closing: str  # a regular expression after the last block; empty if there is none
    separator: str  # a regular expression between two blocks
    head: str  # a regular expression for what precedes the text of a block, with the group `label` and names of fields
    tail: str = ""  # a regular expression for what follows it; it can refer to the groups of the head
    syntax: MarkerSyntax = MarkerSyntax.NONE
    asks: str = ""  # the literal by which a system message asks for markers; a tool result needs it as second sign
    first_label: int | None = None  # labels are consecutive numbers from here; None: any labels
    question: re.Pattern[str] | None = None  # in what follows the wrapper, with the group `question`
    leads: str = ""  # the literal with which the message begins
    fields: Mapping[str, str] = field(default_factory=dict)  # group -> field of evidence

    @property
    def block(self) -> re.Pattern[str]:
        """Return the pattern of a whole block, with the group `text`."""
        return re.compile(rf"{self.head}(?P<text>.*?){self.tail}", re.DOTALL)


_METADATA = r"(?:<document_metadata>\n(?:sourceDocument: (?P<source>[^\n]*)\n)?(?:[^\n<]*\n)*?</document_metadata>\s*)?"
# The metadata of a LlamaIndex document, between blank lines. Its readers set at least the path of the file. The path
# also matches the last alternative: without the atomic group, 30 such lines take a minute.
_LLAMAINDEX_METADATA = r"(?>(?:(?:file_path|file_name): (?P<file>[^\n]*)|url: (?P<url>[^\n]*)|[^\n:]+: [^\n]*)\n)+\n"
# A question up to the white space at its end, and without the line "Answer:" after it. Linear time: every run of white
# space is matched once.
_QUESTION = r"\s*+(?P<question>(?:\S++|\s++(?!\Z|(?<=\n)Answer:\s*+\Z))*+)"
_LLAMAINDEX = BlockFormat(
    host="llamaindex-citation",
    place="user",
    signature="Please provide an answer based solely on the provided sources.",
    opening=r"Below are several numbered sources of information[.:].*\n(?:Begin refining!\n)?------\n",
    closing=r"\n------\nQuery: ",
    separator=r"\n\n(?=Source \d+:(?:\n|$))",
    head=r"Source (?P<label>\d+):\n?",
    syntax=MarkerSyntax.BRACKETS,
    first_label=1,
    question=re.compile(rf"Query:{_QUESTION}"),
    leads="Please provide an answer based solely on the provided sources.",
)
_RAGFLOW_HEAD = r"ID: \d+\n(?:├── |└── Content:\n)"
_RAGFLOW_RULE = r"-{6}\n{1,3}"  # a chat writes it before every passage, an agent before none
# The default prompts of RAGFlow end the passages with a quotation mark, or with a sentence in the language of its page.
# After a prompt that ends with the passages comes the citation prompt.
_RAGFLOW_CLOSING = (
    r"`\.\n|[.。]\n +- \*\*[^\n]*\*\*[:：]|Based on the provided document or chat history, add citations"
    r"|\n[ \t]*(?:The above is|Das oben Genannte ist die|Esa es la base|Ce qui précède est la|O acima é a base"
    r"|Di atas adalah|Trên đây là|Выше приведена|以上是知识库|以上是知識庫|上記がナレッジベース)"
)
_RAGFLOW = BlockFormat(
    host="ragflow",
    place="system",
    signature="└── Content:\n",
    opening=rf"(?:^|\n){_RAGFLOW_RULE}(?={_RAGFLOW_HEAD})",
    closing=_RAGFLOW_CLOSING,
    separator=rf"\n{{1,2}}{_RAGFLOW_RULE}(?={_RAGFLOW_HEAD})",
    head=r"ID: (?P<label>\S+)\n(?:├── Title: (?P<title>[^\n]*)\n)?(?:├── URL: (?P<url>[^\n]*)\n)?(?:├── [^\n]*\n)*"
    r"└── Content:\n?",
    syntax=MarkerSyntax.RAGFLOW,
    asks="[ID:",
    first_label=0,
    fields={"title": "file_name", "url": "url"},
)

FORMATS = (
    BlockFormat(
        host="anythingllm",
        place="system",
        signature="[END CONTEXT 0]",
        opening=r"Context:.*\n",
        closing="",
        separator=r"(?<=\])\n{2,3}[ \t]*(?=\[CONTEXT \d+\]:\n)",
        head=r"\[CONTEXT (?P<label>\d+)\]:\n" + _METADATA,
        tail=r"\n?\[END CONTEXT (?P=label)\]",
        first_label=0,
        fields={"source": "file_name"},
    ),
    _RAGFLOW,
    replace(  # an agent has a finished text cited
        _RAGFLOW,
        opening=rf"<context>\n+(?={_RAGFLOW_HEAD})",
        closing=r"\n</context>",
        separator=rf"\n\n(?={_RAGFLOW_HEAD})",
        first_label=None,
    ),
    replace(  # results of an agent
        _RAGFLOW,
        place="tool",
        opening=rf"^\s*(?={_RAGFLOW_HEAD})",
        closing="",
        separator=rf"\n\n(?={_RAGFLOW_HEAD})",
        first_label=None,
    ),
    _LLAMAINDEX,
    replace(
        _LLAMAINDEX,
        separator=r"\n\n(?=(?:[^\n:]+: [^\n]*\n)+\nSource \d+:\n)",
        head=_LLAMAINDEX_METADATA + _LLAMAINDEX.head,
        fields={"file": "file_name", "url": "url"},
    ),
    BlockFormat(
        host="lm-studio",
        place="user",
        signature="Use the citations above",
        opening=r"The following citations were found.*\n",
        closing=r"\nUse the citations above",
        separator=r"(?<=\")\n\n(?=Citation \d+: \")",
        head=r'Citation (?P<label>\d+): "',
        tail=r'"\s*',
        first_label=1,
        question=re.compile(r"User Query:\s*(?P<question>.*)$", re.DOTALL),
        leads="The following citations were found",
    ),
    BlockFormat(
        host="quivr",
        place="system",
        signature="Source: 0",
        opening=r"context to complete the task:.*\n",
        closing="",
        separator=r"\n(?=Filename: [^\n]*\nSource: \d)",
        head=r"Filename: (?P<file>[^\n]*)\nSource: (?P<label>\d+)\s*\n",
        first_label=0,
        fields={"file": "file_name"},
    ),
    BlockFormat(
        host="privategpt",
        place="tool",
        signature="Citation identifier [",
        opening="",
        closing="",
        separator=r"\n={3}\s*\n(?=Citation identifier \[)",
        head=r"Citation identifier \[(?P<label>\w+)\]\n---\nContent:\n?",
        tail=r"(?:\n===\s*)?",
        syntax=MarkerSyntax.BRACKETS,
    ),
    BlockFormat(
        host="haystack",
        place="user",
        signature="Question:",
        opening=r"Documents:\n",
        closing=r"\nQuestion:",
        separator=r"\n(?=Document \d+:)",
        head=r"Document (?P<label>\d+):\s*",
        first_label=1,
        question=re.compile(rf"Question:{_QUESTION}"),
    ),
)
