"""Traditional Chinese and Japanese characters to the simplified ones, for the few hundred that texts are full of.

Not a converter: good enough that both sides of a comparison meet.
"""

import re

from .normalize import table

_SIMPLER = str.maketrans({pair[0]: pair[1] for line in table("han.txt") for pair in line.split()})
_FIRST, _LAST = min(_SIMPLER), max(_SIMPLER)
# To look for any of them takes a twentieth of the time that replacing them does, and most texts have none.
_ANY = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


def to_simplified(text: str) -> str:
    """The text with each of these characters replaced by one; as long as it was."""
    return text.translate(_SIMPLER) if not text.isascii() and _ANY.search(text) else text
