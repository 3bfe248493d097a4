"""Generate the page about the API from the OpenAPI document of the server. conf.py writes the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DOCUMENT = Path(__file__).parents[1] / "proxy/openapi.yaml"

HEAD = """# API

This page describes the endpoints and fields that Citestream adds. Everything else is as in the original APIs. [Field
mapping](fields.md) shows which fields reach which provider. A running server returns this description as an OpenAPI
document at `/openapi.yaml`.
"""

Node = dict[str, Any]


def page() -> str:
    """Return the page."""
    document: Node = yaml.safe_load(DOCUMENT.read_text("utf-8"))
    return "\n".join([HEAD, *_paths(document), "## Shapes\n", *_schemas(document), ""])


def _paths(document: Node) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"## {tag['name']}\n"
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if method != "parameters" and tag["name"] in operation["tags"]:
                    yield from _operation(path, method, operation)


def _operation(path: str, method: str, operation: Node) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`\n\n{operation['summary']}.\n"
    if description := operation.get("description"):
        yield f"{description.strip()}\n"
    for said, node in (("Request", operation.get("requestBody")), ("Answer", operation["responses"].get("200"))):
        if schema := _schema(node):
            yield f"{said}: {_kind(schema)}.\n"


def _schema(node: Node | None) -> Node | None:
    schema: Node | None = ((node or {}).get("content") or {}).get("application/json", {}).get("schema")
    return schema


def _schemas(document: Node) -> Iterator[str]:
    for name, schema in document["components"]["schemas"].items():
        if "properties" not in schema:
            continue
        yield f"### {name}\n\n{schema.get('description', '').strip()}\n\n| field | type | meaning |\n|---|---|---|"
        required = schema.get("required", ())
        for field, one in schema["properties"].items():
            must = "" if field not in required else " (required)"
            yield f"| `{field}`{must} | {_kind(one)} | {_meaning(one, document)} |"
        yield ""


def _kind(node: Node) -> str:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return name if name in ("Text", "Model", "Sources") else f"[{name}](#{name.lower()})"
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{one}`" for one in node["enum"])
    if "anyOf" in node:
        return " or ".join(_kind(one) for one in node["anyOf"])
    kind = node.get("type", "anything")
    said = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{said} of {_kind(node['items'])}" if "array" in said and "items" in node else said


def _meaning(node: Node, document: Node) -> str:
    if "$ref" in node and "description" not in node:
        node = document["components"]["schemas"].get(node["$ref"].rpartition("/")[2], {})
        return "" if "properties" in node else str(node.get("description", ""))
    return str(node.get("description", "")).replace("|", "\\|")
