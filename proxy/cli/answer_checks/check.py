"""Check one answer: the share of its supported claims, and its findings with their places in the file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from citestream.citation.answers.offset_map import OffsetMap
from citestream.citation.evidence import Evidence

from ...config import Config
from ...pipeline.cite_text import score_text
from ...scorers import Scorers
from .answer_files import AnswerFile

Fields = Mapping[str, Any]


class Rule(StrEnum):
    """The kinds of findings."""

    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    PARTLY = "partly"
    QUOTATION = "quotation"


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or a quotation that the evidence does not support. Lines and columns begin with 1."""

    rule: Rule
    text: str
    detail: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def message(self) -> str:
        """Return the finding in one line."""
        return f"{self.rule.value}: {self.text}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The result for one answer."""

    answer: AnswerFile
    claims: int
    supported: int
    findings: tuple[Finding, ...]

    def passes(self, fail_under: float) -> bool:
        """Return whether enough claims are supported. An answer without claims passes."""
        return self.supported >= fail_under * self.claims

    @property
    def summary(self) -> str:
        """Return how many claims are supported."""
        return f"{self.supported} of {self.claims} {'claim' if self.claims == 1 else 'claims'} supported"


async def check_answer(
    config: Config, scorers: Scorers, answer: AnswerFile, evidence: tuple[Evidence, ...], scorer: str | None
) -> CheckedAnswer:
    """Return the result for an answer. The scorer is that of the configuration unless it is named."""
    # Without markers and lists of ours, the shown text is that of the file except for the markers of the model.
    options = replace(config.citations, marker="none", references_in_text=False, unsupported="keep", explain=False)
    options = replace(options, scorer=scorer) if scorer else options
    scored = await score_text(answer.text, evidence, options, scorers=scorers, question=answer.question)
    cited = await scored.cited()
    grounding = cited.fields["grounding"]
    places = _Places(answer, cited.text, scored.answer.offsets)
    findings = [
        places.finding(Rule(verdict["verdict"]), verdict, _conflict(verdict["conflict"], evidence))
        for verdict in grounding["verdicts"]
        if verdict["verdict"] != "supported"
    ]
    findings += [
        places.finding(Rule.QUOTATION, quotation, _changes(quotation))
        for quotation in grounding["quotations"]
        if quotation["status"] != "exact"
    ]
    ordered = sorted(findings, key=lambda finding: (finding.line, finding.column))
    return CheckedAnswer(answer, grounding["claims"], grounding["supported"], tuple(ordered))


class _Places:
    """Finds places of the shown text in the file."""

    def __init__(self, answer: AnswerFile, shown: str, offsets: OffsetMap) -> None:
        self._answer = answer
        self._shown = shown
        self._offsets = offsets

    def finding(self, rule: Rule, place: Fields, detail: str) -> Finding:
        """Return a finding about a span of the shown text."""
        text = " ".join(self._shown[place["start"] : place["end"]].split())
        if self._answer.line:  # the text is a string of JSON on this line
            return Finding(rule, text, detail, self._answer.line, 1, self._answer.line, 1)
        start, last = self._source(place["start"]), self._source(max(place["start"], place["end"] - 1))
        return Finding(rule, text, detail, *self._position(start), *self._position(last + 1))

    def _source(self, shown: int) -> int:
        """Return the last offset in the file whose character is shown at an offset or before."""
        low, high = 0, len(self._answer.text)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offsets.span(middle, middle + 1)[0] <= shown else (low, middle)
        return low

    def _position(self, offset: int) -> tuple[int, int]:
        line_start = self._answer.text.rfind("\n", 0, offset) + 1
        return self._answer.text.count("\n", 0, offset) + 1, offset - line_start + 1


def _conflict(conflict: Fields | None, evidence: tuple[Evidence, ...]) -> str:
    if conflict is None:
        return ""
    item = next(candidate for candidate in evidence if candidate.number == conflict["evidence_number"])
    return f"{item.file_name or item.title or item.id} says: {' '.join(conflict['quote'].split())}"


def _changes(quotation: Fields) -> str:
    changes = [f"“{change['quoted'] or '…'}” for “{change['evidence'] or '…'}”" for change in quotation["changes"]]
    return ", ".join([quotation["status"], *changes])
