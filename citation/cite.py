"""Cite a finished text: the library in one call.

from citation import Evidence, cite

cited = cite("The bridge opened in 1932. It is red.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
print(cited.text)                    # The bridge opened in 1932. [1] It is red.
print(cited.fields["references"])    # what supports which sentence
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .answer import UNDECIDED, Answer, Draft
from .evidence import Evidence
from .json_answer import JsonAnswer
from .options import Options
from .response import Response
from .support.calibration import judged
from .support.decision import Decision, Support, attribute
from .support.scorers import AnswerWide, Claim, Prepared, Scores, score_all, scorer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with its markers, what supports each of its pieces, and the fields that a completion ends with."""

    text: str
    supports: tuple[tuple[Support, ...], ...]
    fields: dict[str, Any]


def cite(text: str | Sequence[str], evidence: Sequence[Evidence], options: Options | None = None) -> CitedText:
    """Cite a text, or sentences already cut, against evidence. Raises ValueError for a scorer there is not."""
    options = options or Options()
    response = Response(evidence, options)
    answer = response.answer(0)
    prepared = scorer(options.scorer).prepare(evidence)
    drafts = drafts_of(answer, text)
    scores = scored([draft.claim for draft in drafts], prepared)
    pieces: list[str] = []
    supports: list[tuple[Support, ...]] = []
    for draft, of_one in zip(drafts, scores, strict=True):
        decision = decided(draft, of_one, prepared, options)
        pieces.append(answer.cite(draft, decision))
        supports.append(decision.supports)
    return finished(response, pieces, supports, scores)


def decided(draft: Draft, scores: Scores | None, prepared: Prepared, options: Options) -> Decision:
    """The decision about a draft; nothing for one that makes no claim."""
    if draft.claim is None or scores is None:
        return UNDECIDED
    cited = frozenset(draft.cited)
    return attribute(draft.claim, scores, prepared, cited=cited, limit=options.max_per_sentence, why=options.explain)


def scored(claims: Sequence[Claim | None], prepared: Prepared) -> list[Scores | None]:
    """Scores of all sentences of a text (None: makes no claim), judged."""
    found = score_all(prepared, [claim for claim in claims if claim is not None])
    return together(with_gaps(claims, found), prepared)


def together(scores: Sequence[Scores | None], prepared: Prepared) -> list[Scores | None]:
    """The same scores judged, as a scorer that judges a whole answer sees them."""
    found = [one for one in scores if one is not None]
    return with_gaps(scores, judged(prepared.together(found) if isinstance(prepared, AnswerWide) else found))


def with_gaps(wanted: Sequence[object | None], found: Iterable[T]) -> list[T | None]:
    """What was found for each that is wanted, in order; None where None is."""
    each = iter(found)
    return [None if one is None else next(each) for one in wanted]


def drafts_of(answer: Answer | JsonAnswer, text: str | Sequence[str]) -> list[Draft]:
    """The drafts of a finished text; of sentences already cut, one each."""
    if isinstance(text, str):
        return answer.feed(text) + answer.flush()
    return [draft for sentence in spaced(text) for draft in answer.take(sentence)]


def spaced(sentences: Sequence[str]) -> list[str]:
    """Sentences as they would follow each other in a text: a space between, where none is."""
    last = len(sentences) - 1
    return [s if i == last or s[-1:].isspace() else f"{s} " for i, s in enumerate(sentences)]


def finished(
    response: Response,
    pieces: Iterable[str],
    supports: Iterable[tuple[Support, ...]],
    scores: Iterable[Scores | None],
) -> CitedText:
    """The cited text of a response whose only choice has been cited."""
    response.grounding.degraded = any(one is not None and one.degraded for one in scores)
    text = "".join(pieces) + response.answer(0).reference_list()
    return CitedText(text, tuple(supports), response.of_choice(0) | response.overall())


__all__ = ["CitedText", "Decision", "cite", "drafts_of", "finished", "scored", "spaced", "together", "with_gaps"]
