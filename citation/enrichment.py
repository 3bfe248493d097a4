"""The optional second pass: a model replaces placeholders in the draft by citations.

The pass can only remove citations. Its result is used if its text equals the draft and its markers are a subset of the
backend's decisions. Otherwise the backend's own rendering is used.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from .answers.draft import Draft
from .evidence import Evidence
from .markers import MarkerNames, StrippedText, marker_end, strip
from .markers.placement import place_marker
from .prompt.injection import Message, excerpts_block
from .support.decision import Decision
from .text.segmentation import Segmenter

GRAPH = frozenset({"entity", "relation"})  # `chunk_type` of evidence from a knowledge graph

Decided = tuple[Draft, Decision]

_LIST = re.compile(r"\n[ \t]*(?:\*\*|#{1,6}[ \t]*)?(?:References|Sources)\b[^\n]*\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SecondPassResult:
    """The result of the second pass: a decision per draft, and the outcome."""

    decisions: tuple[Decision, ...]
    outcome: str  # "used", "text_changed", "unknown_citation"


def placeholder(evidence: Evidence) -> str:
    """Return the placeholder for a citation of this evidence."""
    name = evidence.file_name or evidence.title or evidence.id
    return f"[{'KG' if evidence.chunk_type in GRAPH else 'DC'}] {' '.join(name.split())}"


def messages(decided: Sequence[Decided], evidence: Sequence[Evidence], nonce: str) -> list[Message]:
    """Return the messages of the second pass. `nonce`: unguessable and new for each request."""
    shown = {item.number: item for item in evidence}
    draft = "".join(_with_placeholders(*pair, shown) for pair in decided)
    return [
        {"role": "system", "content": _rules()},
        {"role": "user", "content": f"{excerpts_block(evidence, nonce)}The draft:\n\n{draft}"},
    ]


def apply_result(decided: Sequence[Decided], result: str, names: MarkerNames) -> SecondPassResult:
    """Return the decisions that remain after the second pass, or all of them if its result cannot be used."""
    decisions = tuple(decision for _, decision in decided)
    draft = "".join(draft.text[draft.released :] for draft, _ in decided)
    listed = list(_LIST.finditer(result))
    written = result[: listed[-1].start()] if listed else result
    cited, text = _cited(written, names)
    if " ".join(text.split()) != " ".join(draft.split()):
        return SecondPassResult(decisions, "text_changed")
    confirmed: list[Decision] = []
    characters_before = 0
    for piece, decision in decided:
        size = _visible_length(piece.text[piece.released :])
        numbers = {number for position, number in cited if characters_before < position <= characters_before + size}
        characters_before += size
        if not numbers <= {support.number for support in decision.supports}:
            return SecondPassResult(decisions, "unknown_citation")
        confirmed.append(replace(decision, supports=tuple(s for s in decision.supports if s.number in numbers)))
    return SecondPassResult(tuple(confirmed), "used")


def _cited(text: str, names: MarkerNames) -> tuple[list[tuple[int, int]], str]:
    """Return each cited number with the number of visible characters before it, and the text without markers."""
    segmenter = Segmenter(marker_end=marker_end())
    cited: list[tuple[int, int]] = []
    clean: list[str] = []
    characters_before = 0
    for sentence in segmenter.feed(text) + segmenter.flush():
        stripped = StrippedText(sentence.text) if sentence.verbatim else strip(sentence.text, names)
        characters_before += _visible_length(stripped.text)
        clean.append(stripped.text)
        cited += [(characters_before, number) for number in (*stripped.cited, *stripped.unknown)]
    return cited, "".join(clean)


def _visible_length(text: str) -> int:
    return len("".join(text.split()))


def _with_placeholders(draft: Draft, decision: Decision, shown: dict[int, Evidence]) -> str:
    marks = " ".join(placeholder(shown[support.number]) for support in decision.supports)
    return place_marker(draft.text, draft.kind, marks, shown=draft.released).text[draft.released :]


@cache
def _rules() -> str:
    return (files("citestream.citation.prompt") / "templates" / "enrich.md").read_text(encoding="utf-8").strip()
