"""Cite a finished text: the library in one call.

from citestream import Evidence, cite

cited = cite("The bridge opened in 1932. It is red.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
print(cited.text)                    # The bridge opened in 1932. [1] It is red.
print(cited.fields["references"])    # the cited evidence, with the sentences it supports
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .answers.answer import Answer
from .answers.draft import UNDECIDED, Draft
from .answers.json_answer import JsonAnswer
from .answers.response import Response
from .evidence import Evidence
from .options import Options, Strictness
from .support.calibration import calibrate_in_steps
from .support.decision import Decision, Support, attribute
from .support.scorers import Claim, PreparedEvidence, Scores, scorer
from .text.steps import Steps, complete

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with its markers, the supports of each of its sentences, and the fields that a completion ends with."""

    text: str
    supports: tuple[tuple[Support, ...], ...]
    fields: dict[str, Any]


def cite(
    text: str | Sequence[str], evidence: Sequence[Evidence], options: Options | None = None, question: str = ""
) -> CitedText:
    """Cite a text, or sentences that are already split. Raise ValueError for an unknown scorer.

    `question`: that the text answers. It tells which of several similar excerpts the text is about.
    """
    options = options or Options()
    response = Response(evidence, options, question=question)
    answer = response.answer(0)
    prepared = scorer(options.scorer).prepare(evidence)
    drafts = drafts_of(answer, text)
    scores = scored([draft.claim for draft in drafts], prepared, options.strictness)
    pieces: list[str] = []
    supports: list[tuple[Support, ...]] = []
    for draft, draft_scores in zip(drafts, scores, strict=True):
        decision = decide(draft, draft_scores, prepared, options)
        pieces.append(answer.cite(draft, decision))
        supports.append(decision.supports)
    return finish(response, pieces, supports, scores)


def decide(draft: Draft, scores: Scores | None, prepared: PreparedEvidence, options: Options) -> Decision:
    """Return the decision about a draft; UNDECIDED if it makes no claim."""
    if draft.claim is None or scores is None:
        return UNDECIDED
    return attribute(draft.claim, scores, prepared, limit=options.max_per_sentence, explain=options.explain)


def scored(
    claims: Sequence[Claim | None], prepared: PreparedEvidence, strictness: Strictness = "balanced"
) -> list[Scores | None]:
    """Return the calibrated scores of all sentences of a text; None for those that make no claim."""
    scores = prepared.score_all([claim for claim in claims if claim is not None])
    return calibrate_answer(align(claims, scores), prepared, strictness)


def calibrate_answer(
    scores: Sequence[Scores | None], prepared: PreparedEvidence, strictness: Strictness = "balanced"
) -> list[Scores | None]:
    """Calibrate the scores of a complete answer."""
    return complete(calibrate_answer_in_steps(scores, prepared, strictness))


def calibrate_answer_in_steps(
    scores: Sequence[Scores | None], prepared: PreparedEvidence, strictness: Strictness = "balanced"
) -> Steps[list[Scores | None]]:
    """Calibrate the scores of a complete answer in steps."""
    present = [claim_scores for claim_scores in scores if claim_scores is not None]
    yield None
    calibrated = yield from calibrate_in_steps(prepared.calibrate_answer(present), strictness)
    yield None
    return align(scores, calibrated)


def align(template: Sequence[object | None], values: Iterable[T]) -> list[T | None]:
    """Return `values` in order, with None wherever `template` has None."""
    remaining = iter(values)
    return [None if present is None else next(remaining) for present in template]


def drafts_of(answer: Answer | JsonAnswer, text: str | Sequence[str]) -> list[Draft]:
    """Return the drafts of a finished text, or one draft per sentence that is already split."""
    if isinstance(text, str):
        return answer.feed(text) + answer.flush()
    return [draft for sentence in spaced(text) for draft in complete(answer.take_in_steps(sentence))]


def spaced(sentences: Sequence[str]) -> list[str]:
    """Add a space after each sentence, except the last, that does not end in white space."""
    last = len(sentences) - 1
    return [s if i == last or s[-1:].isspace() else f"{s} " for i, s in enumerate(sentences)]


def finish(
    response: Response,
    pieces: Iterable[str],
    supports: Iterable[tuple[Support, ...]],
    scores: Iterable[Scores | None],
) -> CitedText:
    """Return the cited text of a response whose only choice is complete."""
    response.grounding.degraded |= any(claim_scores is not None and claim_scores.degraded for claim_scores in scores)
    text = "".join(pieces) + response.answer(0).reference_list()
    return CitedText(text, tuple(supports), response.choice_fields(0) | response.response_fields())
