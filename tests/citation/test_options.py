"""The `citations` object: its defaults, which clients rely on, and the path and advice of an error."""

from dataclasses import asdict
from typing import Any

import pytest

from citestream.citation.evidence import FieldError
from citestream.citation.options import Options, parse_options

DEFAULTS: dict[str, Any] = {
    "enabled": True,
    "release": "sentence",
    "marker": "number",
    "numbering": "first_use",
    "placement": "after",
    "max_per_sentence": 4,
    "scorer": "lexical",
    "unsupported": "keep",
    "references_in_text": False,
    "references_when": "finish",
    "annotation_span": "marker",
    "abstain_below": 0.0,
    "enrich": False,
    "dialect": "openai",
}

# An invalid object, the path of the error, and a part of its message.
INVALID: dict[str, tuple[object, str, str]] = {
    "a list in place of an object": (["number"], "citations", "must be an object"),
    "an unknown key": ({"relase": "live"}, "citations.relase", "did you mean release?"),
    "a value that is not in the list": ({"marker": "bold"}, "citations.marker", "number, link, ragflow, name, none"),
    "text in place of a boolean": ({"enabled": "yes"}, "citations.enabled", "must be a boolean"),
    "a fraction": ({"max_per_sentence": 1.5}, "citations.max_per_sentence", "must be a whole number"),
    "a number below the minimum": ({"max_per_sentence": 0}, "citations.max_per_sentence", "must be at least 1"),
    "a share that is too large": ({"release": "whole", "abstain_below": 1.5}, "citations.abstain_below", "from 0 to 1"),
    "text in place of a share": ({"abstain_below": "0.5"}, "citations.abstain_below", "must be a number"),
    "a truth value in place of a share": ({"abstain_below": True}, "citations.abstain_below", "must be a number"),
    "a share that is no number": (
        {"release": "whole", "abstain_below": float("nan")},
        "citations.abstain_below",
        "from 0 to 1",
    ),
    "an answer that can no longer be replaced": (
        {"abstain_below": 0.5},
        "citations.abstain_below",
        'requires release "whole"',
    ),
    "a message without words": ({"abstain_message": " "}, "citations.abstain_message", "must not be empty"),
    "options that contradict each other": (
        {"unsupported": "drop", "release": "live"},
        "citations.unsupported",
        'cannot be "drop" with release "live"',
    ),
}


def test_the_defaults_are_those_of_the_documentation() -> None:
    assert {name: asdict(Options())[name] for name in DEFAULTS} == DEFAULTS


def test_missing_keys_have_the_defaults_of_the_configuration() -> None:
    configured = Options(marker="link", placement="before")
    assert parse_options(None, configured) == configured
    assert parse_options({"marker": "none"}, configured) == Options(marker="none", placement="before")


def test_a_whole_number_can_be_written_with_a_decimal_point() -> None:
    assert parse_options({"max_per_sentence": 2.0}, Options()) == Options(max_per_sentence=2)


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_value_is_named_with_its_path(case: str) -> None:
    raw, path, message = INVALID[case]
    with pytest.raises(FieldError, match=message.replace("?", r"\?")) as raised:
        parse_options(raw, Options())
    assert raised.value.path == path
