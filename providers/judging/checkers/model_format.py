"""How a checker is asked and what its output means, and the file `checker.json` that says so in the model's folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ...errors import ProviderError

FORMAT_FILE = "checker.json"
# Of sentence and passage together, in a folder without `checker.json`. Time grows faster than length; windows have 100.
DEFAULT_MAX_TOKENS = 256
ENTAILMENT = frozenset({"entailment", "entailed", "supported", "consistent", "label_entailment"})


class Output(StrEnum):
    """The shape of a model's output, and what it means."""

    LABELS = "labels"  # (batch, labels): logits of classes, one of which is entailment
    LOGIT = "logit"  # (batch, 1): log odds
    SEQUENCE = "sequence"  # (batch, tokens, labels): logits of the first token count


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """How a model is asked, and what its output means."""

    output: Output = Output.LABELS
    labels: tuple[
        str, ...
    ] = ()  # names of the outputs, in order; those of config.json, if it is there, must be the same
    entailment: int | None = None  # index of the label that counts; None: found by its name
    template: str = ""  # one text with {passage} and {sentence}; empty: a pair of texts
    max_tokens: int = DEFAULT_MAX_TOKENS  # maximum length of the input; longer passages are divided
    sentence_first: bool = False  # models that were trained for relevance read the sentence before the passage

    def __post_init__(self) -> None:
        """Raise ValueError for a template without its placeholders, or an impossible length."""
        if self.template and any(part not in self.template for part in ("{passage}", "{sentence}")):
            raise ValueError("template must contain {passage} and {sentence}")
        if not 16 <= self.max_tokens <= 8192:
            raise ValueError("max_tokens must be 16 to 8192")

    @property
    def entailment_index(self) -> int:
        """The index of the label that counts. Raise ProviderError if the labels do not say which it is."""
        if self.entailment is not None:
            return self.entailment
        indexes = [index for index, label in enumerate(self.labels) if label.lower() in ENTAILMENT]
        if len(indexes) != 1:
            names = ", ".join(self.labels) or "none"
            raise ProviderError(f"The labels of the checker do not say which one is entailment: {names}.")
        return indexes[0]

    def text(self, passage: str, sentence: str) -> str:
        """Return the template with both texts."""
        before, _, after = self.template.partition("{passage}")
        return before.replace("{sentence}", sentence) + passage + after.replace("{sentence}", sentence)


@dataclass(frozen=True, slots=True)
class InstalledFile:
    """A file of an installed model: where it came from and what it contains."""

    source: str  # path in the repository
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `checker.json`. A folder that a user made needs only the fields of the format."""

    model_format: ModelFormat
    id: str = ""  # organisation/model
    commit: str = ""  # commit of the downloaded files
    files: Mapping[str, InstalledFile] = field(default_factory=dict)  # by the name in the folder

    def write(self, folder: Path) -> None:
        """Write the file."""
        content = {"id": self.id, "commit": self.commit, "files": {n: asdict(f) for n, f in self.files.items()}}
        text = json.dumps({**content, **asdict(self.model_format)}, indent=2)
        (folder / FORMAT_FILE).write_text(f"{text}\n", "utf-8")


def read_manifest(folder: Path) -> Manifest | None:
    """Return the content of `checker.json`, None if there is none. Raise ProviderError if it is not valid."""
    path = folder / FORMAT_FILE
    if not path.is_file():
        return None
    try:
        content = dict(json.loads(path.read_text("utf-8")))
        files = {name: InstalledFile(**entry) for name, entry in content.pop("files", {}).items()}
        origin = {name: content.pop(name, "") for name in ("id", "commit")}
        content |= {"output": Output(content.get("output", Output.LABELS)), "labels": tuple(content.get("labels", ()))}
        return Manifest(ModelFormat(**content), files=files, **origin)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ProviderError(f"{path} is not valid: {error}") from None


def read_format(folder: Path) -> ModelFormat:
    """Return the format of the model in a folder. Raise ProviderError if `checker.json` and `config.json` disagree.

    Without `checker.json`, a model with several labels in `config.json` is asked for entailment, another for relevance.
    """
    labels = label_names(folder / "config.json")
    manifest = read_manifest(folder)
    if manifest is None:
        return from_labels(labels)
    check_labels(manifest.model_format, labels)
    return manifest.model_format


def from_labels(labels: Sequence[str], max_tokens: int = DEFAULT_MAX_TOKENS) -> ModelFormat:
    """Return the format of a model of which only the labels are known."""
    if not labels:
        return ModelFormat(Output.LOGIT, sentence_first=True, max_tokens=max_tokens)
    return ModelFormat(labels=tuple(labels), max_tokens=max_tokens)


def check_labels(expected: ModelFormat, labels: Sequence[str]) -> None:
    """Raise ProviderError if the labels of `config.json` are not the expected ones."""
    if (
        labels
        and expected.labels
        and [label.lower() for label in labels] != [label.lower() for label in expected.labels]
    ):
        raise ProviderError(
            f"The labels of the checker are {', '.join(labels)}, but {', '.join(expected.labels)} were expected."
        )


def label_names(config: Path) -> list[str]:
    """Return the names of the outputs in `config.json`, nothing for one output. Raise ProviderError if it is broken."""
    if not config.is_file():
        return []
    try:
        content: dict[str, Any] = json.loads(config.read_text("utf-8"))
        names = content.get("id2label") or {}
        labels = [str(names[key]) for key in sorted(names, key=int)]
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        raise ProviderError(f"{config} is not a configuration of a model.") from None
    return labels if len(labels) > 1 else []
