"""Check that the CPU time of a function grows linearly with the length of a text."""

from collections.abc import Callable
from time import thread_time

ROUNDS = 3  # other processes make a round slower, never faster, so the fastest round counts


def is_linear(run: Callable[[str], object], short: str, long: str, *, factor: float, negligible: float) -> bool:
    """Return whether the long text costs less than `factor` times the short one, plus `negligible` seconds.

    The measurement ends with the first round that is fast enough.
    """
    first = seconds(run, long)
    if first < negligible:
        return True
    limit = factor * min(seconds(run, short) for _ in range(ROUNDS)) + negligible
    return first < limit or any(seconds(run, long) < limit for _ in range(ROUNDS - 1))


def seconds(run: Callable[[str], object], text: str) -> float:
    """Return the CPU time of one call, in this thread."""
    began = thread_time()
    run(text)
    return thread_time() - began
