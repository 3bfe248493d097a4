"""The report of the proxy benchmark, with results that a peer did not deliver."""

from math import nan

from bench.proxy.cases import Case
from bench.proxy.measure import Measured
from bench.proxy.report import BASELINE, _row, table


def measured(first: float, held: tuple[float, float]) -> Measured:
    return Measured(cpu=10.0, rate=100.0, first=first, held=held, resident=50.0, yard=1.0)


def test_a_peer_that_delivered_no_paced_stream_is_reported_as_not_measured() -> None:
    case = Case(16, paced=True)
    row = _row(case, "Another", [measured(1.0, (2.0, 3.0))], [measured(nan, (nan, nan))])
    assert row.proxy != BASELINE
    assert table([row]).count("not measured") == 2


def test_delays_are_relative_to_the_baseline() -> None:
    row = _row(Case(16, paced=True), "Another", [measured(1.0, (2.0, 3.0))], [measured(4.5, (2.5, 5.0))])
    assert "+3.5 ms" in table([row])
    assert "+0.5, +2.0 ms" in table([row])
