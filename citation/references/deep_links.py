"""Links that open a quote in its document, and selectors that find it there again.

A web page opens at the quote by a text fragment, which browsers scroll to and highlight:
https://wicg.github.io/scroll-to-text-fragment/. A PDF opens at its page:
https://www.rfc-editor.org/rfc/rfc8118#section-3
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote, urlsplit

from ..evidence import Evidence
from ..markers.render import link_url
from ..text.normalize import UNSPACED

QuoteSpan = tuple[int, int]  # offsets of a quote in the text of its evidence, in code points

CONTEXT: Final = 32  # characters before and after a quote, which tell it from the same words elsewhere

MAX_EXACT: Final = 150  # characters of a quote in full; pages often have a sign of a footnote in longer ones
MAX_TERM: Final = 300  # characters of one term, as in the links that Chromium makes
_TERM_WORDS: Final = 5  # words of the beginning and of the end of a longer quote
_TERM_CHARACTERS: Final = 40  # characters of these words, which are long in scripts without spaces
_NEARBY: Final = (
    2_000  # characters before and after a quote that are searched for its words; evidence may have millions
)
_MAX_WORD: Final = 40  # characters by which the end of a quote moves to the end of its word
_MAX_QUOTE: Final = 3_000  # characters of a quote that are read; a quote has up to three sentences

# Formats that are not PDF. Evidence with a page number and another ending, such as arxiv.org/pdf/1706.03762, is a PDF.
_NO_PDF: Final = frozenset(
    {".html", ".htm", ".xhtml", ".txt", ".md", ".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".odt", ".epub"}
)
_DIRECTIVE = ":~:"


def deep_link(evidence: Evidence, quote_span: QuoteSpan | None) -> str | None:
    """Return a link that opens a quote of evidence in its document; None if the document has no web address.

    `quote_span`: None: the document as a whole. The text of a generated artifact is not in its document.
    """
    address = link_url(evidence)
    if not address:
        return None
    if _is_pdf(evidence):
        page = evidence.page_number
        return address if page is None or page < 1 else f"{address.partition('#')[0]}#page={page}"
    if quote_span is None or evidence.is_generated_artifact:
        return address
    directive = text_directive(evidence.text, *quote_span)
    if not directive:
        return address
    address = address.partition(_DIRECTIVE)[0]
    return f"{address}{'' if '#' in address else '#'}{_DIRECTIVE}{directive}"


def quote_selector(text: str, start: int, end: int) -> dict[str, str]:
    """Return the TextQuoteSelector of `text[start:end]`, without its type.

    https://www.w3.org/TR/annotation-model/#text-quote-selector
    """
    return {
        "exact": text[start:end],
        "prefix": text[max(0, start - CONTEXT) : start],
        "suffix": text[end : end + CONTEXT],
    }


def text_directive(text: str, start: int, end: int) -> str:
    """Return the directive `text=…` that finds `text[start:end]` on a web page; "" if no browser would find it.

    A short quote is written in full. A long one, and one of several lines or cells of a table, is written as its
    beginning and its end, because the words of each have to be in the same block of the page.
    """
    start, end = _whole_words(text, start, min(end, start + _MAX_QUOTE))
    blocks = [words for block in _BLOCK_END.split(text[start:end]) if (words := _words(block))]
    if not blocks:
        return ""
    first = _term(blocks[0])
    if len(blocks) == 1 and len(first) <= MAX_EXACT:
        return _exact_directive(text, start, end, first)
    opening = _opening(blocks[0], text[max(0, start - _NEARBY) : end + _NEARBY])
    closing = _closing(blocks[-1], text[start + len(opening) : end])
    if max(len(opening), len(closing)) > MAX_TERM:
        return ""
    if len(blocks) == 1 and len(opening) + len(closing) >= len(first):  # they would overlap
        return f"text={_encoded(first)}"
    return f"text={_encoded(opening)},{_encoded(closing)}"


def _exact_directive(text: str, start: int, end: int, shown: str) -> str:
    """Return the directive of a quote in full, with the words before or after it if it occurs again nearby."""
    nearby = text[max(0, start - _NEARBY) : end + _NEARBY]
    if not _is_repeated(shown, nearby):
        return f"text={_encoded(shown)}"
    before = _words(_BLOCK_END.split(text[max(0, start - _NEARBY) : start])[-1])[-_TERM_WORDS:]
    after = _words(_BLOCK_END.split(text[end : end + _NEARBY], maxsplit=1)[0])[:_TERM_WORDS]
    if before:
        terms = (_term(before[-count:]) for count in range(1, len(before) + 1))
        prefix = next((term for term in terms if not _is_repeated(f"{term} {shown}", nearby)), _term(before))
        return f"text={_encoded(prefix)}-,{_encoded(shown)}"
    if after:
        terms = (_term(after[:count]) for count in range(1, len(after) + 1))
        suffix = next((term for term in terms if not _is_repeated(f"{shown} {term}", nearby)), _term(after))
        return f"text={_encoded(shown)},-{_encoded(suffix)}"
    return f"text={_encoded(shown)}"


def _opening(words: list[str], nearby: str) -> str:
    """Return the first words of a block, as many as are necessary to find only one place in the text nearby."""
    return _first_unique((_term(words[:count]) for count in range(1, len(words) + 1)), nearby)


def _closing(words: list[str], remaining: str) -> str:
    """Return the last words of a block, as many as are necessary to find only the end of the quote.

    `remaining`: the quote after its opening.
    """
    return _first_unique((_term(words[-count:]) for count in range(1, len(words) + 1)), remaining)


def _first_unique(terms: Iterable[str], text: str) -> str:
    """Return the first term that is long enough and occurs only once in the text; the last one if there is none."""
    term = ""
    for count, term in enumerate(terms, 1):
        is_long = count >= _TERM_WORDS or len(term) >= _TERM_CHARACTERS
        if len(term) > MAX_TERM or (is_long and not _is_repeated(term, text)):
            break
    return term


def _whole_words(text: str, start: int, end: int) -> QuoteSpan:
    """Return a span that begins and ends at the boundary of a word. Scripts without spaces stay as they are."""
    for _ in range(_MAX_WORD):
        if not (0 < start < end and _INSIDE_WORD.fullmatch(text, start - 1, start + 1)):
            break
        start -= 1
    for _ in range(_MAX_WORD):
        if not (start < end < len(text) and _INSIDE_WORD.fullmatch(text, end - 1, end + 1)):
            break
        end += 1
    return start, end


def _words(block: str) -> list[str]:
    """Return the words of a block as a page shows them, without Markdown and tags. A space after a word is part of it.

    In scripts without spaces, a word ends at a punctuation mark.
    """
    shown = _LINK.sub(r"\1", _IMAGE.sub(" ", _BLOCK_SIGN.sub("", block)))
    for pattern in _EMPHASIS:
        shown = pattern.sub(r"\1", shown)
    words = _WORD.findall(" ".join(_TAG.sub("", shown).split()))
    return words if any(map(_LETTER_OR_DIGIT.search, words)) else []


def _term(words: list[str]) -> str:
    return "".join(words).strip()


def _is_repeated(term: str, text: str) -> bool:
    """Return whether a term occurs more than once. Browsers ignore case."""
    return text.casefold().count(term.casefold()) > 1


def _encoded(term: str) -> str:
    """Encode a term. A hyphen, a comma and an ampersand are signs of the directive."""
    return quote(term, safe="", errors="replace").replace("-", "%2D")


def _is_pdf(evidence: Evidence) -> bool:
    path = urlsplit(link_url(evidence)).path
    endings = {PurePosixPath(name).suffix.lower() for name in (path, evidence.file_name or "")}
    return ".pdf" in endings or (evidence.page_number is not None and endings.isdisjoint(_NO_PDF))


# Of a line, a cell of a table, or an element of HTML
_BLOCK_END = re.compile(
    r"[\n\r\v\f\u2028\u2029\t|]|</?(?:p|br|div|h[1-6]|ul|ol|li|table|tr|td|th|dl|dt|dd)\b[^<>\n]{0,300}>", re.IGNORECASE
)
_BLOCK_SIGN = re.compile(r"\A\s*(?:#{1,6}\s+|>\s?|[-*+•]\s+|\d{1,3}[.)]\s+)+")  # a page shows them as no text
_IMAGE = re.compile(r"!\[[^\[\]]*+\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+\)")
_LINK = re.compile(r"\[([^\[\]]++)\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+\)")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}+>")
_EMPHASIS = (
    re.compile(r"`{1,3}([^`\n]+)`{1,3}"),
    re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*"),
    re.compile(r"(?<!\w)__(?=\S)([^_\n]+)(?<=\S)__(?!\w)"),
    re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])"),
    re.compile(r"(?<!\w)_(?=\S)([^_\n]+)(?<=\S)_(?!\w)"),
)
_WORD = re.compile(r"[^\s、。，．；：！？]*[、。，．；：！？]+ ?|[^\s、。，．；：！？]+ ?")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_INSIDE_WORD = re.compile(rf"[^\W{UNSPACED}]{{2}}")
