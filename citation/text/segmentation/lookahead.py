"""The answer of everything that looks at text whose end is not there yet."""

from enum import Enum
from typing import Final


class Wait(Enum):
    """The type of WAIT."""

    WAIT = "wait"


WAIT: Final = Wait.WAIT  # what follows decides
