"""Split a complete text into sentences: fast, for the windows of evidence. An answer has its own Segmenter.

Full stops follow the same rules as in the Segmenter. The Segmenter also parses Markdown, waits for more text and keeps
markers with their sentence, which takes twenty times as long and would not change which passage supports a claim.
"""

import re

from .full_stop import full_stop_ends
from .steps import Steps, completed

# A table or a list without punctuation is split at white space after this many characters, so that windows stay short.
_MAX_LENGTH = 500
_STEP = 256  # possible ends of sentences that are looked at in a step: 1 ms
_MAX_CONTEXT_CHARACTERS = 100  # characters on both sides of a full stop: more than its rules look at

# The mark that may end a sentence comes first and alone, so that the search skips everything else at once.
_END = re.compile(
    r"[.\n。！？；!?…۔।؟។](?:"
    r"(?<=[.])(?<!\.\.)\.*[\"'”’)\]]*\s+"  # a full stop needs white space; a row of them is matched once
    r"|(?<=\n)\n*\s*"
    r"|(?<![.\n])[。！？；!?…۔।؟។]*[\"'”’」』）)\]】]*\s*"  # the others end a sentence without white space, too
    r")"
)


def split_in_steps(text: str) -> Steps[list[tuple[int, int]]]:
    """Return the offsets (start, end) of the sentences of `text`, in order. Together they are the whole text."""
    spans: list[tuple[int, int]] = []
    start = 0
    for number, mark_match in enumerate(_END.finditer(text), 1):
        if number % _STEP == 0:
            yield None
        mark, end = mark_match.span()
        if end > start and _ends(text, start, mark, end):
            _add(text, start, end, spans)
            start = end
    if start < len(text):
        _add(text, start, len(text), spans)
    return spans


split_sentences = completed(split_in_steps)


def _ends(text: str, start: int, mark: int, end: int) -> bool:
    """Return whether the mark, with the marks and the space after it up to `end`, ends the sentence from `start`."""
    following = text[end : end + 1]
    if text[mark] != ".":
        quoted = text[mark] in "!?…" and following.islower()  # "Go!" he said
        return not quoted and bool(text[start:mark].strip())
    if not following:
        return True
    if following.islower() or following in ",;)":
        return False
    begin = max(start, mark - _MAX_CONTEXT_CHARACTERS)
    return full_stop_ends(text[begin : end + _MAX_CONTEXT_CHARACTERS], mark - begin, end - begin, final=True) is True


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while end - start > _MAX_LENGTH:
        cut = text.rfind(" ", start + _MAX_LENGTH // 2, start + _MAX_LENGTH) + 1 or start + _MAX_LENGTH
        spans.append((start, cut))
        start = cut
    spans.append((start, end))
