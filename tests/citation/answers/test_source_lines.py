"""The model's own list of sources, and what only introduced its markers."""

from collections.abc import Sequence
from random import Random

import pytest

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.markers import marker_end
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision, Status, Support
from citestream.citation.text.segmentation import Segmenter
from tests.conftest import Chunkings

EVIDENCE = (
    Evidence(1, "The Saturn V was 110.6 metres tall.", "e1", title="Saturn V", url="https://ex.org/saturn"),
    Evidence(2, "The tide turns about every six hours.", "e2", file_name="tides.md"),
)
TIDE = "The tide turns about every six hours"
ROCKET = "The Saturn V was 110.6 metres tall"
TEXT = f"{TIDE} [2]. {ROCKET} [1].\n\n"
CITED = f"{TIDE}. [1] {ROCKET}. [2]\n\n"
LIST = "**References**\n\n- [1] tides.md\n- [2] [Saturn V](https://ex.org/saturn)\n"


def shown(parts: Sequence[str], options: Options) -> str:
    """Return the shown text. Evidence 1 supports what it says, evidence 2 all else."""
    answer = Response(EVIDENCE, options).answer(0)
    assert isinstance(answer, Answer)
    drafts = [draft for part in parts for draft in answer.feed(part)] + answer.flush()
    text = ""
    for draft in drafts:
        number = next((n for n, words in ((1, ROCKET), (2, TIDE)) if draft.claim and words in draft.claim.text), 0)
        decision = Decision((Support(number, 0.9, Status.ADDED, 0, 9),) if number else ())
        text += answer.cite(draft, decision if draft.claim else Decision())
    return text + answer.reference_list()


LISTS: dict[str, tuple[str, str]] = {  # the model's text, and what is shown
    "definitions": (f"{TEXT}[1]: https://ex.org/saturn\n[2]: https://ex.org/tides\n", CITED + LIST),
    "definitions with titles": (f"{TEXT}References:\n[1]: Saturn V\n[2]: Tides", CITED + LIST),
    "a numbered list": (f"{TEXT}References:\n1. Saturn V\n2. tides.md", CITED + LIST),
    "a numbered list with sentences": (f"{TEXT}## Sources\n\n1. Saturn V. A page.\n2. tides.md", CITED + LIST),
    "footnotes": (f"{TEXT}[^1]: Saturn V, https://ex.org/saturn\n[^2]: tides.md\n", CITED + LIST),
    "bullets with markers": (f"{TEXT}**References**\n\n- [1] The rocket\n- [2] tides.md", CITED + LIST),
    "bullets with names": (f"{TEXT}Quellen:\n- Saturn V (https://ex.org/saturn)\n- tides.md", CITED + LIST),
    "text after the list": (f"{TEXT}Sources:\n1. Saturn V\n\nAsk me more.", f"{CITED}Ask me more.\n\n{LIST}"),
    "markers only": (f"{TEXT}**Sources:**\n- [1]\n- [2]", CITED),
    "a label with markers": (f"{TEXT}Sources: [1], [2]", CITED),
}


@pytest.mark.parametrize("case", LISTS)
def test_our_list_replaces_that_of_the_model(case: str, chunkings: Chunkings) -> None:
    text, expected = LISTS[case]
    for parts in chunkings(text, Random(1)):
        for options in (Options(), Options(release="live")):
            assert shown(parts, options) == expected
        if expected.endswith(LIST):
            assert shown(parts, Options(references_in_text=True)) == expected
            without = shown(parts, Options(marker="none"))
            assert without.strip() == expected.removesuffix(LIST).replace(" [1]", "").replace(" [2]", "").strip()


KEPT = {
    "a heading that only resembles one": f"{TIDE}.\n\nSources of error:\n- the wind\n- the moon\n",
    "a heading without a list": f"{TIDE}.\n\n## Sources\n\nThe rivers begin in the hills.\n",
    "a list of statements": f"{TIDE}.\n\nReferences:\n- ask the previous landlord\n- call the bank\n",
    "a list of steps": f"{TIDE}.\n\n1. Open it.\n2. Close it.\n",
    "a definition of a link": "See [the docs][1] first.\n\n[1]: https://docs.example\n",
    "a list that is the whole answer": "Sources:\n- Saturn V\n- tides.md\n",
    "a footnote that states something": "It rose.\n\n[^1]: Without the ferries.\n",
    "a definition in code": f"{TIDE}.\n\n```\n[1]: https://ex.org/saturn\n```\n",
    "a list in code": f"{TIDE}.\n\n```\nSources:\n[1] tides.md\n```\n",
    "a label with text": f"{TIDE}.\nSource: the harbour office\n",
}


@pytest.mark.parametrize("case", KEPT)
def test_other_lines_stay(case: str, chunkings: Chunkings) -> None:
    text = KEPT[case]
    for parts in chunkings(text, Random(1)):
        for options in (Options(marker="none"), Options(marker="none", release="live")):
            assert shown(parts, options) == text


def test_a_list_with_the_numbers_of_the_evidence_stays() -> None:
    text = f"{TEXT}Sources:\n[1]: Saturn V\n[2]: Tides"
    expected = text.replace(" [2].", ". [2]").replace(" [1].", ". [1]")
    assert shown([text], Options(numbering="evidence")) == expected


INTRODUCTIONS: dict[str, tuple[str, str]] = {
    "a label on its own line": (f"{ROCKET}.\nSource: [1]\n\n{TIDE}.", f"{ROCKET}. [1]\n\n{TIDE}. [2]"),
    "a label in italics": (f"{TIDE}.\n*Source: [2]*", f"{TIDE}. [1]\n"),
    "a label in parentheses": (f"{TIDE}. (Quelle: [2])", f"{TIDE}. [1]"),
    "a sentence that refers to the source": (f"{TIDE}. See [1].", f"{TIDE}. [1] "),
    "a longer one": (f"{TIDE}. For more details, see [1] and [2].", f"{TIDE}. [1] "),
    "a bullet without text": (f"- {TIDE} [2]\n- [1]\n- {ROCKET}", f"- {TIDE} [1]\n- {ROCKET} [2]"),
    "a comma": (f"{TIDE}, [2].", f"{TIDE}. [1]"),
    "a dash": (f"{TIDE} — [2].", f"{TIDE}. [1]"),
    "a hyphen at the end of a line": (f"{TIDE} - [2]\n{ROCKET}.", f"{TIDE} [1]\n{ROCKET}. [2]"),
    "an arrow": (f"{TIDE} → [2].", f"{TIDE}. [1]"),
    "an arrow in ASCII": (f"{TIDE} -> [2].", f"{TIDE}. [1]"),
    "a colon": (f"{TIDE}: [2].", f"{TIDE}. [1]"),
    "a comma before more text": (f"{TIDE}, [2] and it rises.", f"{TIDE}, and it rises. [1]"),
    "a comma at the end of a line": (f"{TIDE}, [2]\nand it rises.", f"{TIDE}, [1]\nand it rises."),
    "a sentence with more words": (f"{TIDE}. See the map [1].", f"{TIDE}. [1] See the map."),
    "a number that resembles a list item": (f"{TIDE}. Why? 1932 [1][2]. Yes.", f"{TIDE}. [1] Why? 1932. Yes."),
    "such a number at the beginning of a line": (f"{TIDE}.\n1932 [1].", f"{TIDE}. [1]\n1932."),
    "a list item without text": (f"{TIDE}.\n1. [1]\n2. {ROCKET}", f"{TIDE}. [1]\n2. {ROCKET} [2]"),
}


@pytest.mark.parametrize("case", INTRODUCTIONS)
def test_what_only_introduced_a_marker_goes_with_it(case: str, chunkings: Chunkings) -> None:
    text, expected = INTRODUCTIONS[case]
    for parts in chunkings(text, Random(1)):
        for options in (Options(), Options(release="live")):
            assert shown(parts, options).rstrip(" ") == expected.rstrip(" ")


BEGINNINGS: dict[str, tuple[str, ...]] = {
    "two markers": ("Sales rose. ", "[2] says that costs fell. ", "[1] and [2] agree."),
    "an aside": ("Sales rose [1]. ", "[2], however, says that they fell."),
    "a marker on each side": ("Sales rose.[1] ", "[2] also reports that costs fell."),
    "a marker in bold": ("Sales rose. ", "**[2]** states that costs fell."),
    "in Chinese": ("收入增长。", "[2]指出，成本下降。"),
}


@pytest.mark.parametrize("case", BEGINNINGS)
def test_a_marker_that_is_a_subject_begins_a_sentence(case: str, chunkings: Chunkings) -> None:
    expected = BEGINNINGS[case]
    for parts in chunkings("".join(expected), Random(1)):
        segmenter = Segmenter(marker_end=marker_end())
        found = [sentence for part in parts for sentence in segmenter.feed(part)] + segmenter.flush()
        assert tuple(sentence.text for sentence in found) == expected
