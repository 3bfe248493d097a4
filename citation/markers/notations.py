"""Commands, elements and tags that cite: `\\cite{1}`, `<ref>1</ref>`, `<ref name="1"/>`, `[cite_start]`."""

import re
from typing import Final

from ..text.need_data import NEED_DATA, NeedData
from .grammar import MAX_MARKER_CHARACTERS, Match
from .named import MarkerNames
from .source_lists import Listed, names_source, scan_list

NOTATION_STARTS: Final = frozenset("<(\\~[")
MAX_NUMBER = 999  # a larger number that no evidence has is a year or the key of something else


def match_notation(text: str, i: int, names: MarkerNames, *, final: bool) -> Match | NeedData | None:
    """Match a command, an element or a tag that begins at `i`."""
    if text[i] == "[":
        return _match_tag(text, i, final)
    match = _match_element(text, i, names) if text[i] in "<(" else _match_command(text, i, names)
    return None if final and match is NEED_DATA else match


def _match_command(text: str, i: int, names: MarkerNames) -> Match | NeedData | None:
    command = _COMMAND.match(text, i)
    if command is None:
        return NEED_DATA if _COMMAND_BEGIN.fullmatch(text, i) else None
    return _match_enclosed(text, command.end(), "}", names)


def _match_element(text: str, i: int, names: MarkerNames) -> Match | NeedData | None:
    tag = _TAG.match(text, i)
    if tag is None:
        return NEED_DATA if _begins_tag(text, i) else None
    name = tag["name"].lower()
    if tag["closes"]:
        is_unmatched = name in _AROUND_TEXT and f"<{name}" not in text[max(0, i - MAX_MARKER_CHARACTERS) : i].lower()
        return Match(tag.end(), (), (), encloses=True) if is_unmatched else None
    if attribute := _ATTRIBUTE.search(tag["attributes"] or ""):
        return _match_attribute(text, tag, attribute["value"], names)
    if tag["attributes"] or tag["empty"] or _AFTER_TAG.search(text, max(0, i - MAX_MARKER_CHARACTERS), i):
        return None  # an element in another one is data
    return _match_enclosed(text, tag.end(), f"</{tag['name']}>", names)


def _match_attribute(text: str, tag: re.Match[str], value: str, names: MarkerNames) -> Match | NeedData | None:
    """Match a tag with an attribute that cites: `<ref name="1"/>`, `<ref id="1"></ref>`, `<cite index="1-2,1-3">`."""
    end, is_around = tag.end(), tag["name"].lower() in _AROUND_TEXT
    if is_around and (indexes := _INDEXES.fullmatch(value)):
        value = ",".join(_INDEX.findall(indexes[0]))
    listed = scan_list(f"{value}\n", 0, names)
    if not isinstance(listed, Listed) or listed.end < len(value):
        return None
    if tag["empty"] or is_around:
        match = _match_listed(listed, end, names)
        return match and match._replace(encloses=not tag["empty"])
    closing = f"</{tag['name']}>"
    if text.startswith(closing, end):
        return _match_listed(listed, end + len(closing), names)
    return NEED_DATA if closing.startswith(text[end:]) else None


def _match_enclosed(text: str, position: int, close: str, names: MarkerNames) -> Match | NeedData | None:
    """Match a list, possibly in brackets, up to `close`."""
    opening = _OPENING.match(text, position)
    listed = scan_list(text, opening.end() if opening else position, names)
    if not isinstance(listed, Listed):
        return listed
    end = listed.end
    if closing := _CLOSING.match(text, end):
        end = closing.end()
    if text.startswith(close, end):
        return _match_listed(listed, end + len(close), names)
    return NEED_DATA if close.startswith(text[end:]) else None


def _match_listed(listed: Listed, end: int, names: MarkerNames) -> Match | None:
    cited, unknown = names.split(listed.ranges)
    if listed.named and not (listed.files or names_source(listed)):
        return None
    if any(number > MAX_NUMBER for number in unknown) or (listed.has_label and unknown):
        return None
    return Match(end, tuple(dict.fromkeys(cited + listed.named)), unknown)


def _match_tag(text: str, i: int, final: bool) -> Match | NeedData | None:
    """Match `[cite_start]` or `[cite_end]`."""
    for tag in _TAGS:
        if text.startswith(tag, i):
            return Match(i + len(tag), (), (), encloses=True)
        if not final and tag.startswith(text[i:]):
            return NEED_DATA
    return None


def _begins_tag(text: str, i: int) -> bool:
    begin = _TAG_BEGIN.fullmatch(text, i, i + MAX_MARKER_CHARACTERS)
    if begin is None or len(text) - i >= MAX_MARKER_CHARACTERS:
        return False
    name = begin["name"].lower()
    return name in _ELEMENTS if begin["attributes"] else any(element.startswith(name) for element in _ELEMENTS)


_TAGS = ("[cite_start]", "[cite_end]")
_AROUND_TEXT = frozenset({"cite", "co"})  # elements that can contain the cited text
_ELEMENTS = _AROUND_TEXT | {"ref", "citation", "source", "src", "reference", "footnote", "fn", "doc", "document"}
_TAG = re.compile(
    rf"(?:<|\((?=cite index=))(?P<closes>/?)(?P<name>{'|'.join(sorted(_ELEMENTS, reverse=True))})"
    r"(?P<attributes>\s[^<>\n]{0,100}?)?\s?(?P<empty>/?)>",
    re.IGNORECASE,
)
_TAG_BEGIN = re.compile(r"(?:</?|\((?=c))(?P<name>[A-Za-z]{0,10})(?P<attributes>\s[^<>\n]{0,100}|\s?/)?")
_AFTER_TAG = re.compile(r"<[A-Za-z][^<>/]*>\s*\Z")
_ATTRIBUTE = re.compile(
    r"""\b(?:name|id|index|source|src|ref|document|doc|number|num|n|key)\s?=\s?["']?(?P<value>[^"'<>]{1,80})""",
    re.IGNORECASE,
)
_INDEXES = re.compile(r"\d{1,3}(?:-\d{1,4}(?:[:-]\d{1,4})?)?(?:\s?,\s?\d{1,3}(?:-\d{1,4}(?:[:-]\d{1,4})?)?){0,29}")
_INDEX = re.compile(r"(?:\A|(?<=,)|(?<=, ))\d{1,3}")  # the index of a document, before that of its sentence
_COMMAND = re.compile(r"~?\\[A-Za-z]{0,8}[cC]ite[a-z]{0,8}\*?(?: ?\[[^\[\]\n]{0,40}\]){0,2} ?\{")
_COMMAND_BEGIN = re.compile(
    r"~?(?:\\(?:[A-Za-z]{0,16}|[A-Za-z]{0,8}[cC]ite[a-z]{0,8}\*?(?: ?\[[^\[\]\n]{0,40}\]?){0,2} ?)?)?"
)
_OPENING = re.compile(r" ?[\[【(]{1,2}")
_CLOSING = re.compile(r"[\]】)]{1,2} ?")
