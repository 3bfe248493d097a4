"""Run `citestream cite` for many answers, and print and write their reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citestream.citation.evidence import Evidence, FieldError

from ...apis.extensions import check_scorer
from ...config import Config
from ...http.encoding import dumps
from ...scorers import Scorers
from ..answer_session import Files, parse_files
from .answer_files import AnswerFile, answers_of
from .check import CheckedAnswer, check_answer
from .check_reports import JUNIT_SUFFIX, SARIF_SUFFIXES, as_json, text_lines, write_report


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of the command line."""

    fail_under: float
    scorer: str | None
    reports: Sequence[Path]
    as_json: bool


async def check_answers(config: Config, paths: Sequence[Path], common: Files | None, options: CheckOptions) -> bool:
    """Check the answers in files and folders. Return whether all pass. Raise FieldError.

    `common`: the evidence of answers without their own.
    """
    for path in options.reports:
        if path.suffix not in SARIF_SUFFIXES | {JUNIT_SUFFIX}:
            raise FieldError("--report", f"{path} must end in .xml for JUnit, or in .sarif or .json for SARIF")
    check_scorer(config.citations)
    scorers = Scorers(config)
    shared = parse_files(common.entries, config) if common else ()
    try:
        checked = [
            await check_answer(config, scorers, answer, _evidence(answer, shared, config), options.scorer)
            for answer in answers_of(paths)
        ]
    finally:
        await scorers.aclose()
    if not checked:
        raise FieldError("ANSWER", "there is no answer: no file ends in .md, .markdown, .txt or .jsonl")
    if options.as_json:
        print(dumps(as_json(checked, options.fail_under)).decode())
    else:
        print("\n".join(text_lines(checked, options.fail_under)))
    for path in options.reports:
        _write(path, checked, options.fail_under)
    return all(answer.passes(options.fail_under) for answer in checked)


def _evidence(answer: AnswerFile, shared: tuple[Evidence, ...], config: Config) -> tuple[Evidence, ...]:
    if answer.entries:
        return parse_files(list(answer.entries), config)
    if not shared:
        expected = f"{answer.path.with_suffix('').as_posix()}.evidence.*"
        raise FieldError(answer.name, f"has no evidence: name it with --evidence, or store it as {expected}")
    return shared


def _write(path: Path, checked: Sequence[CheckedAnswer], fail_under: float) -> None:
    try:
        write_report(path, checked, fail_under)
    except OSError as error:
        raise FieldError("--report", f"{path} cannot be written: {error.strerror}") from None
