"""How hosts write passages as XML-like elements: Open WebUI, Perplexica, LibreChat, LobeChat, PrivateGPT and others."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .prompt_evidence import MarkerSyntax

Place = Literal["user", "system", "tool"]


@dataclass(frozen=True, slots=True)
class ElementFormat:
    """How one host writes passages as elements."""

    host: str
    places: tuple[Place, ...]
    signature: str  # a literal that this host writes before the wrapper
    opening: str  # the opening of the wrapper around all elements
    closing: str  # a regular expression
    tag: str
    lead: str = ""  # a regular expression between the wrapper's opening and the first element
    group: str = ""  # a regular expression between the last element of a group and the first one of the next group
    label: str = ""  # the attribute that holds the label
    body: str = ""  # the child element that holds the text; empty if the element itself does
    fields: Mapping[str, str] = field(default_factory=dict)  # attribute or child element -> field of evidence
    syntax: MarkerSyntax = MarkerSyntax.NONE
    consecutive: bool = False  # labels are 1, 2, … in the order of their first use
    leads: bool = False  # a user message begins with the signature; the user's own text follows the wrapper


_LIBRECHAT_FILE = r"<file>\s*<filename>(?P<file_name>[^\n]*)</filename>\s*<context>"

OPEN_WEBUI = ElementFormat(
    "open-webui",
    ("user", "system"),
    "### Task:",
    "<context>",
    "</context>",
    "source",
    label="id",
    fields={"name": "title", "resource-id": "document_id"},
    syntax=MarkerSyntax.BRACKETS,
    consecutive=True,
    leads=True,
)

FORMATS = (
    OPEN_WEBUI,
    ElementFormat(
        "perplexica",
        ("system",),
        "search_results",
        "<search_results note=",
        "</search_results>",
        "result",
        label="index",
        fields={"title": "title", "url": "url"},
        syntax=MarkerSyntax.BRACKETS,
        consecutive=True,
    ),
    ElementFormat(
        "librechat",
        ("system",),
        "The user has attached",
        "<context>",
        r"</context>\s*</file>\s*</context>",
        "contextItem",
        lead=_LIBRECHAT_FILE,
        group=r"</context>\s*</file>\s*" + _LIBRECHAT_FILE,
    ),
    ElementFormat(  # whole files instead of the results of a search
        "librechat",
        ("system",),
        "The user has attached",
        "<file>",
        "Use the context as your learned knowledge",
        "file",
        body="context",
        fields={"filename": "file_name"},
    ),
    ElementFormat(
        "lobechat",
        ("tool",),
        "<knowledge_base_search_results",
        "<knowledge_base_search_results",
        r"(?:</file>\s*)?</knowledge_base_search_results>",
        "chunk",
        lead=r"(?:<instruction>[^<]*</instruction>\s*)?(?:<file [^\n]*>)?",
        group=r"</file>\s*<file [^\n]*>",
        fields={"fileId": "document_id", "fileName": "file_name"},
    ),
    ElementFormat(
        "lobechat",
        ("user",),
        "<retrieved_chunks>",
        "<knowledge_base_qa_info>",
        "</retrieved_chunks>.*</knowledge_base_qa_info>",
        "chunk",
        lead=".*?<retrieved_chunks>\\s*<retrieved_chunks_docstring>[^\n]*</retrieved_chunks_docstring>",
        fields={"fileId": "document_id", "fileName": "file_name"},
    ),
    ElementFormat(
        "lobechat",
        ("tool",),
        "<searchResults",
        "<searchResults",
        "</searchResults>",
        "item",
        fields={"title": "title", "url": "url"},
    ),
    ElementFormat(
        "privategpt",
        ("tool", "system"),
        "<node id='[",
        "<nodes>",
        "</nodes>",
        "node",
        label="id",
        syntax=MarkerSyntax.BRACKETS,
    ),
    ElementFormat(
        "chatbox",
        ("user",),
        "<FILE_CONTENT>",
        "<ATTACHMENT_FILE>",
        "",
        "ATTACHMENT_FILE",
        body="FILE_CONTENT",
        fields={"FILE_NAME": "file_name"},
    ),
    ElementFormat(
        "anthropic-documents",
        ("user", "system"),
        "<document_content>",
        "<documents>",
        "</documents>",
        "document",
        body="document_content",
        fields={"source": "file_name"},
    ),
)
