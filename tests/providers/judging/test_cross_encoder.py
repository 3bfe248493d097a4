"""A cross-encoder: the real runtime and tokenizer with a minimal model.

The log odds of the model are the number of tokens minus ten, so that each result can be calculated by hand.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import tokenizers

from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.judging.cross_encoder import MAX_TOKENS, EntailmentModel, log_odds

WORDS = ["the", "bridge", "is", "red", "green", "old", "and", "very", "long"]


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
    dimensions = b"".join(field(1, field(2, one.encode())) for one in shape)
    return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, dimensions)))


def node(operation: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(field(1, name.encode()) for name in inputs)
    return names + field(2, output.encode()) + field(4, operation.encode()) + attributes


FLOAT, INT64 = 1, 7


def counting_model() -> bytes:
    """Return an ONNX model: logits = sum(attention_mask, axis 1) - 10, shape (batch, 1)."""
    to_float = field(5, field(1, b"to") + field(3, FLOAT) + field(20, 2))
    axis = field(1, 1) + field(2, INT64) + field(8, b"axis") + field(9, (1).to_bytes(8, "little"))
    ten = field(2, FLOAT) + field(8, b"ten") + field(9, np.float32(10).tobytes())
    graph = (
        field(1, node("Cast", ["attention_mask"], "mask", to_float))
        + field(1, node("ReduceSum", ["mask", "axis"], "count"))
        + field(1, node("Sub", ["count", "ten"], "logits"))
        + field(2, b"counting")
        + field(5, axis)
        + field(5, ten)
        + field(11, tensor_info("input_ids", INT64, "batch", "length"))
        + field(11, tensor_info("attention_mask", INT64, "batch", "length"))
        + field(12, tensor_info("logits", FLOAT, "batch", "one"))
    )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "model.onnx").write_bytes(counting_model())
    return tmp_path


async def test_results_are_in_the_order_of_the_pairs(folder: Path) -> None:
    model = EntailmentModel(folder)
    pairs = [("the bridge is " + "old " * n, "the bridge is red") for n in (9, 0, 4, 1, 7, 2, 8, 3, 6, 5)]
    assert await model.entailed(pairs) == [n + 7 - 10 for n in (9, 0, 4, 1, 7, 2, 8, 3, 6, 5)]
    assert await model.entailed([]) == []
    await model.aclose()


async def test_a_long_passage_is_truncated_and_the_sentence_is_kept(folder: Path) -> None:
    model = EntailmentModel(folder)
    assert await model.entailed([("old " * 5000, "the bridge is red")]) == [MAX_TOKENS - 10]
    await model.aclose()


BROKEN = {
    "no model": ("model.onnx", None),
    "no tokenizer": ("tokenizer.json", None),
    "an invalid model": ("model.onnx", b"nonsense"),
    "an invalid tokenizer": ("tokenizer.json", b"{}"),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_an_incomplete_folder_is_a_provider_error(case: str, folder: Path) -> None:
    name, content = BROKEN[case]
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(ProviderError):
        await EntailmentModel(folder).entailed([("a", "b")])


LOGITS = {
    "one output is the log odds": ([[1.5], [-2.0]], [], [1.5, -2.0]),
    "two outputs: entailment against the other": ([[3.0, 1.0]], ["entailment", "not_entailment"], [2.0]),
    "three outputs: entailment against both others": (
        [[0.0, 0.0, 0.0]],
        ["contradiction", "ENTAILMENT", "neutral"],
        [-np.log(2)],
    ),
}


@pytest.mark.parametrize("case", LOGITS)
def test_logits_become_log_odds_of_entailment(case: str) -> None:
    logits, labels, expected = LOGITS[case]
    assert log_odds(np.array(logits), labels) == pytest.approx(expected)


@pytest.mark.parametrize("labels", [[], ["LABEL_0", "LABEL_1", "LABEL_2"], ["entailment", "neutral"]])
def test_outputs_without_a_name_for_entailment_are_an_error(labels: list[str]) -> None:
    with pytest.raises(BrokenStream):
        log_odds(np.zeros((1, 3)), labels)


async def test_names_of_outputs_are_read_from_the_folder(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "contradiction", "1": "entailment"}}), "utf-8")
    model = EntailmentModel(folder)
    with pytest.raises(ProviderError):  # the model has one output, not two
        await model.entailed([("the bridge", "is red")])
    await model.aclose()


@pytest.fixture
def cross_encoder() -> Path:
    """The folder of a real model. If `make test` has not downloaded it, tests fail in CI and are skipped elsewhere."""
    found = Path(sys.prefix) / "cross-encoder"
    if not found.is_dir():
        report = pytest.fail if os.environ.get("CI") else pytest.skip
        report("the real cross-encoder is missing: `make test` downloads it")
    return found


async def test_a_real_model_recognises_entailment(cross_encoder: Path) -> None:
    model = EntailmentModel(cross_encoder)
    passage = "The harbour bridge was opened to traffic in 1932 by the premier."
    same, other = await model.entailed([(passage, "The bridge opened in 1932."), (passage, "Penguins lay one egg.")])
    assert same > 0 > other
    await model.aclose()
