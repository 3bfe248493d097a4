"""Recognise passages in labelled blocks of text; see `block_formats`.

All text after the head of a block, up to the next one, is the passage. A passage may contain the literals of the
wrapper.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from .ambiguity import Checked, check_labels, only_first, without
from .block_formats import FORMATS, BlockFormat
from .prompt_evidence import Candidate, HostPassage, MarkerSyntax, PromptEvidence, Refusal
from .turn import MAX_TRIES, Turn, is_quoted, position


def recognise_blocks(turn: Turn) -> list[Candidate]:
    """Return the evidence of each format that fits."""
    return [candidate for form in FORMATS if (candidate := _recognise(form, turn))]


def _recognise(form: BlockFormat, turn: Turn) -> Candidate | None:
    """Return the evidence of one format: of the first message that has it, or of all results of tools."""
    texts = [(number, text) for number, text in enumerate(turn.texts(form.place)) if form.signature in text]
    results = [(number, read) for number, text in texts if (read := _read(form, text))]
    asked = not form.asks or any(form.asks in text for text in turn.system)
    if not results or not (asked or form.place != "tool"):
        return None
    checked = _joined([read.checked for _, read in results]) if form.place == "tool" else results[0][1].checked
    syntax = form.syntax if asked else MarkerSyntax.NONE
    number, first = results[0]
    question = _question(form, first.after, turn)
    evidence = PromptEvidence(form.host, checked.passages, question, syntax, checked.refusal, checked.refused_labels)
    return Candidate(position(form.place, number, first.start), evidence)


def _joined(results: Sequence[Checked]) -> Checked:
    """Join the results of several tools, without labels that stand for different passages in them."""
    passages = [passage for result in results for passage in result.passages]
    texts: dict[str, set[str]] = {}
    for passage in passages:
        texts.setdefault(passage.label, set()).add(passage.text)
    doubtful = {index for index, passage in enumerate(passages) if passage.label and len(texts[passage.label]) > 1}
    joined = without(passages, doubtful, Refusal.REPEATED_LABELS)
    refusal = joined.refusal or next((result.refusal for result in results if result.refusal), None)
    earlier = [label for result in results for label in result.refused_labels]
    return Checked(joined.passages, refusal, (*joined.refused_labels, *earlier))


class _Reading(NamedTuple):
    """The content of one message: where the wrapper begins, the passages, and the text after the wrapper."""

    start: int
    checked: Checked
    after: str


def _read(form: BlockFormat, text: str) -> _Reading | None:
    """Return what a message contains; None if the form does not fit, or if all passages are empty."""
    if form.leads and not text.lstrip().startswith(form.leads):
        return None
    start, body, after = _inside(form, text)
    body = body.strip()
    if not re.match(form.head, body):
        return None
    separators = [*re.finditer(form.separator, body)]
    starts = [0, *(separator.end() for separator in separators)]
    ends = [*(separator.start() for separator in separators), len(body)]
    blocks = [body[begin:end].strip("\n") for begin, end in zip(starts, ends, strict=True)]
    whole = [form.block.fullmatch(block) for block in blocks]
    truncated = re.compile(rf"{form.head}(?P<text>.*)", re.DOTALL)
    matched = [match or truncated.fullmatch(block) for match, block in zip(whole, blocks, strict=True)]
    passages = [_passage(form, match) for match in matched if match]
    if not any(passage.text for passage in passages):
        return None
    refusal = check_labels([passage.label for passage in passages], form.first_label)
    if None in whole or len({separator[0] for separator in separators}) > 1:
        refusal = Refusal.UNEXPECTED_FORMAT  # something between the blocks is not the host's
    return _Reading(start, only_first(passages, refusal, form.first_label), after)


def _inside(form: BlockFormat, text: str) -> tuple[int, str, str]:
    """Return where the wrapper's content begins, the content, and the text after it; both empty without a wrapper."""
    openings = islice(re.finditer(form.opening, text), MAX_TRIES)
    start = next((opening.end() for opening in openings if not is_quoted(text, opening.start())), None)
    if start is None:
        return 0, "", ""
    if not form.closing:
        return start, text[start:], ""
    closings = list(re.finditer(form.closing, text[start:]))
    if not closings:
        return start, "", ""
    body = text[start:]
    heads = [separator.end() for separator in re.finditer(form.separator, body[: closings[-1].start()])]
    end = next(closing.start() for closing in closings if closing.start() >= (heads[-1] if heads else 0))
    return start, body[:end], body[closings[-1].start() :].lstrip()  # the question follows the host's own closing


def _passage(form: BlockFormat, block: re.Match[str]) -> HostPassage:
    named = {name: block[group].strip() for group, name in form.fields.items() if block[group]}
    return HostPassage(block["label"], block["text"].strip(), named)


def _question(form: BlockFormat, text: str, turn: Turn) -> str:
    asked = form.question.search(text) if form.question else None
    return asked["question"].strip() if asked else turn.user
