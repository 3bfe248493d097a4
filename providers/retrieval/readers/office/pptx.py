"""PPTX: the slides of a presentation with title, text, tables, charts, diagrams and notes."""

from collections.abc import Iterator
from itertools import chain
from xml.etree.ElementTree import Element  # nosec B405 # only the type
from zipfile import ZipFile

from ..part import Part, UnreadableFileError
from ..source_file import SourceFile
from ..tables.table_text import table_text
from .archive import Relations, archive, relations, xml_root

MAX_XML_BYTES = 8 * 2**20  # bytes of one slide, chart or diagram; its tree takes 20 times as much
MAX_DEPTH = 100  # nested groups
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_START = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_REPEATED = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})  # date, footer, number of the slide, picture of it


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield a part for each visible slide with text. Its page number is the number of the slide."""
    try:
        with archive(source, "PPTX") as packed:
            names = set(packed.namelist())
            targets = relations(packed, _START)
            listed = [element.get(f"{_RELATION}id", "") for element in _xml(packed, _START).iter(f"{_SLIDE}sldId")]
            for number, slide in enumerate(listed, 1):
                _, name = targets.get(slide, ("", ""))
                if name in names:
                    yield from _slide(packed, name, number)
    except (MemoryError, UnreadableFileError):
        raise
    except Exception:  # noqa: BLE001 - a broken file may raise anything
        raise UnreadableFileError(source.path, "is not PPTX; open it and save it again as PPTX") from None


def _xml(packed: ZipFile, name: str) -> Element:
    if (size := packed.getinfo(name).file_size) > MAX_XML_BYTES:
        raise UnreadableFileError(
            packed.filename or name, f"is {size:,} bytes; at most {MAX_XML_BYTES:,} are read", name
        )
    return xml_root(packed, name)


def _slide(packed: ZipFile, name: str, number: int) -> Iterator[Part]:
    root = _xml(packed, name)
    if root.get("show") == "0":
        return
    targets = relations(packed, name)
    shapes = list(_shapes(root.iter(f"{_SLIDE}spTree")))
    title = " ".join(chain.from_iterable(_lines(shape) for shape in shapes if _kind(shape) in _TITLES))
    blocks = [block for shape in shapes if _kind(shape) not in _TITLES for block in _blocks(packed, shape, targets)]
    blocks += [block for kind, target in targets.values() if kind == "notesSlide" for block in _notes(packed, target)]
    text = "\n\n".join(filter(None, blocks)) or title
    if text:
        headings = (title,) if title and title != text else ()
        yield Part(text, page_number=number, headings=headings, is_markdown=False)


def _shapes(trees: Iterator[Element], depth: int = 0) -> Iterator[Element]:
    """Yield the shapes, those of groups in place of them."""
    for tree in trees:
        for shape in tree:
            if shape.tag == f"{_SLIDE}grpSp" and depth < MAX_DEPTH:
                yield from _shapes(iter([shape]), depth + 1)
            elif _kind(shape) not in _REPEATED:
                yield shape


def _kind(shape: Element) -> str:
    """Return the kind of a placeholder, "" for other shapes."""
    placeholder = next(shape.iter(f"{_SLIDE}ph"), None)
    return "" if placeholder is None else placeholder.get("type", "body")


def _blocks(packed: ZipFile, shape: Element, targets: Relations) -> Iterator[str]:
    """Yield the texts of a shape."""
    if tables := list(shape.iter(f"{_DRAWING}tbl")):
        yield from map(_table, tables)
        return
    lines = list(_lines(shape))
    is_list = len(lines) > 1 and _kind(shape) == "body"
    yield "\n".join(f"- {line}" for line in lines) if is_list else "\n".join(lines)
    for element in shape.iter():
        for attribute in (f"{_RELATION}id", f"{_RELATION}dm"):
            kind, name = targets.get(element.get(attribute, ""), ("", ""))
            if kind == "chart":
                yield _chart(_xml(packed, name))
            elif kind == "diagramData":
                yield "\n".join(f"- {line}" for line in _lines(_xml(packed, name)))


def _notes(packed: ZipFile, name: str) -> Iterator[str]:
    if name in packed.namelist():
        shapes = _shapes(_xml(packed, name).iter(f"{_SLIDE}spTree"))
        yield from ("\n".join(_lines(shape)) for shape in shapes)


def _lines(root: Element) -> Iterator[str]:
    """Yield the paragraphs with text. A line break within one becomes a space."""
    for paragraph in root.iter(f"{_DRAWING}p"):
        pieces = (
            " " if element.tag in {f"{_DRAWING}br", f"{_DRAWING}tab"} else element.text or ""
            for element in paragraph.iter()
            if element.tag in {f"{_DRAWING}t", f"{_DRAWING}br"}
        )
        if line := " ".join("".join(pieces).split()):
            yield line


def _table(table: Element) -> str:
    """Return a table. A cell that spans several is in each of them."""
    rows: list[list[str]] = []
    for row in table.iter(f"{_DRAWING}tr"):
        cells: list[str] = []
        for column, cell in enumerate(row.iter(f"{_DRAWING}tc")):
            if cell.get("hMerge") == "1" and cells:
                cells.append(cells[-1])
            elif cell.get("vMerge") == "1" and rows and column < len(rows[-1]):
                cells.append(rows[-1][column])
            else:
                cells.append(" ".join(_lines(cell)))
        if any(cells):
            rows.append(cells)
    return table_text(rows[0], rows[1:]) if len(rows) > 1 else "\n".join(map(" ".join, rows))


def _chart(root: Element) -> str:
    """Return the values of a chart as a table: a row for each category, and a column for each series."""
    series = list(root.iter(f"{_CHART}ser"))
    names = [" ".join(_values(element, "tx").values()) for element in series]
    categories: dict[int, str] = {}
    for element in series:
        categories = _values(element, "cat") or _values(element, "xVal") or categories
    values = [_values(element, "val") or _values(element, "yVal") for element in series]
    rows = [
        [category, *(series_values.get(index, "") for series_values in values)]
        for index, category in categories.items()
    ]
    title = " ".join(chain.from_iterable(_lines(element) for element in root.iter(f"{_CHART}title")))
    return "\n\n".join(filter(None, (title, table_text(["", *names], rows) if rows and names else "")))


def _values(series: Element, role: str) -> dict[int, str]:
    """Return the values of a series by their index: of its name, its categories or its numbers."""
    return {
        int(point.get("idx", "0")): (point.findtext(f"{_CHART}v") or "").strip()
        for element in series.iter(f"{_CHART}{role}")
        for point in element.iter(f"{_CHART}pt")
    }
