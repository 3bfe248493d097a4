"""compose: from a question and numbered excerpts to an answer made of their sentences.

A sentence is worth the share of the question's words that it holds, each word weighted by how rare it is among the
sentences (inverse document frequency), half of that for words of its heading or of the sentences beside it, and more
where it holds what the question asks for: a name for "who", a date for "when", a number for "how many". The best
sentence is taken, then those that answer what is still open.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from .question_words import TYPES, asks_for, content_words, names, parts
from .quotable_passages import Passage, passages

MOST = 3  # sentences of an answer: more would be a page, not an answer
ENOUGH = 0.45  # of the question's weight that the best sentence has to hold; below, it is about something else
CLOSE = 0.9  # of the best one's worth that a further sentence needs when it adds nothing new
NEW = 0.2  # of the question's weight that a further sentence has to add when it is worth less
NEARBY = 0.5  # what a word counts that stands in the heading or the sentences beside
UNKNOWN = 0.5  # what a word counts that no sentence holds: it may be said otherwise, which a name may not
WANTED = 0.25  # what it adds that a sentence holds the kind of thing asked for

NO_EVIDENCE = (
    "This is Citestream's embedded provider: it has no language model and only quotes evidence, "
    "and this request brought none."
)
NOTHING_FITS = (
    "No sentence of the evidence answers this question. "
    "(This is Citestream's embedded provider: it has no language model and only quotes evidence.)"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: its words with their weights, and the kind of thing it asks for."""

    weights: dict[str, float]
    wants: str

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def compose(question: str, excerpts: Mapping[int, str]) -> str:
    """The answer: up to three sentences, each followed by the `[n]` of its excerpt."""
    if not excerpts:
        return NO_EVIDENCE
    found = [passage for number, text in excerpts.items() for passage in passages(number, text)]
    words = content_words(question)
    if not words:
        return written(openings(found)) or NOTHING_FITS
    return written(answers(question, found)) or NOTHING_FITS


def answers(question: str, found: list[Passage]) -> list[Passage]:
    """What answers the whole question, and the best of what answers each of its parts, in reading order."""
    chosen = answering(weighed(question, content_words(question), found), found)
    for part in parts(question):
        if words := content_words(part):
            best = answering(weighed(part, words, found), found, most=1)
            if len(chosen) < MOST and not any(_repeats(one, other) for one in best for other in chosen):
                chosen += best
    return sorted(chosen, key=_place)


def weighed(question: str, words: set[str], found: list[Passage]) -> Question:
    """The question's words, weighted by how rare they are among the sentences."""
    held = [passage.terms for passage in found]
    weights = {word: log(1 + len(held) / (0.5 + sum(word in one for one in held))) for word in words}
    known = frozenset[str]().union(*held)
    for word in words - known - names(question):
        weights[word] *= UNKNOWN
    return Question(weights, asks_for(question))


def answering(question: Question, found: list[Passage], most: int = MOST) -> list[Passage]:
    """The sentences that answer, in reading order."""
    worth = {passage: _worth(passage, question) for passage in found}
    best = sorted(found, key=lambda passage: (-worth[passage], passage.number, passage.place))
    if not best or _held(best[0], question) < ENOUGH:
        return []
    chosen = [best[0]]
    covered = set(best[0].terms)
    for passage in best[1:]:
        if len(chosen) == most:
            break
        new = sum(question.weights[word] for word in question.weights.keys() & (passage.terms - covered))
        as_good = worth[passage] >= CLOSE * worth[best[0]]
        if (as_good or new >= NEW * question.total) and not any(_repeats(passage, other) for other in chosen):
            chosen.append(passage)
            covered |= passage.terms
    return sorted(chosen, key=_place)


def openings(found: list[Passage]) -> list[Passage]:
    """For a question without words of its own ("Summarise this."): how the first excerpts begin."""
    first: dict[int, Passage] = {}
    for passage in found:
        first.setdefault(passage.number, passage)
    return list(first.values())[:MOST]


def written(chosen: list[Passage]) -> str:
    """The sentences, each with its marker; one that does not end like a sentence keeps a line to itself."""
    text = ""
    for passage in chosen:
        text += ("" if not text else " " if passage.ended and text[-2:] != "\n" else "\n") + passage.text
        text += f" [{passage.number}]"
    return text


def _place(passage: Passage) -> tuple[int, int]:
    return passage.number, passage.place


def _held(passage: Passage, question: Question) -> float:
    """The share of the question's weight that the sentence and its surroundings hold, 0..1."""
    here = sum(weight for word, weight in question.weights.items() if word in passage.terms)
    near = sum(weight for word, weight in question.weights.items() if word in passage.near - passage.terms)
    return (here + NEARBY * near) / question.total if here else 0.0


def _worth(passage: Passage, question: Question) -> float:
    worth = _held(passage, question)
    if worth and question.wants and TYPES[question.wants](passage.text, question.weights.keys()):
        worth += WANTED
    # Of two sentences that hold the same words the shorter says less besides.
    return worth - 0.001 * min(len(passage.text), 400) / 4


def _repeats(passage: Passage, other: Passage) -> bool:
    """Whether they say the same in nearly the same words, as overlapping excerpts do."""
    shared = len(passage.terms & other.terms)
    return shared >= 0.8 * min(len(passage.terms), len(other.terms))
