"""The files of answers, each with its evidence.

answers/tides.md               an answer
answers/tides.evidence.json    its evidence: a file in any format that can be read, or a folder tides.evidence/
answers/recorded.jsonl         an answer on each line: {"text": …, "evidence": […], "question": …}
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from citestream.citation.evidence import FieldError
from citestream.providers.retrieval.evidence_files import UnreadableFileError, evidence_of

from ...http.encoding import loads

Fields = dict[str, Any]

TEXT_SUFFIXES: Final = frozenset({".md", ".markdown", ".txt"})
RECORDS: Final = ".jsonl"
EVIDENCE: Final = ".evidence"  # ends the name of the evidence before its suffix


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """An answer in a file. `line`: of its record, 0 if the file is the answer. `entries`: None for common evidence."""

    path: Path
    text: str
    line: int = 0
    question: str = ""
    entries: Sequence[Fields] | None = None

    @property
    def name(self) -> str:
        """The path with the line of a record."""
        return f"{self.path.as_posix()}:{self.line}" if self.line else self.path.as_posix()


def is_batch(names: Sequence[str], *, has_own_evidence: bool) -> bool:
    """Return whether the arguments name several answers: more than one file, a folder, records, or own evidence."""
    paths = [Path(name) for name in names if name]  # Path("") is the working directory
    return len(names) > 1 or any(
        _is(Path.is_dir, path) or path.suffix == RECORDS or (has_own_evidence and _is(Path.is_file, path))
        for path in paths
    )


def answers_of(paths: Sequence[Path]) -> Iterator[AnswerFile]:
    """Yield the answers of files and folders. Raise FieldError for one that cannot be read."""
    for path in paths:
        if not path.exists():
            raise FieldError(str(path), "does not exist")
        for file in sorted(_files(path)) if path.is_dir() else [path]:
            yield from _records(file) if file.suffix == RECORDS else [_answer(file)]


def _is(kind: Callable[[Path], bool], path: Path) -> bool:
    try:
        return kind(path)
    except OSError:  # a long text is no path
        return False


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        names = path.relative_to(folder).parts
        is_hidden = any(name.startswith(".") for name in names)
        is_evidence = any(EVIDENCE in Path(name).suffixes for name in names)
        if path.is_file() and path.suffix in TEXT_SUFFIXES | {RECORDS} and not (is_hidden or is_evidence):
            yield path


def _answer(path: Path) -> AnswerFile:
    evidence = sorted(path.parent.glob(f"{_escaped(path.stem)}{EVIDENCE}*"))
    paths = [
        candidate
        for candidate in evidence
        if candidate.name == f"{path.stem}{EVIDENCE}" or candidate.stem == f"{path.stem}{EVIDENCE}"
    ]
    try:
        entries = [entry for file in paths for entry in evidence_of(file)]
    except UnreadableFileError as error:
        raise FieldError(str(path), str(error)) from None
    return AnswerFile(path, _read(path), entries=entries or None)


def _escaped(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _records(path: Path) -> Iterator[AnswerFile]:
    for number, line in enumerate(_read(path).splitlines(), 1):
        if line.strip():
            yield _record(path, number, line)


def _record(path: Path, number: int, line: str) -> AnswerFile:
    place = f"{path}:{number}"
    try:
        record = loads(line)
    except ValueError:
        raise FieldError(place, "is not JSON") from None
    if not isinstance(record, Mapping) or not isinstance(record.get("text"), str):
        raise FieldError(place, 'must be an object with a "text", and optionally "evidence" and "question"')
    evidence, question = record.get("evidence"), record.get("question") or ""
    if not isinstance(evidence, list | None) or not isinstance(question, str):
        raise FieldError(place, '"evidence" must be a list and "question" a string')
    entries = [{"text": entry} if isinstance(entry, str) else entry for entry in evidence or ()]
    return AnswerFile(path, record["text"], number, question, entries or None)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise FieldError(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FieldError(str(path), "is not UTF-8 text") from None
