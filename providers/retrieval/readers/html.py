"""HTML as text with Markdown headings, without scripts, styles and menus. lexbor parses it as browsers do."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

from .part import Part, UnreadableFileError, check_memory
from .source_file import SourceFile
from .tables.html_tables import table_text_of

_SKIPPED = "script style noscript template head nav footer svg iframe object button select textarea datalist"
SKIPPED = frozenset(_SKIPPED.split())
_CONTENT = "h1, h2, h3, article, main"  # a form that contains one of these is the page, not a search box
_BLOCKS = """
    address article aside blockquote body caption dd details div dl dt fieldset figcaption figure form header hr li main
    ol p pre section summary table tbody tfoot thead tr ul
"""
BLOCKS = frozenset(_BLOCKS.split())
_HEADINGS = {f"h{depth}": "#" * depth for depth in range(1, 7)}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\f\v\xa0]*\n[\s\xa0]*|[ \t\r\f\v\xa0]+")
_BREAKS = re.compile(r"(?<![ \t])[ \t]*\n(?:[ \t]*\n)+[ \t]*")
# Blocks that only their end tag closes. The time of the parser grows with the square of their depth: a depth of 40,000
# takes two seconds. With the inline elements it does not: 80,000 take 0.2 s.
_NESTED_BLOCKS = re.compile(
    r"<(/?)(address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure|footer|header"
    r"|hgroup|listing|main|menu|nav|ol|pre|search|section|summary|table|ul)\b",
    re.IGNORECASE,
)
MAX_DEPTH = 10_000
_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)
MAX_NESTED_TABLES = 20  # each table is searched for nested ones
# Pages declare these, but contain characters of the larger ones: https://encoding.spec.whatwg.org/#names-and-labels
_BROWSER_ENCODINGS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
CHARSET_BYTES = 1024  # at the start of a page, in which it has to declare its encoding


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield the text of the page as one part under its title. Offsets count in the text, not in the file."""
    check_memory(source.path, source.size)
    title, text = page(_decode(source.read_bytes()), source.path)
    yield Part(text, headings=(title,) if title else ())


def page(html: str, path: Path) -> tuple[str, str]:
    """Return title and text. Raises UnreadableFileError if it is nested too deeply."""
    if _depth(html) > MAX_DEPTH:
        raise UnreadableFileError(path, f"is nested more than {MAX_DEPTH:,} deep")
    tree = import_module("selectolax.lexbor").LexborHTMLParser(html)
    named = tree.css_first("head > title")
    title = " ".join(named.text().split()) if named else ""
    nesting = max(accumulate(-1 if end else 1 for end in _TABLE.findall(html)), default=0)
    text = "".join(_pieces(tree.body, nesting <= MAX_NESTED_TABLES)) if tree.body is not None else ""
    return title, _BREAKS.sub("\n\n", text).strip()


def _depth(html: str) -> int:
    """Return how deep blocks are nested at most. An end tag closes only blocks of its name."""
    open_blocks = Counter[str]()
    depth = deepest = 0
    for end, name in _NESTED_BLOCKS.findall(html):
        tag = name.lower()
        if not end:
            open_blocks[tag] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif open_blocks[tag]:
            open_blocks[tag] -= 1
            depth -= 1
    return deepest


def _decode(data: bytes) -> str:
    """Decode by byte order mark, the declared encoding, UTF-8, or at last cp1252, as browsers do."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = _CHARSET.search(data[:CHARSET_BYTES])
    for encoding in (_declared_encoding(declared[1].decode()) if declared else "utf-8", "utf-8"):
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except (UnicodeError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def _declared_encoding(name: str) -> str:
    """Return the encoding that browsers use for a declared one."""
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        return "utf-8"
    if encoding.startswith(("utf-16", "utf-32")):
        return "utf-8"  # the declaration could not be read in this encoding
    return _BROWSER_ENCODINGS.get(encoding, encoding)


def _pieces(body: Any, with_tables: bool = False) -> Iterator[str]:
    """Yield the text in order, with line breaks around blocks. Not recursive, because pages may be nested deeply.

    `with_tables`: tables of data become Markdown tables.
    """
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
        elif tag == "table" and with_tables and (text := table_text_of(node, _line)):
            yield f"\n\n{text}\n\n"
        elif tag not in SKIPPED and not tag.startswith("-") and (tag != "form" or node.css_first(_CONTENT)):
            preformatted += tag == "pre"
            yield _opening(tag)
            open_nodes.append((node, True))
            children = list(node.iter(include_text=True))
            open_nodes += [(child, False) for child in reversed(children)]


def _line(node: Any) -> str:
    pieces = (_pieces(child) for child in node.iter(include_text=True))
    return " ".join("".join(chain.from_iterable(pieces)).split())


def _opening(tag: str) -> str:
    if tag in _HEADINGS:
        return f"\n\n{_HEADINGS[tag]} "
    return {"br": "\n", "li": "\n- ", "td": " | ", "th": " | "}.get(tag, "\n\n" if tag in BLOCKS else "")


def _break(tag: str) -> str:
    if tag in ("li", "tr"):
        return "\n"
    return "\n\n" if tag in _HEADINGS or tag in BLOCKS else ""
