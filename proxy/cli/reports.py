"""Print the references of an answer, and tables that explain why a sentence is cited."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citestream.citation.evidence import Evidence
from citestream.citation.explanation import Explained
from citestream.citation.support.decision import Verdict
from citestream.providers.one_line import one_line

from .markdown_stream import SAFE

PIPE_COLUMNS = 200  # width of tables in files and pipes, so that cells are not folded
MAX_VERDICTS = 5  # pieces of evidence in the explanation of a sentence
MAX_PASSAGE_CHARACTERS = 70  # characters of the compared passage

NO_PASSAGE = "No passage was read."
SEARCH_BY_MEANING = "Ask with the words of the documents, or search by meaning too: citestream index --embedder local"
# Verdicts whose sentences are listed below an answer
CLAIM_STYLES = {"contradicted": "bold red", "unsupported": "yellow"}
DEGRADED = "Some sentences were not checked completely by {}: a model was late or failed, or the answer is too long."

# Columns with scores, and the scorer features that they show: the most informative feature of each scorer.
SCORES = {"words": ("cover_3", "token"), "meaning": ("near_1", "cosine"), "read": ("entailed",)}


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Links to local files. `folders` maps the beginning of `document_id` to the folder of an index."""

    folders: Mapping[str, Path]
    folder: Path | None = None  # folder of files that were named on the command line

    def link(self, reference: Mapping[str, Any]) -> str:
        """Return the `file:` URL of a reference with its page, or "" if it is not an indexed or named file."""
        label, _, name = (reference["document_id"] or "").partition("/")
        folder, name = (self.folder, reference["file_name"]) if self.folder else (self.folders.get(label), name)
        path = (folder / name).resolve() if folder and name else None
        if path is None or folder is None or not path.is_relative_to(folder.resolve()) or not path.is_file():
            return ""
        page = reference["page_number"]
        return path.as_uri() + (f"#page={page}" if page is not None else "")


def print_references(body: Mapping[str, Any], links: FileLinks) -> None:
    """Print the references and the number of supported claims of a completion."""
    console = Console(highlight=False, soft_wrap=True)
    for reference in body.get("references") or ():
        places = [("page", reference["page_number"]), ("row", reference["row"])]
        place = "".join(f", {name} {number}" for name, number in places if number is not None)
        head = Text.assemble(
            (f"[{reference['number']}] ", "bold"),
            (_name(reference), _link_style(reference["url"], links.link(reference))),
            f"{place}  support {reference['support']:.2f}",
        )
        console.print(head, soft_wrap=not console.is_terminal)
        for quote in dict.fromkeys(span["quote"] for span in reference["spans"]):
            passage = Text(" ".join(quote.translate(SAFE).split()), style="dim")
            indented = Padding(passage, (0, 0, 0, 4), expand=False) if console.is_terminal else "    " + passage.plain
            console.print(indented, markup=False, soft_wrap=not console.is_terminal)
    if grounding := body.get("grounding"):
        retrieval = grounding.get("retrieval") or {}
        if retrieval.get("error"):
            console.print(Text(one_line(retrieval["error"]), style="red"))
        if retrieval.get("degraded"):
            console.print(Text(one_line(f"The documents were searched {retrieval['degraded']}"), style="yellow"))
        if grounding["degraded"]:
            console.print(Text(DEGRADED.format(grounding["scorer"]), style="yellow"))
        console.print(Text(_summary(grounding), style="dim"))


def print_claims(body: Mapping[str, Any], text: str, evidence: Sequence[Evidence]) -> None:
    """Print the sentences of an answer that the evidence does not support, and what contradicts them.

    `text`: the answer of the first choice. `evidence`: that of the answer, by number from 1.
    """
    console = Console(highlight=False, soft_wrap=True)
    verdicts = (body.get("grounding") or {}).get("verdicts") or ()
    for verdict in verdicts:
        if verdict["choice"] or "tool_call" in verdict or verdict["verdict"] not in CLAIM_STYLES:
            continue
        claim = " ".join(text[verdict["start"] : verdict["end"]].translate(SAFE).split())
        label = Text(f"{verdict['verdict']}: ", style=CLAIM_STYLES[verdict["verdict"]])
        console.print(Text.assemble(label, claim), soft_wrap=not console.is_terminal)
        if conflict := verdict["conflict"]:
            source = evidence[conflict["evidence_number"] - 1]
            name = one_line(source.file_name or source.title or source.id)
            quote = " ".join(conflict["quote"].translate(SAFE).split())
            console.print(Text(f"    {name}: {quote}", style="dim"), soft_wrap=not console.is_terminal)


def _summary(grounding: Mapping[str, Any]) -> str:
    """Return how many claims are supported, or what was read for an answer that claims nothing."""
    claims, read = grounding["claims"], grounding["evidence"]["injected"]
    if claims:
        return f"{grounding['supported']} of {claims} {'claim' if claims == 1 else 'claims'} supported"
    if not read:
        by_words_only = (grounding.get("retrieval") or {}).get("by_vectors") == 0
        return NO_PASSAGE + (f" {SEARCH_BY_MEANING}" if by_words_only else "")
    return "1 passage was read, and is not cited." if read == 1 else f"{read} passages were read, and none is cited."


def _name(reference: Mapping[str, Any]) -> str:
    """Return the file name and the title, or the URL or id if there is neither."""
    names = [reference["file_name"], reference["title"]]
    name = ", ".join(name for name in names if name) or reference["url"] or reference["id"]
    return one_line(str(name))


def _link_style(url: str | None, file: str) -> str:
    """Return the rich style for a link to a web page or a local file, or "". Other URLs are not linked."""
    safe = url and url.startswith(("https://", "http://")) and url.isprintable() and " " not in url
    target = url if safe else file
    return f"link {target}" if target else ""


def print_explanations(explanations: Sequence[Explained], evidence: Sequence[Evidence]) -> None:
    """Print each sentence with the nearest evidence, its scores and the reason of the decision."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_COLUMNS)
    for explanation in explanations:
        for part in _explanation(explanation, evidence):
            console.print(part)


def print_quotations(quotations: Sequence[Mapping[str, Any]], text: str) -> None:
    """Print the status of each quotation of a text, and how it differs from the evidence."""
    console = Console(highlight=False, soft_wrap=True)
    for quotation in quotations:
        status, number = quotation["status"], quotation["evidence_number"]
        shown = " ".join(text[quotation["start"] : quotation["end"]].translate(SAFE).split())
        line = Text.assemble(
            "\nquotation ",
            (_shortened(shown, MAX_PASSAGE_CHARACTERS), "bold"),
            "  ",
            (status, "green" if status == "exact" else "red"),
            f", evidence {number}" if number else "",
            f", cited {', '.join(map(str, quotation['attributed']))}" if status == "misattributed" else "",
        )
        console.print(line)
        for change in quotation["changes"]:
            quoted, evidence = (" ".join(change[key].translate(SAFE).split()) for key in ("quoted", "evidence"))
            console.print(Text(f"  “{quoted or '…'}” for “{evidence or '…'}”"))


def _explanation(explanation: Explained, evidence: Sequence[Evidence]) -> list[RenderableType]:
    if not explanation.text.strip():
        return []
    parts: list[RenderableType] = [Text("\n" + " ".join(explanation.text.translate(SAFE).split()), style="bold")]
    if explanation.verdicts:
        parts.append(Padding(_verdict_table(explanation.verdicts, evidence), (0, 0, 0, 1), expand=False))
    else:
        parts.append(Text("  makes no claim"))
    parts += [Text(f"  the model cited {number}, but there is no such evidence") for number in explanation.unknown]
    return parts


def _verdict_table(verdicts: Sequence[Verdict], evidence: Sequence[Evidence]) -> Table:
    scores = {name: keys for name, keys in SCORES.items() if any(key in verdicts[0].features for key in keys)}
    table = Table("support", *scores, "evidence", "decision", "passage", box=None, pad_edge=False)
    nearest = sorted(verdicts, key=lambda verdict: (not verdict.hinted, not verdict.cited, -verdict.probability))
    by_number = {item.number: item for item in evidence}
    for verdict in nearest[:MAX_VERDICTS]:
        item = by_number[verdict.number]
        name = one_line(item.file_name or item.title or item.id)
        hinted = ", cited by the model" if verdict.hinted else ""
        passage = " ".join(item.text[verdict.start : verdict.end].translate(SAFE).split())
        table.add_row(
            f"{verdict.probability:.2f}",
            *[_score(verdict, keys) for keys in scores.values()],
            Text(f"{verdict.number} {name}{hinted}"),
            Text(one_line(verdict.summary), style="green" if verdict.cited else "red" if verdict.findings else ""),
            Text(_shortened(passage, MAX_PASSAGE_CHARACTERS), style="dim"),
        )
    return table


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _score(verdict: Verdict, keys: Sequence[str]) -> str:
    return next((f"{verdict.features[key]:.2f}" for key in keys if key in verdict.features), "")
