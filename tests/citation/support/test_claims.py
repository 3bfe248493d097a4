"""Sentences that make a claim, and entries of lists of sources."""

import pytest

from citestream.citation.support.claims import makes_claim, names_source
from citestream.citation.text.segmentation import Kind

CLAIMS = {
    "a plain statement": "The bridge opened in 1932.",
    "a statement in bold": "**The bridge opened in 1932.**",
    "a list item": "- Revenue rose by 5 %.",
    "a short answer": "Paris.",
    "a statement that begins like an agreement": "Sure enough, the mill burned down in 1911 and was rebuilt.",
    "a failure of a person": "The expedition could not find the wreck.",
    "a summary as the subject": "The summary of the report was published in 2020.",
    "German": "Die Brücke wurde 1932 eröffnet.",
    "Spanish": "El puente se abrió en 1932.",
    "French": "Le pont a été ouvert en 1932.",
    "Chinese": "这座大桥于1932年通车。",
    "Arabic": "افتتح الجسر عام 1932.",
    "inline code in a statement": "The option `--fast` skips the check.",
    "a quoted first person": "I came to the city in 1932, he recalled.",
    "a statement with an address": "The form is at https://example.org/form.",
    "an unfinished list item": "- employees who work full time, and",
}
NO_CLAIMS = {
    "a greeting": "Hello!",
    "an agreement": "Certainly!",
    "an English question": "Would you like to know more?",
    "a Chinese question": "您想了解更多吗？",
    "an Arabic question": "هل تريد المزيد؟",
    "a lead-in": "The report names three causes:",
    "a bold lead-in": "**Key points:**",
    "a Chinese lead-in": "主要原因如下：",
    "an announcement": "Here is a short summary of the report.",
    "a German announcement": "Hier ist eine kurze Zusammenfassung.",
    "a Spanish announcement": "Aquí tienes un resumen.",
    "a French announcement": "Voici un résumé des points principaux.",
    "a Chinese announcement": "以下是这份报告的摘要。",
    "nothing found": "I could not find the opening date in the excerpts.",
    "nothing found, in a long sentence": (
        "Unfortunately, I could not find any information about the opening date of the bridge "
        "over the river in the excerpts provided."
    ),
    "the excerpts do not mention it": "The excerpts do not mention the opening date.",
    "German: nothing found": "Ich konnte dazu in den Auszügen nichts finden.",
    "Spanish: nothing found": "No encontré información sobre la fecha.",
    "French: nothing found": "Je n'ai pas trouvé la date dans les extraits.",
    "Chinese: nothing found": "提供的资料中没有提到通车日期。",
    "an offer": "Let me know if you have any other questions.",
    "code only": "`make test`",
    "a link only": "[the report](https://example.org/report)",
    "punctuation": "---",
    "an empty text": "  \n",
    "an address only": "See https://example.org/help for details.",
    "an address in German": "Siehe auch [die Hilfe](https://example.org/hilfe).",
    "a word and a conjunction": "by phone, or",
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_statement_makes_a_claim(name: str) -> None:
    assert makes_claim(CLAIMS[name], Kind.PROSE)


@pytest.mark.parametrize("name", NO_CLAIMS)
def test_another_sentence_makes_no_claim(name: str) -> None:
    assert not makes_claim(NO_CLAIMS[name], Kind.PROSE)


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.HEADING, Kind.RULE, Kind.MATH])
def test_kinds_without_markers_make_no_claim(kind: Kind) -> None:
    assert not makes_claim("The bridge opened in 1932.", kind)


def test_a_table_row_of_numbers_makes_a_claim() -> None:
    assert makes_claim("| 2021 | 5 % |", Kind.TABLE_ROW)


@pytest.mark.parametrize("unit", ["![](", "[a](b "])
def test_unclosed_links_take_linear_time(unit: str) -> None:
    # This takes 0.1 s. A search from each beginning of a link to the end of the text would take hours.
    assert not makes_claim(unit * 250_000, Kind.PROSE)


NAMES = ("rent.md", "Rental contract", "contract")
ENTRIES = {
    "a file": ("[1] rent.md", "rent.md"),
    "an item": ("- [1] Rental contract (rent.md)", "Rental contract (rent.md)"),
    "a numbered item": ("2. **[2]** rent.md", "**rent.md"),
    "with a page": ("[1] Rental contract, pp. 3-4", "Rental contract, pp. 3-4"),
    "with a Chinese page": ("【1】rent.md，第3页", "rent.md，第3页"),
    "with an address": ("[1] rent.md, https://a.example/rent.md", "rent.md, https://a.example/rent.md"),
}
STATEMENTS = {
    "a statement about a file": ("[1] rent.md has three pages", "rent.md has three pages"),
    "a value": ("[1] Rental contract: 820", "Rental contract: 820"),
    "an answer": ("Rental contract [1]", "Rental contract"),
    "another name": ("[1] lease.md", "lease.md"),
    "a sentence": ("[1] The contract ends.", "The contract ends."),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_of_a_list_of_sources_names_a_source(name: str) -> None:
    assert names_source(*ENTRIES[name], NAMES)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_does_not_only_name_a_source(name: str) -> None:
    assert not names_source(*STATEMENTS[name], NAMES)
