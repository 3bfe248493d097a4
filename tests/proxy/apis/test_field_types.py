"""Types of request fields: which one is reported, and where it is."""

from typing import Any, Literal

import pytest

from citestream.citation.evidence import FieldError
from citestream.proxy.apis.field_types import MAX_ELEMENTS, Items, JsonObject, Shape, Text, check

LONE_SURROGATE = "\ud83d"


class Part(Shape):
    text: Text | None = None


class Message(Shape):
    role: Text
    content: Text | Items[Text | Part] | None = None


class Request(Shape):
    messages: Items[Message]
    stop: Items[Text] | None = None
    tools: Items[JsonObject] | None = None
    tool: JsonObject | None = None
    format: Literal["json", ""] | JsonObject | None = None


USER = {"role": "user"}
MANY = 2 * MAX_ELEMENTS + 1

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a message after many": ({"messages": [USER] * MANY + [{}]}, f"messages[{MANY}].role: is missing"),
    "a part after many": (
        {"messages": [USER, {"role": "user", "content": ["a"] * MANY + [0]}]},
        f"messages[1].content[{MANY}]: must be a string or an object",
    ),
    "a field of a part after many": (
        {"messages": [{"role": "user", "content": [{}] * MANY + [{"text": 0}]}]},
        f"messages[0].content[{MANY}].text: must be a string",
    ),
    "the second of two long lists": (
        {"messages": [USER] * MANY, "stop": ["a"] * MANY + [0]},
        f"stop[{MANY}]: must be a string",
    ),
    "the first of many wrong elements": ({"messages": [USER], "tools": [0] * MANY}, "tools[0]: must be an object"),
    "a list for an object": ({"messages": [USER], "tool": []}, "tool: must be an object"),
    "a number for a list": ({"messages": 1}, "messages: must be a list"),
    "the innermost of two": ({"messages": [{"role": 1}], "tool": 1}, "messages[0].role: must be a string"),
    "an element after a lone surrogate": (
        {"messages": [{"role": "user", "content": [LONE_SURROGATE, 0]}]},
        "messages[0].content[1]: must be a string or an object",
    ),
    "a lone surrogate for one of several names": (
        {"messages": [USER], "format": LONE_SURROGATE},
        "format: must be valid Unicode",
    ),
}


@pytest.mark.parametrize(("body", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_field_is_reported_with_its_path(body: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldError) as raised:
        check(body, Request)
    assert str(raised.value) == message


def test_right_fields_of_any_length_are_accepted() -> None:
    parts = ["a", {"text": LONE_SURROGATE}] * MANY
    check({"messages": [{"role": LONE_SURROGATE, "content": parts}] * 3, "stop": ["a"] * MANY, "unread": [0]}, Request)
