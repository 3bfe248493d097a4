"""The page of a passage: plain HTML without scripts, which escapes everything that comes from a document."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

from citestream.citation.text.steps import Steps

from .passage_links import FRAGMENT

Fields = Mapping[str, Any]

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --page: #ffffff; --quiet: #59636e; --line: #d1d9e0; --mark: #fff3b0 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --page: #0d1117; --quiet: #9198a1; --line: #3d444d; --mark: #5c4813 }
}
body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 44rem; background: var(--page); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere }
p { margin: .4rem 0; color: var(--quiet) }
article { margin: 1.2rem 0; padding: 1rem 0; border: solid var(--line); border-width: 1px 0;
  white-space: pre-wrap; overflow-wrap: anywhere }
mark { background: var(--mark); color: inherit; padding: .1em 0; scroll-margin-top: 25vh }
"""
PIECE_CHARACTERS = 20_000  # characters that are escaped in a step: 1 ms
_STYLE_HASH = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
# The text of documents is untrusted. It is escaped; this policy is the second barrier: nothing but the style is loaded.
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox allow-same-origin"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "private, no-store",  # the page ends with the references of its answer
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}


def passage_page(passage: Fields) -> Steps[list[bytes]]:
    """Return the pieces of the page of a passage: a reference with the `text` of its evidence."""
    title = passage["title"] or passage["file_name"] or passage["id"]
    quotes = [(span["quote_start"], span["quote_end"]) for span in passage["spans"]]
    explained = "The highlighted text supports the answer." if quotes else "The answer cites this text."
    before = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_escaped(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">{_escaped(title)}</h1>
<p>{_origin(passage, title)}</p>
<p>{explained}</p>
<article dir="auto" tabindex="0" aria-label="Passage">"""
    pieces = [before.encode("utf-8", "replace")]  # a lone surrogate becomes a question mark
    for piece in _marked(passage["text"], quotes):
        pieces.append(piece.encode("utf-8", "replace"))
        yield None
    return [*pieces, b"</article>\n</main>\n</body>\n</html>\n"]


def _origin(passage: Fields, title: str) -> str:
    """Return where the passage stands: file, page, and whether it is source text."""
    name, page, chunk = passage["file_name"], passage["page_number"], passage["chunk_index"]
    parts = [
        f"<bdi>{_escaped(name)}</bdi>" if name and name != title else "",
        f"Page {page}" if page is not None else "",
        f"Excerpt {chunk + 1}" if chunk is not None and page is None else "",
        _escaped(passage["label"]),
    ]
    return " · ".join(filter(None, parts))


def _marked(text: str, quotes: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield the text with the quotes marked, in pieces. Overlapping quotes are one mark."""
    position, anchor = 0, f' id="{FRAGMENT}"'
    for start, end in _merged(quotes):
        yield from _pieces(text, position, start)
        yield f"<mark{anchor}>"
        yield from _pieces(text, start, end)
        yield "</mark>"
        position, anchor = end, ""
    yield from _pieces(text, position, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[str]:
    for position in range(start, end, PIECE_CHARACTERS):
        yield _escaped(text[position : min(position + PIECE_CHARACTERS, end)])


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# Control characters that HTML forbids, and those that change the direction of text outside their element
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")
_DIRECTIONS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "")


def _escaped(text: str) -> str:
    """Return text for HTML."""
    return escape(text.translate(_FORBIDDEN | _DIRECTIONS))
