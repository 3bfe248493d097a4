"""Numbers and names of evidence, and markers with names: `[DC] path`, `[KG] entity`, `[file.pdf](id)`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..evidence import Evidence
from ..text.need_data import NEED_DATA, NeedData
from .grammar import Match

MAX_NAME_CHARACTERS = 200  # characters of a file name or entity in a marker
MAX_REPORTED = 10  # unknown numbers reported of one range such as "[1-999999]"

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MarkerNames:
    """The evidence numbers that can be cited, and the names (files, documents, entities, ids) of the evidence."""

    numbers: frozenset[int]
    names: Mapping[str, Numbers] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()  # addresses of the evidence
    links: bool = False  # the names are links to the calls of tools
    labels: bool = False  # the names are labels of a host: in brackets, they are markers whatever they look like
    shapes: frozenset[str] = frozenset()  # those of the labels; other text with one of them is an unknown label
    ignored: bool = False  # nothing is a marker, because the evidence has no numbers and no names

    @classmethod
    def from_evidence(cls, evidence: Iterable[Evidence]) -> "MarkerNames":
        """Return the numbers and names of the evidence that the model received."""
        items = tuple(evidence)
        names: dict[str, list[int]] = {}
        for item in items:
            for name in {item.file_name, item.document_id, item.title, item.id}:
                if name and len(name) <= MAX_NAME_CHARACTERS and not name.isspace():
                    names.setdefault(name, []).append(item.number)
        return cls(
            frozenset(item.number for item in items),
            {name: tuple(numbers) for name, numbers in names.items()},
            frozenset(item.url.strip() for item in items if item.url),
        )

    def split(self, ranges: Sequence[tuple[int, int]]) -> tuple[Numbers, Numbers]:
        """Return the numbers that evidence has and those that no evidence has, in order, without repeats."""
        cited: dict[int, None] = {}
        unknown: dict[int, None] = {}
        for low, high in ranges:
            if high - low > 2 * MAX_REPORTED:
                cited.update(dict.fromkeys(sorted(number for number in self.numbers if low <= number <= high)))
                unknown.update({} if high in self.numbers else {high: None})
                continue
            for number in range(low, high + 1):
                (cited if number in self.numbers else unknown)[number] = None
        return tuple(cited), tuple(unknown)


def label_shape(label: str) -> str:
    """Return what labels of one kind have in common: that they are names of files, or else letters and digits.

    Return "" for a label without digits, which has the shape of any word: `[sic]`.
    """
    if _FILE_LABEL.fullmatch(label):
        return "file"
    if not any(map(str.isdigit, label)):
        return ""
    return "".join("0" if character.isdigit() else "a" if character.isalpha() else character for character in label)


def match_name(text: str, i: int, names: MarkerNames, final: bool) -> Match | NeedData | None:
    """Match a marker with a name at `i`. Its unknown number is 0 if no evidence has the name."""
    if text[i] != "[":
        return None
    for tag in _TAGS:
        if text.startswith(tag, i):
            return _after_tag(text, i + len(tag), names, final)
        if not final and tag.startswith(text[i:]) and len(text) - i > 1:
            return NEED_DATA
    if names.links and (linked := _link_to_call(text, i, names, final)) is not None:
        return linked
    return _in_brackets(text, i, names, final) if names.names else None


def is_file_name(name: str) -> bool:
    """Return whether a name ends like that of a file."""
    return _FILE.search(name) is not None


def has_tag(text: str, i: int) -> bool:
    """Return whether the tag of a name begins at `i`."""
    return text.startswith(_TAGS, i)


_TAGS = ("[DC]", "[KG]")
_CALL_LINK = re.compile(r"\[\s?(\d{1,4})\s?\]\(#([\w.:-]{1,100})\)")
_CALL_LINK_BEGIN = re.compile(r"\[\s?(?:\d{1,4}\s?(?:\](?:\((?:#[\w.:-]{0,100})?)?)?)?\Z")
_TOKEN = re.compile(r"[^\s\[\]()]+")
_FILE = re.compile(r"[^\[\]\n]\.[^\W_]{1,5}\Z")
# Not "[0.5]", "[1.2, 3.4]" or "[U.S]"
_FILE_LABEL = re.compile(r"[^\[\]\n]+\.[^\W\d_][^\W_]{1,4}(?:#page=\d{1,9})?")
_MARKER_START = re.compile(
    r"[\ue200\ue202【［（〔〖﹝⟦❲⁅〚⦋﹇&\\#*~^$<]"
)  # in a word, the first character of another marker


def _after_tag(text: str, position: int, names: MarkerNames, final: bool) -> Match | NeedData | None:
    start = position
    while start < len(text) and start - position < 3 and text[start] in " \t":
        start += 1
    remaining = text[start : start + MAX_NAME_CHARACTERS + 1]
    if not final and (not remaining or any(name.startswith(remaining) for name in names.names)):
        return NEED_DATA
    matching = [
        name
        for name in names.names
        if remaining.startswith(name) and not remaining[len(name) : len(name) + 1].isalnum()
    ]
    if matching:
        name = max(matching, key=len)
        return Match(start + len(name), names.names[name], ())
    token = _TOKEN.match(remaining)
    if token is None:
        return None
    if token.end() == len(remaining) <= MAX_NAME_CHARACTERS and not final:
        return NEED_DATA
    path = _file_path(token[0])
    return Match(start + len(path), (), (0,)) if path else None  # none: a word in brackets, as in "Washington [DC] is"


def _file_path(token: str) -> str:
    """Return the path that a word begins with, "" if there is none. Another marker may follow it without a space."""
    for part in (token, _MARKER_START.split(token, maxsplit=1)[0]):
        path = part.rstrip(".,;:!?…。，–—")
        if path.startswith("/") or _FILE.search(path):
            return path
    return ""


def _link_to_call(text: str, i: int, names: MarkerNames, final: bool) -> Match | NeedData | None:
    """Match Morphic's `[1](#call_1)`. A link to a call or a result that does not exist is an unknown marker."""
    link = _CALL_LINK.match(text, i)
    if link is None:
        return NEED_DATA if not final and _CALL_LINK_BEGIN.match(text, i) else None
    numbers = names.names.get(f"{link[1]}](#{link[2]}", ())
    return Match(link.end(), numbers, () if numbers else (0,))


def _in_brackets(text: str, i: int, names: MarkerNames, final: bool) -> Match | NeedData | None:
    """Match `[file.pdf]` if some evidence has this name, and `[name](id)` if some evidence has both."""
    close = text.find("]", i + 1, i + MAX_NAME_CHARACTERS + 2)
    if close < 0:
        remaining = text[i + 1 :]
        possible = names.shapes and len(remaining) <= MAX_NAME_CHARACTERS and "\n" not in remaining
        possible = possible or any(name.startswith(remaining) for name in names.names)
        return NEED_DATA if not final and possible else None
    name = text[i + 1 : close]
    if name.isdigit() or "\n" in name:
        return None
    if name not in names.names:
        unknown = names.shapes and label_shape(name) in names.shapes and text[close + 1 : close + 2] != "("
        if unknown and close + 1 == len(text) and not final:
            return NEED_DATA
        return Match(close + 1, (), (0,)) if unknown else None
    if close + 1 == len(text) and not final:
        return NEED_DATA
    if text.startswith("(", close + 1):
        return _with_target(text, close + 1, name, names, final)
    if names.labels:
        return Match(close + 1, names.names[name], ())
    if text[close + 1 : close + 2] in ("[", ":") or not is_file_name(name):
        return None
    return Match(close + 1, names.names[name], ())


def _with_target(text: str, position: int, name: str, names: MarkerNames, final: bool) -> Match | NeedData | None:
    close = text.find(")", position, position + MAX_NAME_CHARACTERS + 2)
    if close < 0:
        return NEED_DATA if not final and len(text) - position <= MAX_NAME_CHARACTERS else None
    target = text[position + 1 : close]
    both = tuple(number for number in names.names.get(target, ()) if number in names.names[name])
    return Match(close + 1, both, ()) if both else None
