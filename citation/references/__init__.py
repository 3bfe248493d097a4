"""References: the cited evidence with numbers and positions, in the shapes that clients read."""

from .collection import References
from .links import PassageLink, display_title, unique_links
from .reference import Citation, Reference, Span, quote_span

__all__ = [
    "Citation",
    "PassageLink",
    "Reference",
    "References",
    "Span",
    "display_title",
    "quote_span",
    "unique_links",
]
