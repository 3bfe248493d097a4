"""Labelled data: answers whose sentences people judged, one JSON object per line."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from citestream.citation.evidence import FieldError

from ...config.validation_errors import format_path
from ...http.encoding import loads
from .public_records import Sources, labelled_row

PER_SENTENCE = ("gold", "sent_label", "gold_alt", "ignore")


class LabelledEvidence(BaseModel):
    """A passage. A missing `id` is its number."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)

    text: str
    id: str | None = None
    title: str | None = None


class LabelledRecord(BaseModel):
    """The fields that are read; see `citestream.proxy.cli.checking.record_measures`. Other fields are kept."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)

    id: str
    dataset: str
    answer_sentences: list[str]
    evidence: list[LabelledEvidence]
    sent_label: list[Literal["supported", "unsupported", "partial", "unjudged"]]
    gold: list[list[int]]
    gold_alt: list[list[list[int]] | None]
    ignore: list[list[int]]
    gold_level: Literal["chunk", "set"] = "chunk"

    @model_validator(mode="after")
    def _check_agreement(self) -> Self:
        """Raise ValueError if a list has another length than the sentences, or names evidence that does not exist."""
        for name in PER_SENTENCE:
            if len(getattr(self, name)) != len(self.answer_sentences):
                raise ValueError(f"{name} must have one entry per answer sentence")
        if any(not 0 <= index < len(self.evidence) for indexes in self.gold for index in indexes):
            raise ValueError("gold contains an index without evidence; indexes begin at 0")
        return self


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a JSONL or Parquet file, which may also be a public data set; see `labelled_row`.

    Raise OSError, and FieldError with the line for an invalid record.
    """
    sources = Sources(path)
    for position, row in _rows(path):
        record = labelled_row(row, position, sources)
        if record is None:
            continue
        try:
            labelled = LabelledRecord.model_validate(_with_defaults(record, path.stem, position))
        except ValidationError as error:
            first = error.errors()[0]
            field = format_path(first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            raise FieldError(f"{position}: {field}" if field else position, message) from None
        yield labelled.model_dump()


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the position and the object of each line or row."""
    if path.suffix == ".parquet":
        yield from _parquet_rows(path)
        return
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # a string may contain other line separators
    except UnicodeDecodeError:
        raise FieldError(str(path), "is not UTF-8 text") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            position = f"{path}:{number}"
            yield position, _object(line, position)


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise FieldError(str(path), "requires pyarrow: pip install pyarrow") from None
    for number, row in enumerate(parquet.read_table(path).to_pylist(), 1):
        yield f"{path}:{number}", row


def _object(line: str, position: str) -> dict[str, Any]:
    """Return the object of a line."""
    try:
        record = loads(line)
    except ValueError:
        raise FieldError(position, "is not JSON") from None
    if not isinstance(record, dict):
        raise FieldError(position, "is not an object")
    return record


def _with_defaults(record: dict[str, Any], dataset: str, position: str) -> dict[str, Any]:
    """Return an object with the fields that may be missing."""
    sentences = record.get("answer_sentences")
    empty: list[list[object]] = [[] for _ in sentences] if isinstance(sentences, list) else []
    return {"id": position, "dataset": dataset, "gold_alt": empty, "ignore": empty, **record}
