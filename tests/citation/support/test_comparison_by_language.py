"""Disagreements and paraphrases in Spanish, French, German and Chinese: forms, tenses, contractions, word lists."""

import pytest

from citestream.citation.support.gates import Reason
from tests.citation.support.test_clause_comparison import checked

REFUSED: dict[str, tuple[Reason, str, str]] = {
    "Spanish roles in two forms of one verb": (
        Reason.ROLE,
        "El juez denunció a los policías en marzo.",
        "Los policías denunciaron al juez en marzo.",
    ),
    "a Spanish future tense": (
        Reason.MODALITY,
        "El consejo ampliará el puerto en junio.",
        "El consejo ya amplió el puerto.",
    ),
    "a French future tense": (
        Reason.MODALITY,
        "La ville achètera le cinéma en juin.",
        "La ville a acheté le cinéma.",
    ),
    "a French contraction of a preposition": (
        Reason.BINDING,
        "Paul parle du projet et Anne parle de la guerre.",
        "Paul parle de la guerre.",
    ),
    "a French event some years later": (
        Reason.BINDING,
        "Le théâtre a été fondé en 1912 et démoli trente ans plus tard.",
        "Le théâtre a été démoli en 1912.",
    ),
    "a strong German verb, planned": (
        Reason.MODALITY,
        "Der Verband will zwei Preise streichen.",
        "Der Verband hat zwei Preise gestrichen.",
    ),
    "French roles in a sentence of few function words": (
        Reason.ROLE,
        "Brest a battu Metz en finale.",
        "Metz a battu Brest en finale.",
    ),
    "Spanish: what goes on, and what no longer does": (
        Reason.NEGATION,
        "La emisora ya no transmite conciertos.",
        "La emisora sigue transmitiendo conciertos.",
    ),
}

PASSED: dict[str, tuple[str, str]] = {
    "a Spanish future tense as a plan": (
        "El consejo ampliará el puerto en junio.",
        "El consejo va a ampliar el puerto en junio.",
    ),
    "a Spanish passive of another form": (
        "El juez denunció a los policías en marzo.",
        "Los policías fueron denunciados por el juez en marzo.",
    ),
    "a French past tense in -ra": (
        "Le maire déclara la fête ouverte.",
        "Le maire a déclaré la fête ouverte.",
    ),
    "a German participle": (
        "Der Verband strich zwei Preise.",
        "Zwei Preise wurden vom Verband gestrichen.",
    ),
}


@pytest.mark.parametrize(("reason", "text", "claim"), REFUSED.values(), ids=REFUSED)
def test_a_disagreement_has_its_reason(reason: Reason, text: str, claim: str) -> None:
    found = checked(text, claim)
    assert found is not None
    assert found.reason is reason


@pytest.mark.parametrize(("text", "claim"), PASSED.values(), ids=PASSED)
def test_a_paraphrase_disagrees_on_nothing(text: str, claim: str) -> None:
    assert checked(text, claim) is None
