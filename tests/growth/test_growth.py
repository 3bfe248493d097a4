"""The functions of `citation` take linear time: small inputs here, large ones with `python -m tests.growth`."""

import pytest

from tests.growth.measuring import FUNCTIONS, ON_DEMAND, growths

LENGTH = 3_200  # characters; the largest cost of a linear function is 50 ms


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ON_DEMAND])
def test_cost_grows_linearly_with_the_length(name: str) -> None:
    assert [str(one) for one in growths(name, LENGTH) if one.is_superlinear] == []
