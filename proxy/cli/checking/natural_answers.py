"""Natural answers with the citations of their models and a label for each sentence.

`bench/answers/README.md` in the repository describes the fields. `answers.jsonl` has four answers of each author.
"""

import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from citestream.citation.answers.draft import Draft
from citestream.citation.evidence import Evidence, FieldError

Answer = dict[str, Any]

FIELDS = ("question", "evidence", "sentences")
_END = re.compile(r"\s*(?:[.!?。！？:;]+[*_)\"”»]*|\|)\s*$")


def built_in() -> list[Answer]:
    """Return the answers that the package contains."""
    return _parsed(files(__package__).joinpath("answers.jsonl").read_text("utf-8"), "answers.jsonl")


def read(path: Path) -> list[Answer]:
    """Return the answers of a file in JSONL format. Raise OSError, and FieldError for a line that is no such answer."""
    try:
        return _parsed(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError:
        raise FieldError(str(path), "is not UTF-8 text") from None


def _parsed(text: str, name: str) -> list[Answer]:
    answers = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            raise FieldError(f"{name}:{number}", "is not JSON") from None
        missing = [field for field in FIELDS if not isinstance(answer, dict) or field not in answer]
        if missing:
            raise FieldError(f"{name}:{number}", f"is no natural answer: {missing[0]} is missing")
        answers.append(answer)
    return answers


def evidence_of(answer: Answer) -> list[Evidence]:
    """Return the evidence of an answer, numbered from 1."""
    return [Evidence(n, item["text"], f"e{n}", title=item["title"]) for n, item in enumerate(answer["evidence"], 1)]


def marked_sentences(answer: Answer) -> list[str]:
    """Return the sentences of an answer with the markers of its model. Joined, they are the answer."""
    return [with_markers(sentence) for sentence in answer["sentences"]]


def with_markers(sentence: dict[str, Any]) -> str:
    """Return a sentence with the markers of its model before the punctuation or the bar of a table at its end."""
    text = sentence["text"]
    numbers = "".join(f"[{number}]" for number in sentence["model_cites"])
    end = _END.search(text) if numbers else None
    position = end.start() if end else len(text)
    return f"{text[:position]}{' ' if numbers else ''}{numbers}{text[position:]}{sentence['sep']}"


def sentence_of(draft: Draft, marked: Sequence[str]) -> int:
    """Return the index of the labelled sentence with which a draft overlaps most. `marked`: all sentences."""
    bounds = pairwise(accumulate(map(len, marked), initial=0))
    overlaps = [min(end, draft.end) - max(start, draft.start) for start, end in bounds]
    return overlaps.index(max(overlaps))


def citations(drafts: Iterable[Draft], supports: Iterable[Iterable[int]], marked: Sequence[str]) -> list[set[int]]:
    """Return the evidence numbers that are cited for each labelled sentence. `supports`: those of each draft."""
    cited: list[set[int]] = [set() for _ in marked]
    for draft, numbers in zip(drafts, supports, strict=True):
        cited[sentence_of(draft, marked)].update(numbers)
    return cited
