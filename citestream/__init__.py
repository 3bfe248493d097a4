"""Citestream: a streaming citation proxy.

The distribution installs this one package. Its subpackages `citation`, `providers` and `proxy` are symbolic links to
the folders of the same name at the top of the repository.

    from citestream import Evidence, cite

    cited = cite("The bridge opened in 1932.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citestream.citation import (
        Answer,
        CitedText,
        Decision,
        Draft,
        Evidence,
        FieldError,
        Options,
        Reference,
        Response,
        Support,
        attribute,
        cite,
        scorer,
    )

__all__ = [
    "Answer",
    "CitedText",
    "Decision",
    "Draft",
    "Evidence",
    "FieldError",
    "Options",
    "Reference",
    "Response",
    "Support",
    "attribute",
    "cite",
    "scorer",
]


def __getattr__(name: str) -> Any:
    """Import the public names at first use: numpy takes 80 ms, and `citestream --help` does not need it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from citestream import citation

    return getattr(citation, name)
