"""Tags around cited text, which name no source of ours: `[cite_start]`, and `<cite index="1-1">` with `</cite>`.

Gemini and Claude learned them for their own citations. The text between them stays, and the backend decides about it.
"""

import re

from ..text.need_data import NEED_DATA, NeedData

_TAG = re.compile(r"\[cite_(?:start|end)\]|[<(]cite index=\"[\d,\-: ]{1,80}\">|</cite>")
_LITERALS = ("[cite_start]", "[cite_end]", "</cite>")
_INDEX = 'cite index="'
_INDEX_PREFIX = re.compile(r"[<(]cite index=\"[\d,\-: ]{0,80}\"?")


def match_empty_tag(text: str, i: int, *, final: bool) -> int | NeedData | None:
    """Return the end of a tag that begins at `i`."""
    if text[i] not in "[<(":
        return None
    if found := _TAG.match(text, i):
        return found.end()
    rest = text[i : i + 100]
    if final or i + len(rest) < len(text):
        return None
    is_prefix = any(literal.startswith(rest) for literal in _LITERALS)
    is_prefix = is_prefix or (rest[0] in "<(" and _INDEX.startswith(rest[1:]))
    return NEED_DATA if is_prefix or _INDEX_PREFIX.fullmatch(rest) else None
