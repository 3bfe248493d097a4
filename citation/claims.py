"""Which sentences make a claim that evidence could support."""

import re

from .segment import CITABLE, Kind

_QUESTION = re.compile(r"[?？؟;]\s*[\"'”’»)\]*_]*\s*$")
_WORD = re.compile(r"\w")


def makes_claim(text: str, kind: Kind) -> bool:
    """Whether `text` (one sentence, markers removed) states something that can be true or false."""
    plain = text.strip()
    if kind not in CITABLE or not _WORD.search(plain):
        return False
    return not (plain.endswith((":", "：")) or _QUESTION.search(plain))
