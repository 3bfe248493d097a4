"""Published checkers by name: small models that read a passage and a sentence and say whether one supports the other.

`presets` lists known ones, `names` resolves a name to a folder, `download` fills that folder from a model hub, and
`model_format` describes how a model is asked and what its output means.
"""

from .names import FORMS, NAMED, Checker, find_checker, installed, models_folder, remove
from .presets import PRESETS, Preset

__all__ = [
    "FORMS",
    "NAMED",
    "PRESETS",
    "Checker",
    "Preset",
    "find_checker",
    "installed",
    "models_folder",
    "remove",
]
