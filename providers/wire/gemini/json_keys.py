"""Spellings of Gemini's JSON: names in camelCase or snake_case, single objects for lists, and its own schemas."""

from typing import Any

Fields = dict[str, Any]

# Fields whose content belongs to the client: arguments, results, schemas.
OPAQUE = frozenset(
    {
        *("args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "schema"),
        *("jsonSchema", "partMetadata", "labels", "metadata", "customMetadata"),
    }
)
LISTS = frozenset({"contents", "parts", "tools", "functionDeclarations", "safetySettings"})  # may be a single object
DEPTH = 12  # contents[0].parts[0].functionResponse.parts[0].inlineData.mimeType is at ten; nothing deeper is read
SCHEMA_DEPTH = 64  # deeper than any real schema; a hostile request may nest more

INTEGERS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")  # may be strings
NOT_JSON_SCHEMA = ("propertyOrdering", "nullable", "example")  # unknown to JSON schema; strict servers refuse them


def to_camel_case(name: str) -> str:
    """Return `top_p` as `topP`."""
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words) if first else name


def normalize_keys(value: Any, depth: int = DEPTH) -> Any:
    """Return the value with names in camelCase and lists where Google's servers also take a single object."""
    if depth and isinstance(value, dict):
        camel = ((to_camel_case(key), inner) for key, inner in value.items())
        return {key: _normalize_field(key, inner, depth - 1) for key, inner in camel}
    if depth and isinstance(value, list):
        return [normalize_keys(inner, depth - 1) for inner in value]
    return value


def _normalize_field(key: str, value: Any, depth: int) -> Any:
    if key in OPAQUE:
        return value
    normalized = normalize_keys(value, depth)
    return [normalized] if key in LISTS and isinstance(normalized, dict) else normalized


def json_schema(schema: Fields, depth: int = SCHEMA_DEPTH) -> Fields:
    """Translate a Gemini schema, a dialect of OpenAPI's, to JSON schema.

    Types become lower case, counts become numbers, `nullable` becomes a type. Names of properties are kept.
    """
    if not depth:
        return {}
    camel = ((to_camel_case(key), value) for key, value in schema.items())
    translated = {key: _schema_field(key, value, depth - 1) for key, value in camel if key not in NOT_JSON_SCHEMA}
    if schema.get("nullable") is True and isinstance(translated.get("type"), str):
        translated["type"] = [translated["type"], "null"]
    return translated


def _schema_field(key: str, value: Any, depth: int) -> Any:
    match key, value:
        case "type", str():
            return value.lower()
        case (("properties" | "defs" | "$defs"), dict()):
            return {name: _nested_schema(inner, depth) for name, inner in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return json_schema(value, depth)
        case "anyOf", list():
            return [_nested_schema(inner, depth) for inner in value]
        case _, str() if key in INTEGERS and value.isdecimal():
            return int(value)
        case _:
            return value


def _nested_schema(value: Any, depth: int) -> Any:
    return json_schema(value, depth) if isinstance(value, dict) else value
