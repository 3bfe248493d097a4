"""The functions of `citation` take linear time: small inputs here, large ones with `python -m tests.growth`."""

import pytest

from tests.growth.measuring import FUNCTIONS, growths

LENGTH = 3_200  # characters; the largest cost of a linear function is 50 ms


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_cost_grows_with_the_length(name: str) -> None:
    assert [str(one) for one in growths(name, LENGTH) if one.is_too_fast] == []
