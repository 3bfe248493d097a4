"""The folder of a local checker that a configuration names: a preset, `hf:ORGANISATION/MODEL`, or a folder."""

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from citestream.providers.errors import ProviderError
from citestream.providers.judging.checkers import FORMS, NAMED, find_checker, installed

from .config.evidence_options import ONNX, ScoringConfig

log = logging.getLogger("citestream")

CHECK_FILE = "check.json"  # in the folder of a model: the result of `citestream models check`
WORTHWHILE = 0.02  # gain of F1 on natural answers from which on `scorer: auto` uses a checker


@dataclass(frozen=True, slots=True)
class Measured:
    """F1 of the citations of natural answers without a checker and with it."""

    answers: int
    without: float
    with_checker: float

    @property
    def gain(self) -> float:
        """The improvement of F1."""
        return self.with_checker - self.without

    def write(self, folder: str) -> None:
        """Store the result in the folder of the model."""
        (Path(folder) / CHECK_FILE).write_text(json.dumps(asdict(self)) + "\n", "utf-8")


def measured(folder: str | Path) -> Measured | None:
    """Return the stored result for a model, None if it has not been measured."""
    try:
        return Measured(**json.loads((Path(folder) / CHECK_FILE).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def best_installed() -> str:
    """Return the folder of the installed model that improves F1 most, "" if none is measured and worthwhile."""
    gains = {}
    for model, revision, folder in installed():
        checker, result = find_checker(f"{NAMED}{model}@{revision}"), measured(folder)
        if checker and checker.is_installed and result:
            gains[str(folder)] = result.gain
    best = max(gains, key=lambda folder: gains[folder], default="")
    return best if best and gains[best] >= WORTHWHILE else ""


def checker_folder(option: str) -> str:
    """Return the folder of the model that an option names. Raise ProviderError if a named model is not installed."""
    if checker := find_checker(option):
        return str(checker.require())
    folder = option.removeprefix(ONNX)
    if folder == option and not Path(folder).is_dir():
        raise ProviderError(f"{option!r} is unknown. It must be onnx:FOLDER, {FORMS}")
    return folder


def is_local(option: str) -> bool:
    """Return whether an option names a model in ONNX and not one of a provider."""
    return option.startswith(ONNX) or find_checker(option) is not None


def available_checker(config: ScoringConfig) -> str:
    """Return the folder of the checker, "" if there is none.

    Raise ProviderError if it is missing, unless `checker_required` is false; then this is logged.
    """
    if not config.checker:
        return ""
    try:
        return checker_folder(config.checker)
    except ProviderError as error:
        if config.checker_required:
            raise
        log.warning("sentences are verified without the checker: %s", error.message)
        return ""
