"""A cross-encoder: the real runtime and tokenizer with minimal models.

The log odds of a model are the number of tokens minus ten, so that each result can be calculated by hand.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.judging.checkers.model_format import DEFAULT_MAX_TOKENS, ModelFormat, Output
from citestream.providers.judging.cross_encoder import EntailmentModel, log_odds
from tests.upstreams.onnx_models import first_token_model, labels_model, logit_model, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path, logit_model())


async def test_results_are_in_the_order_of_the_pairs(folder: Path) -> None:
    model = EntailmentModel(folder)
    pairs = [("the bridge is " + "old " * n, "the bridge is red") for n in (9, 0, 4, 1, 7, 2, 8, 3, 6, 5)]
    assert await model.entailed(pairs) == [n + 7 - 10 for n in (9, 0, 4, 1, 7, 2, 8, 3, 6, 5)]
    assert await model.entailed([]) == []
    await model.aclose()


async def test_a_long_passage_is_divided_and_the_sentence_is_in_each_part(folder: Path) -> None:
    model = EntailmentModel(folder)
    whole, long = await model.entailed([("old " * 6, "the bridge is red"), ("old " * 5000, "the bridge is red")])
    assert (whole, long) == (0, DEFAULT_MAX_TOKENS - 10), "the best part counts; each but the last is full"
    await model.aclose()


async def test_a_sentence_that_is_too_long_is_cut(folder: Path) -> None:
    model = EntailmentModel(folder)
    assert await model.entailed([("the bridge is red", "old " * 5000)]) == [DEFAULT_MAX_TOKENS - 10]
    assert await model.entailed([("", "old " * 5000)]) == [DEFAULT_MAX_TOKENS - 10]
    await model.aclose()


TEMPLATE = "old {passage} and {sentence} very"
FORMATS: dict[str, tuple[bytes, dict[str, object], tuple[str, ...]]] = {
    "one logit": (logit_model(), {"output": "logit"}, ()),
    "three labels, entailment second": (labels_model(3, 1), {"labels": ["contradiction", "entailment", "neutral"]}, ()),
    "two labels, entailment first": (labels_model(2, 0), {"labels": ["entailment", "not_entailment"]}, ()),
    "labels without names": (labels_model(2, 1), {"labels": ["0", "1"], "entailment": 1}, ("0", "1")),
    "the first of several tokens": (
        first_token_model(),
        {"output": "sequence", "labels": ["hallucinated", "consistent"]},
        (),
    ),
}


@pytest.mark.parametrize(("onnx", "given", "labels"), FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("template", ["", TEMPLATE])
async def test_every_kind_of_output_becomes_log_odds(
    tmp_path: Path, onnx: bytes, given: dict[str, object], labels: tuple[str, ...], template: str
) -> None:
    write_folder(tmp_path, onnx, *labels)
    (tmp_path / "checker.json").write_text(json.dumps({**given, "template": template, "max_tokens": 40}), "utf-8")
    model = EntailmentModel(tmp_path)
    short, long = await model.entailed([("the bridge is red", "the bridge is"), ("red " * 300, "the bridge")])
    tokens = 7 + (3 if template else 0)
    others = np.log(len(given.get("labels", "--")) - 1)  # type: ignore[arg-type]
    assert short == pytest.approx(tokens - 10 - others)
    assert long == pytest.approx(30 - others), "the template and the sentence are in every part"
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


ENTAILMENT_FIRST = ModelFormat(labels=("entailment", "not_entailment"))
LOGITS: dict[str, tuple[object, ModelFormat, int, list[float]]] = {
    "one output is the log odds": ([[1.5], [-2.0]], ModelFormat(Output.LOGIT), 0, [1.5, -2.0]),
    "two outputs: entailment against the other": ([[3.0, 1.0]], ENTAILMENT_FIRST, 0, [2.0]),
    "three outputs: entailment against both others": (
        [[0.0, 0.0, 0.0]],
        ModelFormat(labels=("contradiction", "ENTAILMENT", "neutral")),
        1,
        [-np.log(2)],
    ),
    "only the first token counts": ([[[1.0, 3.0], [9.0, 0.0]]], ModelFormat(Output.SEQUENCE, ("a", "b")), 1, [2.0]),
}


@pytest.mark.parametrize(("logits", "model_format", "entailment", "expected"), LOGITS.values(), ids=LOGITS)
def test_logits_become_log_odds_of_entailment(
    logits: object, model_format: ModelFormat, entailment: int, expected: list[float]
) -> None:
    assert log_odds(np.array(logits), model_format, entailment) == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (1, 2, 2), (1,)])
def test_an_output_of_another_shape_is_an_error(shape: tuple[int, ...]) -> None:
    with pytest.raises(BrokenStream):
        log_odds(np.zeros(shape), ENTAILMENT_FIRST, 0)


WRONG_FORMATS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "labels that do not name entailment": ("", ("LABEL_0", "LABEL_1"), "do not say which one is entailment"),
    "other labels than in config.json": (
        '{"labels": ["entailment", "not_entailment"]}',
        ("not_entailment", "entailment"),
        "The labels of the checker are not_entailment, entailment, but entailment, not_entailment were expected",
    ),
    "a template without the sentence": ('{"template": "{passage}"}', (), "template must contain"),
    "a kind of output that does not exist": ('{"output": "words"}', (), "checker.json is not valid"),
    "an unknown option": ('{"speed": 3}', (), "checker.json is not valid"),
    "an impossible length": ('{"max_tokens": 0}', (), "max_tokens must be"),
    "no JSON": ("{", (), "checker.json is not valid"),
}


@pytest.mark.parametrize(("content", "labels", "message"), WRONG_FORMATS.values(), ids=WRONG_FORMATS)
def test_a_format_that_cannot_be_right_is_refused_before_the_model_is_loaded(
    folder: Path, content: str, labels: tuple[str, ...], message: str
) -> None:
    write_folder(folder, labels_model(2, 0), *labels)
    if content:
        (folder / "checker.json").write_text(content, "utf-8")
    with pytest.raises(ProviderError, match=message):
        EntailmentModel(folder)


async def test_a_model_with_other_outputs_than_its_labels_is_an_error(folder: Path) -> None:
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
