"""Forms of a word that the light stemmer leaves apart: `rauch`, `raucht` and `geraucht`, `comensal` and `comensales`.

The forms of irregular verbs are in `data/<language>/verbs.txt`: `gehen`, `ging`, `gegangen`; for English, so are nouns
of verbs that no rule forms, such as `destroy`, `destruction`.

The stemmer does not know the language, so it cannot remove endings that belong to the word in another language.
"""

from functools import lru_cache

from .stemming import stem
from .word_lists import load_lines, load_words

_SHORTEST = {"de": 3, "en": 3, "fr": 4, "es": 4}  # letters of a root; a shorter rest is often another word
# Endings of regular verbs after the root, as the stemmer leaves them. "" is that of the infinitive.
_ENDINGS = {
    "de": ("", "t", "et"),
    "en": ("",),
    "fr": (
        *("", "a", "ait", "er", "erait", "it", "is", "iss", "issait", "ir", "r", "us"),
        *("ez", "ons", "ai", "ais", "aient", "era", "erez", "eront", "ira", "iront", "issez", "ant"),
    ),
    "es": (
        *("", "an", "aron", "ab", "aban", "ar", "aran", "ari", "arian", "i", "en", "ieron", "ian"),
        *("er", "eran", "eri", "ir", "iran", "iri", "ier", "ieran"),
    ),
}
_DOUBLED = ("l", "n", "t")  # "travail" is the stem of "travailler", and "travaillait" has two letters
# French endings that are long enough to be those of a verb after a root of three letters: "laver", "lavez".
_SHORT_ROOT, _LONG_ENDINGS = 3, ("ait", "aient", "er", "era", "erait", "erez", "eront", "ez", "ons")
# Endings that the stemmer removes from one form of a noun or adjective only: "comensal", "comensales" have the stems
# "comens", "comensal"; "fabrique", "fabriquer" have "fabr", "fabriq"; "directeur", "directrice" "direct", "directric".
_NOUN_ENDINGS = {
    "de": ("erin", "in", "ier", "iert"),
    "en": (),
    "fr": ("al", "iq", "iqu", "ic", "ric", "if", "eux", "ant", "ent", "a"),
    "es": ("al", "or", "ion", "es", "er", "ar"),
}
# Ends of the stems of an English verb and of its noun: "decid" and "decis", "permit" and "permiss".
_CHANGED_ENDS = {
    "en": (("d", "s"), ("mit", "miss"), ("duc", "duct"), ("scrib", "script"), ("st", "str"), ("if", "ific"))
}
_SHORTEST_CHANGED = 5  # letters
_SHORTEST_NOUN = 3  # letters
# German: before the root of a participle and of an infinitive with "zu", after a prefix that can be separated.
_PARTICIPLE, _INFINITIVE = "ge", "zu"
_SHORTEST_AFTER_PREFIX = 3  # letters
_SHORTEST_PARTICIPLE = 4  # letters


@lru_cache(maxsize=1 << 14)
def inflections(word_stem: str, language: str | None) -> frozenset[str]:
    """Return the stems that other forms of the same word may have, without `word_stem`. Not all of them are words."""
    if language not in _ENDINGS or not word_stem.isalpha():
        return frozenset()
    forms = _forms(word_stem, language) | _irregular(word_stem, language) | _nouns(word_stem, language)
    separable, inseparable = _prefixes(language)
    for prefix in separable | inseparable:
        bare = word_stem.removeprefix(prefix)
        if bare == word_stem or len(bare) < _SHORTEST_AFTER_PREFIX:
            continue
        if prefix in separable:
            forms |= {prefix + form for form in _forms(bare, language)}
        forms |= {prefix + form for form in _irregular(bare, language)}
    return frozenset(forms - {word_stem})


def _irregular(word_stem: str, language: str) -> set[str]:
    """Return the forms of the irregular verbs that have this stem, or that of a regular form of it."""
    verbs = _verbs(language)
    stems = {word_stem}
    if language != "de":
        stems |= {word_stem.removesuffix(ending) for ending in _ENDINGS[language]}
        stems |= {form[:-1] for form in stems if form[-2:-1] == form[-1:]}
    irregular = {form for own_stem in stems for form in verbs.get(own_stem, ())}
    return irregular if language == "de" else {form + ending for form in irregular for ending in _ENDINGS[language]}


@lru_cache(maxsize=8)
def _verbs(language: str) -> dict[str, set[str]]:
    """Return the stems of each irregular verb by each of its stems."""
    table: dict[str, set[str]] = {}
    for line in load_lines(f"{language}/verbs"):
        stems = {stem(word) for word in line.split()}
        if language == "de":
            stems |= {
                verb_stem.removeprefix(_PARTICIPLE) for verb_stem in stems if len(verb_stem) > _SHORTEST_PARTICIPLE
            }
        for verb_stem in stems:
            table.setdefault(verb_stem, set()).update(stems)
    return table


@lru_cache(maxsize=8)
def _prefixes(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the prefixes of verbs that can be separated, and the others.

    With one of the others, a German participle has no "ge": "verbieten", "verboten".
    """
    roles = load_words(f"{language}/function")
    return frozenset(roles.get("separable", ())), frozenset(roles.get("prefix", ()))


def _nouns(word_stem: str, language: str) -> set[str]:
    """Return the stems of other forms of a noun or an adjective."""
    endings = _NOUN_ENDINGS[language]
    bases = {word_stem, *(word_stem.removesuffix(ending) for ending in endings)}
    bases |= _changed(word_stem, language)
    bases = {base for base in bases if len(base) >= _SHORTEST_NOUN}
    return bases | {base + ending for base in bases for ending in endings}


def _changed(word_stem: str, language: str) -> set[str]:
    """Return the stems that differ from this one by a changed end."""
    pairs = [
        pair
        for ending, changed_ending in _CHANGED_ENDS.get(language, ())
        for pair in ((ending, changed_ending), (changed_ending, ending))
    ]
    changed = {
        word_stem.removesuffix(ending) + changed_ending
        for ending, changed_ending in pairs
        if word_stem.endswith(ending)
    }
    return {form for form in changed if len(form) >= _SHORTEST_CHANGED}


def separable_prefixes(language: str) -> frozenset[str]:
    """Return the prefixes that a main clause separates from its verb: "lehnte … ab"."""
    return _prefixes(language)[0]


def inseparable_prefixes(language: str) -> frozenset[str]:
    """Return the prefixes that a verb keeps, and with which its participle has no "ge": "verbieten", "verboten"."""
    return _prefixes(language)[1]


def _forms(word_stem: str, language: str) -> set[str]:
    """Return the roots that a stem may have, with each ending of regular verbs."""
    endings = _ENDINGS[language]
    ending = max((candidate for candidate in endings if word_stem.endswith(candidate)), key=len)
    bare = word_stem[: len(word_stem) - len(ending)]
    roots = {word_stem, bare}
    if language == "de":
        roots |= {bare.removeprefix(_PARTICIPLE) if ending else bare, bare.removeprefix(_INFINITIVE)}
    if language == "fr":
        roots |= {root[:-1] for root in roots if root and root[-1:] == root[-2:-1]}
        roots |= {root + root[-1] for root in roots if root.endswith(_DOUBLED)}
    short = (
        {bare} if language == "fr" and len(bare) == _SHORT_ROOT and (not ending or ending in _LONG_ENDINGS) else set()
    )
    roots = {root for root in roots if len(root) >= _SHORTEST[language]}
    forms = {root + ending for root in roots for ending in endings}
    forms |= {root + ending for root in short for ending in ("", *_LONG_ENDINGS)}
    if language == "de":
        forms |= {_PARTICIPLE + root + ending for root in roots for ending in endings if ending}
        forms |= {_INFINITIVE + root for root in roots}
    return forms
