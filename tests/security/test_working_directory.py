"""No file of the working directory or of an indexed folder is run as Python code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from citestream.providers.retrieval.readers import reader_command
from tests.providers.retrieval.readers.documents import docx, pdf, pptx, xlsx

PROGRAM = str(Path(sys.executable).with_name("citestream"))
# Modules that Python, the readers and the server import, among them those that are imported first
MODULES = """
    abc aiohttp base64 charset_normalizer citestream click codecs collections ctypes email encodings functools json
    logging lxml mammoth mimetypes numpy openpyxl orjson os pathlib pydantic pypdfium2 re resource runpy selectolax
    signal site sitecustomize socket sqlite3 stat struct tempfile types typing urllib usercustomize uvloop watchfiles
    xml yaml zipfile zlib
"""
# Python itself imports these before Citestream runs; `python -m` cannot avoid it
BEFORE_MAIN = """
    abc citestream codecs collections contextlib encodings functools importlib os re runpy site sitecustomize stat
    types typing usercustomize
"""
INSTALLED = (
    "aiohttp charset_normalizer click lxml mammoth numpy openpyxl orjson pydantic pypdfium2 selectolax uvloop yaml"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a document of each format, and a Python file for each module."""
    made = tmp_path / "uploads"
    made.mkdir()
    (made / "page.html").write_text("<p>The bridge was opened in 1932.</p>")
    (made / "latin.txt").write_bytes("Größe und Länge, schöne Brücke.".encode("cp850"))
    pdf(made / "sea.pdf", ["Of the sea."])
    docx(made / "tides.docx", [("", "Twice a day.")])
    pptx(made / "slides.pptx", "Tides", "Twice a day.", [["Port", "Metres"], ["Husum", "3.5"]])
    xlsx(made / "ports.xlsx", {"Tides": [["Port", "Metres"], ["Husum", 3.5]]})
    return made


def plant(folder: Path, names: str) -> None:
    """Write modules that leave a file named after them when they are imported."""
    for name in names.split():
        code = f"open({str(folder / f'{name}.run')!r}, 'w').close()\nraise ImportError('hostile module')\n"
        (folder / f"{name}.py").write_text(code)


def run_modules(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.run"))


def test_indexing_a_folder_from_inside_runs_none_of_its_files(folder: Path, tmp_path: Path) -> None:
    plant(folder, MODULES)
    command = [PROGRAM, "index", ".", "--store", str(tmp_path / "e.db")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run_modules(folder) == []
    assert ": 6 indexed;" in done.stdout, done.stdout + done.stderr


def test_a_relative_search_path_of_python_does_not_add_the_folder(folder: Path, tmp_path: Path) -> None:
    """Python itself has imported its own modules before the program runs."""
    plant(folder, INSTALLED)
    command = [PROGRAM, "index", ".", "--store", str(tmp_path / "e.db")]
    environment = {**os.environ, "PYTHONPATH": f"{os.pathsep}."}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert run_modules(folder) == []
    assert ": 6 indexed;" in done.stdout, done.stdout + done.stderr


def test_the_module_imports_nothing_from_there_once_it_runs(folder: Path, tmp_path: Path) -> None:
    plant(folder, " ".join({*MODULES.split()} - {*BEFORE_MAIN.split()}))
    command = [sys.executable, "-m", "citestream", "index", ".", "--store", str(tmp_path / "e.db")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run_modules(folder) == []
    assert ": 6 indexed;" in done.stdout, done.stdout + done.stderr


def test_a_server_in_a_folder_of_others_runs_none_of_its_files(
    folder: Path, tmp_path: Path, launch: Callable[..., AbstractContextManager[str]]
) -> None:
    plant(folder, MODULES)
    command = [PROGRAM, "serve", "--port", "0", "--workers", "2"]
    with launch(command, tmp_path / "log", cwd=folder) as url:
        for name in ("page.html", "sea.pdf", "tides.docx", "slides.pptx", "ports.xlsx"):
            answer = httpx.post(
                f"{url}/v1/evidence/read", params={"file_name": name}, content=(folder / name).read_bytes()
            )
            assert answer.json()["evidence"], name
    assert run_modules(folder) == []


def test_the_reader_imports_from_the_search_path_but_not_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "installed"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), str(other)])
    assert reader_command.search_path() == [str(other)]
    *options, program, path, name = reader_command.command("a.pdf")
    assert "-I" in options
    assert (Path(program).name, json.loads(path), name) == ("start.py", [str(other)], "a.pdf")
    assert reader_command.settings()["cwd"] == "/"
