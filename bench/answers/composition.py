"""Composition of the natural answers: languages, numbers of sentences, and how often each author's model is wrong."""

from collections import Counter
from collections.abc import Sequence

from bench.answers.records import Answer
from citestream.proxy.cli.checking.measures import count

HEAD = ("author", "style", "languages", "answers", "sentences", "wrong sentences", "wrong citations")


def table(answers: Sequence[Answer]) -> list[str]:
    """Return a Markdown table with a line per author."""
    authors = sorted({answer["author"] for answer in answers})
    lines = [line([one for one in answers if one["author"] == author]) for author in authors]
    return [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}", *lines]


def line(answers: Sequence[Answer]) -> str:
    """Return the line of one author."""
    languages = Counter(answer["lang"] for answer in answers)
    cells = (
        answers[0]["author"],
        "; ".join(sorted({answer["style"] for answer in answers})),
        ", ".join(f"{language} {number}" for language, number in languages.most_common()),
        str(len(answers)),
        str(sum(len(answer["sentences"]) for answer in answers)),
        f"{wrong_sentences(answers):.0%}".replace("%", " %"),
        f"{wrong_citations(answers):.0%}".replace("%", " %"),
    )
    return f"| {' | '.join(cells)} |"


def wrong_sentences(answers: Sequence[Answer]) -> float:
    """Return the share of the statements that the excerpts do not support, or support only in part."""
    labels = Counter(sentence["label"] for answer in answers for sentence in answer["sentences"])
    wrong = labels["unsupported"] + labels["partial"]
    return wrong / (wrong + labels["supported"])


def wrong_citations(answers: Sequence[Answer]) -> float:
    """Return the share of the model's citations that are wrong, among those that are right or wrong.

    Citations of partly supported sentences count neither way.
    """
    counts = sum((count(one, [set(s["model_cites"]) for s in one["sentences"]]) for one in answers), Counter[str]())
    return counts["model wrong"] / (counts["model wrong"] + counts["model right"])
