"""Known checkers: one row per model, with everything that cannot be read from its files.

Each revision is a commit, or `main` if none is known. Hashes are those of files that others verified and published; a
file without one is trusted at its first download (`download`). Sizes and licences are those of the model pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .model_format import ModelFormat, Output
from .processors import Processor

_NLI = ("contradiction", "entailment", "neutral")
_ENTAILMENT_FIRST = ("entailment", "neutral", "contradiction")
_QUANTIZED = {Processor.ANY: "onnx/model_quantized.onnx"}


@dataclass(frozen=True, slots=True)
class Preset:
    """A known checker."""

    id: str  # organisation/model on the hub
    revision: str
    licence: str
    languages: str
    megabytes: int  # size of the ONNX file
    onnx: Mapping[Processor, str]  # path of the file for each processor; empty: none is published
    model_format: ModelFormat
    note: str
    config: bool = True  # whether the repository has config.json
    sha256: Mapping[str, str] = field(default_factory=dict)  # known hashes, by path


PRESETS: dict[str, Preset] = {
    "nli-small": Preset(
        id="cross-encoder/nli-deberta-v3-small",
        revision="fa2804872c3b4bd748f38c0185cc85775361e735",
        licence="Apache-2.0",
        languages="English",
        megabytes=173,
        onnx={
            Processor.AVX512_VNNI: "onnx/model_qint8_avx512_vnni.onnx",
            Processor.AVX512: "onnx/model_qint8_avx512.onnx",
            Processor.AVX2: "onnx/model_quint8_avx2.onnx",
            Processor.ARM64: "onnx/model_qint8_arm64.onnx",
            Processor.ANY: "onnx/model.onnx",
        },
        model_format=ModelFormat(labels=_NLI, max_tokens=512),
        note="the safe default; trained on short premises",
        sha256={
            "onnx/model_quint8_avx2.onnx": "03c2221313dc0c3eac9cec1f746d1319d33f2c2901fcce1c0f08f4daac9b6dae",
            "tokenizer.json": "5124ef2ead1a10a717703bc436de7f353da76d6340e4587719b42b1693707964",
            "config.json": "885d0dceae8fa5c136da9209121ec9eb11160488e840de3bc1f29353674e5712",
        },
    ),
    "nli-xsmall": Preset(
        id="MoritzLaurer/DeBERTa-v3-xsmall-mnli-fever-anli-ling-binary",
        revision="main",
        licence="MIT",
        languages="English",
        megabytes=87,
        onnx=_QUANTIZED,
        model_format=ModelFormat(labels=("entailment", "not_entailment"), max_tokens=512),
        note="the smallest; trained on claims and evidence too",
    ),
    "nli-large": Preset(
        id="MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli",
        revision="b3546ea6b0346eb6f8d5d68b13c7dc6d0376b3d7",
        licence="MIT",
        languages="English",
        megabytes=643,
        onnx=_QUANTIZED,
        model_format=ModelFormat(labels=_ENTAILMENT_FIRST, max_tokens=512),
        note="trained on adversarial pairs and on claims and evidence; slow without a fast processor",
    ),
    "nli-multilingual": Preset(
        id="MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
        revision="b5113eb38ab63efdd7f280f8c144ea8b13f978ce",
        licence="MIT",
        languages="27, among them German, French, Spanish, Chinese",
        megabytes=339,
        onnx=_QUANTIZED,
        model_format=ModelFormat(labels=_ENTAILMENT_FIRST, max_tokens=512),
        note="the only one for other languages than English",
    ),
    "hhem": Preset(
        id="FamiliarTools/HHEM-2.1-Open-onnx",
        revision="837e48491cbfe5a7334b26b6e2e9d7b2ff074b12",
        licence="Apache-2.0 (the original model; an export by others)",
        languages="English",
        megabytes=419,
        onnx={Processor.ANY: "model.onnx"},
        model_format=ModelFormat(
            output=Output.SEQUENCE,
            labels=("hallucinated", "consistent"),
            template="<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {passage}\n\n"
            "Hypothesis: {sentence}",
            max_tokens=512,
        ),
        note="made to find hallucinations in summaries",
        config=False,
    ),
    "factcg": Preset(
        id="yaxili96/FactCG-DeBERTa-v3-Large",
        revision="0430e3509dbd28d2dff7a117c0eae25359ff3e80",
        licence="MIT",
        languages="English",
        megabytes=640,
        onnx={},
        model_format=ModelFormat(
            labels=("0", "1"),
            entailment=1,
            template="{passage}\n\nChoose your answer: based on the paragraph above can we conclude that "
            '"{sentence}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is ',
            max_tokens=512,
        ),
        note="the best below 1 GB on LLM-AggreFact; publishes no ONNX file, so it must be exported",
    ),
}
