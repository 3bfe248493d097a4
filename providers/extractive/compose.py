"""Compose an answer to a question from sentences of numbered excerpts.

The score of a sentence is the share of the question's terms that it contains, each term weighted by how rare it is
among the sentences (inverse document frequency). Terms of its heading and of neighbouring sentences count half. It
scores higher with the kind of answer that the question asks for: a name for "who", a date for "when", a number for "how
many". A sentence without that kind of answer must contain nearly all terms. The best sentence is quoted, then those
that answer the rest of the question.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
from .messages import NO_EVIDENCE, nothing_found
from .quotable_passages import Passage, passages
from .term_variants import variants

MAX_SENTENCES = 3  # more would be a page, not an answer
MAX_ITEMS = 10  # items of a list, or rows of a table, that are an answer together
MAX_VARIED = (
    20  # terms of a question whose other forms are searched for; each is compared with all terms of the excerpts
)
MIN_COVERAGE = 0.45  # share of the question's weight in the best sentence; with less, it is about something else
COMPLETE_COVERAGE = 0.8  # share of the question's weight in a sentence without the kind of answer that is asked for
TERMS_WITHOUT_NAME = 3  # terms of the question in a sentence that has none of its names; 2 if no sentence has one
SIMILAR_SCORE = 0.9  # share of the best score that a further sentence needs when it adds nothing new
NEW_COVERAGE = 0.2  # share of the question's weight that a further sentence must add when its score is lower
NEARBY_CREDIT = 0.5  # for a term in the heading or in a neighbouring sentence
UNKNOWN_CREDIT = 0.3  # weight of a term that no sentence contains: it may have a synonym, which a name has not
KIND_BONUS = 0.25  # for a sentence with the kind of answer that is asked for
LENGTH_PENALTY = 0.00025  # per character: of two sentences with the same terms the shorter is preferred
MAX_PENALIZED_LENGTH = 400
INTRODUCTION = (":", "：")  # the end of a sentence that introduces a list or code, and does not answer without it
DUPLICATE = 0.8  # share of equal terms from which two sentences are duplicates, as in overlapping excerpts


_ACRONYM = re.compile(r"\b(?:[A-Z]{2,4}|(?<=[\w,] )[B-HJ-Z])\b")
_CLOCK = re.compile(r"(?i)\b\d{1,2}(?:[:.]\d\d)? ?(?:uhr|heures?|h|[ap]\.?m)\b")
# Prepositions of a place in English, German, French and Spanish
_PLACE = re.compile(
    r"(?i)\b(?:at|behind|below|in|near|next to|on|hinter|im|neben|am|auf|unter|dans|sur|au|aux|près|en)\b"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its terms with their weights, the kind of answer it asks for, and the terms of its names."""

    weights: dict[str, float]
    kind: str
    names: frozenset[str]
    unknown: frozenset[str]  # terms that no sentence contains
    counted: str  # the term of what it asks the number of, "" if it does not

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def weight(self, terms: Collection[str]) -> float:
        """Return the total weight of these terms."""
        return sum(weight for term, weight in self.weights.items() if term in terms)

    def share(self, terms: Collection[str]) -> float:
        """Return the share of the question's weight that these terms have."""
        return self.weight(terms) / self.total


def compose(
    question: str, excerpts: Mapping[int, str], *, titles: Mapping[int, str] | None = None, searched: bool = False
) -> str:
    """Return an answer of up to three sentences, each followed by the `[n]` of its excerpt.

    `titles`: the titles of the excerpts by their numbers. `searched`: documents were searched for the question.
    """
    if not excerpts:
        return nothing_found(question) if searched else NO_EVIDENCE
    titles = titles or {}
    acronyms_asked = acronyms(question)
    sentences = (
        passage for number, text in excerpts.items() for passage in passages(number, text, titles.get(number, ""))
    )
    candidates = [
        replace(passage, terms=passage.terms | spelled_out(acronyms_asked, passage.text)) for passage in sentences
    ]
    candidates = _with_variants(query_terms(question), _with_acronyms(acronym_terms(question), candidates))
    is_broad = breadth(question) == "broad"
    if not query_terms(question):
        return render(first_passages(candidates) if is_broad else []) or nothing_found(question)
    if is_broad and (topic := _about(question, candidates, titles)):
        return render(select(question, _specific(question, topic)) or first_passages(topic))
    return render(matching_list(question, candidates) or select(question, candidates)) or nothing_found(question)


def acronym_terms(question: str) -> list[str]:
    """Return the words in capitals that would be left out as words of their language: "IT", "US", "size S"."""
    if question.isupper():
        return []
    terms, spelled = set(query_terms(question)), acronyms(question)
    return [
        word for word in _ACRONYM.findall(question) if not {word.casefold(), *search_terms(word)} & {*terms, *spelled}
    ]


def _with_acronyms(acronyms: Collection[str], candidates: list[Passage]) -> list[Passage]:
    """Return the passages with the acronyms that they contain in capitals."""
    if not acronyms:
        return candidates

    def contained(text: str) -> set[str]:
        return {acronym for acronym in acronyms if re.search(rf"\b{acronym}\b", text)}

    return [
        replace(
            passage,
            terms=passage.terms | contained(passage.text),
            stated_terms=passage.stated_terms | contained(passage.text),
            row_name=passage.row_name | (contained(passage.text) if passage.row_name else set()),
        )
        for passage in candidates
    ]


def _with_variants(terms: Sequence[str], candidates: list[Passage]) -> list[Passage]:
    """Return the passages with the terms of a question that they contain in another form."""
    vocabulary = frozenset[str]().union(*(passage.terms | passage.nearby_terms for passage in candidates))
    missing = [term for term in terms if term not in vocabulary][:MAX_VARIED]
    forms = {term: contained_forms for term in missing if (contained_forms := variants(term, vocabulary))}
    if not forms:
        return candidates

    def with_forms(contained: frozenset[str]) -> frozenset[str]:
        return contained | {
            term for term, contained_forms in forms.items() if not contained_forms.isdisjoint(contained)
        }

    return [
        replace(
            passage,
            terms=with_forms(passage.terms),
            stated_terms=with_forms(passage.stated_terms),
            nearby_terms=with_forms(passage.nearby_terms),
            answered_terms=with_forms(passage.answered_terms),
            list_terms=with_forms(passage.list_terms),
            row_name=with_forms(passage.row_name),
            denied_terms=with_forms(passage.denied_terms),
        )
        for passage in candidates
    ]


def matching_list(question: str, candidates: list[Passage]) -> list[Passage]:
    """Return the items of the list whose heading or introduction has the words of a question; none if it asks for one.

    "Which payment methods are there?" is answered by the list below "Payment methods".
    """
    weighed = weigh(question, candidates)
    if weighed.kind:
        return []
    items = [passage for passage in candidates if passage.list_terms and not passage.row_name]
    best = max(items, key=lambda item: weighed.share(item.list_terms), default=None)
    if best is None or not weighed.names <= best.list_terms:
        return []
    best_coverage = max((_coverage(passage, weighed) for passage in candidates if passage not in items), default=0.0)
    if (share := weighed.share(best.list_terms)) < max(MIN_COVERAGE, best_coverage):
        return []
    return (
        [item for item in items if (item.number, item.group) == (best.number, best.group)][:MAX_ITEMS] if share else []
    )


def select(question: str, candidates: list[Passage]) -> list[Passage]:
    """Return the passages that answer the question, and the best one for each of its parts, in reading order."""
    chosen = best_passages(weigh(question, candidates), candidates)
    for part in question_parts(question):
        if query_terms(part):
            best = best_passages(weigh(part, candidates), candidates, limit=1)
            if len(chosen) < MAX_SENTENCES and not any(
                _repeats(addition, passage) for addition in best for passage in chosen
            ):
                chosen += best
    return sorted(chosen, key=_reading_order)


def weigh(question: str, candidates: list[Passage]) -> Question:
    """Return the question with its terms weighted by how rare they are among the candidates."""
    terms = [*query_terms(question), *acronym_terms(question)]
    contained = [passage.terms | passage.nearby_terms for passage in candidates]
    weights = {
        term: log(1 + len(contained) / (0.5 + sum(term in passage_terms for passage_terms in contained)))
        for term in terms
    }
    vocabulary = frozenset[str]().union(*contained)
    names = name_terms(question) | (frozenset(acronym_terms(question)) & weights.keys())
    for term in set(terms) - vocabulary - names:
        weights[term] *= UNKNOWN_CREDIT
    return Question(
        weights, answer_kind(question), names & set(terms), frozenset(terms) - vocabulary, counted_term(question)
    )


def best_passages(question: Question, candidates: list[Passage], limit: int = MAX_SENTENCES) -> list[Passage]:
    """Return the passages that answer the question, in reading order."""
    scores = {passage: _score(passage, question) for passage in candidates}
    candidates = rows_of_subject(question, [passage for passage in candidates if _may_answer(passage, question)])
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
        is_useful = (
            is_similar and not _names_chosen(passage, chosen, question)
        ) or added >= NEW_COVERAGE * question.total
        if is_useful and not any(_repeats(passage, earlier) for earlier in chosen):
            chosen.append(passage)
            covered |= passage.terms
    return sorted(chosen, key=_reading_order)


def _names_chosen(row: Passage, chosen: list[Passage], question: Question) -> bool:
    """Return whether a row of the same table with the same words of the question is chosen already."""
    shared = row.row_name.intersection(question.weights)
    return bool(shared) and any(
        (earlier.number, earlier.group) == (row.number, row.group)
        and earlier.row_name.intersection(question.weights) == shared
        for earlier in chosen
    )


def rows_of_subject(question: Question, candidates: list[Passage]) -> list[Passage]:
    """Return the passages without rows about another subject than the question.

    In a table, those rows whose first cells have most words of the question are about it. Of equal ones, it is the
    row with the fewest other words: "AquaFilter Pro", not "AquaFilter Pro Max".
    """
    best: dict[tuple[int, int, frozenset[str]], int] = {}
    named: dict[tuple[int, int], set[frozenset[str]]] = {}
    for row in candidates:
        if row.row_name:
            table, shared = (row.number, row.group), row.row_name.intersection(question.weights)
            extra = len(row.row_name - shared)
            best[(*table, shared)] = min(extra, best.get((*table, shared), extra))
            named.setdefault(table, set()).add(shared)

    def is_subject(row: Passage) -> bool:
        table, shared = (row.number, row.group), row.row_name.intersection(question.weights)
        if any(shared < other_words for other_words in named[table]):
            return False
        is_closest = not shared or len(row.row_name - shared) == best[(*table, shared)]
        return is_closest and (bool(shared) or not row.denied_terms & question.weights.keys())

    return [passage for passage in candidates if not passage.row_name or is_subject(passage)]


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
    shared = {number: sum(1 / frequency[term] for term in title_terms) for number, title_terms in terms.items()}
    most = max(shared.values(), default=0.0)
    return [passage for passage in candidates if most and shared.get(passage.number) == most]


def _specific(question: str, topic: list[Passage]) -> list[Passage]:
    """Return the passages of a topic with a word of the question that its titles do not have: "parental leave"."""
    terms = set(query_terms(question)).difference(*(passage.heading_terms for passage in topic))
    return [passage for passage in topic if not terms.isdisjoint(passage.terms)]


def _reading_order(passage: Passage) -> tuple[int, int]:
    return passage.number, passage.position


def _coverage(passage: Passage, question: Question) -> float:
    """Return the share of the question's weight in the passage and its surroundings, 0..1."""
    contained = passage.terms | passage.answered_terms
    inside, nearby = question.weight(contained), question.weight(passage.nearby_terms - contained)
    return (inside + NEARBY_CREDIT * nearby) / question.total if inside else 0.0


def _may_answer(passage: Passage, question: Question) -> bool:
    """Return whether a passage can answer a question.

    It has one of the names in the question or many of its other terms, and the kind of answer that is asked for or
    else nearly all terms. Without a name, it has what is counted.
    """
    if passage.text.endswith(INTRODUCTION):
        return False
    has_name = bool(question.names & (passage.terms | passage.nearby_terms))
    needed = TERMS_WITHOUT_NAME - (not question.kind and question.names <= question.unknown)
    if question.names and not has_name and len(question.weights.keys() & passage.terms) < needed:
        return False
    if question.counted and not question.names and question.counted not in passage.terms | passage.nearby_terms:
        return False
    kind = "time" if question.kind == "date" else question.kind  # "Wann schließt die Halle?"
    if not kind or contains_answer(kind, passage.text, question.weights.keys()):
        return True
    if kind == "time" and _CLOCK.search(passage.text):
        return True
    if kind == "place" and _PLACE.search(passage.text):
        return True
    return question.weight(passage.terms | passage.answered_terms) >= COMPLETE_COVERAGE * question.total


def _score(passage: Passage, question: Question) -> float:
    score = _coverage(passage, question)
    kind = "date" if question.kind == "time" else question.kind  # any sentence may contain a period
    if score and contains_answer(kind, passage.text, question.weights.keys()):
        score += KIND_BONUS
    return score - LENGTH_PENALTY * min(len(passage.text), MAX_PENALIZED_LENGTH)


def _repeats(passage: Passage, earlier: Passage) -> bool:
    """Return whether two passages state the same in nearly the same words."""
    shared = len(passage.terms & earlier.terms)
    return shared >= DUPLICATE * min(len(passage.terms), len(earlier.terms))
