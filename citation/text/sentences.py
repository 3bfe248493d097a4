"""Where sentences of the evidence end: fast and good enough to cut windows; the answer has its own Segmenter."""

import re

# Past this many characters a table or a list without punctuation is cut at white space, so that windows stay passages.
_LONGEST = 500

_ABBREVIATIONS = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "st",
        "sr",
        "jr",
        "vs",
        "etc",
        "eg",
        "ie",
        "al",
        "fig",
        "no",
        "vol",
        "pp",
        "ca",
        "approx",
        "inc",
        "ltd",
        "co",
        "corp",
        "gen",
        "col",
        "capt",
        "lt",
        "sgt",
        "rev",
        "hon",
        "u.s",
        "u.k",
        "e.g",
        "i.e",
        "a.m",
        "p.m",
        "bzw",
        "z.b",
        "d.h",
        "u.a",
        "nr",
        "abs",
        "art",
        "bd",
        "hrsg",
        "sra",
        "ud",
        "uds",
        "pag",
        "núm",
        "ej",
        "mme",
        "mlle",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    ]
)
# What may end one comes first and alone, so that the search can pass over everything else at once.
_END = re.compile(
    r"[.\n。！？；!?…۔।؟។](?:"
    r"(?<=[.])(?<!\.\.)\.*[\"'”’)\]]*\s+"  # a full stop needs white space; a row of them is looked at once
    r"|(?<=\n)\n*\s*"
    r"|(?<![.\n])[。！？；!?…۔।؟។]*[\"'”’」』）)\]】]*\s*"  # the others end a sentence wherever they stand
    r")"
)
_LAST_WORD = re.compile(r"[^\s(\[]*+$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Offsets (start, end) of the sentences of `text`, in order; they cover it."""
    cuts: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        at, end = found.span()
        if end > start and _ends(text, start, at, end):
            _add(text, start, end, cuts)
            start = end
    if start < len(text):
        _add(text, start, len(text), cuts)
    return cuts


def _ends(text: str, start: int, at: int, end: int) -> bool:
    """Whether what stands from `at` to `end` ends the sentence that begins at `start`."""
    if text[at] != ".":
        return bool(text[start:at].strip())
    follows = text[end : end + 1]
    if follows and (follows.islower() or follows in ",;)"):
        return False
    found = _LAST_WORD.search(text, max(start, at - 12), at)
    word = found[0] if found else ""
    # "19. Jahrhundert", "1. Open the lid", "J. Smith"
    return not (
        word.lower() in _ABBREVIATIONS or (len(word) <= 2 and word.isdigit()) or (len(word) == 1 and word.isalpha())
    )


def _add(text: str, start: int, end: int, cuts: list[tuple[int, int]]) -> None:
    while end - start > _LONGEST:
        at = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST) + 1 or start + _LONGEST
        cuts.append((start, at))
        start = at
    cuts.append((start, end))
