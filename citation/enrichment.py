"""The second pass: a model gets the draft with the backend's placeholders and writes the citations, behind a guard.

The pass can only take citations away: its result counts if its text is the draft's and its markers are among those
that the backend had decided on. Otherwise the backend's own rendering stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from .answer import Draft
from .evidence import Evidence
from .evidence.prompt import Message, excerpts_block
from .markers import MarkerNames, strip
from .markers.placement import place
from .support.decision import Decision
from .text.segmentation import Segmenter

GRAPH = frozenset({"entity", "relation"})  # `chunk_type` of what comes from a knowledge graph

Decided = tuple[Draft, Decision]

_LIST = re.compile(r"\n[ \t]*(?:\*\*|#{1,6}[ \t]*)?(?:References|Sources)\b[^\n]*\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Enriched:
    """What the second pass comes to: a decision for each draft, and in a word why."""

    decisions: tuple[Decision, ...]
    outcome: str  # "used", "text_changed", "unknown_citation"


def placeholder(evidence: Evidence) -> str:
    """What stands in the draft for a citation of this evidence."""
    name = evidence.file_name or evidence.title or evidence.id
    return f"[{'KG' if evidence.chunk_type in GRAPH else 'DC'}] {' '.join(name.split())}"


def messages(decided: Sequence[Decided], evidence: Sequence[Evidence], nonce: str) -> list[Message]:
    """What the second pass is asked. `nonce`: unguessable, new for each request."""
    shown = {item.number: item for item in evidence}
    draft = "".join(_with_placeholders(*pair, shown) for pair in decided)
    return [
        {"role": "system", "content": _rules()},
        {"role": "user", "content": f"{excerpts_block(evidence, nonce)}The draft:\n\n{draft}"},
    ]


def judge(decided: Sequence[Decided], result: str, names: MarkerNames) -> Enriched:
    """What of the decisions the second pass keeps, if its result may be used at all."""
    own = tuple(decision for _, decision in decided)
    draft = "".join(draft.text[draft.early :] for draft, _ in decided)
    listed = list(_LIST.finditer(result))
    written = result[: listed[-1].start()] if listed else result
    cited, text = _cited(written, names)
    if " ".join(text.split()) != " ".join(draft.split()):
        return Enriched(own, "text_changed")
    kept: list[Decision] = []
    at = 0
    for piece, decision in decided:
        size = _solid(piece.text[piece.early :])
        numbers = {number for position, number in cited if at < position <= at + size}
        at += size
        if not numbers <= {support.number for support in decision.supports}:
            return Enriched(own, "unknown_citation")
        kept.append(replace(decision, supports=tuple(s for s in decision.supports if s.number in numbers)))
    return Enriched(tuple(kept), "used")


def _cited(text: str, names: MarkerNames) -> tuple[list[tuple[int, int]], str]:
    """Each number with the count of characters, white space aside, that stand before it; and the text without them."""
    segmenter = Segmenter()
    found: list[tuple[int, int]] = []
    clean: list[str] = []
    at = 0
    for sentence in segmenter.feed(text) + segmenter.flush():
        stripped = strip(sentence.text, names, verbatim=sentence.verbatim)
        at += _solid(stripped.text)
        clean.append(stripped.text)
        found += [(at, number) for number in (*stripped.cited, *stripped.unknown)]
    return found, "".join(clean)


def _solid(text: str) -> int:
    return len("".join(text.split()))


def _with_placeholders(draft: Draft, decision: Decision, shown: dict[int, Evidence]) -> str:
    marks = " ".join(placeholder(shown[support.number]) for support in decision.supports)
    return place(draft.text, draft.kind, marks, shown=draft.early).text[draft.early :]


@cache
def _rules() -> str:
    return (files("citestream.citation.evidence") / "prompts" / "enrich.md").read_text(encoding="utf-8").strip()
