"""Conversations in the formats of RAG hosts, with labels in the tool results."""

import json
from typing import Any

from citestream.citation.evidence.hosts import MarkerSyntax
from tests.citation.evidence.hosts.prompts import (
    FERRY,
    HARBOUR,
    OPEN_WEBUI_RULES,
    QUESTION,
    Golden,
    Messages,
    system,
    tool,
    user,
)

Fields = dict[str, Any]


def called(*calls: str) -> Fields:
    """Return the message of the assistant that calls tools."""
    functions = [{"id": call, "type": "function", "function": {"name": "search", "arguments": "{}"}} for call in calls]
    return {"role": "assistant", "content": "", "tool_calls": functions}


def sources(*tags: str) -> Fields:
    """Return Open WebUI's question with the elements that contain the labels of tool results."""
    return user("\n".join([f"{OPEN_WEBUI_RULES}<context>", *tags, "</context>", "", QUESTION]))


TAG = '<source id="{}" name="{}" resource-type="file" resource-id="{}">{}</source>'
KNOWLEDGE = json.dumps(
    [
        {"content": FERRY, "source": "ferries.md", "file_id": "u1"},
        {"content": HARBOUR, "source": "harbours.md", "file_id": "u2"},
    ]
)
SECOND = "The ferry sails every hour in summer."
PAGE = "https://example.org/harbours"
WEB = f"""
=== Web Results, Turn 0 ===
# Search 0: "Ferries of Norland"
Anchor: \\ue202turn0search0
URL: https://example.org/ferries
{FERRY}

# Search 1: "Harbours"
Anchor: \\ue202turn0search1
URL: {PAGE}
{HARBOUR}
"""
ONYX_RULES = "Cite relevant statements INLINE using the format [1], [2], [3], where the number is the document."
MORPHIC_RULES = "You MUST cite sources inline using the [number](#toolCallId) format."


def onyx(*entries: Fields) -> str:
    return json.dumps({"results": list(entries)}, indent=2)


def morphic(call: str, *texts: str) -> str:
    results = [
        {"title": f"T{at}", "url": f"https://example.org/{at}", "content": text} for at, text in enumerate(texts)
    ]
    return json.dumps({"results": results, "query": "ferry", "images": [], "toolCallId": call})


TOOL_GOLDEN = {
    "Open WebUI searches a knowledge base": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", ""), TAG.format(2, "harbours.md", "u2", "")),
            called("c1"),
            tool(KNOWLEDGE),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("document_id", "u1"), ("file_name", "ferries.md")),
    ),
    "Open WebUI numbers by file: two passages share a label": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", ""), TAG.format(2, "harbours.md", "u2", "")),
            called("c1", "c2"),
            tool(KNOWLEDGE),
            tool(json.dumps([{"content": SECOND, "source": "ferries.md", "file_id": "u1"}])),
        ],
        ("1", "2", "1"),
        (FERRY, HARBOUR, SECOND),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "Open WebUI views one file": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", "")),
            called("c1"),
            tool(json.dumps({"id": "u1", "filename": "ferries.md", "content": FERRY})),
        ],
        ("1",),
        (FERRY,),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "Open WebUI joins by name without a file": Golden(
        "open-webui",
        [
            sources('<source id="1" name="ferries.md"></source>'),
            called("c1"),
            tool(json.dumps([{"content": FERRY, "source": "ferries.md"}])),
        ],
        ("1",),
        (FERRY,),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "an upload and a tool result of Open WebUI": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", FERRY), TAG.format(2, "harbours.md", "u2", "")),
            called("c1"),
            tool(json.dumps([{"content": HARBOUR, "source": "harbours.md", "file_id": "u2"}])),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "a page that Open WebUI fetched": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", ""), f'<source id="2" name="{PAGE}"></source>'),
            called("c1", "c2"),
            tool(json.dumps([{"content": FERRY, "source": "ferries.md", "file_id": "u1"}])),
            tool(HARBOUR),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "a page that begins with a link": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", ""), f'<source id="2" name="{PAGE}"></source>'),
            called("c1", "c2"),
            tool(json.dumps([{"content": FERRY, "source": "ferries.md", "file_id": "u1"}])),
            tool(f"[Skip to content](#main)\n\n{HARBOUR}"),
        ],
        ("1", "2"),
        (FERRY, f"[Skip to content](#main)\n\n{HARBOUR}"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "results without a source of Open WebUI are left out": Golden(
        "open-webui",
        [
            sources(TAG.format(1, "ferries.md", "u1", ""), TAG.format(2, "harbours.md", "u2", "")),
            called("c1", "c2"),
            tool(KNOWLEDGE),
            tool(json.dumps([{"content": SECOND, "source": "another.md", "file_id": "u9"}])),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
    ),
    "LibreChat's web search": Golden(
        "librechat",
        [user(QUESTION), called("c1"), tool(WEB)],
        ("\\ue202turn0search0", "\\ue202turn0search1"),
        syntax=MarkerSyntax.ANCHOR,
        first_fields=(("title", "Ferries of Norland"), ("url", "https://example.org/ferries")),
    ),
    "LibreChat's file search with further lines": Golden(
        "librechat",
        [
            user(QUESTION),
            called("c1"),
            tool(
                f"File: ferries.md\nKnowledge source: Ports / Share\nAnchor: \\ue202turn0file0 (ferries.md)\n"
                f"Relevance: 0.8\nContent: {FERRY}\n\n---\nFile: harbours.md\nSource context: Ports\n"
                f"Anchor: \\ue202turn0file1 (harbours.md)\nRelevance: 0.7\nContent: {HARBOUR}\n"
            ),
        ],
        ("\\ue202turn0file0", "\\ue202turn0file1"),
        syntax=MarkerSyntax.ANCHOR,
    ),
    "LibreChat's file search with a rule in the text": Golden(
        "librechat",
        [
            user(QUESTION),
            called("c1"),
            tool(
                f"File: ferries.md\nAnchor: \\ue202turn0file0 (ferries.md)\nContent: {FERRY}\n---\nThe end.\n---\n"
                f"File: harbours.md\nAnchor: \\ue202turn0file1 (harbours.md)\nContent: {HARBOUR}"
            ),
        ],
        ("\\ue202turn0file0", "\\ue202turn0file1"),
        (f"{FERRY}\n---\nThe end.", HARBOUR),
        syntax=MarkerSyntax.ANCHOR,
    ),
    "both searches of LibreChat in one turn": Golden(
        "librechat",
        [
            user(QUESTION),
            called("c1", "c2"),
            tool(f"File: s.md\nAnchor: \\ue202turn0file0 (s.md)\nRelevance: 0.8\nContent: {SECOND}"),
            tool(WEB),
        ],
        ("\\ue202turn0file0", "\\ue202turn0search0", "\\ue202turn0search1"),
        (SECOND, FERRY, HARBOUR),
        syntax=MarkerSyntax.ANCHOR,
    ),
    "Onyx numbers over all calls": Golden(
        "onyx",
        [
            system(ONYX_RULES),
            user(QUESTION),
            called("c1", "c2"),
            tool(onyx({"document": 1, "title": "ferries.md", "content": FERRY})),
            tool(onyx({"document": 2, "title": "harbours.md", "content": HARBOUR})),
        ],
        ("1", "2"),
        syntax=MarkerSyntax.BRACKETS,
        first_fields=(("title", "ferries.md"),),
    ),
    "Morphic numbers each call and links to it": Golden(
        "morphic",
        [
            system(MORPHIC_RULES),
            user(QUESTION),
            called("call_1", "call_2"),
            tool(morphic("call_1", FERRY)),
            tool(morphic("call_2", HARBOUR, SECOND)),
        ],
        ("[1](#call_1)", "[1](#call_2)", "[2](#call_2)"),
        (FERRY, HARBOUR, SECOND),
        syntax=MarkerSyntax.LINK,
        first_fields=(("url", "https://example.org/0"),),
    ),
}

TOOL_UNRECOGNISED: dict[str, Messages] = {
    "ordinary JSON": [user(QUESTION), called("c1"), tool(KNOWLEDGE)],
    "Onyx's form without its rules": [
        system("Be brief."),
        user(QUESTION),
        called("c1"),
        tool(onyx({"document": 1, "content": FERRY})),
    ],
    "Onyx's rules with other JSON": [system(ONYX_RULES), user(QUESTION), called("c1"), tool(KNOWLEDGE)],
    "documents of Onyx without numbers": [
        system(ONYX_RULES),
        user(QUESTION),
        called("c1"),
        tool(onyx({"document": "1", "content": FERRY}, {"document": True, "content": FERRY})),
    ],
    "Morphic's form without its rules": [user(QUESTION), called("c1"), tool(morphic("call_1", FERRY))],
    "Morphic's rules without a call": [
        system(MORPHIC_RULES),
        user(QUESTION),
        called("c1"),
        tool(json.dumps({"results": [{"content": FERRY}]})),
    ],
    "a call of Morphic that would end the link": [
        system(MORPHIC_RULES),
        user(QUESTION),
        called("c1"),
        tool(morphic("a)b", FERRY)),
    ],
    "sources of Open WebUI that no result has": [
        sources(TAG.format(1, "other.md", "u7", "")),
        called("c1"),
        tool(KNOWLEDGE),
    ],
    "an anchor inside a passage": [
        user(QUESTION),
        called("c1"),
        tool(f"{FERRY}\nAnchor: \\ue202turn0file0 (a.md)\nContent: {HARBOUR}"),
    ],
    "results of an earlier turn": [
        system(MORPHIC_RULES),
        user(QUESTION),
        called("c1"),
        tool(morphic("call_1", FERRY)),
        user("And passengers?"),
    ],
}
