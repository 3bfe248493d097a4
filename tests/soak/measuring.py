"""Measure the memory and file descriptors of a process over time: slope, table and plot. Reads /proc."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROWS = 12  # rows of the table
MEMORY_GROWTH = 0.05  # share of the memory, over the second half; the noise of malloc is smaller
MIN_MEMORY_GROWTH = 6.0  # MB; less is noise for every size of the process
FILES_GROWTH = 8.0  # over the second half; the number of concurrent streams varies, a leak grows with each request


@dataclass(frozen=True)
class Sample:
    """The resources of a process at one time."""

    seconds: float
    memory: float  # MB resident
    files: int  # open file descriptors
    answers: int  # so far


def sample(pid: int, seconds: float, answers: int) -> Sample:
    """Measure the process now."""
    status = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
    return Sample(seconds, resident * 1024 / 1e6, len([*Path(f"/proc/{pid}/fd").iterdir()]), answers)


def growth(samples: Sequence[Sample], of: Callable[[Sample], float]) -> float:
    """Return the growth in the second half of the time, from a least-squares line."""
    half = [one for one in samples if one.seconds >= samples[-1].seconds / 2]
    times, values = [one.seconds for one in half], [of(one) for one in half]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((time - middle) ** 2 for time in times)
    if not spread:
        return 0.0
    covered = sum((time - middle) * (value - mean) for time, value in zip(times, values, strict=True))
    return covered / spread * (times[-1] - times[0])


def faults(samples: Sequence[Sample]) -> list[str]:
    """Return the values that grow."""
    found = []
    memory = growth(samples, lambda one: one.memory)
    allowed = max(MIN_MEMORY_GROWTH, MEMORY_GROWTH * samples[-1].memory)
    if memory > allowed:
        found.append(f"memory grew by {memory:.1f} MB over the second half; {allowed:.1f} are noise")
    files = growth(samples, lambda one: one.files)
    if files > FILES_GROWTH:
        found.append(f"open files grew by {files:.1f} over the second half; {FILES_GROWTH:.0f} are noise")
    return found


def table(samples: Sequence[Sample]) -> str:
    """Return a text table with ROWS rows, and the growth."""
    step = max(1, len(samples) // ROWS)
    shown = [*samples[::step][:ROWS], samples[-1]]
    rows = [row(one) for one in shown]
    slopes = (
        f"over the second half: memory {growth(samples, lambda one: one.memory):+.2f} MB, "
        f"open files {growth(samples, lambda one: one.files):+.2f}"
    )
    return "\n".join([f"{'min':>6} {'answers':>9} {'MB':>7} {'files':>6}", *rows, slopes])


def row(one: Sample) -> str:
    """Return one row of the table."""
    return f"{one.seconds / 60:6.1f} {one.answers:9d} {one.memory:7.1f} {one.files:6d}"


def plot(samples: Sequence[Sample], file: Path) -> None:
    """Write a plot. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, left = pyplot.subplots(figsize=(8, 3.5), dpi=140)
    minutes = [one.seconds / 60 for one in samples]
    left.plot(minutes, [one.memory for one in samples], color="#1a7f5a")
    left.set(xlabel="minutes", ylabel="memory, MB", ylim=(0, None))
    right = left.twinx()
    right.plot(minutes, [one.files for one in samples], color="#c98a1b", linewidth=0.8)
    right.set(ylabel="open files", ylim=(0, None))
    figure.tight_layout()
    figure.savefig(file)
