"""Rules for imports, sizes and names, checked in the syntax trees of the code."""

import ast
import importlib
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("citation", "providers", "proxy")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MEASURED = [*MODULES, *sorted((ROOT / "bench").rglob("*.py")), *sorted((ROOT / "examples").glob("*.py"))]

SDKS = ("openai", "ollama", "google", "httpx", "asyncpg", "redis")
# citation is pure: no waiting, no clock, no random numbers, no I/O.
IMPURE = (
    *("asyncio", "time", "random", "secrets", "uuid", "socket", "ssl", "select", "selectors", "signal", "logging"),
    *("threading", "multiprocessing", "concurrent", "subprocess", "os", "shutil", "tempfile", "sqlite3", "http"),
    *("urllib.request", "urllib.error", "importlib.metadata"),
)
MAX_FUNCTION_LINES = 60  # a longer one does not fit on a screen
MAX_FILE_LINES = 350  # without blank lines and comments; a longer file can be split
VAGUE = {"Manager", "Helper", "Helpers", "Util", "Utils", "Base"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def absolute_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and dotted name of each absolute import, at module level and inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def without_root(module: str) -> str:
    """Return the dotted name below `citestream`, which equals the path in the repository."""
    return module.removeprefix("citestream.")


def violations(*roots: str, banned: tuple[str, ...]) -> list[str]:
    return [
        f"{name(path)}:{line} imports {module}"
        for path in MODULES
        if name(path).split("/")[0] in roots
        for line, module in absolute_imports(path)
        if within(without_root(module), *banned)
    ]


def test_citation_imports_neither_providers_nor_proxy() -> None:
    assert violations("citation", banned=("providers", "proxy")) == []


def test_providers_import_the_text_kernel_and_nothing_else_of_ours() -> None:
    imported = violations("providers", banned=("citation", "proxy"))
    assert [found for found in imported if not within(found.rpartition(" ")[2], "citestream.citation.text")] == []


def test_the_proxy_imports_no_sdk() -> None:
    assert violations("proxy", "citation", banned=SDKS) == []


def test_citation_does_no_io_and_reads_no_clock() -> None:
    assert violations("citation", banned=IMPURE) == []


def test_citation_needs_the_standard_library_and_numpy_only() -> None:
    allowed = sys.stdlib_module_names | {"numpy"}
    foreign = [
        f"{name(path)}:{line} imports {module}"
        for path in MODULES
        if within(name(path).replace("/", "."), "citation")
        for line, module in absolute_imports(path)
        if module.split(".")[0] not in allowed
    ]
    assert foreign == []


def test_the_text_kernel_imports_nothing_else_of_citation() -> None:
    folder = ROOT / "citation" / "text"
    outside = [
        f"{name(path)}:{node.lineno}"
        for path in folder.rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level > len(path.relative_to(folder).parts)
    ]
    assert outside == []


def part(path: str) -> str:
    """Return the folder or module directly below `citation/` that contains a path."""
    return path.removeprefix("citation/").split("/")[0].removesuffix(".py")


def test_parts_of_citation_have_no_import_cycle() -> None:
    imported: dict[str, set[str]] = {}
    for path in (ROOT / "citation").rglob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1]
                modules = [node.module] if node.module else [alias.name for alias in node.names]
                paths = ((folder / module.replace(".", "/")).relative_to(ROOT).as_posix() for module in modules)
                imported.setdefault(part(name(path)), set()).update(map(part, paths))
    cyclic = dict(imported)
    while independent := [one for one, others in cyclic.items() if not others - {one} & cyclic.keys()]:
        for one in independent:
            del cyclic[one]
    assert cyclic == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_inside_a_package_are_relative(package: str) -> None:
    assert violations(package, banned=(package,)) == []


def test_no_product_code_imports_tests_or_benchmarks() -> None:
    assert violations(*PACKAGES, banned=("tests", "bench", "examples", "pytest", "hypothesis")) == []


def test_no_task_is_started_without_an_owner() -> None:
    unowned = [
        f"{name(path)}:{node.lineno}"
        for path in MEASURED
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in {"create_task", "ensure_future"}
        if re.search(r"asyncio|loop", ast.unparse(node.value))
    ]
    assert unowned == []


# Underscore names that are part of a documented interface.
DOCUMENTED = {"_replace", "_asdict", "_fields", "_make", "_exit"}
# Private names of aiohttp, openai, ollama and google-genai that are refused even if a class of ours has the same.
KNOWN_PRIVATE = {
    *("_protocol", "_transport", "_payload_writer", "_read_nowait", "_buffer", "_exception", "_client", "_api_client"),
    *("_send_headers_immediately", "_conns", "_request", "_cache", "_writer"),
}
OWN_OBJECTS = {"self", "cls"}


def is_private(attribute: str) -> bool:
    return attribute.startswith("_") and not attribute.startswith("__") and attribute not in DOCUMENTED | {"_"}


def is_ours_or_standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names | {"citestream"}


def foreign_bases(path: Path) -> Iterator[tuple[ast.ClassDef, str, type]]:
    """Yield each class that extends a class of a dependency: its node, the base as written, and the base."""
    imported = {}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0):
            prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                imported[alias.asname or alias.name] = prefix + alias.name
    classes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)]
    for node in classes:
        for base in node.bases:
            written = ast.unparse(base).partition("[")[0]
            first, _, rest = written.partition(".")
            dotted = f"{imported.get(first, '')}.{rest}".strip(".")
            if "." in dotted and not is_ours_or_standard(dotted):
                module, _, last = dotted.rpartition(".")
                yield node, written, getattr(importlib.import_module(module), last)


def names_defined(node: ast.AST) -> set[str]:
    """Return every name that is defined or assigned inside a node, including attributes of `self`."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(inner.name)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            found.add(inner.attr)
    return found


def private_uses(path: Path) -> Iterator[str]:
    """Yield the uses of private names of a dependency that the syntax tree shows."""
    for line, module in absolute_imports(path):
        if not is_ours_or_standard(module) and any(is_private(part) for part in module.split(".")):
            yield f"{name(path)}:{line} imports {module}"
    ours = names_defined(tree(path))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            own = isinstance(node.value, ast.Name) and node.value.id in OWN_OBJECTS
            if not own and (node.attr not in ours or node.attr in KNOWN_PRIVATE):
                yield f"{name(path)}:{node.lineno} uses {ast.unparse(node)}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"getattr", "setattr", "hasattr"}:
            attribute = node.args[1]
            if isinstance(attribute, ast.Constant) and is_private(str(attribute.value)):
                yield f"{name(path)}:{node.lineno} uses {ast.unparse(node)}"
    for class_node, written, base in foreign_bases(path):
        for private in sorted(filter(is_private, names_defined(class_node))):
            if hasattr(base, private):
                yield f"{name(path)}:{class_node.lineno} {class_node.name} overrides {written}.{private}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_private_name_of_a_dependency_is_used(package: str) -> None:
    modules = [path for path in MODULES if name(path).startswith(f"{package}/")]
    assert [use for path in modules for use in private_uses(path)] == []


def test_names_are_not_vague() -> None:
    vague = [name(path) for path in MEASURED if path.stem in {"utils", "util", "helpers", "helper", "common", "misc"}]
    for path in MEASURED:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and VAGUE & set(re.findall(r"[A-Z][a-z0-9]*", node.name)):
                vague.append(f"{name(path)}:{node.lineno} class {node.name}")
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match(r"_*(process|do)_", node.name):
                vague.append(f"{name(path)}:{node.lineno} def {node.name}")
    assert vague == []


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{name(path)}:{node.lineno} {node.name} has {length} lines"
        for path in MEASURED
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert long == []


def test_files_are_short() -> None:
    long = [f"{name(path)} has {lines}" for path in MEASURED if (lines := code_lines(path)) > MAX_FILE_LINES]
    assert long == []


def code_lines(path: Path) -> int:
    """Return the number of lines of code, without blank lines, comments and docstrings."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    docstrings = {
        line
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
        if token.type not in layout
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


def test_code_has_no_todo_comments() -> None:
    found = [
        f"{name(path)}:{number} {line.strip()}"
        for path in MEASURED
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b|\bfor now\b", line)
    ]
    assert found == []


SLOW_IMPORTS = {
    "importing the commands loads nothing that --help does not need": (
        "citestream.proxy.cli.commands",
        ("numpy", "aiohttp", *SDKS),
    ),
    "importing providers loads no SDK": ("citestream.providers", SDKS),
    "importing citation loads no server": ("citestream.citation", ("aiohttp", "asyncio", *SDKS)),
}


@pytest.mark.parametrize("case", SLOW_IMPORTS)
def test_imports_load_no_unneeded_modules(case: str) -> None:
    module, unwanted = SLOW_IMPORTS[case]
    script = f"import {module}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert [found for found in loaded.stdout.split() if within(found, *unwanted)] == []
