"""Forms of a word that have different stems."""

import pytest

from citestream.citation.text.normalize import fold
from citestream.citation.text.words.inflection import inflections
from citestream.citation.text.words.stemming import stem

SAME_NOUN = {
    "a Spanish plural in -ales": ("es", "comensal", "comensales"),
    "a Spanish plural in -ores": ("es", "trabajador", "trabajadores"),
    "a Spanish plural in -iones": ("es", "camión", "camiones"),
    "a Spanish plural in -eres": ("es", "mujer", "mujeres"),
    "a Spanish feminine of a nationality": ("es", "inglés", "inglesa"),
    "a French feminine in -trice": ("fr", "directeur", "directrice"),
    "a French adjective in -if": ("fr", "actif", "active"),
    "a French verb in -quer": ("fr", "fabrique", "fabriquer"),
    "a French noun of a verb in -quer": ("fr", "fabrication", "fabriquer"),
    "a French imperative": ("fr", "ajoutez", "ajouter"),
    "a French imperative with a short root": ("fr", "lavez", "laver"),
    "a French feminine in -ante": ("fr", "importante", "important"),
    "a French imperfect with a double consonant": ("fr", "travaillait", "travailler"),
    "a French adjective in -eux": ("fr", "heureux", "heureuse"),
    "a German feminine": ("de", "Gärtner", "Gärtnerin"),
    "a German noun of a verb in -ieren": ("de", "Kommentar", "kommentieren"),
}
SAME_VERB = {
    "the third person in German": ("de", "rauchen", "raucht"),
    "a German participle": ("de", "wohnt", "gewohnt"),
    "a German participle with a prefix": ("de", "vorstellt", "vorgestellt"),
    "a German infinitive with zu and a prefix": ("de", "beilegen", "beizulegen"),
    "a French imperfect": ("fr", "augmentait", "augmenter"),
    "a French verb in -ir": ("fr", "remplissait", "remplit"),
    "a strong German verb": ("de", "streichen", "gestrichen"),
    "a strong German verb with a prefix": ("de", "übernahm", "übernommen"),
    "a German participle without ge": ("de", "verbietet", "verboten"),
    "an irregular French verb": ("fr", "reconnu", "reconnaît"),
    "a French future tense": ("fr", "construira", "construisent"),
    "a Spanish stem that changes": ("es", "pidió", "pedirán"),
    "a Spanish verb with a prefix": ("es", "propuso", "proponer"),
    "a Spanish subjunctive": ("es", "elogiara", "elogió"),
    "a Spanish noun of a verb": ("es", "cierre", "cerró"),
    "a Spanish preterite": ("es", "aumentaron", "aumenta"),
    "a Spanish verb in -er": ("es", "vendieron", "vende"),
    "an irregular English verb": ("en", "written", "wrote"),
    "an English noun in -sion": ("en", "decides", "decision"),
    "an English noun in -mission": ("en", "permitted", "permission"),
    "an English noun in -fication": ("en", "modified", "modification"),
    "an English noun that no rule forms": ("en", "destroyed", "destruction"),
}
OTHER_WORDS = {
    "a verb with a similar irregular form": ("es", "siente", "sirve"),
    "another verb": ("de", "rauchen", "tauchen"),
    "a short word": ("es", "pan", "paran"),
    "a German compound with the same beginning": ("de", "Garten", "Gartenbau"),
    "another Spanish noun": ("es", "mujer", "mujerío"),
    "a language without endings": ("it", "fumare", "fumaret"),
    "an English word with the same beginning": ("en", "car", "cart"),
}


def are_forms(language: str, one: str, other: str) -> bool:
    return stem(fold(other)) in inflections(stem(fold(one)), language)


@pytest.mark.parametrize(("language", "one", "other"), SAME_NOUN.values(), ids=SAME_NOUN)
def test_forms_of_a_noun_are_related(language: str, one: str, other: str) -> None:
    assert are_forms(language, one, other)
    assert are_forms(language, other, one)


@pytest.mark.parametrize(("language", "one", "other"), SAME_VERB.values(), ids=SAME_VERB)
def test_forms_of_a_verb_are_related(language: str, one: str, other: str) -> None:
    assert are_forms(language, one, other)
    assert are_forms(language, other, one)


@pytest.mark.parametrize(("language", "one", "other"), OTHER_WORDS.values(), ids=OTHER_WORDS)
def test_other_words_are_not_related(language: str, one: str, other: str) -> None:
    assert not are_forms(language, one, other)
