"""The folder of a local checker that a configuration names: a preset, `hf:ORGANISATION/MODEL`, or a folder."""

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from citestream.citation.support.scorers.checker import CheckerWeights, default_weights
from citestream.providers.errors import ProviderError
from citestream.providers.judging.checkers import FORMS, NAMED, find_checker, installed
from citestream.providers.judging.checkers.model_format import Output, read_format

from .config import ConfigError
from .config.evidence_options import ONNX, ScoringConfig

log = logging.getLogger("citestream")

WEIGHTS_FILE = "citestream.json"  # in the folder of a model: its fitted weights
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
        try:
            checker, result = find_checker(f"{NAMED}{model}@{revision}"), measured(folder)
        except ProviderError:  # the folder was renamed
            continue
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


def is_worthwhile(folder: str) -> bool:
    """Return whether a checker was measured to improve the citations, or else whether its weights were fitted."""
    if result := measured(folder):
        return result.gain >= WORTHWHILE
    return (Path(folder) / WEIGHTS_FILE).is_file()


def weights_of(folder: str) -> CheckerWeights:
    """Return the weights in the folder of a checker, or else the default ones. Raise ConfigError for a broken file."""
    path = Path(folder) / WEIGHTS_FILE
    if not folder or not path.is_file():
        return unfitted_weights(folder)
    try:
        return CheckerWeights(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def unfitted_weights(folder: str) -> CheckerWeights:
    """Return the default weights for the kind of a checker. Raise ConfigError if a file in its folder is broken."""
    try:
        is_relevance = folder and read_format(Path(folder)).output is Output.LOGIT
    except ProviderError as error:
        raise ConfigError(f"scoring.checker: {error.message}") from None
    return default_weights("relevance" if is_relevance else "entailment")
