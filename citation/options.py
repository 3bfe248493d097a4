"""Options: how a request wants its citations. The defaults stand here and nowhere else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .evidence import FieldError

Release = Literal["sentence", "live"]
MarkerStyle = Literal["number", "link", "ragflow", "name", "none"]
Numbering = Literal["first_use", "evidence"]
Placement = Literal["after", "before"]
Unsupported = Literal["keep", "flag", "drop"]
DialectName = Literal["openai", "ragflow", "writer", "perplexity", "openwebui"]


@dataclass(frozen=True, slots=True)
class Options:
    """The `citations` object of a request; each key has a default in the configuration."""

    enabled: bool = True
    release: Release = "sentence"
    marker: MarkerStyle = "number"
    numbering: Numbering = "first_use"
    placement: Placement = "after"
    max_per_sentence: int = 4
    scorer: str = "lexical"
    unsupported: Unsupported = "keep"
    unsupported_note: str = "(no supporting source)"
    references_in_text: bool = False
    enrich: bool = False
    explain: bool = False
    dialect: DialectName = "openai"

    def __post_init__(self) -> None:
        """Refuse what cannot work, by the name of the field."""
        if self.max_per_sentence < 1:
            raise FieldError("max_per_sentence", "must be at least 1")
        if self.unsupported == "drop" and self.release == "live":
            raise FieldError("unsupported", 'cannot be "drop" with release "live": what was shown cannot be left out')


def parse_options(raw: object, defaults: Options, path: str = "citations") -> Options:
    """Lay the keys of a request over the defaults. Raises FieldError with the path of the wrong one."""
    if raw is None:
        return defaults
    if not isinstance(raw, Mapping):
        raise FieldError(path, "must be an object")
    hints = _hints()
    for key in raw:
        if key not in hints:
            raise FieldError(f"{path}.{key}", f"is not an option{_meant(key, hints)}")
    changes = {key: _checked(value, hints[key], f"{path}.{key}") for key, value in raw.items()}
    try:
        return replace(defaults, **changes)
    except FieldError as error:
        raise FieldError(f"{path}.{error.path}", error.message) from None


@cache
def _hints() -> Mapping[str, Any]:
    """The type of each option. Found out once: it takes 60 µs."""
    return get_type_hints(Options)


def _meant(key: object, known: Collection[str]) -> str:
    close = get_close_matches(str(key), known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are: {', '.join(sorted(known))}"


def _checked(value: Any, hint: Any, path: str) -> Any:
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise FieldError(path, f"must be one of: {', '.join(get_args(hint))}")
    elif hint is int and isinstance(value, float) and value.is_integer():  # 3.0 is whole in JSON
        return int(value)
    elif type(value) is not hint:
        raise FieldError(path, f"must be a {_NAMES[hint]}")
    return value


_NAMES = {bool: "boolean", int: "whole number", str: "string"}
