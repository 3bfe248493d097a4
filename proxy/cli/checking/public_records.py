"""Rows of two public data sets as labelled records: LLM-AggreFact and RAGTruth.

A row of LLM-AggreFact (https://huggingface.co/datasets/lytang/LLM-AggreFact) has `dataset`, `doc`, `claim` and `label`,
which is 1 if the document supports the claim. A row of RAGTruth (https://github.com/ParticleMedia/RAGTruth) is a line
of `response.jsonl`; its source is in `source_info.jsonl`, in the same folder.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from citestream.citation.evidence import FieldError
from citestream.citation.text.segmentation import Segmenter

from ...http.encoding import dumps, loads

Row = Mapping[str, Any]
Fields = dict[str, Any]

SOURCES = "source_info.jsonl"

_AGGREFACT = ("doc", "claim", "label")
_RAGTRUTH = ("source_id", "response", "labels")
_TEST = "test"  # the split of RAGTruth that published figures are measured on
_PASSAGE = re.compile(r"^passage \d+:", re.MULTILINE)


class Sources:
    """The sources of RAGTruth in the folder of a file, which are read when the first row needs them."""

    def __init__(self, path: Path) -> None:
        """`path`: of the file with the responses."""
        self._path = path.with_name(SOURCES)
        self._by_id: dict[str, Any] | None = None

    def evidence(self, source_id: str, position: str) -> list[Fields]:
        """Return the evidence of a response. Raise FieldError if there is no such source, OSError without the file."""
        if self._by_id is None:
            rows = [loads(line) for line in self._path.read_text("utf-8").split("\n") if line.strip()]
            self._by_id = {str(row["source_id"]): row["source_info"] for row in rows}
        if source_id not in self._by_id:
            raise FieldError(f"{position}: source_id", f"is not in {self._path}")
        return [{"text": text} for text in _passages(self._by_id[source_id])]


def labelled_row(row: Row, position: str, sources: Sources) -> Fields | None:
    """Return a row of a public data set as a labelled record, and any other row as it is.

    None if published figures do not contain the row. Raise FieldError for a row that is invalid.
    """
    if all(name in row for name in _AGGREFACT):
        return _of_aggrefact(row, position)
    if all(name in row for name in _RAGTRUTH):
        return _of_ragtruth(row, position, sources) if row.get("split", _TEST) == _TEST else None
    return dict(row)


def _of_aggrefact(row: Row, position: str) -> Fields:
    if row["label"] not in (0, 1):
        raise FieldError(f"{position}: label", "must be 0 or 1")
    return {
        "dataset": row.get("dataset", "LLM-AggreFact"),
        "id": position,
        "answer_sentences": [row["claim"]],
        "evidence": [{"text": row["doc"]}],
        "sent_label": ["supported" if row["label"] else "unsupported"],
        "gold": [[]],
        "gold_level": "set",
    }


def _of_ragtruth(row: Row, position: str, sources: Sources) -> Fields:
    """Return a response. A sentence with a part that people labelled as hallucinated is unsupported."""
    sentences = [*_sentences(str(row["response"]))]
    spans = [(label["start"], label["end"]) for label in row["labels"]]
    marked = [
        any(start < end_label and begin_label < end for begin_label, end_label in spans) for start, end, _ in sentences
    ]
    return {
        "dataset": "RAGTruth",
        "id": position,
        "answer_sentences": [text for _, _, text in sentences],
        "evidence": sources.evidence(str(row["source_id"]), position),
        "sent_label": ["unsupported" if is_marked else "supported" for is_marked in marked],
        "gold": [[] for _ in sentences],
        "gold_level": "set",
    }


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the text of each sentence."""
    segmenter = Segmenter()
    for sentence in [*segmenter.feed(text), *segmenter.flush()]:
        if sentence.text.strip():
            yield sentence.start, sentence.start + len(sentence.text), sentence.text.strip()


def _passages(source: Any) -> list[str]:
    """Return the passages of a source: a text, a question with numbered passages, or the data of a business."""
    if isinstance(source, Mapping):
        if not isinstance(source.get("passages"), str):
            return [dumps(source).decode()]
        return [text for part in _PASSAGE.split(source["passages"]) if (text := part.strip())]
    return [str(source)]
