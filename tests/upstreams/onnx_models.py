"""Minimal ONNX models, written field by field, and a tokenizer of single words.

The log odds of each model are the number of tokens of its input minus ten, so that each result can be calculated by
hand.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tokenizers

WORDS = ["the", "bridge", "is", "red", "green", "old", "and", "very", "long"]
FLOAT, INT64 = 1, 7
TOKENS_FOR_EVEN_ODDS = 10


def field(number: int, value: int | bytes) -> bytes:
    """Return one field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def tensor_info(name: str, kind: int, *shape: str) -> bytes:
    dimensions = b"".join(field(1, field(2, axis.encode())) for axis in shape)
    return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, dimensions)))


def node(operation: str, inputs: Sequence[str], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(field(1, name.encode()) for name in inputs)
    return field(1, names + field(2, output.encode()) + field(4, operation.encode()) + attributes)


def constant(name: str, kind: int, values: Sequence[float]) -> bytes:
    array = np.array(values, dtype=np.float32 if kind == FLOAT else np.int64)
    return field(5, field(1, len(values)) + field(2, kind) + field(8, name.encode()) + field(9, array.tobytes()))


def model(nodes: bytes, *shape: str) -> bytes:
    """Return a model whose inputs are `input_ids` and `attention_mask`, and whose output has this shape."""
    graph = (
        nodes
        + field(2, b"counting")
        + constant("axis", INT64, [1])
        + constant("last", INT64, [2])
        + constant("ten", FLOAT, [TOKENS_FOR_EVEN_ODDS])
        + field(11, tensor_info("input_ids", INT64, "batch", "length"))
        + field(11, tensor_info("attention_mask", INT64, "batch", "length"))
        + field(12, tensor_info("logits", FLOAT, *shape))
    )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def odds(output: str) -> bytes:
    """Return nodes that compute sum(attention_mask, axis 1) - 10, shape (batch, 1)."""
    to_float = field(5, field(1, b"to") + field(3, FLOAT) + field(20, 2))
    return (
        node("Cast", ["attention_mask"], "mask", to_float)
        + node("ReduceSum", ["mask", "axis"], "count")
        + node("Sub", ["count", "ten"], output)
    )


def logit_model() -> bytes:
    """Return a model with the output (batch, 1)."""
    return model(odds("logits"), "batch", "one")


def labels_model(labels: int, entailment: int) -> bytes:
    """Return a model with the output (batch, labels). With two labels, the difference is the log odds."""
    row = [1.0 if index == entailment else 0.0 for index in range(labels)]
    nodes = odds("odds") + node("Mul", ["odds", "row"], "logits")
    return model(nodes + constant("row", FLOAT, row), "batch", "labels")


def first_token_model() -> bytes:
    """Return a model with the output (batch, tokens, 2). The logits of the second label are the log odds."""
    nodes = (
        odds("odds")
        + node("Unsqueeze", ["odds", "last"], "odds of all")
        + node("Unsqueeze", ["mask", "last"], "mask of all")
        + node("Mul", ["odds of all", "second"], "second logits")
        + node("Mul", ["mask of all", "nothing"], "zeros")
        + node("Add", ["second logits", "zeros"], "logits")
    )
    constants = constant("second", FLOAT, [0, 1]) + constant("nothing", FLOAT, [0, 0])
    return model(nodes + constants, "batch", "length", "two")


def tokenizer() -> bytes:
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return made.to_str().encode()


def config(*labels: str) -> bytes:
    return json.dumps({"id2label": {str(index): label for index, label in enumerate(labels)}}).encode()


def write_folder(folder: Path, onnx: bytes, *labels: str) -> Path:
    """Write a model to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(onnx)
    (folder / "tokenizer.json").write_bytes(tokenizer())
    if labels:
        (folder / "config.json").write_bytes(config(*labels))
    return folder
