"""HTML as text with Markdown's headings; without scripts, styles, menus. Read by lexbor, as browsers read it."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from .part import Part, UnreadableFileError, held_at_once, not_installed

SKIPPED = frozenset(
    {"script", "style", "noscript", "template", "head", "nav", "footer", "svg", "iframe", "object", "form", "button"}
)
_BLOCKS = """
    address article aside blockquote body caption dd details div dl dt fieldset figcaption figure header hr li main
    ol p pre section summary table tbody tfoot thead tr ul
"""
BLOCKS = frozenset(_BLOCKS.split())
_HEADINGS = {f"h{depth}": "#" * depth for depth in range(1, 7)}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\f\v\xa0]*\n[\s\xa0]*|[ \t\r\f\v\xa0]+")
_BREAKS = re.compile(r"[ \t]*\n(?:[ \t]*\n)+[ \t]*")
# Elements that nothing closes but their end tag. A parser's time grows with the square of how deep they stand: 40,000
# take two seconds.
_OPENED = re.compile(r"<(/?)(?:div|span|section|article|blockquote|ul|ol|table|dl|center|font|em|strong|small|[abi])\b")
DEEPEST = 10_000
CHARSET_BYTES = 1024  # within which a page has to say its encoding


def parts(path: Path) -> Iterator[Part]:
    """The text of the page as one part; its title stands above it. Offsets are those of the text, not of the file."""
    held_at_once(path)
    html = _decoded(path.read_bytes())
    if sum(-1 if end else 1 for end in _OPENED.findall(html)) > DEEPEST:
        raise UnreadableFileError(path, f"is nested more than {DEEPEST:,} deep")
    title, text = page(html, path)
    yield Part(text, headings=(title,) if title else ())


def page(html: str, path: Path) -> tuple[str, str]:
    """Title and text. Raises UnreadableFileError where the parser is not installed."""
    try:
        parser = import_module("selectolax.lexbor").LexborHTMLParser
    except ImportError:
        raise not_installed(path, "HTML") from None
    tree = parser(html)
    title = " ".join(tree.css_first("title").text().split()) if tree.css_first("title") else ""
    text = "".join(_pieces(tree.body)) if tree.body is not None else ""
    return title, _BREAKS.sub("\n\n", text).strip()


def _decoded(data: bytes) -> str:
    """By byte order mark, by what the page says, as UTF-8, and at last as browsers guess."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    said = _CHARSET.search(data[:CHARSET_BYTES])
    for encoding in (said[1].decode() if said else "utf-8", "utf-8"):
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def _pieces(body: Any) -> Iterator[str]:
    """The text in order, with the breaks that blocks make. Without recursion: pages are nested without end."""
    open_nodes = [(body, False)]
    preformatted = 0
    while open_nodes:
        node, done = open_nodes.pop()
        tag = node.tag
        if done:
            preformatted -= tag == "pre"
            yield _break(tag)
        elif tag == "-text":
            yield node.text_content if preformatted else _SPACE.sub(" ", node.text_content)
        elif tag not in SKIPPED and not tag.startswith("-"):
            preformatted += tag == "pre"
            yield _opening(tag)
            open_nodes.append((node, True))
            children = list(node.iter(include_text=True))
            open_nodes += [(child, False) for child in reversed(children)]


def _opening(tag: str) -> str:
    if tag in _HEADINGS:
        return f"\n\n{_HEADINGS[tag]} "
    return {"br": "\n", "li": "\n- ", "td": " | ", "th": " | "}.get(tag, "\n\n" if tag in BLOCKS else "")


def _break(tag: str) -> str:
    if tag in ("li", "tr"):
        return "\n"
    return "\n\n" if tag in _HEADINGS or tag in BLOCKS else ""
