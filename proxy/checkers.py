"""The folder of a local checker that a configuration names: a preset, `hf:ORGANISATION/MODEL`, or a folder."""

import logging
from pathlib import Path

from citestream.providers.errors import ProviderError
from citestream.providers.judging.checkers import FORMS, find_checker

from .config.evidence_options import ONNX, ScoringConfig

log = logging.getLogger("citestream")


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
