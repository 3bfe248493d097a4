"""Reports of checked answers: as text, as JUnit XML, and as SARIF for the code scanning of GitHub and others."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree  # nosec B405 # writes XML and reads none

from ...http.encoding import dumps
from .check import CheckedAnswer, Finding, Rule

Fields = dict[str, Any]

SARIF_SUFFIXES: Final = frozenset({".sarif", ".json"})
JUNIT_SUFFIX: Final = ".xml"
_DESCRIPTIONS: Final = {
    Rule.UNSUPPORTED: ("No passage of the evidence supports the sentence.", "warning"),
    Rule.CONTRADICTED: ("A passage of the evidence says otherwise.", "error"),
    Rule.PARTLY: ("The evidence supports a part of the sentence.", "warning"),
    Rule.QUOTATION: ("The words in quotation marks are not exactly in the evidence.", "warning"),
}
_NOT_XML: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd")


def write_report(path: Path, answers: Sequence[CheckedAnswer], fail_under: float) -> None:
    """Write a report in the format of the suffix. Raise OSError."""
    data = junit(answers, fail_under) if path.suffix == JUNIT_SUFFIX else dumps(sarif(answers))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def text_lines(answers: Sequence[CheckedAnswer], fail_under: float) -> list[str]:
    """Return a line for each answer and for each finding, and one for all."""
    lines: list[str] = []
    for checked in answers:
        state = "ok  " if checked.passes(fail_under) else "FAIL"
        lines.append(f"{state} {checked.answer.name}  {checked.summary}")
        lines += [f"     {_place(checked, finding)}: {finding.message}" for finding in checked.findings]
    passed = sum(checked.passes(fail_under) for checked in answers)
    claims, supported = sum(answer.claims for answer in answers), sum(answer.supported for answer in answers)
    lines.append(f"{passed} of {len(answers)} answers pass, {supported} of {claims} claims are supported")
    return lines


def as_json(answers: Sequence[CheckedAnswer], fail_under: float) -> Fields:
    """Return the results as JSON."""
    return {
        "object": "checked_answers",
        "answers": [
            {
                "name": checked.answer.name,
                "passes": checked.passes(fail_under),
                "claims": checked.claims,
                "supported": checked.supported,
                "findings": [
                    {
                        "rule": finding.rule.value,
                        "text": finding.text,
                        "detail": finding.detail,
                        "line": finding.line,
                        "column": finding.column,
                    }
                    for finding in checked.findings
                ],
            }
            for checked in answers
        ],
    }


def junit(answers: Sequence[CheckedAnswer], fail_under: float) -> bytes:
    """Return a test suite with a test case for each answer."""
    failed = [checked for checked in answers if not checked.passes(fail_under)]
    counts = {"name": "citestream", "tests": str(len(answers)), "failures": str(len(failed)), "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", counts)
    for checked in answers:
        name = checked.answer.name.translate(_NOT_XML)
        case = ElementTree.SubElement(suite, "testcase", {"classname": "citestream.cite", "name": name})
        details = "\n".join(f"{_place(checked, finding)}: {finding.message}" for finding in checked.findings)
        if not checked.passes(fail_under):
            message = f"{checked.summary}, {fail_under:g} required"
            ElementTree.SubElement(case, "failure", {"message": message}).text = details.translate(_NOT_XML)
        elif details:
            ElementTree.SubElement(case, "system-out").text = details.translate(_NOT_XML)
    data: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return data


def sarif(answers: Sequence[CheckedAnswer]) -> Fields:
    """Return the findings in SARIF 2.1.0."""
    rules = [
        {
            "id": rule.value,
            "shortDescription": {"text": description},
            "defaultConfiguration": {"level": level},
        }
        for rule, (description, level) in _DESCRIPTIONS.items()
    ]
    driver = {"name": "citestream", "version": version("citestream"), "rules": rules}
    results = [_sarif_result(checked, finding) for checked in answers for finding in checked.findings]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _sarif_result(checked: CheckedAnswer, finding: Finding) -> Fields:
    region = {"startLine": finding.line, "startColumn": finding.column}
    if (finding.end_line, finding.end_column) > (finding.line, finding.column):
        region |= {"endLine": finding.end_line, "endColumn": finding.end_column}
    uri = quote(checked.answer.path.as_posix())
    return {
        "ruleId": finding.rule.value,
        "level": _DESCRIPTIONS[finding.rule][1],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
    }


def _place(checked: CheckedAnswer, finding: Finding) -> str:
    path = checked.answer.path.as_posix()
    return f"{path}:{finding.line}" if checked.answer.line else f"{path}:{finding.line}:{finding.column}"
