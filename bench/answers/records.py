"""The natural answers of `bench/answers/data`, one file per author. `README.md` there describes the fields."""

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Answer = dict[str, Any]

DATA = Path(__file__).parent / "data"


def answers(*, held_out: bool = False) -> list[Answer]:
    """Return the answers of the authors that may be fitted to, or of those that are held out."""
    files = sorted((DATA / "held_out" if held_out else DATA).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line]


def with_other_citations(answer: Answer) -> Answer:
    """Return the answer with as many citations, each of an excerpt that does not depend on the sentence.

    They teach that a citation alone does not make an excerpt right.
    """
    count = len(answer["evidence"])
    sentences = []
    for number, sentence in enumerate(answer["sentences"]):
        first = zlib.crc32(f"{answer['id']}/{number}".encode())
        cited = sorted({(first + step) % count + 1 for step in range(len(sentence["model_cites"]))})
        sentences.append({**sentence, "model_cites": cited})
    return {**answer, "sentences": sentences}


def as_record(answer: Answer, *, with_citations: bool = True) -> dict[str, Any]:
    """Return an answer as a labelled record (`bench/data/pairs.py`), whose data set is its author.

    A partly supported sentence counts as unsupported; the excerpts that support a part of it count neither way.
    """
    sentences = answer["sentences"]
    count = len(answer["evidence"])
    gold = [[[n - 1 for n in alternative] for alternative in s.get("gold") or []] for s in sentences]
    record = {
        "id": answer["id"] if with_citations else f"{answer['id']} without citations",
        "dataset": answer["author"],
        "lang": answer["lang"],
        "question": answer["question"],
        "answer_sentences": [s["text"] for s in sentences],
        "contexts": contexts(sentences),
        "evidence": [{"id": f"e{n}", **item} for n, item in enumerate(answer["evidence"], 1)],
        "gold": [alternatives[0] if alternatives else [] for alternatives in gold],
        "gold_alt": gold,
        "ignore": [[n - 1 for n in s.get("also") or []] for s in sentences],
        "sent_label": ["unsupported" if s["label"] == "partial" else s["label"] for s in sentences],
        "gold_level": "chunk",
    }
    if with_citations:
        record["citations"] = [[n - 1 for n in s["model_cites"] if 0 < n <= count] for s in sentences]
    return record


def contexts(sentences: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the context of each sentence: the one before it, unless that is a heading or ends a paragraph."""
    found = [""]
    for sentence in sentences[:-1]:
        ends = "\n\n" in sentence["sep"] or sentence["text"].startswith("#")
        found.append("" if ends else sentence["text"])
    return found
