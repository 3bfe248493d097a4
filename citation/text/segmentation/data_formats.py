"""Structured text at the beginning of an answer: JSON, CSV, YAML, XML, code, and the thoughts of a model.

Models write them without a fence, which a prompt often asks for. They are recognised by their first characters; CSV and
some YAML by the first line and the beginning of the second. Text that is still undecided after MAX_OPENING_CHARACTERS
is prose.
"""

import re
from typing import Final, NamedTuple

from ..full_stop import STARTERS
from ..need_data import NEED_DATA, NeedData
from ..words.word_lists import load_words
from .sentence import Kind

MAX_OPENING_CHARACTERS: Final = 300  # characters; the header of a table with twenty columns has fewer
MAX_FIELD_CHARACTERS: Final = 40  # characters of the first field of a line of CSV
MAX_JSON_STRING_CHARACTERS: Final = (
    60  # characters of a quotation in prose, such as a title, that could be a string of JSON
)
MIN_SEPARATORS: Final = 2  # with fewer, a line that ends like a sentence is one: "Hello,world."
_UNSPACED_WORD_CHARACTERS: Final = 10  # characters without a space that are a field in Chinese or Japanese

Opening = Kind | NeedData | None

_WORDS: Final = load_words("format_words")


def opening_kind(text: str, *, expected: bool, final: bool) -> Opening:
    """Return the kind of the structured text that an answer begins with, None for prose.

    `expected`: the prompt asks for structured text. `final`: nothing follows the text.
    """
    text, final = _opening(text, final)
    first = text.lstrip()[:1]
    if first == '"':
        return _string(text.lstrip(), expected, final)
    if first in ("{", "[", "<", "◁"):
        return line_kind(text, final=final) or (_xml(text, expected, final) if first == "<" else None)
    # Rules of less priority must wait for the others, so that the result does not depend on when the text arrives.
    return _yaml(text, expected, final) or _code(text, final) or _csv(text, expected, final)


def line_kind(text: str, *, final: bool) -> Opening:
    """Return the kind of the structured text that a line of an answer begins with: JSON or thoughts."""
    text, final = _opening(text, final)
    if _THOUGHT.match(text):
        return Kind.THOUGHT
    if not final and _MAY_BE_THOUGHT.fullmatch(text):
        return NEED_DATA
    if _OBJECT.match(text):
        return Kind.JSON
    if _LIST_OF_STRINGS.match(text):
        return _list(text, final)
    return NEED_DATA if not final and _MAY_BE_OBJECT.fullmatch(text) else None


def _opening(text: str, final: bool) -> tuple[str, bool]:
    """Return the bounded beginning that decides, and whether nothing more of it arrives."""
    final = final or len(text) >= MAX_OPENING_CHARACTERS
    text = text[:MAX_OPENING_CHARACTERS]
    return (text if not final or text.endswith("\n") else text + "\n"), final


def thought_end(opening: str) -> re.Pattern[str]:
    """Return the pattern of what ends the thoughts that begin with `opening`."""
    begun = _THOUGHT.match(opening)
    name = begun["name"] if begun else None
    return re.compile(rf"</{name}\s?>", re.IGNORECASE) if name else _CHANNEL_END


def root_of(opening: str) -> str:
    """Return the name of the first element of a document in XML, "" if it has a declaration."""
    begun = _ELEMENT.match(opening)
    return begun["name"] if begun else ""


_THOUGHT_NAME = rf"(?:[a-z]{{1,12}}:)?(?:{'|'.join(_WORDS['thoughts'])})"
_THOUGHT = re.compile(
    rf"[ \t]*(?:<(?P<name>{_THOUGHT_NAME})(?:\s[^<>\n]{{0,60}})?>"
    r"|◁think▷|\[THINK\]|<\|begin_of_thought\|>|<\|channel\|?>\s?(?:analysis|thought))",
    re.IGNORECASE,
)
_MAY_BE_THOUGHT = re.compile(
    r"[ \t]*(?:<[a-z]{0,12}(?::[a-z_]{0,18})?|<[a-z_]{0,18}|<(?:" + _THOUGHT_NAME + r")\s[^<>\n]{0,60}"
    r"|<\|[a-z_]{0,16}\|?>?\s?[a-z]{0,8}|◁[a-z]{0,5}|\[[A-Z]{0,5})",
    re.IGNORECASE,
)
_CHANNEL_END = re.compile(
    r"<\|channel\|>final[^<\n]{0,40}<\|message\|>|<channel\|>|<\|end\|>(?=[^<])|◁/think▷|\[/THINK\]|<\|end_of_thought\|>",
    re.IGNORECASE,
)
_CHARACTER = r'(?:[^"\\\n]|\\.)'
_STRING = rf'"{_CHARACTER}*+"'
_LISTS = r"[ \t]*\[\s*+(?:\[\s*+)*+"
_OBJECT = re.compile(rf"""(?:[ \t]*|{_LISTS})\{{\s*+["']|[ \t]*\[[ \t]*\n""")
_MAY_BE_OBJECT = re.compile(rf"[ \t]*(?:\{{\s*)?|{_LISTS}(?:\{{\s*)?")
_LIST_OF_STRINGS = re.compile(rf'{_LISTS}"')
_FIRST_STRING = re.compile(rf"{_LISTS}({_STRING})\s*+")


def _list(text: str, final: bool) -> Opening:
    """Return JSON for a list of strings, None for a link whose text is a quotation: ["Tides"](https://…)."""
    if re.match(rf'{_LISTS}"{_CHARACTER}{{{MAX_JSON_STRING_CHARACTERS}}}', text):
        return Kind.JSON
    string = _FIRST_STRING.match(text)
    if string is None:
        return None if final or re.match(rf'{_LISTS}"{_CHARACTER}*+\n', text) else NEED_DATA
    following = text[string.end() :]
    if following.startswith("]"):
        after = following[1:].lstrip(" \t\r")
        return (Kind.JSON if after[0] in "\n,]" else None) if after else NEED_DATA
    return Kind.JSON if following.startswith(",") else None if following or final else NEED_DATA


def _xml(text: str, expected: bool, final: bool) -> Opening:
    if declared := _DECLARATION.match(text):
        return Kind.XML if declared[1] == "xml" else Kind.UNFENCED_CODE
    begun = _ELEMENT.match(text)
    if begun and begun["name"].lower() not in _NOT_XML:
        if expected:
            return Kind.XML
        child = _ELEMENT.match(text, begun.end())
        if child:
            return Kind.XML if child["name"].lower() not in _NOT_XML else None
        return NEED_DATA if not final and _MAY_BE_ELEMENT.fullmatch(text, begun.end()) else None
    return NEED_DATA if not final and not begun and _MAY_BE_ELEMENT.fullmatch(text) else None


_DECLARATION = re.compile(r"\s*<\?(xml|php)\b")
_ELEMENT = re.compile(r"\s*<(?P<name>[A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>")
_MAY_BE_ELEMENT = re.compile(r"\s*(?:<(?:\?[a-z]{0,3}|[A-Za-z_][\w.:-]*(?:\s[^<>]*)?)?)?")
_NOT_XML = frozenset(_WORDS["not_xml"] + _WORDS["thoughts"])


def _string(text: str, expected: bool, final: bool) -> Opening:
    """Return JSON for an answer that is one string, where the prompt asks for it; CSV with fields in quotes."""
    if expected and re.match(f'"{_CHARACTER}{{{MAX_JSON_STRING_CHARACTERS}}}', text):
        return Kind.JSON
    closed = re.match(_STRING, text)
    if closed is None:
        may_close = re.fullmatch(
            rf'"{_CHARACTER}{{0,{MAX_JSON_STRING_CHARACTERS if expected else MAX_FIELD_CHARACTERS}}}\\?', text
        )
        return NEED_DATA if may_close and not final else None
    following = text[closed.end() :]
    if following.strip():
        return _csv(text, expected, final)
    if "\n" in following:
        return Kind.JSON if expected else None
    return NEED_DATA


def _yaml(text: str, expected: bool, final: bool) -> Opening:
    rules = _YAML_EXPECTED if expected else _YAML
    if rules.begins.match(text) or (final and expected and _YAML_LINE.fullmatch(text)):
        return Kind.YAML
    return NEED_DATA if not final and rules.may_begin.fullmatch(text) else None


class _Yaml(NamedTuple):
    """Patterns of the beginning of YAML, and of what may become it."""

    begins: re.Pattern[str]
    may_begin: re.Pattern[str]


def _yaml_with(key: str) -> _Yaml:
    """Return the patterns for keys of this form. A single line of prose can begin with a word and a colon."""
    value = r"(?:[ \t][^\n]*)?\n"
    start = r"\s*---[ \t]*\n(?:#[^\n]*\n)*(?:- )?"
    return _Yaml(
        re.compile(
            rf"{start}[A-Za-z_][\w-]*:\s|\s*{key}:{value}(?:{key}:\s|[ \t]+\S|- )|\s*- {key}:{value}[ ]+{key}:\s"
        ),
        re.compile(
            rf"\s*(?:-{{0,3}}[ \t]*|---[ \t]*\n(?:#[^\n]*\n)*(?:#[^\n]*|-? ?(?:[A-Za-z_][\w-]*:?)?)"
            rf"|{key}(?::(?:[ \t][^\n]*)?)?|{key}:{value}(?:{key}:?|[ \t]*|-)"
            rf"|- (?:{key}(?::(?:[ \t][^\n]*)?)?|{key}:{value}[ ]*(?:{key}:?)?)?)"
        ),
    )


_YAML = _yaml_with(r"[a-z_][\w-]*")
_YAML_EXPECTED = _yaml_with(r"[A-Za-z_][\w-]*")
_YAML_LINE = re.compile(r"\s*[a-z_][\w-]*:[ \t][^\n]*\n")


def _code(text: str, final: bool) -> Opening:
    line, newline, _ = text.lstrip().partition("\n")
    if newline:
        return Kind.UNFENCED_CODE if _CODE_LINE.fullmatch(line.rstrip()) else None
    may_begin = not line or _MAY_BE_CODE.match(line) or any(word.startswith(line) for word in _CODE_WORDS)
    return NEED_DATA if may_begin and not final else None


# The first word of a line of code that also begins sentences needs the syntax after it.
_CODE_LINE = re.compile(
    r"#!/.*|#include\s*[<\"].*|//\s.*|/\*.*|@[\w.]+(?:\(.*\))?"
    r"|import\s+[\w.]+(?:\s+as\s+\w+)?(?:,\s*[\w.]+(?:\s+as\s+\w+)?)*;?|import\s+(?:static\s+)?[\w.]+\.[\w.*]+;"
    r"|import\s+[^.]*['\"][^'\"]+['\"];?|from\s+[\w.]+\s+import\s+[\w.*,\s()]+"
    r"|(?:async\s+)?def\s+\w+\s*\(.*\).*:|class\s+\w+(?:\(.*\))?:"
    r"|(?:(?:public|private|protected|export|default|abstract|static|final|async|pub)\s+)*"
    r"(?:class|interface|enum|struct|function|fn|func|impl|namespace|trait|record|type)\b[^.]*[{(;=].*"
    r"|(?:export\s+)?(?:const|let|var)\s+[\w{}\[\],:<>\s$]+=.*|package\s+[\w.]+;?|using\s+[\w.]+;"
    r"|(?:print|println|console\.log|printf|puts|echo|require|fmt\.Print\w*|System\.out\.print\w*)\s?[(!\"'].*"
    r"|SELECT\s.*|INSERT INTO\s.*|UPDATE\s\w+\sSET.*|DELETE FROM\s.*|CREATE (?:TABLE|VIEW|INDEX)\s.*|WITH \w+ AS \(.*"
    r"|[a-z_][\w.]*\s=\s(?:[\w.]+\(.*\)|[\[{\"'].*|\d[\d_.]*|None|True|False|null|true|false);?"
)
_CODE_WORDS = _WORDS["code"]
_MAY_BE_CODE = re.compile(
    rf"(?:{'|'.join(_CODE_WORDS)})(?:[\s.(!\"']|\Z)|#(?:[!i]|\Z)|/(?:[/*]|\Z)|@(?:\w|\Z)|[a-z_][\w.]*(?:\s(?:=(?:\s|\Z)|\Z)|\Z)"
)


def _csv(text: str, expected: bool, final: bool) -> Opening:
    """Return CSV for lines with the same number of fields, and no space after the commas between them."""
    word = _FIRST_WORD.match(text)
    if not expected and _BULLET.match(text):
        return None
    if word and word[1].lower() in STARTERS:
        return None
    begun = _FIRST_FIELD.match(text)
    if begun is None:
        return NEED_DATA if not final and _MAY_BE_FIELD.fullmatch(text) else None
    separator = begun["separator"]
    if separator != "\t" and not expected and begun["after"] == " " and not _SPACED_HEADER.match(text):
        return NEED_DATA if not final and _MAY_BE_SPACED_HEADER.fullmatch(text) else None
    line, newline, following = text.partition("\n")
    count = _separators(line, separator)
    sentence = _SENTENCE.search(line)
    if sentence and _separators(line[: sentence.end()], separator) < MIN_SEPARATORS:
        return None
    if not newline:
        return NEED_DATA
    if _GROUPED.fullmatch(line.strip()) or (count < MIN_SEPARATORS and line.rstrip().endswith(_SENTENCE_ENDS)):
        return None
    second, complete, _ = following.partition("\n")
    if complete:
        return Kind.CSV if _separators(second, separator) == count else None
    return None if final else NEED_DATA


_FIRST_WORD = re.compile(r"(\w+) ")
_QUOTED = r'"(?:[^"\n]|"")*"'
_WORD = rf"[^\s,;\"\t.!?:()。，：\[\]【]{{1,{MAX_FIELD_CHARACTERS}}}"
_FIELD = rf"(?!\S*[\u2e80-\u9fff]{{{_UNSPACED_WORD_CHARACTERS}}})(?:{_QUOTED}|(?:{_WORD}[ ]){{0,2}}{_WORD})"
_BULLET = re.compile(r"\s*[-*+•]\s")  # begins an item of a list, which may contain tabs
_FIRST_FIELD = re.compile(rf"\s*{_FIELD}(?P<separator>[,;\t])(?P<after>.)", re.DOTALL)
_MAY_BE_FIELD = re.compile(rf"\s*(?:{_FIELD}[ ]?[,;\t]?|\"[^\"\n]{{0,{MAX_FIELD_CHARACTERS}}})?")
# Names of columns with spaces between them: "name, height". Lines of prose are no names of columns.
_SPACED_HEADER = re.compile(r"[a-z_]\w*(?:, [a-z_]\w*)+\n")
_MAY_BE_SPACED_HEADER = re.compile(r"[a-z_]\w*(?:, [a-z_]\w*)*(?:, ?)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+")
_SENTENCE = re.compile(r"[.!?]\s+\S")
_SENTENCE_ENDS = tuple(".!?:。！？：")
_IN_QUOTES = re.compile(rf'{_QUOTED}|"[^"\n]*\Z')


def _separators(line: str, separator: str) -> int:
    return _IN_QUOTES.sub("", line).count(separator)
