"""Reference work that is independent of this project, timed with every measurement to detect a slow machine.

On a shared machine, the same work takes up to twice the CPU time, because processes share caches. A pass-through gets
cheaper at the same time, because more data has arrived at each read. A result is worse only if both measures say so.
"""

import re
from time import process_time

import numpy as np
import orjson

from bench.proxy.sample_text import excerpts

TIMES = 15  # 1 ms each

_WORDS = re.compile(r"\w+")


def milliseconds() -> float:
    """Return the median CPU time of the work in ms."""
    taken = []
    for _ in range(TIMES):
        began = process_time()
        _work()
        taken.append(process_time() - began)
    return sorted(taken)[TIMES // 2] * 1000


def _work() -> None:
    """Do typical work of proxies and scorers: JSON, regular expressions, dicts, small arrays."""
    texts = excerpts(5)
    for text in texts:
        orjson.loads(orjson.dumps({"choices": [{"delta": {"content": text}}]}))
        counts: dict[str, int] = {}
        for word in _WORDS.findall(text.lower()):
            counts[word] = counts.get(word, 0) + 1
        weights = np.array(sorted(counts.values()), dtype=np.float32)
        for _ in range(20):
            np.maximum(weights, weights[::-1]).sum()
