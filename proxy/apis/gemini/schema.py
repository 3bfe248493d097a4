"""json_schema: Gemini's own schemas, a dialect of OpenAPI's, as JSON schema."""

from typing import Any

from .normalize_keys import camel

Fields = dict[str, Any]

COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")  # may be written as text
LEFT_OUT = ("propertyOrdering", "nullable", "example")  # no words of JSON schema; servers that are strict refuse them
DEPTH = 64  # no schema is nested deeper, but a request may be


def json_schema(schema: Fields, depth: int = DEPTH) -> Fields:
    """Types in small letters, counts as numbers, `nullable` as a type; names of properties as they are."""
    if not depth:
        return {}
    found = {
        camel(key): _value(camel(key), value, depth - 1) for key, value in schema.items() if camel(key) not in LEFT_OUT
    }
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _value(key: str, value: Any, depth: int) -> Any:
    match key, value:
        case "type", str():
            return value.lower()
        case (("properties" | "defs" | "$defs"), dict()):
            return {name: _schema(inner, depth) for name, inner in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return json_schema(value, depth)
        case "anyOf", list():
            return [_schema(inner, depth) for inner in value]
        case _, str() if key in COUNTS and value.isdecimal():
            return int(value)
        case _:
            return value


def _schema(value: Any, depth: int) -> Any:
    return json_schema(value, depth) if isinstance(value, dict) else value
