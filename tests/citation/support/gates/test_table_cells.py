"""Numbers of a claim that are in another cell of a table."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

PUMPS = (
    "| | Aqua | Bravo | Cirro |\n|---|---|---|---|\n| Flow rate | 30 l | 45 l | 60 l |\n"
    "| Maximum water depth | 7 m | 9 m | 12 m |\n| Guarantee on motor | 2 years | 3 years | 5 years |"
)
PASSPORTS = (
    "| Document | Applied for | Issued | Valid until |\n|---|---|---|---|\n"
    "| Permit A | 4 May 2021 | 9 June 2021 | 30 June 2026 |\n| Permit B | 7 July 2022 | 1 August 2022 | 30 June 2024 |"
)
DAM = (
    "| Feature | Value |\n|---|---|\n| Length of crest | 310 m |\n| Height of wall | 58 m |\n| Turbines | 4 |\n"
    "| Surface of reservoir | 12 km² |"
)
ANGEBOTE = (
    "| | Firma Hell | Firma Kurz |\n|---|---|---|\n"
    "| Preis ohne Steuer | 4.200 € | 3.900 € |\n| Lieferzeit | 6 Wochen | 9 Wochen |"
)
FILTERS = (
    "| sku | product | price_eur | stock |\n|---|---|---|---|\n| F-30 | River Pro | 249.00 | 60 |\n"
    "| F-31 | River Pro Max | 389.00 | 12 |\n| P-40 | Garden pump | 129.50 | 77 |\n| P-41 | Drill | 219.50 | 8 |"
    "\n\nAll prices are valid until the end of the year."
)
LEAVE = (
    "| Leave | Days | Paid | Approval |\n|---|---|---|---|\n| Annual leave | 28 | yes | manager |\n"
    "| Sabbatical | 90 | no | board |\n\nLeave is requested in advance. The manager answers within a week. "
    "New employees get it pro rata. A sabbatical can be taken after four years."
)
URLAUB = (
    "| Urlaub | Bezahlt |\n|---|---|\n| Erholungsurlaub | ja |\n| Sabbatjahr | nein |\n\n"
    "Der Antrag wird beim Vorstand gestellt."
)
TREES = ("Aster", "Birch", "Cedar", "Dahlia", "Elder", "Fern", "Ginkgo", "Hazel", "Iris", "Juniper")
VILLAGES = [f"{tree} {side}" for tree in TREES for side in ("North", "South", "East", "West", "Upper", "Lower", "Old")]
PRICES = (
    "| SKU | Name | Price in EUR |\n|---|---|---|\n| HP-1 | HydroPump S | 129.50 |\n| HP-2 | HydroPump L | 219.50 |"
)
LONG = "| Village | Houses | Residents |\n|---|---|---|\n" + "\n".join(
    f"| {village} | {10 + number} | {200 + number} |" for number, village in enumerate(VILLAGES)
)

ANOTHER_CELL = {
    "another column, far below the header": (LONG, "Juniper Lower has 78 residents."),
    "another column, with a paraphrase of the row": (PUMPS, "Bravo can be used in water that is up to 12 m deep."),
    "another column": (PUMPS, "Aqua has a guarantee of three years."),
    "a date in another column with parts in this column": (PASSPORTS, "Permit A was applied for on 9 June 2021."),
    "another row, named by one of its words": (DAM, "The wall of the dam is 310 m high."),
    "another row, named by all of its words": (DAM, "The surface of the reservoir is 58 m."),
    "another row, named by its second cell": (PRICES, "The HydroPump L costs 129.50 euros."),
    "another row, named by its second cell, above": (PRICES, "The HydroPump S costs 219.50 euros."),
    "another row, of two names that differ in one word": (
        PRICES.replace("| SKU ", "").replace("| HP-1 ", "").replace("| HP-2 ", "").replace("---|", "", 1),
        "The HydroPump L costs 129.50 euros.",
    ),
    "another row, named in the second column": (FILTERS, "The drill costs 129.50 euros."),
    "a row whose name has one more word": (FILTERS, "The River Pro costs 389 euros."),
    "a row whose name has one word less": (FILTERS, "The River Pro Max costs 249 euros."),
    "another column in German": (ANGEBOTE, "Firma Kurz verlangt 4.200 € ohne Steuer."),
}
SAME_CELL = {
    "the column, far below the header": (LONG, "Juniper Lower has 78 houses."),
    "a paraphrase of the row": (PUMPS, "Bravo can be used in water that is up to 9 m deep."),
    "the column without its row": (PUMPS, "With Cirro you get 60 l."),
    "two columns": (PUMPS, "Aqua has a guarantee of two years, Cirro of five."),
    "a date": (PASSPORTS, "Permit A was applied for on 4 May 2021."),
    "the row, named by one of its words": (DAM, "The wall of the dam is 58 m high."),
    "another word for the row": (DAM, "The dam is 310 m long."),
    "the row, named by its second cell": (PRICES, "The HydroPump L costs 219.50 euros."),
    "the row, named by its second cell, above": (PRICES, "The HydroPump S costs 129.50 euros."),
    "the row, named in the second column": (FILTERS, "The drill costs 219.50 euros."),
    "a row whose name begins another one": (FILTERS, "The River Pro costs 249 euros."),
    "a row whose name has one more word": (FILTERS, "The River Pro Max costs 389 euros."),
    "two rows with similar names": (FILTERS, "The River Pro costs 249 euros, the River Pro Max 389 euros."),
    "the column in German": (ANGEBOTE, "Firma Kurz verlangt 3.900 € ohne Steuer."),
}


@pytest.mark.parametrize("case", ANOTHER_CELL)
def test_a_number_of_another_cell_is_refused(case: str) -> None:
    table, claim = ANOTHER_CELL[case]
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, table, "e1")]))
    assert found is not None, case
    assert "the table" in found.detail, found.detail


@pytest.mark.parametrize("case", SAME_CELL)
def test_a_number_of_the_same_cell_is_accepted(case: str) -> None:
    table, claim = SAME_CELL[case]
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, table, "e1")]))
    assert found is None or "the table" not in found.detail, found


DENIED = {
    "the cell denies it": (LEAVE, "The sabbatical is paid."),
    "the cell denies it, in the plural": (LEAVE, "Sabbaticals are paid."),
    "the cell denies it in German": (URLAUB, "Das Sabbatjahr ist bezahlt."),
    "the cell affirms what it denies": (LEAVE, "Annual leave is not paid."),
    "the cell affirms what it denies in German": (URLAUB, "Der Erholungsurlaub ist nicht bezahlt."),
}
NOT_DENIED = {
    "the cell of another row denies it": (LEAVE, "Annual leave is paid."),
    "the sentence denies it as well": (LEAVE, "The sabbatical is not paid."),
    "the sentence repeats the row": (LEAVE, "Leave: Sabbatical; Days: 90; Paid: no; Approval: board."),
    "the sentence repeats the row, with another answer": (
        LEAVE,
        "Annual leave: 28 days, paid: yes, without a limit: no.",
    ),
    "the sentence is about another column": (LEAVE, "The sabbatical needs the approval of the board."),
    "the cell affirms it in German": (URLAUB, "Der Erholungsurlaub ist bezahlt."),
}


@pytest.mark.parametrize("case", DENIED)
def test_a_statement_is_refused_if(case: str) -> None:
    table, claim = DENIED[case]
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, table, "e1")]))
    assert found is not None, case
    assert "in the column" in found.detail, found.detail


@pytest.mark.parametrize("case", DENIED)
def test_it_is_not_cited_although_the_model_cites_it_if(case: str) -> None:
    table, claim = DENIED[case]
    prepared = scorer("lexical").prepare([Evidence(1, table, "e1")])
    cited = Claim(claim, cited=frozenset([1]))
    decision = attribute(cited, prepared.score(cited), prepared)
    assert not decision.supports
    assert decision.conflict is not None


@pytest.mark.parametrize("case", NOT_DENIED)
def test_a_statement_is_not_refused_if(case: str) -> None:
    table, claim = NOT_DENIED[case]
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, table, "e1")]))
    assert found is None or "in the column" not in found.detail, found
