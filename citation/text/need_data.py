"""NEED_DATA: the answer of a rule that depends on text of a stream that has not arrived."""

from enum import Enum
from typing import Final


class NeedData(Enum):
    """The type of NEED_DATA."""

    NEED_DATA = "need data"


NEED_DATA: Final = NeedData.NEED_DATA
