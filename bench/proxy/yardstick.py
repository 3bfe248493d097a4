"""A fixed piece of work, none of it ours, timed beside every measurement: how fast the machine is just now.

On a machine that others use too, the same work takes up to twice the CPU time, since caches are shared; and a
pass-through gets cheaper, since more has arrived whenever it reads. Only what is worse by both measures is worse.
"""

import re
from time import process_time

import numpy as np
import orjson

from bench.proxy.text import excerpts

TIMES = 15  # 1 ms each

_WORDS = re.compile(r"\w+")


def milliseconds() -> float:
    """CPU time of the work, median of TIMES."""
    taken = []
    for _ in range(TIMES):
        began = process_time()
        _work()
        taken.append(process_time() - began)
    return sorted(taken)[TIMES // 2] * 1000


def _work() -> None:
    """A bit of everything that proxies and scorers do: JSON, regular expressions, dicts, small arrays."""
    texts = excerpts(5)
    for text in texts:
        orjson.loads(orjson.dumps({"choices": [{"delta": {"content": text}}]}))
        counts: dict[str, int] = {}
        for word in _WORDS.findall(text.lower()):
            counts[word] = counts.get(word, 0) + 1
        weights = np.array(sorted(counts.values()), dtype=np.float32)
        for _ in range(20):
            np.maximum(weights, weights[::-1]).sum()
