"""Forms of a verb that the light stemmer leaves apart: `rauch`, `raucht` and `geraucht`, `aument` and `aumentaron`.

The stemmer does not know the language, so it cannot remove endings that belong to the word in another language.
"""

from functools import lru_cache

_SHORTEST = {"de": 3, "fr": 4, "es": 4}  # letters of a root; a shorter rest is often another word
# Endings behind the root of a regular verb, after stemming. "" is that of the infinitive.
_ENDINGS = {
    "de": ("", "t", "et"),
    "fr": ("", "a", "ait", "er", "erait", "it", "is", "iss", "issait", "ir", "r", "us"),
    "es": ("", "an", "aron", "ab", "aban", "ar", "aran", "i", "en", "ieron", "ian", "er", "ir", "eran", "iran"),
}
# German: before the root of a participle and of an infinitive with "zu", behind a prefix that can be separated.
_PARTICIPLE, _INFINITIVE = "ge", "zu"
_SEPARABLE = (
    "ab",
    "an",
    "auf",
    "aus",
    "bei",
    "ein",
    "fest",
    "her",
    "hin",
    "los",
    "mit",
    "nach",
    "teil",
    "vor",
    "weg",
    "zuruck",
)


@lru_cache(maxsize=1 << 14)
def inflections(stem: str, language: str | None) -> frozenset[str]:
    """Return the stems that other forms of the same verb may have, without `stem`. Not all of them are words."""
    if language not in _ENDINGS or not stem.isalpha():
        return frozenset()
    forms = _forms(stem, language)
    if language == "de":
        for prefix in _SEPARABLE:
            rest = stem.removeprefix(prefix)
            if rest != stem and len(rest) >= _SHORTEST["de"]:
                forms |= {prefix + form for form in _forms(rest, language)}
    return frozenset(forms - {stem})


def _forms(stem: str, language: str) -> set[str]:
    endings = _ENDINGS[language]
    ending = max((one for one in endings if stem.endswith(one)), key=len)
    bare = stem[: len(stem) - len(ending)]
    roots = {stem, bare}
    if language == "de":
        roots |= {bare.removeprefix(_PARTICIPLE) if ending else bare, bare.removeprefix(_INFINITIVE)}
    roots = {root for root in roots if len(root) >= _SHORTEST[language]}
    forms = {root + ending for root in roots for ending in endings}
    if language == "de":
        forms |= {_PARTICIPLE + root + ending for root in roots for ending in endings if ending}
        forms |= {_INFINITIVE + root for root in roots}
    return forms
