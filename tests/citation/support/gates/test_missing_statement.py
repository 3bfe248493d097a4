"""Short claims about the subject of a passage that the passage does not state, and true ones about the same passages.

The false claims were written before the rule in `missing.py`, but none of them was held out.
"""

import pytest

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence

TIDES = "The tide turns about every six hours. Spring tides are highest at new moon."
ROCKET = "The Saturn V was a rocket used by NASA between 1967 and 1973. It stood 110.6 metres tall and launched Skylab."
BRIDGE = "The Harlan bridge was opened on 4 May 1932 by the mayor. The steel weighs 52,800 tonnes."
WORK = "Employees have 27 days of holiday a year. They may work from home up to two days a week."
FRUIT = "Bananas grow in the tropics. They are rich in potassium."

NOT_STATED = {
    "The moon is hollow.": TIDES,
    "The Saturn V was painted pink.": ROCKET,
    "The mayor was arrested.": BRIDGE,
    "The Harlan bridge is ugly.": BRIDGE,
    "The Harlan bridge collapsed.": BRIDGE,
    "Employees own shares.": WORK,
    "Bananas are poisonous.": FRUIT,
}
STATED = {
    "Spring tides are highest at new moon.": TIDES,
    "The Saturn V launched Skylab.": ROCKET,
    "The mayor opened the Harlan bridge.": BRIDGE,
    "Staff get 27 days of vacation per year.": WORK,
    "Bananas are rich in potassium.": FRUIT,
}


@pytest.mark.parametrize("claim", NOT_STATED)
def test_a_claim_that_shares_only_its_subject_is_not_cited(claim: str) -> None:
    assert cite(claim, [Evidence(1, NOT_STATED[claim], "e1")]).fields["references"] == []


@pytest.mark.parametrize("claim", STATED)
def test_a_claim_that_the_passage_states_is_cited(claim: str) -> None:
    assert cite(claim, [Evidence(1, STATED[claim], "e1")]).fields["references"]
