"""Citation options of a request. Each default is defined here only."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .evidence import FieldError

Release = Literal["sentence", "live", "whole"]
MarkerStyle = Literal["number", "link", "ragflow", "name", "none"]
Numbering = Literal["first_use", "evidence"]
Placement = Literal["after", "before"]
Unsupported = Literal["keep", "flag", "drop"]
ReferencesWhen = Literal["finish", "first_use"]
Strictness = Literal["strict", "balanced", "lenient"]
AnnotationSpan = Literal["marker", "claim"]
DialectName = Literal["openai", "ragflow", "writer", "perplexity", "openwebui"]


@dataclass(frozen=True, slots=True)
class Options:
    """The `citations` object of a request. The configuration can change each default."""

    enabled: bool = True
    release: Release = "sentence"
    marker: MarkerStyle = "number"
    numbering: Numbering = "first_use"
    placement: Placement = "after"
    max_per_sentence: int = 4
    scorer: str = "lexical"
    strictness: Strictness = "balanced"
    unsupported: Unsupported = "keep"
    unsupported_note: str = "(no supporting source)"
    references_in_text: bool = False
    references_when: ReferencesWhen = "finish"
    annotation_span: AnnotationSpan = "marker"
    enrich: bool = False
    judge: bool = True  # only if the configuration names a judge
    explain: bool = False
    abstain_below: float = 0.0  # share of supported claims; 0: never
    abstain_message: str = "The sources do not support an answer to this question."
    dialect: DialectName = "openai"

    def __post_init__(self) -> None:
        """Raise FieldError, with the name of the field, if the options contradict each other."""
        if self.max_per_sentence < 1:
            raise FieldError("max_per_sentence", "must be at least 1")
        if self.unsupported == "drop" and self.release == "live":
            raise FieldError("unsupported", 'cannot be "drop" with release "live": shown text cannot be removed')
        if not 0 <= self.abstain_below <= 1:
            raise FieldError("abstain_below", "must be a share from 0 to 1")
        if self.abstain_below and self.release != "whole":
            raise FieldError("abstain_below", 'requires release "whole": text that was sent cannot be replaced')
        if not self.abstain_message.strip():
            raise FieldError("abstain_message", "must not be empty")


def parse_options(raw: object, defaults: Options, path: str = "citations") -> Options:
    """Return the options of a request, with `defaults` for missing keys. Raise FieldError if one is invalid."""
    if raw is None:
        return defaults
    if not isinstance(raw, Mapping):
        raise FieldError(path, "must be an object")
    types = _types()
    for key in raw:
        if key not in types:
            raise FieldError(f"{path}.{key}", f"is not an option{_suggestion(key, types)}")
    changes = {key: _checked(value, types[key], f"{path}.{key}") for key, value in raw.items()}
    try:
        return replace(defaults, **changes)
    except FieldError as error:
        raise FieldError(f"{path}.{error.path}", error.message) from None


@cache  # 60 µs per call otherwise
def _types() -> Mapping[str, Any]:
    """Return the type of each option."""
    return get_type_hints(Options)


def _suggestion(key: object, keys: Collection[str]) -> str:
    close = get_close_matches(str(key), keys, n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are: {', '.join(sorted(keys))}"


def _checked(value: Any, expected: Any, path: str) -> Any:
    if get_origin(expected) is Literal:
        if value not in get_args(expected):
            raise FieldError(path, f"must be one of: {', '.join(get_args(expected))}")
    elif expected is float and type(value) is int:
        return float(value)
    elif expected is int and isinstance(value, float) and value.is_integer():  # some clients write whole numbers as 3.0
        return int(value)
    elif type(value) is not expected:
        raise FieldError(path, f"must be a {_TYPE_NAMES[expected]}")
    return value


_TYPE_NAMES = {bool: "boolean", int: "whole number", float: "number", str: "string"}
