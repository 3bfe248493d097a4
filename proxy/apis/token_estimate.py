"""An estimate of the tokens of a request, for models whose provider does not count them."""

from collections.abc import Iterable
from typing import Any

from citestream.citation.prompt.budget import estimate_tokens
from citestream.providers.wire.json_text import dumps

from .extensions import Body

MEDIA_TOKENS = 1_500  # one image or page of a PDF: Anthropic's estimate for an image of 1,000 by 1,000 pixels
PAGE_BYTES = 50_000  # bytes of a PDF per page: the average of reports with figures
NOT_COUNTED = ("type", "id", "cache_control", "citations")  # fields that the model does not read


def estimate_fields(body: Body, counted: Iterable[str]) -> int:
    """Return an upper estimate of the tokens of these fields, in the format of any client API but Cohere's.

    Gemini's names are in camelCase.
    """
    return sum(_estimate(body[key]) for key in counted if body.get(key))


def _estimate(value: Any) -> int:
    tokens, waiting = 0, [value]
    while waiting:  # not recursive: a client may nest objects to any depth
        match waiting.pop():
            case str(text):
                tokens += estimate_tokens(text)
            case list(items):
                waiting += items
            case {"source": {"type": "base64" | "url" | "file"} as source, **block}:
                tokens += _estimate_media(source.get("data"), is_document=block.get("type") == "document")
            case {"inlineData": {**blob}}:
                tokens += _estimate_media(blob.get("data"), is_document=blob.get("mimeType") == "application/pdf")
            case {"fileData": _} | {"image_url": str()} | {"file_id": str()}:
                tokens += MEDIA_TOKENS
            case {"file_data": str(data)}:
                tokens += _estimate_media(data, is_document=True)
            case ({"input_schema": _} | {"functionDeclarations": _}) as tool:
                tokens += estimate_tokens(dumps(tool).decode())
            case dict(fields):
                waiting += [value for key, value in fields.items() if key not in NOT_COUNTED]
    return tokens


def _estimate_media(data: Any, *, is_document: bool) -> int:
    """Return an estimate of the tokens of an image or of a document in base64."""
    size = len(data) * 3 // 4 if isinstance(data, str) else 0
    return MEDIA_TOKENS * max(1, size // PAGE_BYTES if is_document else 1)
