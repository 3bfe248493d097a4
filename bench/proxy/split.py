"""Where the CPU of `citestream serve` goes: its process under py-spy while the load runs, each sample by its stage.

A sample belongs to the first of STAGES that stands anywhere in its stack: what `aiohttp` does for a stage is its own,
what nobody claims is the event loop's. µs a chunk are shares of what the process's own clock says, so that the price of
being watched is in them; it is the same for all stages.
"""

import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.proxy.cases import Case
from bench.proxy.measure import measure
from bench.proxy.peers import citestream
from bench.proxy.processes import ROOT, module, running

SECONDS = 6.0  # of load for each case: 3,000 samples
RATE = 500  # samples a second
# Stage and what names it in a frame, `function (file:line)`; the first that fits has the sample.
STAGES = (
    ("prepare evidence", ("(proxy/pipeline/preparation.py",)),
    (
        "score",
        ("(citation/support/features.py", "score (citation/support/scorers/", "score_all (citation/support/scorers/"),
    ),
    ("decide", ("(citation/support/decision.py", "(citation/support/gates/", "(citation/support/calibration.py")),
    ("book references", ("(citation/references.py", "(citation/response.py", "(citation/grounding.py")),
    ("place markers", ("(citation/markers/placement.py", "(citation/markers/render.py")),
    ("segment", ("(citation/text/segmentation/",)),
    ("strip, find claims", ("(citation/answer.py", "(citation/markers/", "(citation/support/claims.py")),
    ("inject", ("(citation/evidence/prompt.py", "(citation/evidence/sanitize.py")),
    (
        "read request",
        (
            "read (proxy/http/exchange.py",
            "(citation/evidence/evidence.py",
            "parse (proxy/apis/",
            "(proxy/apis/earlier_answers.py",
        ),
    ),
    (
        "write to client",
        (
            "write (proxy/http/sending.py",
            "push (proxy/http/sending.py",
            "end (proxy/http/sending.py",
            "(aiohttp/web_response.py",
        ),
    ),
    ("encode", ("(proxy/pipeline/completion_chunks.py", "(proxy/http/encoding.py", "chunks (proxy/apis/")),
    ("remember", ("(proxy/storage/",)),
    ("ask provider", ("(providers/transport/session.py", "(aiohttp/client.py")),
    ("read provider", ("(providers/",)),
    (
        "steps between",
        (
            "(proxy/pipeline/respond.py",
            "(proxy/pipeline/prefetch.py",
            "(proxy/pipeline/drafts.py",
            "(proxy/pipeline/scoring.py",
        ),
    ),
    ("take requests", ("(aiohttp/web_", "(proxy/")),
)
LOOP = "event loop, parsers in C"
ENTRY = "(proxy/http/application.py"  # beneath every sample of the main thread
IDLE = "(concurrent/futures/thread.py"  # a thread of a pool that waits for work: py-spy takes it for a busy one

CASES = (
    Case(16),
    Case(16, 20, same=True),
    Case(16, 20),
    Case(16, 20, tokens=1000),
)


def table(cases: Sequence[Case] = CASES) -> str:
    """As text: µs a chunk of each stage, a column a case."""
    columns = [_split(case) for case in cases]
    names = [*(name for name, _ in STAGES), LOOP]
    lines = [f"{name:24}" + "".join(f"{column[name]:12.2f}" for column in columns) for name in names]
    total = f"{'µs a chunk':24}" + "".join(f"{sum(column.values()):12.2f}" for column in columns)
    return "\n".join([*(f"{at}: {case.name}" for at, case in enumerate(cases, 1)), "", *lines, total])


def _split(case: Case) -> Counter[str]:
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        upstream = stack.enter_context(module("bench.proxy.upstream"))
        peer = stack.enter_context(citestream(upstream))
        measure(peer, case, upstream)  # warms up
        raw = Path(folder) / "stacks"
        with running(py_spy(peer.process.pid, raw), silent=True) as watching:
            used = []
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                used.append(measure(peer, case, upstream).cpu)
            watching.wait()
        found = stages(raw.read_text())
    total, cost = sum(found.values()), sum(used) / len(used)
    return Counter({name: count / total * cost for name, count in found.items()})


def py_spy(pid: int, raw: Path) -> list[str]:
    """Watch this process for SECONDS and write its stacks to `raw`."""
    program = str(Path(sys.executable).with_name("py-spy"))
    how = ["--format", "raw", "--full-filenames", "--rate", str(RATE), "--duration", str(int(SECONDS))]
    return [program, "record", *how, "--output", str(raw), "--pid", str(pid)]


def stages(raw: str) -> Counter[str]:
    """Samples by stage; `raw`: lines of `frame;frame;... count`, the leaf last."""
    found: Counter[str] = Counter()
    for line in _FOLDERS.sub("(", raw).splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if IDLE not in frames[-1]:
            found[stage(frames)] += int(count)
    return found


def stage(frames: Sequence[str]) -> str:
    """Whose a sample is."""
    entry = max((at for at, frame in enumerate(frames) if ENTRY in frame), default=0)
    stack = ";".join(frames[entry + 1 :])
    return next((name for name, signs in STAGES if any(sign in stack for sign in signs)), LOOP)


# What stands before the path of a module: this folder, the installed packages, the standard library
_FOLDERS = re.compile(rf"\((?:{re.escape(str(ROOT))}/(?!\.venv)|/[^;()]*?/site-packages/|/[^;()]*?/python3\.\d+/)")
