"""Answers in JSON, CSV, YAML and XML without a fence: their text is not changed, and their values are cited."""

import json
from collections.abc import Callable, Iterator
from random import Random

import pytest

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Release, parse_options
from citestream.citation.support.decision import Decision, Status, Support

Chunkings = Callable[[str, Random], Iterator[list[str]]]

HEIGHT = "The Saturn V was 110.6 metres tall."
FLIGHTS = "It flew thirteen times."
EVIDENCE = (Evidence(1, f"{HEIGHT} {FLIGHTS}", "e1"),)
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))


def shown(parts: list[str], options: Options, *, expects_data: bool = False) -> tuple[str, list[str]]:
    """Return the shown text and its cited parts, if every claim is supported."""
    response = Response(EVIDENCE, options, expects_data=expects_data)
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    text = "".join(answer.cite(draft, SUPPORTED) for part in parts for draft in answer.feed(part))
    text += "".join(answer.cite(draft, SUPPORTED) for draft in answer.flush()) + answer.reference_list()
    spans = [(span.start, span.end) for reference in response.references.cited() for span in reference.spans]
    assert answer.flush() == []
    return text, [text[start:end] for start, end in spans]


UNCHANGED: dict[str, tuple[str, list[str]]] = {  # the text of the model, and its parts that are cited
    "an object": (json.dumps({"answer": HEIGHT, "n": 1}), [HEIGHT]),
    "two sentences in a value": (json.dumps({"answer": f"{HEIGHT} {FLIGHTS}"}), [HEIGHT, FLIGHTS]),
    "an object in several lines": (json.dumps({"a": HEIGHT, "b": [FLIGHTS]}, indent=1), [HEIGHT, FLIGHTS]),
    "a value before the end of its line": (f'{{"a": "{HEIGHT}"\n, "b"\n: 1}}', [HEIGHT]),
    "lines of objects": (f'{{"a": "{HEIGHT}"}}\n{{"a": "{FLIGHTS}"}}\n', [HEIGHT, FLIGHTS]),
    "a dictionary of Python": ("{'a': 'The Saturn V was tall.'}", []),
    "a line break in a value": (json.dumps({"a": f"{HEIGHT}\n{FLIGHTS}"}), [HEIGHT, FLIGHTS]),
    "a list in a value": (
        json.dumps({"a": "- It was tall\n- It flew thirteen times"}),
        ["It was tall", "It flew thirteen times"],
    ),
    "quotes in a value": (
        json.dumps({"a": f'They said "yes". {FLIGHTS}'}),
        ['They said \\"yes\\".', FLIGHTS],
    ),
    "surrogates in a value": (
        json.dumps({"a": f"It rose \U0001f680. {FLIGHTS}"}),
        ["It rose \\ud83d\\ude80.", FLIGHTS],
    ),
    "escapes of other characters": (json.dumps({"a": f"Über das Feld. {FLIGHTS}"}), ["\\u00dcber das Feld.", FLIGHTS]),
    "a heading in a value": (json.dumps({"a": f"# Rockets of NASA\n{HEIGHT}"}), [HEIGHT]),
    "CSV": (f"name,text\nSaturn V,{HEIGHT}\n", [HEIGHT]),
    "CSV with short fields": ("name,height\nSaturn V,110.6 m\n", ["Saturn V,110.6 m"]),
    "CSV without a header": (f"Saturn V,{HEIGHT[:-1]}\nTide,{FLIGHTS[:-1]}", [HEIGHT[:-1], FLIGHTS[:-1]]),
    "CSV with quotes": (f'"name","text"\n"Saturn V","{HEIGHT} {FLIGHTS}"\n', [HEIGHT, FLIGHTS]),
    "CSV with semicolons": (f"name;text\nSaturn V;{HEIGHT}\n", [HEIGHT]),
    "CSV with a number for each line": (f"id,text\n1,{HEIGHT}\n", [HEIGHT]),
    "YAML": (f"answer: {HEIGHT} {FLIGHTS}\nsource: moon.md\n", [HEIGHT, FLIGHTS]),
    "YAML with quotes": (f'answer: "{HEIGHT}\\n{FLIGHTS}"\nn: 1\n', [HEIGHT, FLIGHTS]),
    "YAML with a text block": (f"answer: |\n  {HEIGHT}\n  {FLIGHTS}\n", [HEIGHT, FLIGHTS]),
    "YAML with a list": (f"---\nanswers:\n  - {HEIGHT}\n  - text: {FLIGHTS}\n", [HEIGHT, FLIGHTS]),
    "XML": (f'<?xml version="1.0"?>\n<a>\n<b n="It is so.">{HEIGHT}</b><b>{FLIGHTS}</b>\n</a>', [HEIGHT, FLIGHTS]),
    "XML in several lines": (f"<rocket>\n<text>\n{HEIGHT}\n</text>\n</rocket>\n", [HEIGHT]),
    "code": (f"import os\n\nprint('{HEIGHT}')  # {FLIGHTS}\nx = 'It flew'\n", [HEIGHT, FLIGHTS]),
    "a description of a function": (f'def f(x):\n    """{HEIGHT}"""\n    return x[1]\n', [HEIGHT]),
    "comments of other languages": (f"/**\n * {HEIGHT}\n */\nint x = 1; // {FLIGHTS}\n", [HEIGHT, FLIGHTS]),
    "an address in code": ('const a = "https://x.y//z"; // It is\n', []),
    "thoughts": (f"<think>{HEIGHT} [1]</think>", []),
    "a string": (json.dumps(f"{HEIGHT} {FLIGHTS}"), [HEIGHT, FLIGHTS]),
}


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize(("text", "cited"), UNCHANGED.values(), ids=UNCHANGED)
def test_the_text_is_unchanged_and_its_values_are_cited(
    text: str, cited: list[str], release: Release, chunkings: Chunkings
) -> None:
    options = Options(release=release)
    for parts in chunkings(text, Random(5)):
        assert shown(parts, options, expects_data=text.startswith('"The')) == (text, cited)


MIXED: dict[str, tuple[str, str, list[str]]] = {  # the text of the model, the shown text, its cited parts
    "text after JSON": (
        f'{{"a": "{HEIGHT}"}}\n\n{FLIGHTS}',
        f'{{"a": "{HEIGHT}"}}\n\n{FLIGHTS} [1]',
        [HEIGHT, f"{FLIGHTS}"],
    ),
    "text in the line of JSON": (
        f'{{"a": "{HEIGHT}"}} says that it flew.',
        f'{{"a": "{HEIGHT}"}} says that it flew. [1]',
        [HEIGHT, "says that it flew."],
    ),
    "JSON after text with markers": (
        f'{FLIGHTS[:-1]} [1].\n{{"a": "{HEIGHT}"}}\n{FLIGHTS}',
        f'{FLIGHTS} [1]\n{{"a": "{HEIGHT}"}}\n{FLIGHTS} [1]',
        [FLIGHTS, HEIGHT, FLIGHTS],
    ),
    "a marker after JSON": (f'{{"a": "{HEIGHT}"}} [1]', f'{{"a": "{HEIGHT}"}} ', [HEIGHT]),
    "text after thoughts": (
        f"<think>It flew [2]. [7]</think>{HEIGHT[:-1]} [1].",
        f"<think>It flew [2]. [7]</think>{HEIGHT} [1]",
        [HEIGHT],
    ),
    "prose with a brace": ("{name} is a rocket.", "{name} is a rocket. [1]", ["{name} is a rocket."]),
    "prose with a comma": (f"Yes, {FLIGHTS}", f"Yes, {FLIGHTS} [1]", [f"Yes, {FLIGHTS}"]),
    "a label": (
        "Answer: It flew.\nNote: It rose.",
        "Answer: It flew. [1]\nNote: It rose. [1]",
        ["Answer: It flew.", "Note: It rose."],
    ),
    "a quotation": ('"It flew. It rose."', '"It flew. [1] It rose." [1]', ['"It flew.', 'It rose."']),
}


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize(("text", "expected", "cited"), MIXED.values(), ids=MIXED)
def test_prose_beside_structured_text_gets_markers(
    text: str, expected: str, cited: list[str], release: Release, chunkings: Chunkings
) -> None:
    for parts in chunkings(text, Random(5)):
        assert shown(parts, Options(release=release)) == (expected, cited)


@pytest.mark.parametrize("policy", ["keep", "flag", "drop"])
def test_unsupported_values_stay(policy: str) -> None:
    text = json.dumps({"answer": HEIGHT})
    answer = Response(EVIDENCE, parse_options({"unsupported": policy}, Options())).answer(0)
    drafts = [*answer.feed(text), *answer.flush()]
    assert "".join(answer.cite(draft, Decision()) for draft in drafts) == text


def test_only_text_gets_a_list_of_references() -> None:
    options, text = Options(references_in_text=True), json.dumps({"answer": HEIGHT})
    assert shown([text], options)[0] == text
    assert shown([f"{text}\n\n{FLIGHTS}"], options)[0] != f"{text}\n\n{FLIGHTS} [1]"


@pytest.mark.parametrize("text", [f"a: {FLIGHTS}\nb: It was", f'{{"a": "{FLIGHTS}", "b": "It was'])
def test_a_value_that_was_cut_makes_no_claim(text: str) -> None:
    answer = Response(EVIDENCE, Options()).answer(0)
    drafts = [*answer.feed(text), *answer.flush(complete=False)]
    assert [draft.claim.text for draft in drafts if draft.claim] == [FLIGHTS]
