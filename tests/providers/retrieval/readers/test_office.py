"""Spreadsheets and presentations are read as people see them: tables with names, values as shown, slides and notes."""

import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pptx
import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart
from openpyxl.styles import Font
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from citestream.providers.retrieval.readers import Entry, UnreadableFileError, entries
from citestream.providers.retrieval.readers.office.number_formats import cell_text
from tests.providers.retrieval.readers.documents import xlsx


def read(path: Path) -> list[Entry]:
    return list(entries(path, path.name))


def table(*rows: str) -> str:
    """Return a Markdown table of rows whose cells are separated by semicolons."""
    lines = [f"| {row.replace(';', ' | ')} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * (rows[0].count(';') + 1)}", *lines[1:]])


SHEETS: dict[str, tuple[list[list[Any]], list[tuple[str, int, str]]]] = {
    "a table below captions, with empty rows and columns around it": (
        [[], [None, "Prices 2026"], [], [None, "Plan", "Price", "Trial"], [None, "Pro", 9.5, True], [None, "Free", 0]],
        [("A › Prices 2026", 5, table("Plan;Price;Trial", "Pro;9.5;yes", "Free;0;"))],
    ),
    "two tables and a note": (
        [
            *(["Plan", "Price"], ["Pro", 9], ["Free", 0], []),
            *(["Shop", "City", "Open"], ["North", "Kiel", False], [], ["without VAT"]),
        ],
        [
            ("A", 2, table("Plan;Price", "Pro;9", "Free;0")),
            ("A", 6, table("Shop;City;Open", "North;Kiel;no")),
            ("A", 8, "without VAT"),
        ],
    ),
    "sections that continue a table, and a total": (
        [["Plan", "Seats", "Price"], ["Pro", 5, 9], [], ["Old plans"], ["Gold", 2, 7], [], ["Total", 7, 16]],
        [
            ("A", 2, table("Plan;Seats;Price", "Pro;5;9")),
            ("A › Old plans", 5, table("Plan;Seats;Price", "Gold;2;7", "Total;7;16")),
        ],
    ),
    "names of columns that are years": (
        [["Team", 2024, 2025], ["IT", 1, 2], [], ["Cost", "Q1", "Q2", "Q3"], ["Rent", 3, 4, 5]],
        [("A", 2, table("Team;2024;2025", "IT;1;2")), ("A", 5, table("Cost;Q1;Q2;Q3", "Rent;3;4;5"))],
    ),
    "properties": (
        [["Name", "Brightwater"], ["Founded", 1987], ["City", "Kiel"]],
        [("A", 1, table(";", "Name;Brightwater", "Founded;1987", "City;Kiel").replace("|  |  |\n", "|  |  |\n"))],
    ),
    "one column": ([["Port"], ["Husum"], ["List"]], [("A", 1, "Port\nHusum\nList")]),
    "a line break and a bar in a cell": (
        [["A", "B", "C"], ["x\ny", "1|2", "z"]],
        [("A", 2, table("A;B;C", "x y;1\\|2;z"))],
    ),
}


@pytest.mark.parametrize(("rows", "expected"), SHEETS.values(), ids=SHEETS)
def test_a_sheet_is_read_with(rows: list[list[Any]], expected: list[tuple[str, int, str]], tmp_path: Path) -> None:
    xlsx(tmp_path / "a.xlsx", {"A": rows})
    found = read(tmp_path / "a.xlsx")
    assert [(one["title"], one["metadata"]["row"], one["text"]) for one in found] == expected
    assert {one["metadata"]["sheet"] for one in found} == {"A"}


def test_visible_sheets_are_read_in_order(tmp_path: Path) -> None:
    workbook = Workbook()
    for name in ("Prices", "Hidden", "Stock"):
        workbook.create_sheet(name).append(["only", name])
    workbook["Hidden"].sheet_state = "hidden"
    workbook.create_chartsheet("Chart").add_chart(BarChart())
    workbook.save(tmp_path / "a.xlsx")
    assert [one["metadata"]["sheet"] for one in read(tmp_path / "a.xlsx")] == ["Prices", "Stock"]


def test_merged_cells_belong_to_all_their_rows_and_columns(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.active
    for row in [
        ["Budget"],
        ["Team", 2025, None, 2026],
        [None, "Plan", "Actual", "Plan"],
        ["IT", 1, 2, 3],
        [None, 4, 5, 6],
    ]:
        sheet.append(row)
    for merged in ("A1:D1", "A2:A3", "B2:C2", "A4:A5"):
        sheet.merge_cells(merged)
    workbook.save(tmp_path / "a.xlsx")
    (one,) = read(tmp_path / "a.xlsx")
    assert one["title"] == "Sheet › Budget"
    assert one["text"] == table("Team;2025 Plan;2025 Actual;2026 Plan", "IT;1;2;3", "IT;4;5;6")


def test_a_bold_row_of_two_texts_is_a_header(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.active
    sheet.append(["Employee", "Manager"])
    sheet.append(["Ann", "Bob"])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    workbook.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx")[0]["text"] == table("Employee;Manager", "Ann;Bob")


def test_excerpts_of_a_long_sheet_have_its_header_and_row_numbers(tmp_path: Path) -> None:
    xlsx(tmp_path / "a.xlsx", {"Squares": [["Number", "Square"], *([n, n * n] for n in range(1000))]})
    found = read(tmp_path / "a.xlsx")
    assert all(one["text"].startswith("| Number | Square |\n| --- | --- |\n| ") for one in found)
    rows = [number for one in found for number in range(one["metadata"]["row"], one["metadata"]["last_row"] + 1)]
    assert rows == [*range(2, 1002)]


VALUES: dict[str, tuple[Any, str, str]] = {
    "a price": (129.5, '#,##0.00 "€"', "129.50 €"),
    "a price of a country": (129.5, "#,##0.00 [$€-407]", "129.50 €"),
    "a price with the symbol before it": (9, '"$"#,##0.00', "$9.00"),
    "an accounting format": (9, '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-;_-* "-"?? "€"_-;_-@_-', "9.00 €"),
    "a percentage": (0.075, "0.0%", "7.5%"),
    "a percentage without decimals": (0.19, "0%", "19%"),
    "a unit": (5, '0 "kg"', "5 kg"),
    "an integer": (1234567, "General", "1234567"),
    "a number with a rounding error": (0.1 + 0.2, "General", "0.3"),
    "a number that is shown rounded": (1 / 3, "0.00", "0.33"),
    "a number in thousands": (1234567, "#,##0,", "1234567"),
    "a number with an exponent": (12345.0, "0.00E+00", "12345"),
    "a negative number in red": (-5.5, "0.00;[Red]-0.00", "-5.50"),
    "a postcode with a format that is text": ("01067", "@", "01067"),
    "a date": (date(2026, 1, 31), "DD.MM.YYYY", "2026-01-31"),
    "a date without a time": (datetime(2026, 1, 31), "DD.MM.YYYY", "2026-01-31"),
    "a date with a time": (datetime(2026, 1, 31, 9, 5), "DD.MM.YYYY HH:MM", "2026-01-31 09:05"),
    "a time": (time(9, 5), "HH:MM", "09:05"),
    "a duration": (timedelta(hours=30), "[h]:mm", "1 day, 6:00:00"),
    "a truth value": (False, "General", "no"),
    "an error": ("#DIV/0!", "General", "#DIV/0!"),
    "nothing": (None, "General", ""),
}


@pytest.mark.parametrize(("value", "number_format", "text"), VALUES.values(), ids=VALUES)
def test_a_cell_is_read_as_it_is_shown(value: Any, number_format: str, text: str) -> None:
    assert cell_text(value, number_format) == text


def presentation(path: Path) -> None:
    """Write three slides: a list with notes; a table with merged cells and a chart; a hidden slide."""
    written = pptx.Presentation()
    slide = written.slides.add_slide(written.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Goals of 2026", "Open a shop in Kiel\nHire five people"
    slide.notes_slide.notes_text_frame.text = "The board approved this on 3 May."
    slide = written.slides.add_slide(written.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    width = Inches(4)
    cells = slide.shapes.add_table(3, 3, width, width, width, width).table
    for number, row in enumerate([["Team", "2025", ""], ["IT", "1", "2"], ["", "3", "no"]]):
        for column, text in enumerate(row):
            cells.cell(number, column).text = text
    cells.cell(0, 1).merge(cells.cell(0, 2))
    cells.cell(1, 0).merge(cells.cell(2, 0))
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(width, width, width, width).text_frame.text = "In a group"
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("North", (1.5, 2.5))
    data.add_series("South", (3, 4))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, width, width, width, width, data)
    hidden = written.slides.add_slide(written.slide_layouts[1])
    hidden.shapes.title.text = "Secret"
    hidden.element.set("show", "0")
    written.slides.add_slide(written.slide_layouts[0]).shapes.title.text = "Thank you"
    written.save(str(path))


def test_slides_have_titles_lists_tables_charts_and_notes(tmp_path: Path) -> None:
    presentation(tmp_path / "a.pptx")
    goals, sales, thanks = read(tmp_path / "a.pptx")
    assert (goals["title"], goals["page_number"]) == ("Goals of 2026", 1)
    assert goals["text"] == "- Open a shop in Kiel\n- Hire five people\n\nThe board approved this on 3 May."
    assert (sales["title"], sales["page_number"]) == ("Sales", 2)
    assert sales["text"].split("\n\n") == [
        table("Team;2025;2025", "IT;1;2", "IT;3;no"),
        "In a group",
        table(";North;South", "Q1;1.5;3", "Q2;2.5;4"),
    ]
    assert (thanks["text"], thanks.get("title"), thanks["page_number"]) == ("Thank you", None, 4)


def with_entry(path: Path, name: str, content: str) -> None:
    """Write a PPTX with an entry replaced."""
    presentation(path)
    with zipfile.ZipFile(path) as archive:
        written = {entry: archive.read(entry) for entry in archive.namelist()} | {name: content.encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in written.items():
            archive.writestr(entry, data)


def sheet_of_many_cells(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<c/>" * (65 * 2**20))


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
BROKEN: dict[str, tuple[str, bytes | Callable[[Path], object], str]] = {
    "an invalid XLSX": ("a.xlsx", b"PK\x03\x04 nonsense", "is not XLSX"),
    "a presentation named as a spreadsheet": ("a.xlsx", presentation, "is not XLSX"),
    "an empty archive": ("a.pptx", lambda path: zipfile.ZipFile(path, "w").close(), "is not PPTX"),
    "a document with a password": ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "has a password or an"),
    "a spreadsheet that unpacks to a large one": ("a.xlsx", sheet_of_many_cells, "unpacked; at most 268,435,456"),
    "a slide that is no XML": ("a.pptx", lambda path: with_entry(path, "ppt/slides/slide1.xml", "<a"), "is not PPTX"),
    "a slide that is too large": (
        "a.pptx",
        lambda path: with_entry(path, "ppt/slides/slide1.xml", f"<a>{' ' * 2**23}</a>"),
        "ppt/slides/slide1.xml is 8,388,615 bytes; at most 8,388,608 are read",
    ),
    "entities that grow without limit": (
        "a.pptx",
        lambda path: with_entry(path, "ppt/slides/slide1.xml", f"{ENTITIES}]><a>&j;</a>"),
        "is not PPTX",
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), BROKEN.values(), ids=BROKEN)
def test_an_office_document_is_refused_with_the_reason(
    name: str, content: bytes | Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)
    with pytest.raises(UnreadableFileError) as caught:
        read(path)
    assert message in str(caught.value)
