"""Check that docstrings, comments, option descriptions, error messages and guides are plain English.

`ruff` checks the mood of docstrings and `typos` checks the spelling and single words (both in pyproject.toml).
This file checks patterns of more than one word, which neither of them supports. The patterns come from a review of
the code: sentences that a newcomer has to read twice.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent

# Folders and files that are checked. A folder is added here once its texts are plain.
CHECKED = (
    ".github",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "bench",
    "citation",
    "config.example.yaml",
    "deploy",
    "docs",
    "examples",
    "providers",
    "proxy",
    "tests",
)
# Texts of others, and answers of models.
EXCLUDED = re.compile(
    r"/vendor/|/__pycache__/|/data/|/documents/|/near_misses/|/_build/|/node_modules/|package-lock"
    r"|\.(?:gif|png)$|docs/(?:api|commands|configuration)\.md"  # pictures, and pages that are generated from the code
)

COMMENTS = {  # start of a comment, by file suffix
    ".yaml": r"(?:(?:^|\s)#|\b(?:summary|description):)\s(.*)",
    ".js": r"(?:^|\s)//\s(.*)",
    ".sql": r"(?:^|\s)--\s(.*)",
    "": r"(?:^|\s)#+\s(.*)",  # Makefile, Containerfile
}

# Each pattern with the words to use instead. A sentence starts at a capital letter after a full stop, or at the
# beginning of the text.
START = r"(?:^|(?<=[.!?:;] ))"
PATTERNS = {
    rf"{START}What\b(?![^.]*\?)": "name the thing: 'Return the …', 'Settings of …', not 'What …'",
    rf"{START}Who\b(?![^.]*\?)": "name the role: 'Embedding model', not 'Who makes vectors'",
    rf"{START}Whom\b|{START}Whose\b": "name the role",
    rf"{START}(?:Whatever|Whoever)\b": "'Any …', 'All …'",
    rf"{START}How (?:many|much|long|often|far|well)\b(?![^.]*\?)": "'Number of …', 'Seconds until …', 'Share of …'",
    rf"{START}(?:Where|When)\b[^.,]*$": "a sentence needs a main clause: 'Directory of …', 'Time of …'",
    r"^(?:of|that|which|who|whose|what|where it|in which|by which|for which) (?!the following)": (
        "a comment is a sentence or a noun phrase of its own: 'Maximum …', not 'that … may …'"
    ),
    r"\b(?:leans?|leaning|leant) on\b": "depends on",
    r"\b(?:stands?|standing|stood) (?:on|for itself|in (?:it|them))\b": "depends on, is in, contains",
    r"\b(?:bears?|borne|bore) (?:it |them )?out\b": "confirms, confirmed by",
    r"\b(?:becomes?|became|comes|came) of\b": "happens to, results in",
    r"\b(?:is|are|was|were|be|being|been|unless|if|as) told\b": "receives, is configured, is reported",
    r"\b(?:that|which|where it) (?:is|are) none\b": "is not a …",
    r"\bone's\b|\bof one's own\b": "your, its own",
    r"\bas one (?:writes|says|does|would)\b": "in the usual notation",
    r"\bso that nothing of (?:it|them)\b": "name what is removed",
    r"\blets? go of\b": "release, close",
    r"\bmakes? nothing of\b": "ignores",
    r"\bhas (?:it|them) from\b": "gets … from",
    r"(?i)\bit answers, so\b": "Liveness check",
    r"\bthe like of\b": "such as",
    r"\bfrom here on\b": "from now on, after this",
    r"\bas much as (?:is|there is)\b": "all",
    r"\bof its own accord\b": "automatically",
    r"\bto (?:nobody|nothing) else\b": "only to …",
    r"\bwith what is there\b": "with the available …",
    r"\bfar from\b": "not",
}


class Prose(NamedTuple):
    """A piece of text and its position."""

    path: Path
    line: int
    text: str


def files() -> Iterator[Path]:
    for name in CHECKED:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not EXCLUDED.search(file.as_posix()):
                yield file


def prose(path: Path) -> Iterator[Prose]:
    """Yield the texts of a file that people read."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        texts = [*strings(text), *comments(text, r"(?:^|\s)#+:?\s(.*)")]
    elif path.suffix == ".md":
        texts = list(paragraphs(text))
    elif path.suffix in COMMENTS:
        texts = list(comments(text, COMMENTS[path.suffix]))
    else:
        texts = []
    yield from (Prose(path, line, text) for line, text in texts)


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings, help and descriptions of options, and error messages."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if text := ast.get_docstring(node):
                    for paragraph in re.split(r"\n\s*\n", text):
                        yield node.body[0].lineno, re.sub(r"\s*\n\s*", " ", paragraph)
            case ast.keyword(arg="help" | "description" | "short_help", value=value):
                yield value.lineno, literal(value)
            case ast.Raise(exc=ast.Call(args=[first, *_])):
                yield node.lineno, literal(first)


def literal(node: ast.expr) -> str:
    """Return a string with "…" in place of its expressions."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(literal(value) for value in values)
        case _:
            return "…"


def comments(source: str, pattern: str) -> Iterator[tuple[int, str]]:
    """Yield comments. A line with nothing but a comment continues the comment of the line above."""
    parts: list[tuple[int, str]] = []
    for number, line in enumerate(source.splitlines(), 1):
        found = re.search(pattern, line)
        if parts and not (found and not line[: found.start()].strip() and "description:" not in line):
            yield parts[0][0], " ".join(text for _, text in parts)
            parts = []
        if found:
            parts.append((number, re.sub(r"(?:noqa|type|nosec|pragma):?\s*\S*\s*(?:#\s*)?", "", found[1])))
    if parts:
        yield parts[0][0], " ".join(text for _, text in parts)


def paragraphs(source: str) -> Iterator[tuple[int, str]]:
    """Yield headings, paragraphs, list items and table cells of Markdown, without fenced code."""
    without_code = re.sub(r"(?ms)^\s*(```|~~~).*?^\s*\1", lambda found: "\n" * found[0].count("\n"), source)
    line = 1
    for block in re.split(r"(\n(?=\s*(?:[-*#|]|\d+\. |$))|\|)", without_code):
        yield line, re.sub(r"\s+", " ", re.sub(r"^[\s>#*-]*(?:\d+\.\s)?", "", block)).strip()
        line += block.count("\n")


def violations(piece: Prose) -> Iterator[str]:
    text = re.sub(r"`[^`]*`|\"[^\"]*\"", "`…`", piece.text)
    for pattern, instead in PATTERNS.items():
        if found := re.search(pattern, text):
            yield f"{piece.path.relative_to(ROOT)}:{piece.line}: {found[0]!r} in {text[:80]!r}: {instead}"


def test_texts_are_plain_english() -> None:
    found = [violation for path in files() for piece in prose(path) for violation in violations(piece)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "What becomes of every field",
        "Who makes vectors",
        "that a sentence may be held",
        "It answers, so it lives",
        "How many claims lean on it",
        "of what it stands on",
        "The number of seconds. What is held because its time is over.",
        "The excerpt is borne out by the claim",
        "A date that is none",
    ],
)
def test_a_private_phrase_is_found(text: str) -> None:
    assert list(violations(Prose(Path(__file__), 1, text)))


@pytest.mark.parametrize(
    "text",
    [
        "Return the number of dependent claims.",
        "What does a marker look like?",
        "Maximum seconds to buffer a sentence; longer ones are split.",
        "When a client disconnects, the upstream stream is closed.",
        "Liveness check",
        "Which provider answers a bare model name",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert list(violations(Prose(Path(__file__), 1, text))) == []
