"""Whether the cost of a function grows linearly from one given text to a longer one, in CPU time."""

from collections.abc import Callable
from time import thread_time

ROUNDS = 3  # other processes make a round slower, never faster


def is_linear(run: Callable[[str], object], short: str, long: str, *, factor: float, negligible: float) -> bool:
    """Return whether the long text costs less than `factor` times the short one, plus `negligible` seconds.

    The fastest of three rounds counts. A round that decides ends the measurement.
    """
    first = seconds(run, long)
    if first < negligible:
        return True
    most = factor * min(seconds(run, short) for _ in range(ROUNDS)) + negligible
    return first < most or any(seconds(run, long) < most for _ in range(ROUNDS - 1))


def seconds(run: Callable[[str], object], text: str) -> float:
    """Return the CPU time of one call, in this thread."""
    began = thread_time()
    run(text)
    return thread_time() - began
