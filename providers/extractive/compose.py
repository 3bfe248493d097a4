"""Compose an answer to a question from sentences of numbered excerpts.

The score of a sentence is the share of the question's terms that it contains, each term weighted by how rare it is
among the sentences (inverse document frequency). Terms of its heading and of neighbouring sentences count half. It
scores higher with the kind of answer that the question asks for: a name for "who", a date for "when", a number for "how
many". A sentence without that kind of answer must contain nearly all terms. The best sentence is quoted, then those
that answer the rest of the question.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from math import log

from citestream.citation.text.queries.acronyms import acronyms, spelled_out
from citestream.citation.text.queries.questions import (
    answer_kind,
    contains_answer,
    counted_term,
    name_terms,
    question_parts,
)
from citestream.citation.text.queries.search_terms import query_terms, search_terms

from ..retrieval.question_scope import breadth
from .quotable_passages import Passage, passages

MAX_SENTENCES = 3  # more would be a page, not an answer
MIN_COVERAGE = 0.45  # share of the question's weight in the best sentence; with less, it is about something else
COMPLETE_COVERAGE = 0.8  # share of the question's weight in a sentence without the kind of answer that is asked for
TERMS_WITHOUT_NAME = 3  # terms of the question in a sentence that has none of its names
SIMILAR_SCORE = 0.9  # share of the best score that a further sentence needs when it adds nothing new
NEW_COVERAGE = 0.2  # share of the question's weight that a further sentence must add when its score is lower
NEARBY_CREDIT = 0.5  # for a term in the heading or in a neighbouring sentence
UNKNOWN_CREDIT = 0.5  # weight of a term that no sentence contains: it may have a synonym, which a name has not
KIND_BONUS = 0.25  # for a sentence with the kind of answer that is asked for
LENGTH_PENALTY = 0.00025  # per character: of two sentences with the same terms the shorter is preferred
MAX_PENALIZED_LENGTH = 400
INTRODUCTION = (":", "：")  # the end of a sentence that introduces a list or code, and does not answer without it
DUPLICATE = 0.8  # share of equal terms from which two sentences are duplicates, as in overlapping excerpts

_PROVIDER = "This is Citestream's embedded provider: it has no language model and only quotes evidence."
NO_EVIDENCE = f"There is no information: no evidence was sent, and no documents were searched. {_PROVIDER}"
NOTHING_FITS = f"The documents do not say. {_PROVIDER}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its terms with their weights, the kind of answer it asks for, and the terms of its names."""

    weights: dict[str, float]
    kind: str
    names: frozenset[str]
    counted: str  # the term of what it asks the number of, "" if it does not

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def compose(
    question: str, excerpts: Mapping[int, str], *, titles: Mapping[int, str] | None = None, searched: bool = False
) -> str:
    """Return an answer of up to three sentences, each followed by the `[n]` of its excerpt.

    `titles`: the titles of the excerpts by their numbers. `searched`: documents were searched for the question.
    """
    if not excerpts:
        return NOTHING_FITS if searched else NO_EVIDENCE
    titles = titles or {}
    known = acronyms(question)
    found = (one for number, text in excerpts.items() for one in passages(number, text, titles.get(number, "")))
    candidates = [replace(one, terms=one.terms | spelled_out(known, one.text)) for one in found]
    if not query_terms(question):
        return render(first_passages(candidates)) or NOTHING_FITS
    if breadth(question) == "broad" and (topic := _about(question, candidates, titles)):
        return render(first_passages(topic))
    return render(select(question, candidates)) or NOTHING_FITS


def select(question: str, candidates: list[Passage]) -> list[Passage]:
    """Return the passages that answer the question, and the best one for each of its parts, in reading order."""
    chosen = best_passages(weigh(question, candidates), candidates)
    for part in question_parts(question):
        if query_terms(part):
            best = best_passages(weigh(part, candidates), candidates, limit=1)
            if len(chosen) < MAX_SENTENCES and not any(_repeats(one, other) for one in best for other in chosen):
                chosen += best
    return sorted(chosen, key=_reading_order)


def weigh(question: str, candidates: list[Passage]) -> Question:
    """Return the question with its terms weighted by how rare they are among the candidates."""
    terms = query_terms(question)
    contained = [passage.terms | passage.nearby_terms for passage in candidates]
    weights = {term: log(1 + len(contained) / (0.5 + sum(term in one for one in contained))) for term in terms}
    known = frozenset[str]().union(*contained)
    names = name_terms(question)
    for term in set(terms) - known - names:
        weights[term] *= UNKNOWN_CREDIT
    return Question(weights, answer_kind(question), names & set(terms), counted_term(question))


def best_passages(question: Question, candidates: list[Passage], limit: int = MAX_SENTENCES) -> list[Passage]:
    """Return the passages that answer the question, in reading order."""
    scores = {passage: _score(passage, question) for passage in candidates}
    candidates = [passage for passage in candidates if _may_answer(passage, question)]
    ranked = sorted(candidates, key=lambda passage: (-scores[passage], *_reading_order(passage)))
    if not ranked or _coverage(ranked[0], question) < MIN_COVERAGE:
        return []
    chosen = [ranked[0]]
    covered = set(ranked[0].terms)
    for passage in ranked[1:]:
        if len(chosen) == limit:
            break
        added = sum(question.weights[term] for term in question.weights.keys() & (passage.stated_terms - covered))
        is_similar = scores[passage] >= SIMILAR_SCORE * scores[ranked[0]]
        is_useful = is_similar or added >= NEW_COVERAGE * question.total
        if is_useful and not any(_repeats(passage, other) for other in chosen):
            chosen.append(passage)
            covered |= passage.terms
    return sorted(chosen, key=_reading_order)


def first_passages(candidates: list[Passage]) -> list[Passage]:
    """Return the beginnings of the first excerpts, for a question without content terms ("Summarise this.")."""
    first: dict[int, Passage] = {}
    for passage in candidates:
        first.setdefault(passage.number, passage)
    return list(first.values())[:MAX_SENTENCES]


def render(chosen: list[Passage]) -> str:
    """Return the sentences with their markers. Several rows of a table or items of a list are a list."""
    cited = [f"{passage.text} [{passage.number}]" for passage in chosen]
    if all(passage.complete for passage in chosen):
        return " ".join(cited)
    return "\n".join(f"- {text}" for text in cited) if len(cited) > 1 else cited[0]


def _about(question: str, candidates: list[Passage], titles: Mapping[int, str]) -> list[Passage]:
    """Return the passages of the excerpts whose titles have most terms of a question; none if no title has one."""
    if name_terms(question):
        return []
    terms = {number: set(search_terms(title)) & set(query_terms(question)) for number, title in titles.items()}
    frequency = Counter(chain.from_iterable(terms.values()))
    shared = {number: sum(1 / frequency[term] for term in found) for number, found in terms.items()}
    most = max(shared.values(), default=0.0)
    return [passage for passage in candidates if most and shared.get(passage.number) == most]


def _reading_order(passage: Passage) -> tuple[int, int]:
    return passage.number, passage.position


def _coverage(passage: Passage, question: Question) -> float:
    """Return the share of the question's weight in the passage and its surroundings, 0..1."""
    inside = sum(weight for term, weight in question.weights.items() if term in passage.terms)
    nearby = sum(weight for term, weight in question.weights.items() if term in passage.nearby_terms - passage.terms)
    return (inside + NEARBY_CREDIT * nearby) / question.total if inside else 0.0


def _may_answer(passage: Passage, question: Question) -> bool:
    """Return whether a passage can answer a question.

    It has one of the names in the question or many of its other terms, and the kind of answer that is asked for or
    else nearly all terms. Without a name, it has what is counted.
    """
    if passage.text.endswith(INTRODUCTION):
        return False
    has_name = bool(question.names & (passage.terms | passage.nearby_terms))
    if question.names and not has_name and len(question.weights.keys() & passage.terms) < TERMS_WITHOUT_NAME:
        return False
    if question.counted and not question.names and question.counted not in passage.terms | passage.nearby_terms:
        return False
    if not question.kind or contains_answer(question.kind, passage.text, question.weights.keys()):
        return True
    inside = sum(weight for term, weight in question.weights.items() if term in passage.terms)
    return inside >= COMPLETE_COVERAGE * question.total


def _score(passage: Passage, question: Question) -> float:
    score = _coverage(passage, question)
    kind = "date" if question.kind == "time" else question.kind  # any sentence may contain a period
    if score and contains_answer(kind, passage.text, question.weights.keys()):
        score += KIND_BONUS
    return score - LENGTH_PENALTY * min(len(passage.text), MAX_PENALIZED_LENGTH)


def _repeats(passage: Passage, other: Passage) -> bool:
    """Return whether two passages state the same in nearly the same words."""
    shared = len(passage.terms & other.terms)
    return shared >= DUPLICATE * min(len(passage.terms), len(other.terms))
