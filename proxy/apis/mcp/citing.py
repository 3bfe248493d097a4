"""The tools `cite` and `verify_citations`: the decision of the proxy about a finished text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from citestream.citation.cite import CitedText
from citestream.citation.evidence import Evidence, FieldError, parse_sources
from citestream.citation.text import split_sentences
from citestream.citation.text.steps import Steps
from citestream.providers.scheduler import Work

from ...app import App
from ...pipeline.cite_text import score_text
from .annotations import annotations, source_of
from .documents import passages_for

Fields = dict[str, Any]

MAX_SEARCHES: Final = 20  # sentences of a text that are searched, each in a few milliseconds
MIN_SEARCHED_CHARACTERS: Final = 20  # characters of such a sentence
MAX_SEARCHED_CHARACTERS: Final = 20_000  # characters of a text that has these sentences


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool. `text`: for the model. `data`: the same as JSON. `citations`: see annotations.py."""

    text: str
    data: Fields
    citations: Sequence[Fields] = ()


async def cite(app: App, arguments: Mapping[str, Any]) -> ToolResult:
    """Return the text with numbered citations, and the passages that they stand for."""
    cited, evidence = await _cited(app, arguments)
    references = cited.fields["references"]
    by_number = {item.number: item for item in evidence}
    lines = [
        f"[{reference['number']}] {_name(by_number[reference['evidence_number']])}: “{reference['snippet']}”"
        for reference in references
    ]
    data = {"text": cited.text, "references": references, "grounding": cited.fields["grounding"]}
    text = "\n".join([cited.text.rstrip(), "", *lines]).rstrip()
    return ToolResult(text, data, await Work("mcp").run(annotations(references, evidence)))


async def verify_citations(app: App, arguments: Mapping[str, Any]) -> ToolResult:
    """Return a verdict for each sentence that makes a claim, with the passages for it or against it."""
    return await Work("mcp").run(_verified(*await _cited(app, arguments)))


def _verified(cited: CitedText, evidence: tuple[Evidence, ...]) -> Steps[ToolResult]:
    grounding = cited.fields["grounding"]
    passages = {item.number: item for item in evidence}
    quotes = _quotes(cited.fields["references"])
    yield None
    sentences: list[Fields] = []
    for verdict in grounding["verdicts"]:
        sentences.append(_sentence(verdict, cited.text, passages, quotes))
        yield None
    quotations = [
        {**quotation, "text": cited.text[quotation["start"] : quotation["end"]]}
        for quotation in grounding["quotations"]
    ]
    verdicts = ("supported", "partly", "contradicted", "unsupported")
    counts = {name: sum(sentence["verdict"] == name for sentence in sentences) for name in verdicts}
    data = {
        "claims": grounding["claims"],
        **counts,
        "sentences": sentences,
        "quotations": quotations,
        "passages": [{"number": item.number, "title": _name(item), "url": source_of(item)} for item in evidence],
        "text": cited.text,
    }
    lines = yield from _report(sentences, quotations, counts)
    citations = yield from annotations(cited.fields["references"], evidence)
    return ToolResult("\n".join(lines), data, citations)


async def _cited(app: App, arguments: Mapping[str, Any]) -> tuple[CitedText, tuple[Evidence, ...]]:
    text, question = _text(arguments, "text"), arguments.get("question") or ""
    if not isinstance(question, str):
        raise FieldError("question", "must be a string")
    evidence = _given(app, arguments.get("evidence"))
    if not evidence:
        source = arguments.get("source") or ""
        evidence = await passages_for(app, [question] if question.strip() else _queries(text), source)
    config = app.config
    options = replace(config.citations, enabled=True, explain=False)
    scored = await score_text(
        text, evidence, options, config.evidence.labels, app.scorers, config.output.links, question=question
    )
    cited = await scored.cited()
    scored.free()
    return cited, evidence


def _text(arguments: Mapping[str, Any], key: str) -> str:
    text = arguments.get(key)
    if not isinstance(text, str) or not text.strip():
        raise FieldError(key, "must be a text that is not empty")
    return text


def _given(app: App, raw: Any) -> tuple[Evidence, ...]:
    """Return the passages of the request: texts, or entries as in `evidence` of a chat request."""
    if not raw:
        return ()
    if not isinstance(raw, list):
        raise FieldError("evidence", "must be a list")
    entries = [{"text": entry} if isinstance(entry, str) else entry for entry in raw]
    return parse_sources(entries, None, app.config.evidence.limits)


def _queries(text: str) -> list[str]:
    """Return the sentences of a text that are searched."""
    sentences = [text[start:end].strip() for start, end in split_sentences(text[:MAX_SEARCHED_CHARACTERS])]
    return [sentence for sentence in sentences if len(sentence) >= MIN_SEARCHED_CHARACTERS][:MAX_SEARCHES] or [text]


def _sentence(
    verdict: Mapping[str, Any],
    text: str,
    passages: Mapping[int, Evidence],
    quotes: Mapping[tuple[int, int, int], Mapping[str, Any]],
) -> Fields:
    start, end = verdict["start"], verdict["end"]
    supports = [_passage(passages[number], quotes[number, start, end]) for number in verdict["evidence"]]
    conflict = verdict["conflict"]
    return {
        "sentence": text[start:end],
        "start": start,
        "end": end,
        "verdict": verdict["verdict"],
        "evidence": supports,
        "conflict": conflict
        and {**_passage(passages[conflict["evidence_number"]], conflict), "detail": conflict["detail"]},
    }


def _passage(item: Evidence, quote: Mapping[str, Any]) -> Fields:
    return {"number": item.number, "title": _name(item), "url": source_of(item), "quote": quote["quote"]}


def _quotes(references: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int, int], Mapping[str, Any]]:
    """Return the spans of all references by evidence number and place of the sentence."""
    return {
        (reference["evidence_number"], span["start"], span["end"]): span
        for reference in references
        for span in reference["spans"]
    }


def _report(sentences: Sequence[Fields], quotations: Sequence[Fields], counts: Mapping[str, int]) -> Steps[list[str]]:
    """Return the lines of a text for a model."""
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    lines = [f"{len(sentences)} sentences make a claim: {summary}." if sentences else "No sentence makes a claim."]
    for sentence in sentences:
        yield None
        lines.append(f"- {sentence['verdict'].upper()}: {_line(sentence['sentence'])}")
        lines += [
            f"  - [{passage['number']}] {passage['title']}: “{_line(passage['quote'])}”"
            for passage in sentence["evidence"]
        ]
        if conflict := sentence["conflict"]:
            quote = f"“{_line(conflict['quote'])}”"
            lines.append(
                f"  - [{conflict['number']}] {conflict['title']} says otherwise ({conflict['detail']}): {quote}"
            )
    for quotation in quotations:
        yield None
        if quotation["status"] != "exact":
            changes = ", ".join(f"“{change['quoted']}” for “{change['evidence']}”" for change in quotation["changes"])
            lines.append(f"- QUOTATION {quotation['status'].upper()}: “{_line(quotation['text'])}” {changes}".rstrip())
    return lines


def _line(text: str) -> str:
    return " ".join(text.split())


def _name(item: Evidence) -> str:
    return item.title or item.file_name or item.url or item.id
