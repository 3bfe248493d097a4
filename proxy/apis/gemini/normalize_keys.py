"""Spelling: what Google's servers take in several spellings, in one: camelCase names, lists where lists are meant."""

from typing import Any

# What stands inside belongs to the client: arguments, results, schemas.
OPAQUE = frozenset(
    {
        *("args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "schema"),
        *("jsonSchema", "partMetadata", "labels", "metadata", "customMetadata"),
    }
)
LISTS = frozenset({"contents", "parts", "tools", "functionDeclarations", "safetySettings"})  # one alone may stand bare
DEPTH = 12  # contents[0].parts[0].functionResponse.parts[0].inlineData.mimeType is at ten; past it nothing is read


def spelled(value: Any, depth: int = DEPTH) -> Any:
    """The value with its names in camelCase."""
    if depth and isinstance(value, dict):
        return {camel(key): _inner(camel(key), inner, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, list):
        return [spelled(inner, depth - 1) for inner in value]
    return value


def camel(name: str) -> str:
    """`top_p` as `topP`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest) if first else name


def _inner(key: str, value: Any, depth: int) -> Any:
    if key in OPAQUE:
        return value
    found = spelled(value, depth)
    return [found] if key in LISTS and isinstance(found, dict) else found
