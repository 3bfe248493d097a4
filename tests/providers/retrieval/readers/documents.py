"""Write small PDF, DOCX, XLSX and PPTX documents."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pptx as python_pptx
from openpyxl import Workbook
from pptx.util import Inches

_DOCX_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_DOCX_RELATIONS = """<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""


Line = tuple[float, float, str]  # left and bottom edge in points, and text


def pdf(path: Path, pages: Sequence[str | Sequence[Line]], outline: dict[int, str] | None = None) -> None:
    """Write a PDF with a line of text per page, or with lines at given places. `outline`: titles by page index."""
    outline = outline or {}
    count = len(pages)
    titles = list(outline.items())
    first_item = 4 + 2 * count
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R{f' /Outlines {first_item + len(titles)} 0 R' if titles else ''} >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(count))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, drawn_page in enumerate(pages):
        lines = [(72, 720, drawn_page)] if isinstance(drawn_page, str) else drawn_page
        drawn = "\n".join(f"BT /F1 12 Tf {left} {bottom} Td ({text}) Tj ET" for left, bottom, text in lines)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    root = first_item + len(titles)
    for at, (page, title) in enumerate(titles):
        following = f" /Next {first_item + at + 1} 0 R" if at + 1 < len(titles) else ""
        objects.append(f"<< /Title ({title}) /Parent {root} 0 R{following} /Dest [{4 + 2 * page} 0 R /Fit] >>")
    if titles:
        objects.append(f"<< /First {first_item} 0 R /Last {root - 1} 0 R /Count {len(titles)} >>")
    written, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    path.write_bytes(written + end.encode())


def docx(path: Path, paragraphs: list[tuple[str, str]]) -> None:
    """Write a DOCX of (style, text). The style is "" or, for example, "Heading 1"."""
    body = "".join(
        f"<w:p>{f'<w:pPr><w:pStyle w:val={chr(34)}{style.replace(chr(32), str())}{chr(34)}/></w:pPr>' if style else ''}"
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for style, text in paragraphs
    )
    document = (
        '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f"<w:body>{body}</w:body></w:document>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _DOCX_TYPES)
        archive.writestr("_rels/.rels", _DOCX_RELATIONS)
        archive.writestr("word/document.xml", document)


def xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Write an XLSX of sheets with rows."""
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(path)


def pptx(path: Path, title: str, text: str, rows: Sequence[Sequence[str]]) -> None:
    """Write a PPTX of one slide with a title, a text and a table."""
    presentation = python_pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = title, text
    width = Inches(5)
    table = slide.shapes.add_table(len(rows), len(rows[0]), width, width, width, width).table
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            table.cell(number, column).text = cell
    presentation.save(str(path))
