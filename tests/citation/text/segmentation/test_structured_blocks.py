"""JSON, CSV, YAML, XML, code and thoughts without a fence; and prose that begins with the same characters."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.markers import marker_end
from citestream.citation.text.segmentation import Kind, Segmenter, SegmentLimits, Sentence, StructuredBlocks
from citestream.citation.text.segmentation.data_formats import MAX_OPENING_CHARACTERS
from tests.citation.text.segmentation.test_properties import cut, texts

Pieces = tuple[tuple[str, Kind], ...]

JSON, CSV, YAML, XML, CODE, THOUGHT = Kind.JSON, Kind.CSV, Kind.YAML, Kind.XML, Kind.UNFENCED_CODE, Kind.THOUGHT
PROSE, HEADING, ITEM, HTML, RULE = Kind.PROSE, Kind.HEADING, Kind.LIST_ITEM, Kind.HTML, Kind.RULE


def segmented(parts: list[str], *, expected: bool = False, limits: SegmentLimits | None = None) -> list[Sentence]:
    segmenter = Segmenter(limits, marker_end(), StructuredBlocks(expected=expected))
    return [sentence for part in parts for sentence in segmenter.feed(part)] + segmenter.flush()


BLOCKS: dict[str, Pieces] = {
    "an object": (('{"a": "It rose. It fell."}', JSON),),
    "an object in several lines": (("{\n", JSON), (' "a": "x. Y",\n', JSON), (' "b": [1, "]}"]\n', JSON), ("}", JSON)),
    "an escaped quote does not end a string": (('{"a": "\\"} B. C"} ', JSON), ("So. ", PROSE), ("On.", PROSE)),
    "text after an object in its line": (('{"a": 1} ', JSON), ("is JSON. ", PROSE), ("It rose.", PROSE)),
    "text after an object": (('{"a": "b. C"}\n', JSON), ("\n", PROSE), ("It rose. ", PROSE), ("It fell.", PROSE)),
    "an object after text": (("This is it:\n", PROSE), ('{"a": "b. C"}\n', JSON), ("It rose.", PROSE)),
    "lines of objects": (('{"a": "b. C"}\n', JSON), ('{"a": "d. E"}\n', JSON)),
    "a list of objects": (('[{"a": "b. C"}, {"a": "d"}]', JSON),),
    "a list of strings": (('["It rose. It fell.", "B"]', JSON),),
    "a list of one string": (('["It rose. It fell."]', JSON),),
    "a list in several lines": (("[\n", JSON), (' "It rose. It fell."\n', JSON), ("]\n", JSON)),
    "a dictionary of Python": (("{'a': 'It rose. It fell.'}", JSON),),
    "CSV with a header": (("name,height\n", CSV), ("Saturn V,It rose. It fell.\n", CSV), ("Tide,2\n", CSV)),
    "CSV without a header": (("Saturn V,It rose by 5 m\n", CSV), ("Tide,It turns. It ebbs.\n", CSV)),
    "CSV with fields in quotes": (('"name","text"\n', CSV), ('"Saturn V","It rose, it fell. So."\n', CSV)),
    "CSV with semicolons": (("name;height\n", CSV), ("Saturn V;1,5. So\n", CSV)),
    "CSV with spaces": (("name, height\n", CSV), ("Saturn V, It rose. It fell\n", CSV)),
    "CSV with tabs": (("name\theight\n", CSV), ("Saturn V\tIt rose. It fell.", CSV)),
    "CSV in Chinese": (("名称,高度\n", CSV), ("火箭,110米。很高\n", CSV)),
    "a list with tabs": (("- item\t\n", ITEM), ("\t- nested", ITEM)),
    "text after CSV": (("a,b\n", CSV), ("c,d\n", CSV), ("\n", CSV), ("It rose high. ", PROSE), ("It fell.", PROSE)),
    "YAML": (("answer: It rose. It fell.\n", YAML), ("other: B\n", YAML)),
    "YAML with a list": (("answers:\n", YAML), ("- It rose. It fell.\n", YAML), ("- B", YAML)),
    "YAML with a text block": (("answer: |\n", YAML), ("  It rose. It fell.\n", YAML)),
    "a list of mappings": (("- name: A\n", YAML), ("  text: It rose. It fell.\n", YAML)),
    "YAML after a rule": (("---\n", YAML), ("Answer: It rose. It fell.\n", YAML)),
    "metadata before text": (
        ("---\n", YAML),
        ("title: A\n", YAML),
        ("---\n", YAML),
        ("It rose. ", PROSE),
        ("So.", PROSE),
    ),
    "XML with a declaration": (('<?xml version="1.0"?>\n', XML), ("<a>It rose. It fell.</a>\n", XML)),
    "XML without a declaration": (("<rocket><name>It rose. It fell.</name></rocket>", XML),),
    "text after XML": (
        ("<rocket>\n", XML),
        ("<name>A</name>\n", XML),
        ("</rocket>\n", XML),
        ("So. ", PROSE),
        ("On.", PROSE),
    ),
    "Python": (("import os\n", CODE), ('print("It rose. It fell.")\n', CODE)),
    "JavaScript": (("const a = [1]; // It rose. It fell.\n", CODE),),
    "SQL": (("SELECT a FROM b\n", CODE), ("WHERE c = 'It rose. It fell.'", CODE)),
    "a script": (("#!/bin/sh\n", CODE), ("# It rose. It fell.\n", CODE)),
    "text after code": (
        ("def f(x):\n", CODE),
        ("    return x[1]\n", CODE),
        ("\n", CODE),
        ("This function returns it. ", PROSE),
        ("So.", PROSE),
    ),
    "thoughts": (
        ("<think>\n", THOUGHT),
        ("It rose. [1]\n", THOUGHT),
        ("</think>\n", THOUGHT),
        ("\n", PROSE),
        ("So.", PROSE),
    ),
    "text directly after thoughts": (
        ("<thinking>It rose [2]. It</thinking>", THOUGHT),
        ("It fell. ", PROSE),
        ("So.", PROSE),
    ),
    "JSON after thoughts": (("<think>It rose.</think>\n", THOUGHT), ('{"a": "b. C"}', JSON)),
    "a heading after thoughts": (("<think>It rose.</think> ", THOUGHT), ("# Tides. Ebb", HEADING)),
    "thoughts in capitals": (("<THINK>It rose. It fell.</Think>", THOUGHT), ("So.", PROSE)),
    "thoughts with an attribute": (('<think id="1">It rose. It fell.</think>', THOUGHT), ("So.", PROSE)),
    "thoughts with a prefix": (("<seed:think>It rose. It fell.</seed:think>", THOUGHT), ("So.", PROSE)),
    "thoughts of another name": (("<inner_thoughts>It rose. It fell.</inner_thoughts>\n", THOUGHT), ("So.", PROSE)),
    "thoughts between signs": (
        ("<|begin_of_thought|>It rose. It fell.<|end_of_thought|>", THOUGHT),
        ("So.", PROSE),
    ),
    "thoughts in brackets": (("[THINK]It rose. It fell.[/THINK]", THOUGHT), ("So.", PROSE)),
    "thoughts in a channel": (
        ("<|channel|>analysis<|message|>It rose. X<|end|><|start|>assistant<|channel|>final<|message|>", THOUGHT),
        ("It fell. ", PROSE),
        ("So.", PROSE),
    ),
    "thoughts without an end": (
        ("<think>It rose. It fell.\n", THOUGHT),
        ("\n", THOUGHT),
        ("It rose high. It fell.", THOUGHT),
    ),
    "thoughts after text": (("It rose.\n", PROSE), ("<think>It fell. So.</think>", THOUGHT), ("On.", PROSE)),
}

TEXTS: dict[str, Pieces] = {
    "a placeholder": (("{name} is one. ", PROSE), ("So.", PROSE)),
    "empty braces": (("{} is empty. ", PROSE), ("So.", PROSE)),
    "a marker": (("[1] says so. ", PROSE), ("It rose.", PROSE)),
    "a link with a quotation": (('["Tides"](https://x.y) are regular. ', PROSE), ("So.", PROSE)),
    "a remark in brackets": (("[So it is.] It rose.", PROSE),),
    "a quotation": (('"It rose. ', PROSE), ('It fell."', PROSE)),
    "a quotation with a speaker": (('"The tide," he said, "turns." ', PROSE), ("So.", PROSE)),
    "a comma and a space": (("Yes, it does. ", PROSE), ("So.", PROSE)),
    "a sentence in lower case with a comma": (("yes, it does. ", PROSE), ("so it is.\n", PROSE)),
    "lines in lower case with commas": (("yes, indeed\n", PROSE), ("no\n", PROSE)),
    "a list of cities": (("Paris, France\n", PROSE), ("London, England\n", PROSE)),
    "a comma without a space": (("Hello,world is fine. ", PROSE), ("So.", PROSE)),
    "a line with a comma and a sentence": (("Hello,world.\n", PROSE), ("It rose,so.\n", PROSE)),
    "a large number": (("1,500 people came.\n", PROSE), ("2,500 left.\n", PROSE)),
    "lines with different numbers of fields": (("a,b\n", PROSE), ("It rose.", PROSE)),
    "one line with a comma": (("a,b", PROSE),),
    "Chinese": (("土星五号火箭高110米,很高。", PROSE), ("它飞了。", PROSE)),
    "a label": (("Answer: It rose. ", PROSE), ("It fell.\n", PROSE), ("Other: so", PROSE)),
    "a label in lower case": (("note: It rose. ", PROSE), ("It fell.", PROSE)),
    "an address": (("https://x.y/z is one. ", PROSE), ("So.", PROSE)),
    "a rule": (("---\n", RULE), ("\n", PROSE), ("It rose.", PROSE)),
    "a rule before a list": (("---\n", RULE), ("- It rose", ITEM)),
    "a list with labels": (("- height: 5\n", ITEM), ("- weight: 6", ITEM)),
    "HTML": (("<b>It</b> rose. ", HTML), ("It fell.", HTML)),
    "a wrapper": (("<answer>It rose. ", HTML), ("It fell.</answer>", HTML)),
    "words of code": (("import duties rose. ", PROSE), ("They fell.\n", PROSE)),
    "a preposition": (("from the report:\n", PROSE), ("It rose.", PROSE)),
    "an imperative": (("Let us see. ", PROSE), ("So.", PROSE)),
    "a heading": (("# Tides\n", HEADING), ("It rose.", PROSE)),
    "a tag in a sentence": (("It is `<think>` here. ", PROSE), ("So.", PROSE)),
}


@pytest.mark.parametrize("pieces", [*BLOCKS.values(), *TEXTS.values()], ids=[*BLOCKS, *TEXTS])
def test_a_text_is_recognised_however_it_arrives(pieces: Pieces) -> None:
    text, rng = "".join(piece for piece, _ in pieces), Random(0)
    for parts in ([text], list(text), *(cut(text, [rng.randrange(10_000) for _ in range(6)]) for _ in range(3))):
        assert tuple((sentence.text, sentence.kind) for sentence in segmented(parts)) == pieces


EXPECTED: dict[str, Pieces] = {
    "a string": (('"It rose. It fell."', JSON),),
    "a long string": (('"' + "It rose. It fell. " * 9 + '"', JSON),),
    "a title in quotes": (('"JSON" is a format. ', PROSE), ("So.", PROSE)),
    "one line of YAML": (("answer: It rose. It fell.", YAML),),
    "YAML with capitals": (("Answer: It rose. It fell.\n", YAML), ("Other: B\n", YAML)),
    "one element of XML": (("<answer>It rose. It fell.</answer>", XML),),
    "prose": (("It rose. ", PROSE), ("It fell.", PROSE)),
}


@pytest.mark.parametrize("pieces", EXPECTED.values(), ids=EXPECTED)
def test_a_prompt_that_asks_for_a_format_allows_more(pieces: Pieces) -> None:
    text = "".join(piece for piece, _ in pieces)
    for parts in ([text], list(text), cut(text, [3, 9, 40])):
        found = segmented(parts, expected=True)
        assert tuple((sentence.text, sentence.kind) for sentence in found) == pieces


HELD: dict[str, tuple[str, int]] = {  # a text, and the characters after which a part of it can be shown
    "an article": ("The Saturn V was 110.6 metres tall.", 5),
    "a sentence without a comma": ("Rockets of this size rose.", 17),
    "a comma and a space": ("Yes, it does.", 5),
    "JSON": ('{"a": "It rose."}', 2),
    "thoughts": ("<think>It rose.</think>", 7),
    "a placeholder": ("{name} is one of them.", 2),
}


@pytest.mark.parametrize(("text", "characters"), HELD.values(), ids=HELD)
def test_little_is_held_until_the_format_is_known(text: str, characters: int) -> None:
    segmenter = Segmenter(None, marker_end(), StructuredBlocks())
    for character in text[:characters]:
        assert not segmenter.feed(character)
    assert segmenter.open_sentence.releasable_length


FORMATS = [
    *("".join(piece for piece, _ in pieces) for pieces in (*BLOCKS.values(), *TEXTS.values())),
    "---\n",
    "a: b\n",
]
formats = st.lists(st.sampled_from(FORMATS) | st.text("{}[]<>\"',;:-\n\\ aA1.", max_size=12), max_size=4).map("".join)


@given(formats, texts, st.lists(st.integers(0, 1000), max_size=20), st.booleans())
@settings(max_examples=400)
def test_formats_do_not_depend_on_deltas(begin: str, rest: str, places: list[int], expected: bool) -> None:
    text = begin + rest
    for limits in (None, SegmentLimits(characters=100)):
        whole = segmented([text], expected=expected, limits=limits)
        assert "".join(sentence.text for sentence in whole) == text
        assert segmented(cut(text, places), expected=expected, limits=limits) == whole
        assert segmented(list(text), expected=expected, limits=limits) == whole


@given(formats, st.booleans())
@settings(max_examples=200)
def test_the_text_of_an_undecided_format_is_bounded(text: str, expected: bool) -> None:
    segmenter = Segmenter(None, marker_end(), StructuredBlocks(expected=expected))
    for character in text * 5:
        segmenter.feed(character)
        held = segmenter.open_sentence
        assert held.kind is not PROSE or held.releasable_length or len(held.text.lstrip()) <= 2 * MAX_OPENING_CHARACTERS
