"""Links and titles of evidence, as clients show them."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from ..evidence import Evidence
from ..markers.render import LINKABLE, given_url

PassageLink = Callable[[int], str]  # evidence number -> address of a page


def display_title(evidence: Evidence) -> str:
    """Return the title that a page shows."""
    return evidence.title or evidence.file_name or given_url(evidence) or evidence.id


def unique_links(evidence: Sequence[Evidence], passage_link: PassageLink | None = None) -> dict[int, str]:
    """Return a unique link for each evidence number, since clients merge references with equal links.

    Evidence without a URL gets the address of its page (`passage_link`) or a URN, which opens nothing.
    """
    links: dict[int, str] = {}
    taken: set[str] = set()
    for item in evidence:
        link = item.url if item.url and item.url.lower().startswith(LINKABLE) else ""
        if link in taken:
            link = "" if "#" in link else f"{link}#{_quoted(item.id)}"
        if not link or link in taken:
            link = passage_link(item.number) if passage_link else f"urn:citestream:evidence:{_quoted(item.id)}"
        taken.add(link)
        links[item.number] = link
    return links


def _quoted(identifier: str) -> str:
    """Quote an id for a URL. Most ids need no quoting, and this check is five times as fast as `quote`."""
    if identifier.isascii() and identifier.isalnum():
        return identifier
    return quote(identifier, safe="", errors="surrogatepass")
