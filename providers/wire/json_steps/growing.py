"""Containers that grow in steps, and Python's cycle collector.

A pass over new objects examines all elements of a new container: 300,000 in 30 ms. It makes the container an old one,
which is examined only while no request runs. Python starts such a pass when more containers were made than freed. It
may thus come late, because lists of strings and of existing objects grow without new containers.
"""

import gc

GROWN = 16_000  # elements of a container that is still new; they are examined in 1 ms
_NEW_GENERATIONS = 1  # for `gc.collect`: all but the oldest


def examine_grown(length: int, added: int) -> None:
    """Start a pass over new objects when a container grows above GROWN. `length`: its elements, `added` among them."""
    if length - added < GROWN <= length and gc.isenabled():
        gc.collect(_NEW_GENERATIONS)
