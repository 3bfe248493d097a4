"""Free large values in steps."""

from dataclasses import fields, is_dataclass
from typing import Any

from citestream.citation.text.steps import Steps

from .growing import examine_grown
from .limits import ELEMENTS
from .size import SCALARS

_ATOMS = SCALARS | {str, bytes}
_RELEASED = 1_000  # values that are freed in a step: 0.1 ms


def release_in_steps(*values: Any) -> Steps[None]:
    """Hold these values until the others that use them are done, and free their containers one by one.

    Python frees a value and everything in it at once: a million objects take 50 ms. The values are not changed. The
    fields of a dataclass are read like the values of an object.
    """
    held: list[Any] = [*values]
    del values
    examined = 0
    for container in held:
        elements = _elements(container)
        examined += 1
        if isinstance(elements, list | tuple):
            for start in range(0, len(elements), ELEMENTS):
                containers = [element for element in elements[start : start + ELEMENTS] if type(element) not in _ATOMS]
                held += containers
                examine_grown(len(held), len(containers))
                examined += min(ELEMENTS, len(elements) - start)
                if examined > ELEMENTS:
                    examined = 0
                    yield None
        if examined > ELEMENTS:
            examined = 0
            yield None
    container = elements = None
    containers = []
    held.reverse()  # a container is freed before its elements, which are still held
    while held:
        del held[-_RELEASED:]
        yield None


def _elements(container: Any) -> Any:
    if isinstance(container, dict):
        return list(container.values())
    if isinstance(container, list | tuple) or not is_dataclass(container):
        return container
    return [getattr(container, field.name) for field in fields(container)]
