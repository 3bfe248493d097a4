"""Formats of hosts that write passages as XML-like elements: Open WebUI, Perplexica, LibreChat, LobeChat and others."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .prompt_evidence import MarkerSyntax
from .turn import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFormat:
    """How one host writes passages as elements."""

    host: str
    places: tuple[Place, ...]
    signature: str  # a literal that this host writes before the wrapper
    opening: str  # the opening of the wrapper around all elements
    closing: str  # a regular expression
    tag: str
    lead: str = ""  # a regular expression between the wrapper's opening and the first element
    begin: str = ""  # a regular expression for the beginning of the first element, in formats without a wrapper
    group: str = ""  # a regular expression between the last element of a group and the first one of the next group
    label: str = ""  # the attribute that holds the label
    body: str = ""  # the child element that holds the text; empty if the element itself does
    fields: Mapping[str, str] = field(default_factory=dict)  # attribute or child element -> field of evidence
    syntax: MarkerSyntax = MarkerSyntax.NONE
    first_label: int | None = None  # labels are numbers from here, in the order of their first use
    shared_by: str = ""  # the attribute by which elements with one label belong together; empty: labels are unique
    leads: bool = False  # a user message begins with the signature; the user's own text follows the wrapper
    gap: str = ""  # white space between two elements; empty: any, but always the same
    uniform: bool = False  # all elements with text have the same attributes, apart from their values
    counter: str = ""  # an attribute that counts the elements, in formats whose labels it is not
    total: str = ""  # a regular expression of the host for the number of groups, or of elements without groups
    identity: tuple[str, ...] = ()  # fields that two sources do not share, in formats without labels


_LIBRECHAT_FILE = r"<file>\s*<filename>(?P<file_name>[^\n]*)</filename>\s*<context>"
_LIBRECHAT_TOTAL = r"The user has attached (\d{1,6}) file"
_LOBECHAT_FILE = '<file(?: id="(?P<document_id>[^"\n]*)")?[^\n]*>'

OPEN_WEBUI = ElementFormat(
    host="open-webui",
    places=("user", "system"),
    signature="### Task:",
    opening="<context>",
    closing="</context>",
    tag="source",
    label="id",
    fields={"name": "title", "resource-id": "document_id"},
    syntax=MarkerSyntax.BRACKETS,
    first_label=1,
    shared_by="resource-id",
    leads=True,
    gap="\n",
    uniform=True,
)

FORMATS = (
    OPEN_WEBUI,
    ElementFormat(
        host="perplexica",
        places=("system",),
        signature="search_results",
        opening="<search_results note=",
        closing="</search_results>",
        tag="result",
        label="index",
        fields={"title": "title"},
        syntax=MarkerSyntax.BRACKETS,
        first_label=1,
    ),
    ElementFormat(
        host="librechat",
        places=("system",),
        signature="The user has attached",
        opening="<context>",
        closing=r"</context>\s*</file>\s*</context>",
        tag="contextItem",
        lead=_LIBRECHAT_FILE,
        group=r"</context>\s*</file>\s*" + _LIBRECHAT_FILE,
        total=_LIBRECHAT_TOTAL,
    ),
    ElementFormat(  # whole files instead of the results of a search
        host="librechat",
        places=("system",),
        signature="The user has attached",
        opening="<file>",
        closing="Use the context as your learned knowledge",
        tag="file",
        begin=_LIBRECHAT_FILE,
        body="context",
        fields={"filename": "file_name"},
        total=_LIBRECHAT_TOTAL,
    ),
    ElementFormat(
        host="lobechat",
        places=("tool",),
        signature="<knowledge_base_search_results",
        opening="<knowledge_base_search_results",
        closing=r"(?:</file>\s*)?</knowledge_base_search_results>",
        tag="chunk",
        lead=rf"(?:<instruction>[^<]*</instruction>\s*)?(?:{_LOBECHAT_FILE})?",
        group=rf"</file>\s*{_LOBECHAT_FILE}",
        fields={"fileId": "document_id", "fileName": "file_name"},
        total=r'<knowledge_base_search_results [^\n]*totalCount="(\d{1,6})">',
    ),
    ElementFormat(
        host="lobechat",
        places=("user",),
        signature="<retrieved_chunks>",
        opening="<knowledge_base_qa_info>",
        closing="</retrieved_chunks>(?:(?!</retrieved_chunks>).)*?</knowledge_base_qa_info>",
        tag="chunk",
        lead=".*?<retrieved_chunks>\\s*<retrieved_chunks_docstring>[^\n]*</retrieved_chunks_docstring>",
        fields={"fileId": "document_id", "fileName": "file_name"},
        identity=("document_id", "file_name"),
    ),
    ElementFormat(
        host="lobechat",
        places=("tool",),
        signature="<searchResults",
        opening="<searchResults",
        closing="</searchResults>",
        tag="item",
        fields={"title": "title", "url": "url"},
        identity=("title", "url"),
    ),
    ElementFormat(
        host="privategpt",
        places=("tool", "system"),
        signature="<node id='[",
        opening="<nodes>",
        closing="</nodes>",
        tag="node",
        label="id",
        syntax=MarkerSyntax.BRACKETS,
        uniform=True,
    ),
    ElementFormat(
        host="chatbox",
        places=("user",),
        signature="<FILE_CONTENT>",
        opening="<ATTACHMENT_FILE>",
        closing="",
        tag="ATTACHMENT_FILE",
        body="FILE_CONTENT",
        fields={"FILE_NAME": "file_name"},
        identity=("file_name",),
    ),
    ElementFormat(
        host="anthropic-documents",
        places=("user", "system"),
        signature="<document_content>",
        opening="<documents>",
        closing="</documents>",
        tag="document",
        body="document_content",
        fields={"source": "file_name"},
        counter="index",
        uniform=True,
        identity=("file_name",),
    ),
)
