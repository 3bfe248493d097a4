"""Parse sentences and cache them: all claims of an answer are compared with the same sentences of the evidence."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, zip_longest

from ...text import Analysis, analyze_text, fold
from ...text.clauses import LANGUAGES, Statement, parse
from ...text.clauses.vocabulary import lines, vocabulary
from ...text.numbers.quantities import Quantity
from ...text.tables import table_cells
from ...text.words.languages import stopwords
from ..features.excerpts import language_of

_MOST = 2048  # cached sentences, 4 KB each
_LONGEST = 2000  # parsed characters of a sentence; longer ones are tables without line breaks
_NOT_CHINESE = re.compile("[\u3040-\u30ff\uac00-\ud7a3]")

_SPACED = ("en", "de", "fr", "es")
# Letters of one language only: "Beltrán le vendió la imprenta" has function words of French.
_LETTERS = {"en": "", "de": "äöüß", "fr": "àâèêëçîôùûœ", "es": "ñáíóú¿¡"}
_FUNCTIONS = ("article", "preposition", "auxiliary", "conjunction", "irregular")
_ENDINGS = {
    "en": ("ed", "ing", "ly", "ness", "ght", "th"),
    "de": ("ung", "ungen", "keit", "heit", "isch", "lich", "en", "ern"),
    "fr": ("eux", "euse", "aire", "ance", "ait", "aient", "eau", "eurs", "ines"),
    "es": ("cion", "ciones", "dad", "aron", "ieron", "ado", "ada", "ido", "ando", "ulas", "ana", "ano"),
}
_ENDING_WEIGHT = 0.6  # relative to a function word
_LISTED_WEIGHT = 0.3
_FEW, _SHARE = 8, 0.2  # a longer text has at least this share of function words and other words of the lists
_ENOUGH = 300  # characters of the evidence from which its language is detected
_WORD = re.compile(r"[^\W\d_]+")
_ITEM = re.compile(r"^(?:[-*+•–]|\d{1,2}[.)])\s+")

# A sentence or the cells of a row, and the language
_cache: dict[tuple[str | tuple[tuple[str, str], ...], str], Statement] = {}


def language_for(lexed: Analysis, text: str) -> str | None:
    """Return the language of a sentence; `zh` for Chinese characters without Japanese or Korean ones."""
    language = language_of(lexed)
    if language == "han":
        return None if _NOT_CHINESE.search(text) else "zh"
    return language


def shared_language(claim: str, mine: str | None, evidence: str, theirs: str | None) -> str | None:
    """Return the language of a claim and a piece of evidence, if they share one that has word lists."""
    theirs = "zh" if theirs == "han" and mine == "zh" else theirs
    if mine == theirs and mine in _SPACED and _letters_of_others(claim, mine):
        mine = theirs = _guess(f"{claim} {evidence[:_ENOUGH]}") or mine
    if mine and theirs and mine != theirs and mine in _SPACED and _guess(evidence[:_ENOUGH]) == mine:
        theirs = mine  # one word of another language, such as "per", decides about a table
    if mine and theirs:
        return mine if mine == theirs and mine in LANGUAGES else None
    known = mine or theirs or _guess(f"{claim} {evidence[:_ENOUGH]}")
    return known if known in LANGUAGES else None


def _letters_of_others(text: str, language: str) -> bool:
    """Return whether a text has letters that only another one of the four languages uses."""
    return not text.isascii() and any(
        letter in letters for other, letters in _LETTERS.items() if other != language for letter in text
    )


@lru_cache(maxsize=512)
def _guess(text: str) -> str | None:
    """Return the most probable language of a short text, or None if two are equally probable.

    The evidence: function words, letters, endings, and listed words. A word of several languages counts less.
    """
    scores = {language: float(sum(map(text.lower().count, _LETTERS[language]))) for language in _SPACED}
    words = dict.fromkeys(_WORD.findall(text))
    known = sum(bool(_function_word(fold(word)) or _listed(fold(word))) for word in words)
    if len(words) > _FEW and known < _SHARE * len(words):
        return None
    for word in words:
        folded = fold(word)
        endings = _ending(folded) if word[0].islower() else ()
        listed = _listed(folded) if not _function_word(folded) else ()
        for languages, weight in ((_function_word(folded), 1.0), (endings, _ENDING_WEIGHT), (listed, _LISTED_WEIGHT)):
            for language in languages:
                scores[language] += weight / len(languages)
    second, best = sorted(scores, key=scores.__getitem__)[-2:]
    return best if scores[best] > scores[second] else None


@lru_cache(maxsize=1 << 14)
def _function_word(word: str) -> tuple[str, ...]:
    """Return the languages in which a folded word is a function word."""
    return tuple(
        language
        for language in _SPACED
        if word in stopwords(language) or any(word in vocabulary(language).role(name) for name in _FUNCTIONS)
    )


@lru_cache(maxsize=1 << 14)
def _ending(word: str) -> tuple[str, ...]:
    """Return the languages that have an ending of a folded word."""
    return tuple(language for language in _SPACED if word.endswith(_ENDINGS[language]))


@lru_cache(maxsize=1 << 14)
def _listed(word: str) -> tuple[str, ...]:
    """Return the languages whose list of synonyms contains a folded word."""
    return tuple(language for language in _SPACED if word in _synonyms(language))


@lru_cache(maxsize=len(_SPACED))
def _synonyms(language: str) -> frozenset[str]:
    return frozenset(fold(word) for line in lines(language, "synonyms") for word in line.split())


def statement(text: str, start: int, end: int, language: str, quantities: Sequence[Quantity]) -> Statement:
    """Parse `text[start:end]`. `quantities`: the numbers of the whole text."""
    sentence = text[start : min(end, start + _LONGEST)]
    known = _cache.get((sentence, language))
    if known is None:
        own = [q._replace(start=q.start - start, end=q.end - start) for q in quantities if start <= q.start < end]
        known = _store(sentence, language, parse(sentence, language, own))
    return known


def _store(key: str | tuple[tuple[str, str], ...], language: str, parsed: Statement) -> Statement:
    if len(_cache) >= _MOST:
        _cache.clear()
    _cache[key, language] = parsed
    return parsed


def passage_statements(text: str, spans: Sequence[Sequence[int]], language: str, analysis: Analysis) -> list[Statement]:
    """Return the sentences of a passage.

    Table rows include the column headers, and list items the line that introduces the list.
    """
    found: list[Statement] = []
    tables: set[int] = set()
    for start, end in spans:
        line = text[start:end].strip()
        if line.startswith("|"):
            top, bottom = whole_table(text, start, end)
            if top not in tables:
                tables.add(top)
                found += _rows(text[top:bottom], language)
        elif _ITEM.match(line):
            item = _ITEM.sub("", line)
            lead = _lead_in(text, start)
            found.append(_virtual(f"{lead} {item}" if lead else item, language))
        else:
            found.append(statement(text, start, end, language, analysis.quantities_in(start, end)))
    return found


def _virtual(sentence: str, language: str) -> Statement:
    """Return a parsed sentence that is composed of parts of the text."""
    sentence = sentence[:_LONGEST]
    known = _cache.get((sentence, language))
    if known is None:
        known = _store(sentence, language, parse(sentence, language, analyze_text(sentence, language).quantities))
    return known


def _lead_in(text: str, start: int) -> str:
    """Return the line that introduces the list whose item begins at `start`, "" if there is none."""
    for line in reversed(text[max(0, start - _LONGEST) : start].splitlines()[-_MOST_ROWS:]):
        plain = line.strip()
        if plain and not _ITEM.match(plain):
            return plain[:-1] if plain.endswith((":", "：")) else ""
    return ""


def _rows(table: str, language: str) -> list[Statement]:
    """Return a statement for each row of a Markdown table, with the column header before every cell."""
    cells = [table_cells(line) for line in table.splitlines() if line.strip()]
    if not cells:
        return []
    header, found = cells[0], []
    for row in cells[1 : 1 + _MOST_ROWS]:
        if all(not cell.strip(" :-") for cell in row):
            continue
        named = [(name, f"{name} {cell}") for name, cell in zip_longest(header, row, fillvalue="") if cell]
        found.append(_row(tuple(named), language))
    return found


def _row(named: tuple[tuple[str, str], ...], language: str) -> Statement:
    """Return a statement that consists of the cells of a row: pairs of the column's header and the text of the cell.

    It has an entry of its own in the cache, since a sentence with the same words has clauses instead of cells.
    """
    known = _cache.get((named, language))
    if known is not None:
        return known
    sentence = "; ".join(cell for _, cell in named)[:_LONGEST]
    parsed = parse(sentence, language, analyze_text(sentence, language).quantities)
    for token in parsed.tokens:
        token.piece = token.clause = 0
    ends = list(accumulate(len(cell) + 2 for _, cell in named))
    parsed.cells = [(name, (end - len(cell) - 2, end - 2)) for (name, cell), end in zip(named, ends, strict=True)]
    return _store(named, language, parsed)


_MOST_ROWS = 60


def whole_table(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range extended by the adjacent table rows before and after it. A very long line is no row."""
    if "|" not in text[start:end]:
        return start, end
    for _ in range(_MOST_ROWS):
        before = text.rfind("\n", max(0, start - _LONGEST), max(0, start - 1)) + 1
        if before >= start or start - before > _LONGEST or not text[before:start].lstrip().startswith("|"):
            break
        start = before
    for _ in range(_MOST_ROWS):
        behind = text.find("\n", end + 1)
        behind = len(text) if behind < 0 else behind + 1
        if behind <= end or behind - end > _LONGEST or not text[end:behind].lstrip().startswith("|"):
            break
        end = behind
    return start, end
