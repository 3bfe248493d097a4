"""A cross-encoder on this machine: a folder with `model.onnx` and `tokenizer.json`, as model hubs export them.

It reads a passage and a sentence together. `checker.json` says how the model is asked and what its output means
(`checkers.model_format`); without this file, a model with one output returns the log odds that both match, and for a
model with three outputs `config.json` names the one for entailment. It needs the extra `onnx`. A pair of 100 tokens
takes 25 ms on one core with 33 million weights in int8.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BrokenStream, ProviderError, translate
from ..install_hint import install_command
from .checkers.download import verify
from .checkers.model_format import ModelFormat, Output, read_format

PACKAGES = ("onnxruntime", "tokenizers")
PADDING_TOKENS = ("[PAD]", "<pad>")  # their names in DeBERTa and T5
ERRORS_ONLY = 3  # log level of the runtime, which warns about every model that could be smaller
BATCH = 8  # inputs that are padded to the same length
MIN_PASSAGE_TOKENS = 32  # minimum length of a part, even if the sentence leaves no room for it
OVERLAP = 0.25  # share of a part that the next one repeats, so that a fact is not cut in two
MAX_PARTS = 8  # maximum for one passage: each costs as much as a short pair

Pair = tuple[str, str]  # passage, sentence


def require_packages() -> None:
    """Raise ProviderError with the installation command if a package is missing."""
    if not all(map(find_spec, PACKAGES)):
        raise ProviderError(f"The scorer `checker` needs packages: {install_command('onnx')}")


class EntailmentModel:
    """Runs in a thread of its own, never in the event loop."""

    def __init__(self, folder: str | Path) -> None:
        """Start to load in the thread. Raises ProviderError if the model or the extra is missing."""
        self._folder = Path(folder)
        require_packages()
        missing = [name for name in ("model.onnx", "tokenizer.json") if not (self._folder / name).is_file()]
        if missing:
            raise ProviderError(f"The folder of the entailment model lacks {' and '.join(missing)}.")
        model_format = read_format(self._folder)
        if model_format.output is not Output.LOGIT:
            _ = model_format.entailment_index  # raises ProviderError
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="entailment")
        self._loaded: Future[_Loaded] = self._thread.submit(_Loaded, self._folder, model_format)

    async def load(self) -> None:
        """Wait until the model is loaded. Raises ProviderError."""
        try:
            await asyncio.shield(asyncio.wrap_future(self._loaded))
        except Exception as error:  # noqa: BLE001 - the runtime may raise anything
            raise translate(error, "entailment model") from None

    async def entailed(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the log odds that each passage entails its sentence. Raises ProviderError."""
        if not pairs:
            return []
        stopped = Event()
        try:
            loaded = await asyncio.shield(asyncio.wrap_future(self._loaded))
            return await asyncio.get_running_loop().run_in_executor(self._thread, loaded.entailed, list(pairs), stopped)
        except asyncio.CancelledError:
            stopped.set()  # a caller that waits no longer must not delay others
            raise
        except Exception as error:  # noqa: BLE001 - the runtime may raise anything
            raise translate(error, "entailment model") from None

    async def aclose(self) -> None:
        """Stop the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class _Loaded:
    """The model and its tokenizer."""

    def __init__(self, folder: Path, model_format: ModelFormat) -> None:
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        verify(folder)
        self._format = model_format
        self._entailment = 0 if self._format.output is Output.LOGIT else self._format.entailment_index
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # the other cores are for other requests
        options.log_severity_level = ERRORS_ONLY
        self._session = runtime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        ids = (self._tokenizer.token_to_id(token) for token in PADDING_TOKENS)
        self._pad = next((number for number in ids if number is not None), 0)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def entailed(self, pairs: list[Pair], stopped: Event) -> list[float]:
        """Return the log odds. Inputs of similar length share a batch; of the parts of a passage, the best counts.

        The rest is left out as soon as `stopped` is set.
        """
        rows: list[int] = []
        encodings: list[Any] = []
        for row, pair in enumerate(pairs):
            parts = self._encode(*pair)
            rows += [row] * len(parts)
            encodings += parts
        best = np.full(len(pairs), -np.inf)
        order = sorted(range(len(encodings)), key=lambda index: len(encodings[index].ids))
        for start in range(0, len(order), BATCH):
            if stopped.is_set():
                break
            batch = order[start : start + BATCH]
            np.maximum.at(best, [rows[index] for index in batch], self._odds([encodings[index] for index in batch]))
        return [float(value) for value in best]

    def _encode(self, passage: str, sentence: str) -> list[Any]:
        """Return the encoding of a pair; several if the passage is too long, each of a part of it."""
        whole = self._encoding(passage, sentence)
        if len(whole.ids) <= self._format.max_tokens:
            return [whole]
        tokens = self._tokenizer.encode(passage, add_special_tokens=False)
        other_tokens = len(whole.ids) - len(tokens.ids)
        room = max(MIN_PASSAGE_TOKENS, self._format.max_tokens - other_tokens)
        starts = range(0, len(tokens.ids), max(1, round(room * (1 - OVERLAP))))
        parts = [passage[slice(*_bounds(tokens.offsets[start : start + room]))] for start in starts[:MAX_PARTS]]
        return [self._fitted(part, sentence) for part in parts or [passage]]

    def _fitted(self, passage: str, sentence: str) -> Any:
        """Return the encoding of a pair that fits. The sentence is shortened only if it alone is too long."""
        encoding = self._encoding(passage, sentence)
        excess = len(encoding.ids) - self._format.max_tokens
        if excess > 0:  # a part of a text can have more tokens than it has inside the text
            tokens = self._tokenizer.encode(passage, add_special_tokens=False)
            offsets = tokens.offsets[: max(1, len(tokens.ids) - excess - 1)]
            encoding = self._encoding(passage[slice(*_bounds(offsets))], sentence)
            encoding.truncate(self._format.max_tokens)
        return encoding

    def _encoding(self, passage: str, sentence: str) -> Any:
        if self._format.template:
            return self._tokenizer.encode(self._format.text(passage, sentence))
        pair = (sentence, passage) if self._format.sentence_first else (passage, sentence)
        return self._tokenizer.encode(*pair)

    def _odds(self, encodings: list[Any]) -> NDArray[np.float64]:
        length = max(len(encoding.ids) for encoding in encodings)

        def padded(values: list[Sequence[int]], filler: int) -> NDArray[np.int64]:
            return np.array([[*row, *[filler] * (length - len(row))] for row in values], dtype=np.int64)

        inputs = {
            "input_ids": padded([encoding.ids for encoding in encodings], self._pad),
            "attention_mask": padded([encoding.attention_mask for encoding in encodings], 0),
            "token_type_ids": padded([encoding.type_ids for encoding in encodings], 0),
        }
        logits = self._session.run(None, {name: value for name, value in inputs.items() if name in self._inputs})[0]
        return log_odds(np.asarray(logits, dtype=np.float64), self._format, self._entailment)


def _bounds(offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return where the text of these tokens begins and ends."""
    return min((start for start, _ in offsets), default=0), max((end for _, end in offsets), default=0)


def log_odds(logits: NDArray[np.float64], model_format: ModelFormat, entailment: int) -> NDArray[np.float64]:
    """Return the log odds (n,) of the label `entailment` against all others.

    `logits`: (n, labels), (n, 1) or (n, tokens, labels), as the format says. Raises BrokenStream for another shape.
    """
    dimensions = 3 if model_format.output is Output.SEQUENCE else 2
    if logits.ndim != dimensions or not np.isfinite(logits).all():
        raise BrokenStream("The entailment model's answer is not a row of numbers for each pair.")
    if dimensions == 3:
        logits = logits[:, 0, :]
    labels = 1 if model_format.output is Output.LOGIT else len(model_format.labels)
    if logits.shape[1] != labels:
        raise BrokenStream(f"The entailment model has {logits.shape[1]} outputs, but {labels} were expected.")
    if model_format.output is Output.LOGIT:
        return np.asarray(logits[:, 0])
    other_logits = np.delete(logits, entailment, axis=1)
    top = other_logits.max(axis=1)
    return np.asarray(logits[:, entailment] - top - np.log(np.exp(other_logits - top[:, None]).sum(axis=1)))
