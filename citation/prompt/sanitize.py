"""Sanitizing of untrusted text for the model. Users always see the original.

Anyone may have written the evidence. It must not close its own frame, imitate the system, contain citations
or text that a reader cannot see (OWASP LLM01). This does not stop a text that persuades the model; therefore the
backend, not the model, decides what is cited.
"""

import re
from collections.abc import Iterator
from html import unescape

from ..markers import MAX_MARKER_CHARACTERS
from ..markers.context import OPENING_CHARACTERS, LeftContext, left_context
from ..markers.displayed import LOOKALIKES, match_brackets
from ..markers.grammar import Brackets, Form
from ..markers.match import MAX_PLAUSIBLE_NUMBER
from ..text.steps import Steps, completed

FRAME = "excerpt"  # name of the tags around each excerpt

_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Controls, soft hyphen, zero-width and bidirectional marks, fillers, variation selectors, tags, lone surrogates.
# Zero-width joiners too: they shape letters and emoji, but can also encode a message.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Latin, Greek, Cyrillic, dashes, quotes, signs, kana and Han: none of the above, and no other line ends.
_LETTERS = re.compile(
    "[ -~\n\t\u00a0-\u00ac\u00ae-\u02ff\u0370-\u052f\u2010-\u2027"
    "\u202f-\u205f\u2070-\u23ff\u3000-\u3163\u4e00-\u9fff]*+"
)
_PRINTABLE = bytes([*range(0x20, 0x7F), 0x0A])
LONG_BLOCK_CHARACTERS = 20_000  # characters that are replaced in a step: 1 ms if all of them are
_TOKEN_CONTEXT_CHARACTERS = 64  # characters around a token that its pattern looks at, at most
_ROLES = (
    "s|bos|eos|unk|pad|mask|sep|cls|begin_of_text|end_of_text|start_of_turn|end_of_turn|im_start|im_end|think|thinking|"
    "tool_call|tool_calls|tool_response|tools|system|user|assistant|human|model|instruction|instructions"
)
# Tags that chat templates use as tokens. Placeholders of manuals, types of code and elements of HTML are not among
# them: <file_name>, <db_user>, <start_time>, vector<size_t>, <video><source src="…">.
_TAGS = "|".join(
    (
        rf"(?:{_ROLES})\b",
        FRAME,
        r"(?:begin|start|end)_of_\w{1,20}>",  # <start_of_turn>, <END_OF_TURN_TOKEN>
        r"(?:begin|start|end)_(?:function|tool|turn|header|message|system|user|assistant|think)\w{0,20}>",
        r"(?:turn|message|role)_(?:begin|start|end)>",
        r"(?:function|tool)_(?:call|use|result|response|output|code|declaration|sep)\w{0,20}[\s>]",  # <function_calls>
        r"arg_(?:key|value)>",
        r"\w{1,20}:(?:bos|eos|pad|unk|think\w{0,20}|(?:tool|function)_call\w{0,20})>",  # <seed:bos>
        r"(?:longcat_\w{1,20}|\w{1,20}_assistant|_(?:user|bot|system|start|end)|fim_\w{1,20})>",
        r"(?:special|extra|extra_id|unused|reserved\w{0,20}?)_?\d{1,5}>",  # <SPECIAL_11>, <extra_id_0>
        r"system_(?:prompt|message|instructions?|reminder)>",
        r"(?:sop|eop|eod|eot|eom)>",
        r"(?:function|(?:source|document)\s{1,3}(?:id|index))\s?=",  # <function=…>, <source id=1>
        r"invoke[\s>]",
        r"(?-i:documents?|document_content)>",  # not Vector<Document>
    )
)
_BRACKETED = "|".join(
    (
        r"(?i:/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|DC|KG)\])",
        r"/?(?:THINK|CALL_ID|MODEL_SETTINGS|BOS|EOS)\]",  # code contains [call_id]
        r"[gs]MASK\]",
        rf"(?i:\|/?(?:{_ROLES}|tool|end\w{{1,20}})\|\])",  # [|system|], [|endofturn|]
    )
)
# Tokens of chat templates: a character that each contains, the pattern, and the replacement.
_TOKENS = (
    ("<", re.compile(r"<(?=[|｜])"), "‹"),  # <|im_start|>, <｜begin▁of▁sentence｜>
    (">", re.compile(r"(?<=[|｜])>"), "›"),
    ("<", re.compile(rf"<(?=\s?/?\s?(?:{_TAGS}))", re.IGNORECASE), "‹"),
    ("<<", re.compile(r"<<(?=/?SYS>>)", re.IGNORECASE), "‹‹"),
    ("[", re.compile(rf"\[(?={_BRACKETED})"), "⟨"),
    ("~", re.compile(r"\](?=~!?b[\]\[])"), "⟩"),  # ]~b]system, ]~!b[
    ("~", re.compile(r"\[(?=e~\[)"), "⟨"),
)


def sanitize_in_steps(text: str, nonce: str = "") -> Steps[str]:
    """Remove invisible characters, tokens of chat templates, the frame and citation markers."""
    text = yield from _visible_in_steps(text)
    if nonce and (yield from _contains_in_steps(text, nonce)):
        text = re.sub(re.escape(nonce), "·", text, flags=re.IGNORECASE)
    for sign, token, harmless in _TOKENS:
        if sign in text:
            text = yield from _without_token(text, token, harmless)
    return (yield from _without_markers(text))


sanitize = completed(sanitize_in_steps)


def _visible_in_steps(text: str) -> Steps[str]:
    """Return the text without invisible characters, and with newlines as the only line ends."""
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = start + LONG_BLOCK_CHARACTERS
        end += text[end - 1 : end + 1] == "\r\n"
        piece = text[start:end]
        parts.append(piece if _is_plain(piece) else _INVISIBLE.sub("", _NEWLINES.sub("\n", piece)))
        start = end
        if start < len(text):
            yield None
    return "".join(parts)


def _is_plain(text: str) -> bool:
    """Return whether no character needs removal, as in most texts; ten times as fast as searching for one."""
    return not text.encode().translate(None, _PRINTABLE) if text.isascii() else _LETTERS.fullmatch(text) is not None


def _contains_in_steps(text: str, nonce: str) -> Steps[bool]:
    for start in range(0, len(text), LONG_BLOCK_CHARACTERS):
        if _contains_nonce(nonce, text[start : start + LONG_BLOCK_CHARACTERS + len(nonce)]):
            return True
        if start + LONG_BLOCK_CHARACTERS < len(text):
            yield None
    return False


def _contains_nonce(nonce: str, text: str) -> bool:
    return bool(nonce) and nonce.lower() in text.lower()


def _without_token(text: str, token: re.Pattern[str], harmless: str) -> Steps[str]:
    """Replace a token of chat templates, which is as long as its replacement."""
    parts: list[str] = []
    for start in range(0, len(text), LONG_BLOCK_CHARACTERS):
        before = min(start, _TOKEN_CONTEXT_CHARACTERS)
        end = start + LONG_BLOCK_CHARACTERS
        parts.append(
            token.sub(harmless, text[start - before : end + _TOKEN_CONTEXT_CHARACTERS])[
                before : before + LONG_BLOCK_CHARACTERS
            ]
        )
        if end < len(text):
            yield None
    return "".join(parts)


def sanitize_line(text: str, nonce: str = "", max_length: int = 200) -> str:
    """Sanitize a name, a title or a URL: one line of at most `max_length` characters."""
    if _PLAIN_LINE.fullmatch(text) and len(text) <= max_length and not _contains_nonce(nonce, text):
        return text
    line = " ".join(sanitize(text, nonce).split())
    return line if len(line) <= max_length else line[: max_length - 1] + "…"


# Words separated by single spaces, like most names: `sanitize` would not change them, and this is ten times as fast.
_PLAIN_LINE = re.compile(r"(?:[\w.,-]++ )*+[\w.,-]++", re.ASCII)
# First characters of markers; the # of a heading is not one.
_OPENERS = {
    opener: re.compile(re.escape(opener) + (r"(?=#\S)" if opener == "#" else "")) for opener in OPENING_CHARACTERS
}
_BLOCK_CHARACTERS = 5_000  # characters that are searched at a time
_STEP = 64  # brackets that are read in a step: 1 ms
_LOOKALIKES = "".join(LOOKALIKES)
_HARMLESS = str.maketrans(
    {
        **dict.fromkeys("[【(（" + _LOOKALIKES[::2], "⟨"),
        **dict.fromkeys("]】)）" + _LOOKALIKES[1::2], "⟩"),
        "\\": None,
        "#": "♯",
    }
)


def _without_markers(text: str) -> Steps[str]:
    """Replace the brackets of everything that the model could copy as a citation: `[3]` becomes `⟨3⟩`."""
    parts: list[str] = []
    done = 0
    for number, position in enumerate(_openings(text), 1):
        if position < done:
            continue
        if number % _STEP == 0:
            yield None
        brackets = match_brackets(text, position)
        if isinstance(brackets, Brackets) and _looks_like_citation(
            text, position, brackets, "".join(parts[-2:])[-MAX_MARKER_CHARACTERS:], done
        ):
            parts += [text[done:position], unescape(text[position : brackets.end]).translate(_HARMLESS)]
            done = brackets.end
    return "".join(parts) + text[done:]


def _openings(text: str) -> Iterator[int]:
    """Yield where a marker could begin, in order. Checking for each character first is five times as fast."""
    here = [pattern for opener, pattern in _OPENERS.items() if opener in text]
    for start in range(0, len(text) if here else 0, _BLOCK_CHARACTERS):
        starts = [
            match.start() for pattern in here for match in pattern.finditer(text, start, start + _BLOCK_CHARACTERS + 3)
        ]
        yield from sorted(start_of_marker for start_of_marker in starts if start_of_marker < start + _BLOCK_CHARACTERS)


def _looks_like_citation(text: str, position: int, brackets: Brackets, left: str, done: int) -> bool:
    """Return whether it looks like a citation, not like a year or an index in code."""
    if brackets.form is Form.PLAIN and all(low > MAX_PLAUSIBLE_NUMBER for low, _ in brackets.ranges):
        return False
    before = (left + text[max(done, position - 2 * MAX_MARKER_CHARACTERS) : position])[-2 * MAX_MARKER_CHARACTERS :]
    return (
        left_context(before + text[position : brackets.end], len(before)) is not LeftContext.CODE
        or text[position - 1 : position] in "[［\\"
    )
