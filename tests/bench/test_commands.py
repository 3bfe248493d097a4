"""Each benchmark documents its command and its duration, and the guide lists all of them."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
MAIN = 'if __name__ == "__main__"'
PROGRAMS = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__"): file
    for file in sorted((ROOT / "bench").rglob("*.py"))
    if MAIN in file.read_text("utf-8") and "peers" not in file.parts and file.stem != "loop_steps"
}


@pytest.mark.parametrize("program", sorted(PROGRAMS.keys() - {"bench"}))
def test_benchmark_documents_its_command_and_duration(program: str) -> None:
    source = PROGRAMS[program].read_text("utf-8")
    assert "ArgumentParser(description=__doc__" in source  # --help describes the benchmark and does not run it
    described = ast.get_docstring(ast.parse(source)) or ""
    command = f"python -m {program}"
    assert command in described
    assert any(word in described for word in ("second", "minute"))
    assert f"`{command}`" in GUIDE
