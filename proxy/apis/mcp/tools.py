"""The tools: their descriptions, and their results in the form of the protocol."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError

from ...app import App
from ...http.encoding import dumps
from ...http.error_responses import RequestError
from .citing import ToolResult, cite, verify_citations
from .documents import MAX_RESULTS, fetch, search

Fields = dict[str, Any]

log = logging.getLogger("citestream")

_PASSAGE: Final = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string"},
        "id": {"type": "string"},
        "title": {"type": "string"},
        "url": {"type": "string"},
        "file_name": {"type": "string"},
        "document_id": {"type": "string"},
        "page_number": {"type": "integer"},
    },
}
_TEXT_INPUT: Final[Fields] = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {
            "type": "string",
            "description": "The finished text. Its markers such as [1] count as claims of the author.",
        },
        "evidence": {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, _PASSAGE]},
            "description": "The passages, numbered in their order. Without them, the indexed documents are searched.",
        },
        "question": {"type": "string", "description": "The question that the text answers"},
        "source": {"type": "string", "description": "The source to search, if several are configured"},
    },
}
_RESULT: Final = {
    "type": "object",
    "required": ["id", "title", "url", "text"],
    "properties": {name: {"type": "string"} for name in ("id", "title", "url", "text")},
}


def _tool(name: str, title: str, description: str, inputs: Fields, outputs: Fields) -> Fields:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": inputs,
        "outputSchema": outputs,
        "annotations": {"title": title, "readOnlyHint": True, "openWorldHint": False},
    }


_CITING: Final = (
    _tool(
        "cite",
        "Add citations",
        "Add numbered citations to a finished text. Each sentence is cited only if a passage supports it.",
        _TEXT_INPUT,
        {
            "type": "object",
            "required": ["text", "references", "grounding"],
            "properties": {
                "text": {"type": "string"},
                "references": {"type": "array", "items": {"type": "object"}},
                "grounding": {"type": "object"},
            },
        },
    ),
    _tool(
        "verify_citations",
        "Verify citations",
        "Check a finished text sentence by sentence: supported, partly, contradicted (with the passage that says "
        "otherwise) or unsupported. Quotations are compared with the passages word by word.",
        _TEXT_INPUT,
        {
            "type": "object",
            "required": ["claims", "supported", "partly", "contradicted", "unsupported", "sentences", "quotations"],
            "properties": {
                **{
                    name: {"type": "integer"}
                    for name in ("claims", "supported", "partly", "contradicted", "unsupported")
                },
                "sentences": {"type": "array", "items": {"type": "object", "required": ["sentence", "verdict"]}},
                "quotations": {"type": "array", "items": {"type": "object", "required": ["text", "status"]}},
            },
        },
    ),
)
_SEARCHING: Final = (
    _tool(
        "search",
        "Search documents",
        "Search the indexed documents. Returns the id, title, address and best passage of each result.",
        {
            "type": "object",
            "required": ["query"],
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
                "source": {"type": "string", "description": "The source to search, if several are configured"},
            },
        },
        {"type": "object", "required": ["results"], "properties": {"results": {"type": "array", "items": _RESULT}}},
    ),
    _tool(
        "fetch",
        "Fetch a document",
        "Return the whole text of a document that search found.",
        {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        _RESULT,
    ),
)


class UnknownToolError(LookupError):
    """A tool that does not exist."""


def tool_list(app: App) -> list[Fields]:
    """Return the tools. Without a source of evidence there is nothing to search."""
    return [*_CITING, *(_SEARCHING if app.config.retrievers else ())]


async def call_tool(app: App, name: str, arguments: Mapping[str, Any]) -> Fields:
    """Return the result of a tool, or an error that the model can correct. Raise UnknownToolError."""
    tool = next((tool for tool in tool_list(app) if tool["name"] == name), None)
    if tool is None:
        names = ", ".join(tool["name"] for tool in tool_list(app))
        raise UnknownToolError(f"there is no tool {name[:100]!r}; there are: {names}")
    try:
        if unknown := [key for key in arguments if key not in tool["inputSchema"]["properties"]]:
            raise FieldError(unknown[0][:100], f"is not an argument of {name}")
        return _result(await _called(app, name, arguments))
    except FieldError as error:
        return _failed(str(error))
    except (ProviderError, RequestError) as error:
        return _failed(error.message)
    except Exception:
        log.exception("the tool %s failed", name)
        return _failed("internal error; the log of the server says why")


async def _called(app: App, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    match name:
        case "cite":
            return await cite(app, arguments)
        case "verify_citations":
            return await verify_citations(app, arguments)
        case "search":
            data = await search(app, arguments)
        case _:
            data = await fetch(app, arguments)
    return ToolResult(dumps(data).decode(), data)


def _result(result: ToolResult) -> Fields:
    content: Fields = {"type": "text", "text": result.text}
    fields: Fields = {"content": [content], "structuredContent": result.data, "isError": False}
    if result.citations:
        content["citationRefs"] = [citation["id"] for citation in result.citations]
        fields["citations"] = list(result.citations)
    return fields


def _failed(message: str) -> Fields:
    return {"content": [{"type": "text", "text": message}], "isError": True}
