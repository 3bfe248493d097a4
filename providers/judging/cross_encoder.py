"""A cross-encoder on this machine: a folder with `model.onnx` and `tokenizer.json`, as model hubs export them.

It reads a passage and a sentence together. A model with one output returns the log odds that they match. For a model
with three outputs `config.json` names the one for entailment. It needs the extra `onnx`. A pair of 100 tokens takes
25 ms on one core with 33 million weights in int8.
"""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BrokenStream, ProviderError, translate
from ..install_hint import install_command

PACKAGES = ("onnxruntime", "tokenizers")
MAX_TOKENS = 256  # sentence and passage together; time grows faster than length, and windows have 100
BATCH = 8  # pairs that are padded to the same length

Pair = tuple[str, str]  # passage, sentence


def require_packages() -> None:
    """Raise ProviderError with the installation command if a package is missing."""
    if not all(map(find_spec, PACKAGES)):
        raise ProviderError(f"The scorer `entailment` needs packages: {install_command('onnx')}")


class EntailmentModel:
    """Runs in a thread of its own, never in the event loop."""

    def __init__(self, folder: str | Path) -> None:
        """Start to load in the thread. Raises ProviderError if the model or the extra is missing."""
        self._folder = Path(folder)
        require_packages()
        missing = [name for name in ("model.onnx", "tokenizer.json") if not (self._folder / name).is_file()]
        if missing:
            raise ProviderError(f"The folder of the entailment model lacks {' and '.join(missing)}.")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="entailment")
        self._loaded: Future[_Loaded] = self._thread.submit(_Loaded, self._folder)

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
        try:
            loaded = await asyncio.wrap_future(self._loaded)
            return await asyncio.get_running_loop().run_in_executor(self._thread, loaded.entailed, list(pairs))
        except Exception as error:  # noqa: BLE001 - the runtime may raise anything
            raise translate(error, "entailment model") from None

    async def aclose(self) -> None:
        """Stop the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class _Loaded:
    """The model and its tokenizer."""

    def __init__(self, folder: Path) -> None:
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # the other cores are for other requests
        self._session = runtime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        self._tokenizer.enable_padding()
        self._labels = _label_names(folder / "config.json")

    def entailed(self, pairs: list[Pair]) -> list[float]:
        """Return the log odds. Pairs of similar length share a batch."""
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]) + len(pairs[at][1]))
        found = [0.0] * len(pairs)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for at, odds in zip(batch, self._odds([pairs[i] for i in batch]).tolist(), strict=True):
                found[at] = odds
        return found

    def _odds(self, pairs: list[Pair]) -> NDArray[np.float64]:
        # A model trained for relevance takes the question first, one trained for entailment the premise.
        ordered = pairs if self._labels else [(sentence, passage) for passage, sentence in pairs]
        encoded = self._tokenizer.encode_batch(ordered)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
        }
        logits = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        return log_odds(np.asarray(logits, dtype=np.float64), self._labels)


def log_odds(logits: NDArray[np.float64], labels: Sequence[str]) -> NDArray[np.float64]:
    """Return the log odds (n,) of entailment against all other classes, from logits (n, classes).

    Raises BrokenStream if the classes have no names.
    """
    if logits.ndim != 2 or not np.isfinite(logits).all():
        raise BrokenStream("The entailment model's answer is not a row of numbers for each pair.")
    if logits.shape[1] == 1 and not labels:
        return np.asarray(logits[:, 0])
    entailment = [index for index, label in enumerate(labels) if _is_entailment(label)]
    if len(entailment) != 1 or len(labels) != logits.shape[1]:
        raise BrokenStream("The entailment model's config.json does not say which output is entailment.")
    others = np.delete(logits, entailment, axis=1)
    top = others.max(axis=1)
    return np.asarray(logits[:, entailment[0]] - top - np.log(np.exp(others - top[:, None]).sum(axis=1)))


def _is_entailment(label: str) -> bool:
    return label.lower() in {"entailment", "entailed", "supported", "consistent", "label_entailment"}


def _label_names(config: Path) -> list[str]:
    """Return the names of the outputs, nothing for a model with one output."""
    if not config.is_file():
        return []
    names = json.loads(config.read_text("utf-8")).get("id2label") or {}
    labels = [str(names[key]) for key in sorted(names, key=int)]
    return labels if len(labels) > 1 else []
