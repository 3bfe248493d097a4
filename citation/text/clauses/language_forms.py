"""Forms of single languages that the word lists cannot express: accents that matter, "ne … plus", future tenses."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..tokens import Token, Tokens, word_token
from .statement import Operator, Statement
from .vocabulary import WordRoles, vocabulary

_FRENCH_REACH = 6  # words between "ne" and "plus" or "que"
_ELIDED = re.compile("((?:[cdjlmnst]|(?:lors|puis|quoi)?qu)['’])(?=.)", re.IGNORECASE)
_FULL_FORMS = {"c": "ce", "d": "de", "j": "je", "l": "le", "m": "me", "n": "ne", "s": "se", "t": "te"}
_PERSON = "personne"
_PERSON_REACH = 8  # words between "personne" and its "ne"


def split_elisions(tokens: Tokens) -> Tokens:
    """Return French tokens with an elided word as a token of its own, "le" and "usine", and "après-midi" as one."""
    parts: list[tuple[Token, int]] = []
    for i, (token, start) in enumerate(zip(tokens.tokens, tokens.starts, strict=True)):
        if token.folded == "midi" and parts and parts[-1][0].folded == "apres" and tokens.text[start - 1] == "-":
            length = start + token.length - parts[-1][1]
            parts[-1] = replace(word_token("après-midi"), length=length), parts[-1][1]
            continue
        elision = _ELIDED.match(tokens.surface(i)) if token.kind == "word" else None
        if elision is None:
            parts.append((token, start))
            continue
        elided = elision[1][:-1]
        full = _FULL_FORMS.get(elided.lower(), f"{elided}e")
        short = word_token(full.capitalize() if elided[0].isupper() else full)
        parts.append((replace(short, length=elision.end()), start))
        parts.append((word_token(tokens.surface(i)[elision.end() :]), start + elision.end()))
    split, starts = [token for token, _ in parts], [start for _, start in parts]
    if split == tokens.tokens:
        return tokens
    ends = [start + token.length for token, start in parts]
    return Tokens(tokens.text, split, starts, ends, [i for i, token in enumerate(split) if token.may_be_quantity])


def word_keys(tokens: Tokens, language: str) -> list[str]:
    """Return the folded words of a sentence. Words that would equal another one keep their accents."""
    keys = [token.folded for token in tokens.tokens]
    words = vocabulary(language)
    if accented := words.role("accented"):
        written = (tokens.surface(i).lower() for i in range(len(keys)))
        keys = [word if word in accented else key for word, key in zip(written, keys, strict=True)]
    if language == "fr":
        for i, key in enumerate(keys):
            if key in {"il", "ils"} and i and keys[i - 1] == "se":
                keys[i - 1] = "si"  # "s'il pleut"
            elif key == "apres" and i and keys[i - 1] == "de":
                keys[i] = "selon"  # "d'après deux témoins"
            elif key == _PERSON and "ne" not in keys[max(0, i - _PERSON_REACH) : i + _PERSON_REACH]:
                keys[i] = f"{key}s"  # "par personne", but not "personne n'est venu"
            elif key == "ete" and not words.role("have").isdisjoint(keys[max(0, i - 2) : i]):
                keys[i] = "été"  # "a été élu", but not the season
    return keys


def french_negations(keys: Sequence[str], roles: Sequence[WordRoles]) -> dict[int, str]:
    """Return the kinds of operator of "plus" and "que" after "ne", "no longer" and "only", by the index of the word."""
    kinds: dict[int, str] = {}
    for i, key in enumerate(keys):
        if key != "ne":
            continue
        for k in range(i, min(i + _FRENCH_REACH, len(keys))):
            if keys[k] == "plus":
                kinds[k] = "not"
            elif keys[k] == "que":
                kinds[k] = "only"
            elif "not" not in roles[k].kinds:
                continue
            break
    return kinds


def future_plans(statement: Statement, tokens: Tokens) -> list[Operator]:
    """Return an operator for each verb in the future tense, which states a plan: "aprobará", "livreront"."""
    words = vocabulary(statement.language)
    endings, present_endings, exceptions = (tuple(words.role(name)) for name in ("future", "no_future", "future_verb"))
    if not endings:
        return []
    operator_words = {op.word for op in statement.operators}
    plans: list[Operator] = []
    for token in statement.tokens:
        surface = tokens.surface(token.word)
        is_present = surface.endswith(present_endings) and not surface.endswith(exceptions)
        if token.verbal and token.word not in operator_words and surface.endswith(endings) and not is_present:
            word = token.word
            plans.append(Operator("plan", word, word + 1, token.start, token.end, token.piece, token.clause))
    return plans
