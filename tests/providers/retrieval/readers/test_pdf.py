"""Pages of a PDF keep their lines and paragraphs, and the rows and columns of their tables."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from citestream.providers.retrieval.readers import entries
from tests.providers.retrieval.readers.documents import Line, pdf


def read(path: Path, *pages: Sequence[Line]) -> list[str]:
    pdf(path, pages)
    return [one["text"] for one in entries(path, path.name)]


def table(*rows: str) -> str:
    """Return a Markdown table of rows whose cells are separated by semicolons."""
    lines = [f"| {row.replace(';', ' | ')} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * (rows[0].count(';') + 1)}", *lines[1:]])


def grid(*rows: str, left: float = 72, top: float = 700, width: float = 120, height: float = 20) -> list[Line]:
    """Return the cells of rows at equal distances. Empty cells are not drawn."""
    return [
        (left + width * column, top - height * number, cell)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row.split(";"))
        if cell
    ]


PRICES = grid("Product;Warranty;Proof", "Mini;24 months;receipt", "Pro;60 months;")
WARRANTY = table("Product;Warranty;Proof", "Mini;24 months;receipt", "Pro;60 months;")
PAGES: dict[str, tuple[list[Line], str]] = {
    "a table between two texts": (
        [(72, 740, "Warranty terms"), *PRICES, (72, 630, "Pumps are excluded.")],
        f"Warranty terms\n\n{WARRANTY}\n\nPumps are excluded.",
    ),
    "a paragraph directly below the last row": (
        [*PRICES, (72, 645, "Registration within 60 days is required for all of these.")],
        f"{WARRANTY}\n\nRegistration within 60 days is required for all of these.",
    ),
    "properties": (
        grid("Name;Brightwater", "Founded;1987", "City;Kiel"),
        table(";", "Name;Brightwater", "Founded;1987", "City;Kiel"),
    ),
    "cells of several lines": (
        [
            *grid("Part;Use;Price"),
            *[
                (72.0, 680.0, "Seal"),
                (192.0, 680.0, "It closes the"),
                (192.0, 667.0, "housing."),
                (312.0, 680.0, "4.90"),
            ],
            *grid("Hose;Tap;12.00", top=640),
        ],
        table("Part;Use;Price", "Seal;It closes the housing.;4.90", "Hose;Tap;12.00"),
    ),
    "a first cell of several lines next to a centred one": (
        [
            *grid("Part;Price;Stock"),
            *[(72.0, 680.0, "Seal of"), (72.0, 667.0, "rubber"), (192.0, 673.0, "4.90"), (312.0, 673.0, "3")],
            *grid("Hose;12.00;5", top=640),
        ],
        table("Part;Price;Stock", "Seal of rubber;4.90;3", "Hose;12.00;5"),
    ),
    "an empty cell at the left": (
        grid("Team;2024;2025", "IT;1;2", ";3;4"),
        table("Team;2024;2025", "IT;1;2", ";3;4"),
    ),
    "text in two columns": (
        [
            (left, 700 - 14 * line, f"Line {line} {name}.")
            for left, name in ((72, "left"), (320, "right"))
            for line in range(6)
        ],
        "\n".join(f"Line {line} left." for line in range(6))
        + "\n\n"
        + "\n".join(f"Line {line} right." for line in range(6)),
    ),
    "a list": (
        [(72, 700, "1."), (100, 700, "Open the tap."), (72, 680, "2."), (100, 680, "Close it."), (100, 666, "Wait.")],
        "1. Open the tap.\n2. Close it.\nWait.",
    ),
    "paragraphs": (
        [(72, 700, "The tide turns."), (72, 686, "It is high."), (72, 650, "The sea is low.")],
        "The tide turns.\nIt is high.\n\nThe sea is low.",
    ),
    "a line with a wide gap": (
        [(72, 700, "The tide"), (140, 700, "turns every"), (72, 686, "six hours of the day and of the night.")],
        "The tide turns every\nsix hours of the day and of the night.",
    ),
}


@pytest.mark.parametrize(("lines", "text"), PAGES.values(), ids=PAGES)
def test_a_page_is_read_with(lines: list[Line], text: str, tmp_path: Path) -> None:
    assert read(tmp_path / "a.pdf", lines) == [text]


def test_a_table_continues_on_the_next_page_with_its_header(tmp_path: Path) -> None:
    header = "Product;Stock;Price"
    for repeated in ([], [header]):
        first, second = read(
            tmp_path / "a.pdf", grid(header, "Mini;24;9", "Pro;60;12"), grid(*repeated, "Max;36;15", "Home;12;5")
        )
        assert first == table(header, "Mini;24;9", "Pro;60;12")
        assert second == table(header, "Max;36;15", "Home;12;5")
