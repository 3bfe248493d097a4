"""References: the cited evidence with numbers and positions, in the shapes that clients read."""

from .collection import References
from .deep_links import deep_link, quote_selector
from .links import PassageLink, display_title, unique_links
from .reference import Citation, Reference, Span, quote_span

__all__ = [
    "Citation",
    "PassageLink",
    "Reference",
    "References",
    "Span",
    "deep_link",
    "display_title",
    "quote_selector",
    "quote_span",
    "unique_links",
]
