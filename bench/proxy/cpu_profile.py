"""Measure the CPU time of each pipeline stage of `citestream serve`: sample it with py-spy during a load.

A sample belongs to the first of STAGES that matches a frame of its stack, so that calls of `aiohttp` belong to the
stage that makes them. Samples without a stage belong to the event loop. The shares are scaled to the CPU time of the
process, which includes the overhead of sampling.
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
from bench.proxy.peers.peer import citestream
from bench.proxy.peers.processes import ROOT, module, running

SECONDS = 6.0  # seconds of load for each case: 3,000 samples
RATE = 500  # samples per second
# Stages with patterns for frames, each `;function (file:line)`. A sample belongs to the first stage that matches.
STAGES = (
    (
        "score",
        (
            "(citation/support/features/features.py",
            ";score (citation/support/scorers/",
            ";score_all (citation/support/scorers/",
        ),
    ),
    ("decide", ("(citation/support/decision.py", "(citation/support/gates/", "(citation/support/calibration.py")),
    (
        "prepare evidence",
        (
            "(proxy/pipeline/deciding/preparation.py",
            "(citation/support/features/excerpts.py",
            "(citation/support/features/index.py",
            ";prepare_in_steps (citation/support/scorers/",
        ),
    ),
    ("book references", ("(citation/references/", "(citation/answers/response.py", "(citation/grounding.py")),
    (
        "place markers",
        ("(citation/answers/shown_text.py", "(citation/markers/placement.py", "(citation/markers/render.py"),
    ),
    ("segment", ("(citation/text/segmentation/",)),
    (
        "strip, find claims",
        (
            "(citation/answers/answer.py",
            "(citation/answers/partial_sentence.py",
            "(citation/markers/",
            "(citation/support/claims.py",
        ),
    ),
    ("inject", ("(citation/prompt/injection.py", "(citation/prompt/sanitize.py")),
    (
        "read request",
        (
            ";read_json (proxy/http/exchange.py",
            ";read_body (proxy/http/exchange.py",
            "(citation/evidence/evidence.py",
            ";parse (proxy/apis/",
            "(proxy/apis/earlier_answers.py",
        ),
    ),
    (
        "write to client",
        (
            ";begin (proxy/http/client_stream.py",
            ";write (proxy/http/client_stream.py",
            ";end (proxy/http/client_stream.py",
            "(aiohttp/web_response.py",
        ),
    ),
    ("remember", ("(proxy/storage/",)),
    ("encode", (";encode (proxy/http/sending.py", "(proxy/http/encoding.py")),
    ("ask provider", ("(providers/transport/session.py", "(aiohttp/client.py")),
    ("read provider", ("(providers/streaming/", "(providers/transport/")),
    (
        "steps between",
        (
            "(providers/scheduler.py",
            "(proxy/pipeline/respond.py",
            "(proxy/pipeline/deciding/prefetch.py",
            "(proxy/pipeline/segment_stream.py",
            "(proxy/pipeline/deciding/scoring.py",
        ),
    ),
    ("take requests", ("(aiohttp/web_", "(proxy/")),
)
LOOP = "event loop, parsers in C"
ENTRY = "(proxy/http/serving/server.py"  # part of every sample of the main thread
IDLE = "(concurrent/futures/thread.py"  # an idle pool thread, which py-spy reports as busy

CASES = (Case(16), Case(16, 20, same=True), Case(16, 20), Case(16, 20, tokens=1000))


def table(cases: Sequence[Case] = CASES) -> str:
    """Return a table in text form: µs per chunk of each stage, one column per case."""
    columns = [_split(case) for case in cases]
    names = [*(name for name, _ in STAGES), LOOP]
    lines = [f"{name:24}" + "".join(f"{column[name]:12.2f}" for column in columns) for name in names]
    total = f"{'µs a chunk':24}" + "".join(f"{sum(column.values()):12.2f}" for column in columns)
    return "\n".join([*(f"{at}: {case.name}" for at, case in enumerate(cases, 1)), "", *lines, total])


def _split(case: Case) -> Counter[str]:
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        upstream = stack.enter_context(module("bench.proxy.peers.fake_provider"))
        peer = stack.enter_context(citestream(upstream))
        measure(peer, case, upstream)  # warm-up
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
    """Sample a process for SECONDS and write its stacks to `raw`."""
    program = str(Path(sys.executable).with_name("py-spy"))
    how = ["--format", "raw", "--full-filenames", "--rate", str(RATE), "--duration", str(int(SECONDS))]
    return [program, "record", *how, "--output", str(raw), "--pid", str(pid)]


def stages(raw: str) -> Counter[str]:
    """Return the samples per stage. `raw` has lines of `frame;frame;... count`, with the leaf last."""
    found: Counter[str] = Counter()
    for line in _FOLDERS.sub("(", raw).splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if IDLE not in frames[-1]:
            found[stage(frames)] += int(count)
    return found


def stage(frames: Sequence[str]) -> str:
    """Return the stage of a sample."""
    entry = max((at for at, frame in enumerate(frames) if ENTRY in frame), default=0)
    stack = "".join(f";{frame}" for frame in frames[entry + 1 :])
    return next((name for name, signs in STAGES if any(sign in stack for sign in signs)), LOOP)


# Prefixes of module paths: this folder and its links in `citestream`, installed packages, standard library
_FOLDERS = re.compile(
    rf"\((?:{re.escape(str(ROOT))}/(?!\.venv)(?:citestream/)?|/[^;()]*?/site-packages/|/[^;()]*?/python3\.\d+/)"
)
