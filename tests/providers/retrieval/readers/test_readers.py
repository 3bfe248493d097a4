"""Readers convert every format to excerpts with page, headings and offsets. A broken file is reported with its name."""

import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import thread_time
from typing import Any

import pytest

from citestream.providers.retrieval.readers import Entry, UnreadableFileError, entries
from citestream.providers.retrieval.readers.text import WINDOW_CHARACTERS
from tests.providers.retrieval.readers.documents import docx, pdf


def read(path: Path, content: str | bytes | None = None, **options: Any) -> list[Entry]:
    if isinstance(content, str):
        path.write_text(content, "utf-8")
    elif content is not None:
        path.write_bytes(content)
    return list(entries(path, path.name, **options))


def test_a_pdf_has_pages_and_titles_from_its_outline(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf", ["Of the sea.", "Of the tide.", "Of the land."], {1: "Water", 2: "Earth"})
    found = read(tmp_path / "a.pdf")
    assert [(one["text"], one["page_number"], one.get("title")) for one in found] == [
        ("Of the sea.", 1, None),
        ("Of the tide.", 2, "Water"),
        ("Of the land.", 3, "Earth"),
    ]
    assert [one["chunk_index"] for one in found] == [0, 1, 2]
    assert found[1]["metadata"] == {"start": 0, "end": 12}


def test_a_docx_has_headings(tmp_path: Path) -> None:
    docx(tmp_path / "a.docx", [("Heading 1", "Tides"), ("", "Twice a day."), ("Heading 2", "Moon"), ("", "It pulls.")])
    found = read(tmp_path / "a.docx")
    assert [(one["text"], one["title"]) for one in found] == [("Twice a day.", "Tides"), ("It pulls.", "Tides › Moon")]


PAGE = """<!doctype html><html><head><title>The  sea</title><style>p {color: red}</style></head><body>
<nav>Home | About</nav><h1>Tides</h1><p>Twice a <b>day</b>,<br>at least.</p><script>var x = "<p>no</p>";</script>
<ul><li>High water</li><li>Low water</li></ul><table>
<tr><th>Port</th><th>Metres</th></tr><tr><td>Husum</td><td>3.5</td></tr></table>
<h2>Moon</h2><pre>a  b
c</pre><p>Caf&eacute; &lt;3</p><footer>Imprint</footer></body></html>"""


def test_an_html_page_is_text_with_headings(tmp_path: Path) -> None:
    first, second = read(tmp_path / "a.html", PAGE)
    assert first["title"] == "The sea › Tides"
    assert first["text"].startswith("Twice a day,\nat least.")
    for text in ("- High water\n", "- Low water", "| Port | Metres |\n| --- | --- |\n| Husum | 3.5 |"):
        assert text in first["text"]
    assert second["title"] == "The sea › Tides › Moon"
    assert second["text"] == "a  b\nc\n\nCafé <3"
    assert not any(word in first["text"] + second["text"] for word in ("Home", "Imprint", "var x", "color"))


HTML_TABLES = {
    "have a caption, and empty cells": (
        (
            "<table><caption>Tides</caption><thead><tr><th>Port</th><th>High <b>water</b></th></tr></thead>"
            "<tr><td><p>Husum</p></td><td>3.5<sup>2</sup></td></tr><tr><td>List</td><td></td></tr></table>"
        ),
        "Tides\n\n| Port | High water |\n| --- | --- |\n| Husum | 3.52 |\n| List |  |",
    ),
    "have a header of three columns that is not marked, as in Word documents": (
        "<table><tr><td>Port</td><td>High</td><td>Low</td></tr><tr><td>Husum</td><td>3</td><td>0</td></tr></table>",
        "| Port | High | Low |\n| --- | --- | --- |\n| Husum | 3 | 0 |",
    ),
    "have a bold header of two columns": (
        "<table><tr><td><p><b>Port</b></p></td><td><b>Quay</b></td></tr><tr><td>Husum</td><td>B</td></tr></table>",
        "| Port | Quay |\n| --- | --- |\n| Husum | B |",
    ),
    "have a header of two columns above numbers": (
        "<table><tr><td>Port<td>Metres<tr><td>Husum<td>3.5<tr><td>List<td>1.2</table>",
        "| Port | Metres |\n| --- | --- |\n| Husum | 3.5 |\n| List | 1.2 |",
    ),
    "are a list of properties": (
        "<table><tr><td>Port</td><td>Husum</td></tr><tr><td>Water</td><td>3.5</td></tr></table>",
        "|  |  |\n| --- | --- |\n| Port | Husum |\n| Water | 3.5 |",
    ),
    "have row headers only": (
        "<table><tr><th>Port</th><td>Husum</td></tr><tr><th>Water</th><td>3.5</td></tr></table>",
        "|  |  |\n| --- | --- |\n| Port | Husum |\n| Water | 3.5 |",
    ),
    "have cells that span rows and columns, and a header of two rows": (
        (
            "<table><tr><th rowspan=2>Port<th colspan=2>2024<tr><th>High<th>Low<tr><td rowspan=2>Husum<td>3<td>1|2"
            "<tr><td>4<td>no</table>"
        ),
        "| Port | 2024 High | 2024 Low |\n| --- | --- | --- |\n| Husum | 3 | 1\\|2 |\n| Husum | 4 | no |",
    ),
    "claim to span any number of columns": (
        "<table><tr><th>P<th>Q<tr><td rowspan=99999999999>1<td colspan=x>2</table>",
        "| P | Q |\n| --- | --- |\n| 1 | 2 |",
    ),
    "are inside a layout table": (
        "<table><tr><td>Menu</td><td><table><tr><th>P</th><th>Q</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table>",
        "Menu |\n\n| P | Q |\n| --- | --- |\n| 1 | 2 |",
    ),
}


@pytest.mark.parametrize("case", HTML_TABLES)
def test_html_tables_are_read_if_they(case: str, tmp_path: Path) -> None:
    html, text = HTML_TABLES[case]
    (one,) = read(tmp_path / "a.html", html)
    found = one["text"]
    assert (found.removeprefix("| ") if text.startswith("Menu") else found) == text


def test_deeply_nested_tables_are_read(tmp_path: Path) -> None:
    last = read(tmp_path / "a.html", "<table><tr><td>" * 3_000 + "deep")[-1]
    assert last["text"].endswith("deep")


ENCODINGS = {
    "declared": ('<meta charset="iso-8859-1"><p>Café</p>'.encode("latin-1"), "Café"),
    "UTF-8 without a declaration": ("<p>Café</p>".encode(), "Café"),
    "a byte order mark": ("<p>Café</p>".encode("utf-16"), "Café"),
    "another than declared": (b'<meta charset="utf-8"><p>Caf\xe9</p>', "Café"),
    "Windows-1252 declared as Latin-1": (
        b'<meta charset="iso-8859-1"><p>\x93Caf\xe9\x94 \x96 5 \x80',
        "“Café” – 5 €",
    ),
    "UTF-16 declared in a page of ASCII characters": (b'<meta charset="utf-16le"><p>Caf\xc3\xa9!', "Café!"),
    "GBK declared as GB2312": ('<meta charset="gb2312"><p>镕'.encode("gbk"), "镕"),
    "an unusable encoding": ('<meta charset="undefined"><p>Café</p>'.encode(), "Café"),
    "an unknown encoding": ('<meta charset="x-none"><p>Café</p>'.encode(), "Café"),
}


@pytest.mark.parametrize(("data", "text"), ENCODINGS.values(), ids=ENCODINGS)
def test_the_encoding_of_a_page_is_detected(data: bytes, text: str, tmp_path: Path) -> None:
    assert [one["text"] for one in read(tmp_path / "a.htm", data)] == [text]


def test_a_page_inside_a_form_is_read_without_its_fields(tmp_path: Path) -> None:
    page = (
        "<form><h1>Tides</h1><p>Twice a day.</p><input value=no><select><option>no</select><button>no</button></form>"
    )
    (one,) = read(tmp_path / "a.html", f"<form><input><button>Search</button> Search here</form>{page}")
    assert (one["text"], one["title"]) == ("Twice a day.", "Tides")


def test_the_title_of_an_svg_image_is_not_the_title_of_the_page(tmp_path: Path) -> None:
    (one,) = read(tmp_path / "a.html", "<svg><title>Icon</title></svg><p>Twice a day.")
    assert "title" not in one


def test_a_heading_that_equals_the_title_is_not_repeated(tmp_path: Path) -> None:
    found = read(tmp_path / "a.html", "<title>Tides</title><h1>Tides</h1><p>Twice a day.<h2>Moon</h2><p>It pulls.")
    assert [one["title"] for one in found] == ["Tides", "Tides › Moon"]


def test_titles_of_excerpts_are_truncated(tmp_path: Path) -> None:
    page = f"<title>{'sea ' * 1_000}</title><h1>Tides</h1><p>Twice a day.<h1>{'moon ' * 1_000}</h1><p>It pulls."
    for one in read(tmp_path / "a.html", page):
        assert len(one["title"]) < 500
    pdf(tmp_path / "a.pdf", ["Of the tide."], {0: "tide " * 1_000})
    assert len(read(tmp_path / "a.pdf")[0]["title"]) < 500


def test_a_page_of_white_space_is_read_in_linear_time(tmp_path: Path) -> None:
    began = thread_time()
    (*_, last) = read(tmp_path / "a.html", f"<pre>x{' ' * 10**6}y</pre>")  # quadratic time would be minutes
    assert last["text"].endswith("y")
    assert thread_time() - began < 10


def test_a_deeply_nested_page_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path / "a.html", "<div>" * 5_000 + "deep")
    assert one["text"] == "deep"


def table(*rows: str) -> str:
    """Return a Markdown table of rows whose cells are separated by semicolons."""
    lines = [f"| {row.replace(';', ' | ')} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * (rows[0].count(';') + 1)}", *lines[1:]])


TABLES = {
    "empty cells and rows, line breaks in cells": (
        "a.csv",
        'Port,Metres,Note\nHusum,3.5,\n"Wilhelms-\nhaven",3.8,"deep, wide"\n,,\nx\n',
        table("Port;Metres;Note", "Husum;3.5;", "Wilhelms- haven;3.8;deep, wide", "x;;"),
    ),
    "semicolons": ("a.csv", "A;B\n1,5;x\n2,5;y,z\n", table("A;B", "1,5;x", "2,5;y,z")),
    "tabs": ("a.tsv", "A\tB\n1,5\tx\n", table("A;B", "1,5;x")),
    "vertical bars": ("b.csv", "A|B\n1,5|x\n", table("A;B", "1,5;x")),
    "a delimiter in a quoted name": (
        "a.csv",
        '"Name, first\nand last",Age\n"Berg, Anna",40\n',
        table("Name, first and last;Age", "Berg, Anna;40"),
    ),
    "a bar in a cell": ("a.csv", 'A,B\n"1|2",x\n', table("A;B", "1\\|2;x")),
    "a hash in the name of a column": ("a.csv", "# Seats,Plan\n5,Starter\n", table("# Seats;Plan", "5;Starter")),
    "Markdown in a cell": ("a.csv", 'A,B\nx,"# Tides\n\nTwice"\n', table("A;B", "x;# Tides Twice")),
    "more cells than names": ("a.csv", "A,B\n1,2,3\n", table("A;B;", "1;2;3")),
    "one column": ("a.csv", "Port\nHusum\nList\n", "Port: Husum\nPort: List"),
}


@pytest.mark.parametrize(("name", "content", "text"), TABLES.values(), ids=TABLES)
def test_a_table_of_text_is_read_with(name: str, content: str, text: str, tmp_path: Path) -> None:
    (one,) = read(tmp_path / name, content)
    assert (one["text"], one.get("title")) == (text, None)
    assert one["metadata"]["row"] == 2


def test_lines_above_the_header_of_a_csv_file_are_its_heading(tmp_path: Path) -> None:
    (one,) = read(tmp_path / "a.csv", "Prices 2026;;\n;;\nPlan;Price\nPro;5 €\n")
    assert (one["text"], one["title"]) == (table("Plan;Price", "Pro;5 €"), "Prices 2026")
    assert one["metadata"]["row"] == 4


def test_a_pdf_line_with_a_hash_is_not_a_heading(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf", ["# 5 of the tide."])
    (line,) = read(tmp_path / "a.pdf")
    assert (line["text"], line.get("title")) == ("# 5 of the tide.", None)


def test_excerpts_of_a_long_table_have_its_header_and_row_numbers(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", "Number,Square\n" + "".join(f"{n},{n * n}\n" for n in range(1000)))
    assert all(len(one["text"]) <= 1300 for one in found)
    assert all(one["text"].startswith("| Number | Square |\n| --- | --- |\n| ") for one in found)
    rows = [number for one in found for number in range(one["metadata"]["row"], one["metadata"]["last_row"] + 1)]
    assert rows == [*range(2, 1002)]


def test_a_row_that_is_too_long_for_a_table_names_its_cells_and_keeps_its_name(tmp_path: Path) -> None:
    body = "Twice a day the water rises. " * 100
    found = read(tmp_path / "a.csv", f'id,title,body\n1,Short,"Of x."\n2,Tides,"{body}"\n3,Moon,"Of y."\n')
    assert found[0]["text"] == table("id;title;body", "1;Short;Of x.")
    assert found[-1]["text"] == table("id;title;body", "3;Moon;Of y.")
    long = found[1:-1]
    assert [one["metadata"]["row"] for one in long] == [3] * len(long)
    assert {one["title"] for one in long} == {"Tides"}
    assert long[0]["text"].startswith("id: 2\n\ntitle: Tides")


JSON_TABLES = {
    "a list of objects": (
        '[{"city": "Kiel", "price": 129.50}, {"city": "Husum", "open": false, "tags": ["a", "b"], "price": null}]',
        [((), table("city;price;open;tags", "Kiel;129.50;;", "Husum;;no;a, b"))],
    ),
    "an object": ('{"city": "Kiel", "open": true}', [((), table("city;open", "Kiel;yes"))]),
    "nested objects": ('[{"a": {"b": {"c": 1}, "d": 2}}]', [((), table("a.b.c;a.d", "1;2"))]),
    "lists in an object": (
        '{"name": "Bright", "shops": [{"city": "Kiel"}, {"city": "Husum"}], "staff": [{"name": "Ann"}]}',
        [((), "name: Bright"), (("shops",), "city: Kiel\ncity: Husum"), (("staff",), "name: Ann")],
    ),
    "objects by their names": (
        '{"plans": {"pro": {"price": 9}, "basic": {"price": 5}}}',
        [(("plans",), table(";price", "pro;9", "basic;5"))],
    ),
    "lists of lists": ('[["Port", "Metres"], ["Husum", 3.50]]', [((), table("Port;Metres", "Husum;3.50"))]),
    "objects in a cell": (
        '[{"city": "Kiel", "lines": [{"to": "Oslo", "h": 20}, {"to": "Bergen"}]}, {"city": "Husum"}]',
        [((), table("city;lines", "Kiel;to: Oslo, h: 20&to: Bergen", "Husum;").replace("&", "; "))],
    ),
}


@pytest.mark.parametrize(("content", "expected"), JSON_TABLES.values(), ids=JSON_TABLES)
def test_json_without_text_is_read_as_tables(
    content: str, expected: list[tuple[tuple[str, ...], str]], tmp_path: Path
) -> None:
    found = read(tmp_path / "a.json", content)
    assert [(one.get("title"), one["text"]) for one in found] == [
        (" › ".join(headings) or None, text) for headings, text in expected
    ]
    assert {one["file_name"] for one in found} == {"a.json"}


def test_lines_of_json_without_text_are_rows_with_their_numbers(tmp_path: Path) -> None:
    (one,) = read(tmp_path / "a.jsonl", '\n{"city": "Kiel", "open": true}\n{"city": "Husum"}\n')
    assert one["text"] == table("city;open", "Kiel;yes", "Husum;")
    assert (one["metadata"]["row"], one["metadata"]["last_row"]) == (2, 3)


def test_deeply_nested_json_is_read(tmp_path: Path) -> None:
    found = read(tmp_path / "a.json", '{"a": [' * 200 + "5" + "]}" * 200)
    assert "5" in found[-1]["text"]


def test_other_fields_of_evidence_in_json_become_metadata(tmp_path: Path) -> None:
    content = (
        '[{"text": "Open.", "city": "Kiel", "size": 1.5, "page": "iv", "title": 5}, {"text": " "}, {"text": null}]'
    )
    (one,) = read(tmp_path / "a.json", content)
    assert one == {
        "text": "Open.",
        "title": "5",
        "metadata": {"city": "Kiel", "size": 1.5, "page_label": "iv"},
    }
    (one,) = read(tmp_path / "b.json", '[{"page_content": "Open.", "metadata": {"source": "b.pdf", "page": 3}}]')
    assert (one["text"], one["file_name"], one["page_number"]) == ("Open.", "b.pdf", 4)


def test_front_matter_becomes_fields_of_the_excerpts(tmp_path: Path) -> None:
    text = (
        "---\ntitle: The sea\nurl: https://sea.example/\nis_generated_artifact: true\nartifact_kind: summary\n"
        "author: Ann\ndate: 2024-05-01\ntags: [a]\n---\n# Tides\n\nTwice a day.\n"
    )
    (one,) = read(tmp_path / "a.md", text)
    start, end = one["metadata"]["start"], one["metadata"]["end"]
    assert text[start:end] == one["text"] == "Twice a day."
    assert (one["title"], one["url"], one["artifact_kind"]) == ("The sea › Tides", "https://sea.example/", "summary")
    assert one["is_generated_artifact"] is True
    assert (one["metadata"]["author"], one["metadata"]["date"]) == ("Ann", "2024-05-01")
    assert "tags" not in one["metadata"]


def test_front_matter_values_that_json_cannot_represent_become_strings(tmp_path: Path) -> None:
    (one,) = read(tmp_path / "a.md", "---\nratio: .nan\nlimit: -.inf\n---\nIt is red.\n")
    assert (one["metadata"]["ratio"], one["metadata"]["limit"]) == ("nan", "-inf")


NO_FRONT_MATTER = {
    "a horizontal rule": "---\n\nIt is red.\n",
    "no closing line": "---\ntitle: x\n\nIt is red.\n",
    "invalid YAML": "---\n[\n---\nIt is red.\n",
    "a list": "---\n- a\n---\nIt is red.\n",
    "a value that is not of its type": "---\na: !!bool x\n---\nIt is red.\n",
    "an invalid date": "---\na: !!timestamp x\n---\nIt is red.\n",
    "a number without digits": "---\na: !!int ''\n---\nIt is red.\n",
    "a number of thousands of digits": f"---\ntitle: 0x{'f' * 5000}\n---\nIt is red.\n",
    "repeated references in invalid YAML": "---\na: &a [x]\nb: [*a, *a\n---\nIt is red.\n",
}


@pytest.mark.parametrize("text", NO_FRONT_MATTER.values(), ids=NO_FRONT_MATTER)
def test_invalid_front_matter_is_text(text: str, tmp_path: Path) -> None:
    found = read(tmp_path / "a.md", text)
    assert "It is red." in found[-1]["text"]
    assert all(text[one["metadata"]["start"] : one["metadata"]["end"]] == one["text"] for one in found)


KINDS = {
    "a plain file": ("a.txt", {}),
    "below `artifacts`": ("artifacts/a.txt", {"is_generated_artifact": True, "chunk_type": "artifact"}),
    "a kind of artifact": (
        "books/artifacts/book-club profile/a.txt",
        {"is_generated_artifact": True, "chunk_type": "artifact", "artifact_kind": "book-club profile"},
    ),
    "a file with a similar name": ("a/generated.txt", {}),
}


@pytest.mark.parametrize(("name", "fields"), KINDS.values(), ids=KINDS)
def test_files_below_artifacts_are_generated_artifacts(name: str, fields: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("It is red.")
    (one,) = entries(tmp_path / "a.txt", name)
    assert {key: one[key] for key in ("is_generated_artifact", "chunk_type", "artifact_kind") if key in one} == fields


def test_a_large_text_is_split_as_if_it_were_read_at_once(tmp_path: Path) -> None:
    paragraphs = [
        f"## Part {n}\n\nParagraph {n} says {'word ' * 100}.\n\n" for n in range(2 * WINDOW_CHARACTERS // 500)
    ]
    text = "# Book\n\n" + "".join(paragraphs)
    found = read(tmp_path / "a.md", text)
    assert len(found) == len(paragraphs)
    for number, one in enumerate(found):
        assert one["title"] == f"Book › Part {number}"
        assert text[one["metadata"]["start"] : one["metadata"]["end"]] == one["text"]
        assert one["chunk_index"] == number


OTHER_ENCODINGS = {
    "Latin-1": ("Überall im Wattenmeer führen Priele Wasser hinaus, früher wie später. " * 3).encode("latin-1"),
    "UTF-16": "Café au lait".encode("utf-16"),
    "with a byte order mark": "\ufeffCafé".encode(),
    "Latin-1 far from the start": b"Water."
    + b" " * 2**17
    + b"\n\n"
    + "Überall führen Priele Wasser hinaus, früher wie später. ".encode("latin-1") * 9,
}


@pytest.mark.parametrize("data", OTHER_ENCODINGS.values(), ids=OTHER_ENCODINGS)
def test_text_in_other_encodings_is_read(data: bytes, tmp_path: Path) -> None:
    text = read(tmp_path / "a.txt", data)[-1]["text"]
    assert "Über" in text or text.startswith("Café")


IN_WINDOWS_1252 = {
    "German": "Die Brücke wurde 1932 eröffnet – für fünf Millionen Euro.",
    "French": "La clé se trouve chez le gardien; l’entrée coûte 5 €.",
    "Spanish": "¿Cuándo se abrió el puente? El año pasado. " * 20,
    "Italian": "La chiave è dal portiere; così si può entrare. " * 20,
    "Portuguese": "A estação não está aberta. ",
    "Swedish": "Den gamla bron öppnades för två år sedan. " * 20,
    "one word": "Straße",
}
IN_OTHER_ENCODINGS = {
    "Czech": (
        "cp1250",
        "Starý most byl otevřen v roce 1932 a má osm kolejí. Klíč je u vrátného, který je přítomen každý den. " * 4,
    ),
    "Russian": ("cp1251", "Старый мост был открыт в 1932 году."),
    "Chinese": ("gb18030", "这座旧桥于1932年开通，有八条轨道。成人门票五欧元，学生半价。"),
    "French in a DOS code page": ("cp850", "La clé se trouve chez le gardien, l'entrée coûte cinq euros à midi."),
    "Japanese": ("shift_jis", "この古い橋は一九三二年に開通し、線路が八本ある。"),
}


@pytest.mark.parametrize("text", IN_WINDOWS_1252.values(), ids=IN_WINDOWS_1252)
def test_western_european_text_is_read_without_a_detector(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert read(tmp_path / "a.txt", text.encode("cp1252"))[0]["text"] == text.strip()


@pytest.mark.parametrize(("encoding", "text"), IN_OTHER_ENCODINGS.values(), ids=IN_OTHER_ENCODINGS)
def test_other_encodings_are_detected(encoding: str, text: str, tmp_path: Path) -> None:
    assert read(tmp_path / "a.txt", text.encode(encoding))[0]["text"] == text.strip()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 * 2**30)


def truncated_pdf(path: Path) -> None:
    pdf(path, ["x"])
    path.write_bytes(path.read_bytes()[:80])


def zip_bomb(path: Path) -> None:
    document_with_main_part(path, "word/document.xml", "x" * 33 * 2**20)


def zip_bomb_with_another_name(path: Path) -> None:
    document_with_main_part(path, "word/document.dat", "x" * 33 * 2**20)


def zip_bomb_named_as_a_picture(path: Path) -> None:
    document_with_main_part(path, "word/document.PNG", "x" * 33 * 2**20)


def zip_of_many_entries(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_001):
            archive.writestr(str(number), "")


def document_of_many_empty_paragraphs(path: Path) -> None:
    document_with_main_part(path, "word/document.xml", "<w:p/>" * 1_000_001)


OFFICE = "http://schemas.openxmlformats.org"


def document_with_main_part(path: Path, name: str, body: str) -> None:
    """Write a DOCX file whose main part has a name of its own."""
    kind, word = f"{OFFICE}/officeDocument/2006/relationships/officeDocument", f"{OFFICE}/wordprocessingml/2006/main"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        relationship = f'<Relationship Id="r" Type="{kind}" Target="{name}"/>'
        relationships = f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{relationship}</Relationships>'
        archive.writestr("_rels/.rels", relationships)
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{OFFICE}/package/2006/content-types"/>')
        archive.writestr(name, f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>')


def test_a_document_with_a_large_picture_and_a_main_part_of_another_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    document_with_main_part(path, "word/text.dat", "<w:p><w:r><w:t>Twice a day.</w:t></w:r></w:p>")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/image1.png", bytes(40 * 2**20))
    assert [entry["text"] for entry in read(path)] == ["Twice a day."]


def later_zip_version(path: Path) -> None:
    docx(path, [("", "x")])
    archive = bytearray(path.read_bytes())
    archive[archive.rfind(b"PK\x01\x02") + 6] = 99
    path.write_bytes(archive)


BROKEN: dict[str, tuple[str, bytes | Callable[[Path], object], str]] = {
    "a broken PDF": ("a.pdf", b"%PDF-1.7\nnonsense", "is a broken PDF"),
    "a truncated PDF": ("a.pdf", truncated_pdf, "PDF"),
    "an image named as PDF": ("a.pdf", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "is a broken PDF"),
    "a page nested too deeply": ("a.html", b"<div>" * 10_001, "is nested more than 10,000 deep"),
    "a page nested too deeply, with end tags": (
        "a.html",
        b"<DIV>" * 10_001 + b"</b></DIV>" * 10_001,
        "nested more",
    ),
    "an HTML page that is too large": ("a.html", b"<p>x" * (17 * 2**18), "of this format at most 16,777,216 are read"),
    "an invalid DOCX": ("a.docx", b"PK\x03\x04 nonsense", "is not DOCX"),
    "a DOCX of a later version of ZIP": ("a.docx", later_zip_version, "is not DOCX"),
    "an empty ZIP file": ("a.docx", lambda path: zipfile.ZipFile(path, "w").close(), "is not DOCX"),
    "a ZIP bomb": ("a.docx", zip_bomb, "unpacked; at most"),
    "a ZIP bomb whose main part has another name": ("a.docx", zip_bomb_with_another_name, "unpacked; at most"),
    "a ZIP bomb whose main part is named as a picture": ("a.docx", zip_bomb_named_as_a_picture, "is not DOCX"),
    "a ZIP file of many entries": ("a.docx", zip_of_many_entries, "has 10,001 entries; at most 10,000 are read"),
    "a DOCX of many tags": ("a.docx", document_of_many_empty_paragraphs, "tags; at most 1,000,000 are read"),
    "a pipe": ("a.txt", os.mkfifo, "is not a file"),
    "a folder": ("a.txt", os.mkdir, "is not a file"),
    "a text that is too large": ("a.txt", sparse, "is 2,147,483,648 bytes; at most 67,108,864 are read"),
    "a binary file named as text": ("a.txt", b"\x7fELF\x02\x01\x01" + bytes(200), "is not text"),
    "truncated UTF-16": ("a.txt", b"\xff\xfe\x00", "is not text"),
    "an unpaired surrogate in JSON": (
        "a.jsonl",
        b'{"text": "\\ud800"}',
        "line 1 contains a lone surrogate; write it as",
    ),
    "a cell that is too large": ("a.csv", b"A\n" + b"x" * (2**20 + 1), "is not a table"),
    "a missing file": ("a.txt", lambda path: None, "cannot be read: No such file"),
    "a loop of symbolic links": ("a.txt", lambda path: os.symlink(path, path), "cannot be read: Too many levels"),
}


@pytest.mark.parametrize(("name", "content", "message"), BROKEN.values(), ids=BROKEN)
def test_the_error_for_an_unreadable_file_has_the_reason(
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
    assert "\n" not in str(caught.value)
