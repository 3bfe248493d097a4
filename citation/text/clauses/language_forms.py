"""Forms of single languages that the word lists cannot express: accents that matter, "ne … plus", future tenses."""

from collections.abc import Sequence

from ..tokens import Tokens
from .statement import Operator, Statement
from .vocabulary import WordRoles

# Words that differ from another word only by a diacritic: "à" and "a", "würde" and "wurde".
_KEPT = {
    "fr": {"à": "à"},
    "de": {word: word for word in ("würde", "würden", "hätte", "hätten", "wäre", "wären", "könnte", "könnten")},
}
# Endings of the future tense that no other form has, as they are written.
_FUTURES = {
    "es": tuple(f"{stem}{ending}" for stem in ("ar", "er", "ir", "dr", "br", "rr") for ending in ("á", "án")),
    "fr": ("era", "eront", "ira", "iront", "dra", "dront", "rra", "rront", "aura", "auront"),
}
_NO_FUTURES = ("tira", "spira", "mira", "vira", "soupira", "désira")  # "retira", "expira": of verbs in "-irer"
_FUTURES_IN_TIRA = ("partira", "sortira", "sentira", "mentira", "vertira", "bâtira", "garantira", "aboutira")
_FRENCH_HAVE = frozenset(
    {"a", "ont", "avait", "avaient", "aura", "auront", "aurait", "auraient", "avoir", "ayant", "eut"}
)
_FRENCH_HE, _FRENCH_IF = frozenset({"il", "ils"}), frozenset({"s'", "s’"})
_FRENCH_REACH = 6  # words between "ne" and "plus" or "que"


def word_keys(tokens: Tokens, language: str) -> list[str]:
    """Return the folded words of a sentence. Words that would equal another one keep their accents."""
    keys = [token.folded for token in tokens.tokens]
    if kept := _KEPT.get(language):
        keys = [kept.get(tokens.surface(i).lower(), key) for i, key in enumerate(keys)]
    if language == "fr":
        for i, key in enumerate(keys):
            if key in _FRENCH_HE and tokens.surface(i)[:2].lower() in _FRENCH_IF:
                keys[i] = "si"  # "s'il pleut"
            elif key == "ete" and not _FRENCH_HAVE.isdisjoint(keys[max(0, i - 2) : i]):
                keys[i] = "été"  # "a été élu", but not the season
    return keys


def french_negations(
    tokens: Tokens, keys: Sequence[str], roles: Sequence[WordRoles]
) -> tuple[dict[int, str], list[int]]:
    """Return the kinds of operator of "plus" and "que" after "ne", "no longer" and "only", by the index of the word.

    Second, the words that begin with "qu'" for "only": "qu'un" is part of the content, too.
    """
    found: dict[int, str] = {}
    elided: list[int] = []
    for i, key in enumerate(keys):
        if key != "ne" and tokens.surface(i)[:2].lower() not in {"n'", "n’"}:
            continue
        for k in range(i, min(i + _FRENCH_REACH, len(keys))):
            if keys[k] == "plus":
                found[k] = "not"
            elif keys[k] == "que":
                found[k] = "only"
            elif tokens.surface(k)[:3].lower() in {"qu'", "qu’"}:
                elided.append(k)
            elif "not" not in roles[k].kinds:
                continue
            break
    return found, elided


def future_plans(statement: Statement, tokens: Tokens) -> list[Operator]:
    """Return an operator for each verb in the future tense, which states a plan: "aprobará", "livreront"."""
    endings = _FUTURES.get(statement.language)
    if not endings:
        return []
    known = {op.word for op in statement.operators}
    found: list[Operator] = []
    for token in statement.tokens:
        surface = tokens.surface(token.word)
        other = surface.endswith(_NO_FUTURES) and not surface.endswith(_FUTURES_IN_TIRA)
        if token.verbal and token.word not in known and surface.endswith(endings) and not other:
            word = token.word
            found.append(Operator("plan", word, word + 1, token.start, token.end, token.piece, token.clause))
    return found
