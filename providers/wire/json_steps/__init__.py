"""Decode, encode and free large JSON values in steps.

A codec in C cannot be interrupted: orjson takes a second for 16 MB of values.
"""

from .decode import MAX_NESTED, TooManyContainers, loads_in_steps
from .encode import dumps_in_steps, json_parts
from .limits import PIECE_BYTES
from .release import release_in_steps
from .size import is_large

__all__ = [
    "MAX_NESTED",
    "PIECE_BYTES",
    "TooManyContainers",
    "dumps_in_steps",
    "is_large",
    "json_parts",
    "loads_in_steps",
    "release_in_steps",
]
