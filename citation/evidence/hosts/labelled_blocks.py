"""Recognise passages in labelled blocks of text; see `block_formats`.

All text after the head of a block, up to the next one, is the passage. A passage may contain the literals of the
wrapper.
"""

import re
from itertools import islice

from .block_formats import FORMATS, BlockFormat
from .prompt_evidence import HostPassage, MarkerSyntax, PromptEvidence, are_consecutive
from .turn import MAX_TRIES, Turn, is_quoted


def recognise_blocks(turn: Turn) -> PromptEvidence | None:
    """Return the evidence of the first format that fits."""
    for form in FORMATS:
        found = [read for text in turn.texts(form.place) if form.signature in text and (read := _read(form, text))]
        asked = not form.asks or any(form.asks in text for text in turn.system)
        if found and (asked or form.place != "tool"):
            passages = [passage for read, _ in found for passage in read] if form.place == "tool" else found[0][0]
            syntax = form.syntax if asked else MarkerSyntax.NONE
            return PromptEvidence(form.host, tuple(passages), _question(form, found[0][1], turn), syntax)
    return None


def _read(form: BlockFormat, text: str) -> tuple[tuple[HostPassage, ...], str] | None:
    """Return the passages and what follows the wrapper."""
    if form.leads and not text.lstrip().startswith(form.leads):
        return None
    body, rest = _inside(form, text)
    if not body:
        return None
    blocks = [form.block.fullmatch(block.strip("\n")) for block in re.split(form.separator, body.strip())]
    matched = [block for block in blocks if block]
    if len(matched) < len(blocks):
        return None  # something between the blocks is not the host's
    passages = tuple(_passage(form, block) for block in matched if block["text"].strip())
    labels = [block["label"] for block in matched]
    if form.first_label is not None and not are_consecutive(labels, form.first_label):
        return None
    return (passages, rest) if passages else None


def _inside(form: BlockFormat, text: str) -> tuple[str, str]:
    """Return the content of the wrapper and the text after it; both empty without a wrapper."""
    openings = islice(re.finditer(form.opening, text), MAX_TRIES)
    start = next((found.end() for found in openings if not is_quoted(text, found.start())), None)
    if start is None:
        return "", ""
    if not form.closing:
        return text[start:], ""
    closings = list(re.finditer(form.closing, text[start:]))
    if not closings:
        return "", ""
    body = text[start:]
    heads = [found.end() for found in re.finditer(form.separator, body[: closings[-1].start()])]
    end = next(found.start() for found in closings if found.start() >= (heads[-1] if heads else 0))
    return body[:end], body[end:].lstrip()


def _passage(form: BlockFormat, block: re.Match[str]) -> HostPassage:
    named = {name: block[group].strip() for group, name in form.fields.items() if block[group]}
    return HostPassage(block["label"], block["text"].strip(), named)


def _question(form: BlockFormat, rest: str, turn: Turn) -> str:
    found = form.question.search(rest) if form.question else None
    return found["question"].strip() if found else turn.user
