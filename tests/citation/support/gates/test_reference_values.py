"""Measured values and the reference values beside them."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

BLOOD = "Haemoglobin was 10.9 g/dl (reference 12.0 to 15.5), ferritin 40 µg/l (15 to 150)."
POTASSIUM = "Potassium was 5.8 mmol/l on admission. The normal range is 3.5 to 5.1 mmol/l."
WATER = "The water contained 38 mg of nitrate per litre; the limit is 50 mg."
CHOLESTEROL = "Das Cholesterin lag bei 182 mg/dl (Grenzwert 200)."
GLUCOSE = "La glucemia fue de 132 mg/dl (valores normales: 70 a 100)."
IRON = "Le taux de fer était de 42 µg/dl (norme : 60 à 170)."

WRONG = {
    "a reference value as the measured one": (BLOOD, "Haemoglobin was 12.0 g/dl."),
    "above for below": (BLOOD, "Haemoglobin was above the reference range."),
    "outside for inside": (BLOOD, "Ferritin was not within the reference range."),
    "inside, with the range in the next sentence": (POTASSIUM, "Potassium was within the normal range."),
    "above a limit": (WATER, "Nitrate exceeds the limit."),
    "German": (CHOLESTEROL, "Das Cholesterin lag über dem Grenzwert."),
    "Spanish": (GLUCOSE, "La glucemia estaba dentro de los valores normales."),
    "French": (IRON, "Le taux de fer était dans la norme."),
}
RIGHT = {
    "the measured value": (BLOOD, "Haemoglobin was 10.9 g/dl."),
    "below": (BLOOD, "Haemoglobin was below the reference range."),
    "inside": (BLOOD, "Ferritin was within the reference range."),
    "a denied side": (BLOOD, "Ferritin was not above the reference range."),
    "above, with the range in the next sentence": (POTASSIUM, "Potassium was above the normal range."),
    "the reference value itself": (BLOOD, "The reference range of haemoglobin begins at 12.0."),
    "below a limit": (CHOLESTEROL, "Das Cholesterin lag unter dem Grenzwert."),
    "Spanish": (GLUCOSE, "La glucemia estaba por encima de los valores normales."),
    "French": (IRON, "Le taux de fer était inférieur à la norme."),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_is_refused(case: str) -> None:
    evidence, claim = WRONG[case]
    assert refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, evidence, "e1")])) is not None


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_value_is_accepted(case: str) -> None:
    evidence, claim = RIGHT[case]
    assert refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, evidence, "e1")])) is None
