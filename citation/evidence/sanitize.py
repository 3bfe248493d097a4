"""Defuse: make untrusted text harmless for the model that reads it. Users are always shown the original.

Evidence is data that anybody may have written. It must not be able to close its own frame, to speak as the system, to
bring citations of its own, or to say what no reader can see (OWASP LLM01). Nothing here is proof against persuasion;
that is why the backend, not the model, decides what is cited.
"""

import re
from html import unescape

from ..markers import MAX_MARKER
from ..markers.context import BRACKETS, glue
from ..markers.grammar import LOOKALIKES, Form, Unit, match_unit
from ..markers.match import SMALL

FRAME = "excerpt"  # the name of the tags that stand around each excerpt

_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Controls, soft hyphen, zero-width and bidirectional marks, fillers, variation selectors, tags, lone surrogates.
# Zero-width joiners too: they shape letters and emoji, and as easily carry a message bit by bit.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Latin, Greek, Cyrillic, dashes, quotes, signs, kana and Han: nothing of the above, nor other ends of lines.
_LETTERS = re.compile(
    "[ -~\n\t\u00a0-\u00ac\u00ae-\u02ff\u0370-\u052f\u2010-\u2027"
    "\u202f-\u205f\u2070-\u23ff\u3000-\u3163\u4e00-\u9fff]*+"
)
_PRINTABLE = bytes([*range(0x20, 0x7F), 0x0A])
_ROLES = (
    "s|bos|eos|unk|pad|mask|sep|cls|begin_of_text|end_of_text|start_of_turn|end_of_turn|im_start|im_end|think|thinking|"
    "tool_call|tool_calls|tool_response|tools|system|user|assistant|human|model|instruction|instructions"
)
# A character that is in each, a pattern, and what takes the place of what it finds.
_TOKENS = (
    ("<", re.compile(r"<(?=[|｜])"), "‹"),  # <|im_start|>, <｜begin▁of▁sentence｜>
    (">", re.compile(r"(?<=[|｜])>"), "›"),
    ("<", re.compile(rf"<(?=\s?/?\s?(?:(?:{_ROLES})\b|{FRAME}))", re.IGNORECASE), "‹"),
    ("<<", re.compile(r"<<(?=/?SYS>>)", re.IGNORECASE), "‹‹"),
    (
        "[",
        re.compile(r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|DC|KG)\])", re.IGNORECASE),
        "⟨",
    ),
)


def defuse(text: str, nonce: str = "") -> str:
    """Text for the model: nothing invisible, no tokens of chat templates, no frame, no citation markers."""
    if not _plain(text):
        text = _INVISIBLE.sub("", _NEWLINES.sub("\n", text))
    if _holds(nonce, text):
        text = re.sub(re.escape(nonce), "·", text, flags=re.IGNORECASE)
    for sign, token, harmless in _TOKENS:
        if sign in text:
            text = token.sub(harmless, text)
    return _without_markers(text)


def _holds(nonce: str, text: str) -> bool:
    return bool(nonce) and nonce.lower() in text.lower()


def _plain(text: str) -> bool:
    """Whether it has nothing to take out, as most text: told in a tenth of the time that looking for it takes."""
    return not text.encode().translate(None, _PRINTABLE) if text.isascii() else _LETTERS.fullmatch(text) is not None


def defuse_line(text: str, nonce: str = "", most: int = 200) -> str:
    """The same for a name, a title or an address: one line, at most so many characters."""
    if _PLAIN_LINE.fullmatch(text) and len(text) <= most and not _holds(nonce, text):
        return text
    line = " ".join(defuse(text, nonce).split())
    return line if len(line) <= most else line[: most - 1] + "…"


# Words and single spaces between them, as most names: nothing that `defuse` would change, told in a tenth of the time
_PLAIN_LINE = re.compile(r"(?:[\w.,-]++ )*+[\w.,-]++", re.ASCII)
# What a marker can begin with; a heading's # opens none
_OPENERS = {opener: re.compile(re.escape(opener) + (r"(?=#\S)" if opener == "#" else "")) for opener in BRACKETS}
_LOOKALIKES = "".join(LOOKALIKES)
_HARMLESS = str.maketrans(
    {
        **dict.fromkeys("[【(（" + _LOOKALIKES[::2], "⟨"),
        **dict.fromkeys("]】)）" + _LOOKALIKES[1::2], "⟩"),
        "\\": None,
        "#": "♯",
    }
)


def _without_markers(text: str) -> str:
    """What the model could take over as a citation gets brackets that mean nothing: `[3]` becomes `⟨3⟩`."""
    parts: list[str] = []
    done = 0
    for at in _openings(text):
        if at < done:
            continue
        unit = match_unit(text, at)
        if isinstance(unit, Unit) and _tempting(text, at, unit, "".join(parts[-2:])[-MAX_MARKER:], done):
            parts += [text[done:at], unescape(text[at : unit.end]).translate(_HARMLESS)]
            done = unit.end
    return "".join(parts) + text[done:]


def _openings(text: str) -> list[int]:
    """Where a marker could begin. To ask for each character first takes a fifth of a search for any of them."""
    here = [pattern for opener, pattern in _OPENERS.items() if opener in text]
    return sorted(found.start() for pattern in here for found in pattern.finditer(text))


def _tempting(text: str, at: int, unit: Unit, left: str, done: int) -> bool:
    """Whether it reads as a citation: not a year, not an index of code."""
    if unit.form is Form.PLAIN and all(low > SMALL for low, _ in unit.ranges):
        return False
    before = (left + text[done:at])[-2 * MAX_MARKER :]
    return glue(before + text[at : unit.end], len(before)) != "never" or text[at - 1 : at] in "[［\\"
