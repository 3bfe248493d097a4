"""The benchmarks: each states how it is run and how long it takes, and the guide lists all of them."""

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
def test_a_benchmark_is_described(program: str) -> None:
    source = PROGRAMS[program].read_text("utf-8")
    assert "ArgumentParser(description=__doc__" in source  # so that --help explains it, and does not run it
    described = ast.get_docstring(ast.parse(source)) or ""
    command = f"python -m {program}"
    assert command in described
    assert any(word in described for word in ("second", "minute"))
    assert f"`{command}`" in GUIDE
