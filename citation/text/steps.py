"""Long work in steps. This package has no event loop: a server performs one step after the other and serves others
in between, and everyone else performs all steps at once with `complete`.
"""

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# A generator that yields after each step of bounded length, and returns the result. It yields None, or a function
# without arguments that cannot be divided and may run in a thread, such as a sort by NumPy; it is sent the result.
Steps: TypeAlias = Generator[Callable[[], Any] | None, Any, T]


def complete(steps: Steps[T]) -> T:
    """Perform all steps and return the result."""
    result: Any = None
    while True:
        try:
            function = steps.send(result)
        except StopIteration as stop:
            value: T = stop.value
            return value
        result = function() if function else None


def completed(in_steps: Callable[P, Steps[T]]) -> Callable[P, T]:
    """Return a function with the same parameters that performs all steps and returns the result."""

    @wraps(in_steps)
    def function(*args: P.args, **kwargs: P.kwargs) -> T:
        return complete(in_steps(*args, **kwargs))

    return function
