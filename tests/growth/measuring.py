"""Search the functions of `citation` that read untrusted text for inputs whose cost grows faster than their length.

The cost is CPU time of the thread, so other processes do not matter.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.json_values import JsonValues
from citestream.citation.answers.response import Response
from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.evidence.hosts import recognise
from citestream.citation.evidence.tool_results import extract_passages
from citestream.citation.link_policy import LinkDefanger
from citestream.citation.markers import MarkerNames, marker_end, strip
from citestream.citation.options import Options
from citestream.citation.prompt.history import strip_history
from citestream.citation.prompt.sanitize import sanitize
from citestream.citation.quotations import Cited, QuotationReport
from citestream.citation.quotations.marks import find_quotations
from citestream.citation.support.claims import makes_claim
from citestream.citation.support.features.excerpts import analyze_excerpt
from citestream.citation.support.gates import GateChecks
from citestream.citation.support.scorers import Claim, scorer
from citestream.citation.text import analyze_text, split_sentences
from citestream.citation.text.queries.questions import question_parts
from citestream.citation.text.queries.search_terms import search_terms
from citestream.citation.text.segmentation import Kind, Segmenter
from citestream.citation.text.segmentation.blocks import BlockContext, line_type
from tests.citation.evidence.hosts.prompts import GOLDEN, UNRECOGNISED
from tests.growth.linear import ROUNDS, seconds

LENGTH_RATIO = 16  # factor between two lengths of the input
# Maximum factor between the costs of both lengths; 16 is linear, 64 is n^1.5, 256 is quadratic. Constant costs, caches
# and garbage collection can change the factor of a linear function by three.
MAX_RATIO = 64
MAX_DOUBLED_RATIO = 3  # maximum factor between the costs of a length and of twice the length; 2 is linear, 4 quadratic
NEGLIGIBLE_SECONDS = 0.02  # costs below this are not compared

EVIDENCE = (
    Evidence(1, "The bridge was not opened in March 1932, because the pumps failed.", "e1", file_name="a.md"),
    Evidence(2, "It is red and 503 metres long [see 1].", "e2", title="Bridge"),
)
INDEX = scorer("lexical").prepare(EVIDENCE).index
NAMES = MarkerNames.from_evidence(EVIDENCE)

PROMPTS = [
    messages
    for messages in (*(golden.messages for golden in GOLDEN.values()), *UNRECOGNISED.values())
    if all(isinstance(message.get("content"), str) for message in messages)
]

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "analyze_excerpt": analyze_excerpt,
    "analyze_text": analyze_text,
    "cite a text": lambda text: cite(text, EVIDENCE),
    "cite a sentence": lambda text: cite([text], EVIDENCE),
    "cite with the text as evidence": lambda text: cite("The bridge was opened [1].", [Evidence(1, text or "a", "e1")]),
    "check a claim with the gates": lambda text: GateChecks(Claim(text), INDEX).findings(0, (0, len(EVIDENCE[0].text))),
    "extract_passages of a text": extract_passages,
    "extract_passages of JSON": lambda text: extract_passages(json.dumps([{"text": text, "url": text}])),
    "feed an answer": lambda text: _feed(text, Options()),
    "feed a live answer": lambda text: _feed(text, Options(release="live")),
    "JsonValues": lambda text: _json_drafts(text),
    "line_type in a list": lambda text: line_type(f"{text}a - b", BlockContext(indent=len(text)), final=True),
    "LinkDefanger": lambda text: _defang(text),
    "makes_claim": lambda text: makes_claim(text, Kind.PROSE),
    "find_quotations": lambda text: find_quotations(f'“{text}” "{text}"'),
    "compare a quotation with the text": lambda text: _compare_quotation(f"It {EVIDENCE[0].text}", text),
    "compare the text as a quotation": lambda text: _compare_quotation(text.replace('"', "'"), EVIDENCE[0].text),
    "question_parts": question_parts,
    "recognise hosts": lambda text: recognise([{"role": "user", "content": text}], ()),
    "recognise prompts of hosts": lambda text: [recognise(messages, ()) for messages in _host_prompts(text)],
    "sanitize": sanitize,
    "search_terms": search_terms,
    "Segmenter": lambda text: _segment(text),
    "split_sentences": split_sentences,
    "strip": lambda text: strip(text, NAMES),
    "strip_history": strip_history,
}

ON_DEMAND = {"recognise prompts of hosts"}  # takes a minute even for short texts

CHARACTERS = ".!。[]()【`*$|<&#\\\"-1中กé\u0301“«_~=/:\t{'\ue202a \n"
WORDS = (
    *("1 ", "1,", "1.", "a. ", "a! ", "...", "not ", "no not ", "pumps not ", "e.g. ", "U.S. ", "a_b ", "Zug ", "不是"),
    *("The bridge. ", "the bridge was not ", "1932年", "from 1 to 2 ", "one hundred ", "\n\n", "> ", "1. ", "- "),
    *("at 5 pm, ", "delayed by 5 hours ", "twice as many ", "5 % ", "3 May 2020 ", "the bridge, a red one, ", "红桥，"),
    *("[1", "[1]", "(see ", "](", "![](", "[a](b ", "[^1]", "&#91;", "##1$$", "\\[", "$$", "| a |\n", "```\n"),
    *("According to [1], it rose. ", "<a ", "</", "<b>", "<doc>\n", "http://", '{"a":', '"a",'),
)
UNITS = (*CHARACTERS, *WORDS)


@dataclass(frozen=True, slots=True)
class Growth:
    """The cost of a function for one repeated unit at two lengths, in seconds."""

    function: str
    unit: str
    length: int  # characters of the longer input
    short: float
    long: float

    @property
    def is_superlinear(self) -> bool:
        """Whether the cost grows faster than the length.

        Texts above a limit may be processed in another way, so a large factor is checked with twice the length.
        """
        if self.long <= max(NEGLIGIBLE_SECONDS, MAX_RATIO * self.short):
            return False
        twice = self.unit * (2 * self.length // len(self.unit))
        return _cost(FUNCTIONS[self.function], twice, ROUNDS) > MAX_DOUBLED_RATIO * self.long

    def __str__(self) -> str:
        """Return a line of the report."""
        costs = f"{1000 * self.short:.2f} -> {1000 * self.long:.0f} ms"
        return f"{self.function}: {self.length} characters of {self.unit!r}: {costs}"


def growths(name: str, length: int) -> Iterator[Growth]:
    """Measure a function with every unit, at `length` characters and at `length / LENGTH_RATIO`."""
    function = FUNCTIONS[name]
    for unit in UNITS:
        short, long = (unit * (size // len(unit)) for size in (length // LENGTH_RATIO, length))
        cost = _cost(function, long, 1)
        if cost > NEGLIGIBLE_SECONDS:
            yield Growth(
                name, unit, length, _cost(function, short, ROUNDS), min(cost, _cost(function, long, ROUNDS - 1))
            )


def _host_prompts(text: str) -> Iterator[list[dict[str, str]]]:
    """Yield the prompts of all RAG hosts, with the text after each of their lines."""
    for messages in PROMPTS:
        for at, message in enumerate(messages):
            lines = message["content"].splitlines(keepends=True)
            for line in range(1, len(lines) + 1):
                content = "".join([*lines[:line], text, *lines[line:]])
                yield [*messages[:at], {**message, "content": content}, *messages[at + 1 :]]


def _cost(function: Callable[[str], object], text: str, rounds: int) -> float:
    return min(seconds(function, text) for _ in range(rounds))


def _segment(text: str) -> object:
    segmenter = Segmenter(marker_end=marker_end())
    return [segmenter.feed(text[at : at + 7]) for at in range(0, len(text), 7)], segmenter.flush()


def _feed(text: str, options: Options) -> object:
    answer = Response(EVIDENCE, options).answer(0)
    assert isinstance(answer, Answer)
    drafts = [draft for at in range(0, len(text), 7) for draft in answer.feed(text[at : at + 7])] + answer.flush()
    return [answer.cite(draft) for draft in drafts]


def _compare_quotation(quoted: str, evidence: str) -> object:
    report = QuotationReport([Evidence(1, evidence or "a", "e1")])
    report.feed(0, 0, f'It says "{quoted.strip()}".', Kind.PROSE, (), Cited(0, 9, (), ()))
    return report.finish()


def _defang(text: str) -> object:
    defanger = LinkDefanger()
    return [defanger.feed(text[at : at + 7]) for at in range(0, len(text), 7)], defanger.flush()


def _json_drafts(text: str) -> object:
    values = JsonValues(NAMES)
    values.feed(json.dumps({"a": text, "b": f"{text}\\n"}))
    return values.drafts()
