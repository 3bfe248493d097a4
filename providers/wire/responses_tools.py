"""Tools of the Responses API, as a chat model takes them.

A chat model takes functions and custom tools. The tools of a namespace become tools of their own, and calls of them get
their namespace back. Tools that a server runs itself (web search, file search, ...) are left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .json_text import WrongField, as_list, as_object

Fields = dict[str, Any]
Name = tuple[str, str]  # the namespace of a tool, empty if it has none, and its name there

TYPES = ("function", "custom")
NAMESPACE = "namespace"
ALLOWED = "allowed_tools"
ONLY_TYPES = "only functions and custom tools can be used with a chat model"
_TYPE = re.compile(r"\w{1,64}", re.ASCII)
MAX_NAME_CHARACTERS = 64  # characters in the name of a function, the limit of OpenAI and of Anthropic


class ChatTools:
    """The tools of one request. `omitted`: the types of those that no chat model has."""

    def __init__(self, tools: object = None) -> None:
        """`tools`: of the request."""
        listed = [*_listed(tools)]
        self.omitted = tuple(dict.fromkeys(_type(tool) for _, tool in listed if not _is_usable(tool)))
        usable = [(space, tool) for space, tool in listed if _is_usable(tool)]
        self._chat_names = _chat_names((space, str(tool.get("name") or "")) for space, tool in usable)
        self._names = {chat_name: name for name, chat_name in self._chat_names.items()}
        self._tools = [_chat_tool(tool, self.chat_name(space, tool.get("name"))) for space, tool in usable]

    def params(self, choice: object) -> Fields:
        """Return the parameters about tools of a chat request. `choice`: `tool_choice` of the request.

        Raises WrongField for a tool without a type, and if an omitted tool is chosen.
        """
        if "" in self.omitted:
            raise WrongField("tools", "has a tool without a type")
        params: Fields = {"tools": self._tools} if self._tools else {}
        if isinstance(choice, Mapping) and choice.get("type") == ALLOWED:
            return self._allowed(choice)
        if isinstance(choice, Mapping):
            params["tool_choice"] = self._choice(choice)
        elif choice == "required" and self.omitted and not self._tools:
            raise WrongField("tool_choice", ONLY_TYPES)
        elif choice and (self._tools or not self.omitted):
            params["tool_choice"] = choice
        return params

    def chat_name(self, namespace: object, name: object) -> str:
        """Return the name of a tool for a chat model."""
        return self._chat_names.get((str(namespace or ""), str(name or "")), str(name or ""))

    def call_name(self, chat_name: str) -> Fields:
        """Return the fields that name the tool of a call, by the name that a chat model used."""
        namespace, name = self._names.get(chat_name, ("", chat_name))
        return {"name": name, "namespace": namespace} if namespace else {"name": name}

    def _allowed(self, choice: Mapping[str, Any]) -> Fields:
        """Return the parameters for a choice among some of the tools. Chat models get no others."""
        named = [as_object(tool) for tool in as_list(choice.get("tools"))]
        names = {self.chat_name(tool.get("namespace"), tool.get("name")) for tool in named if tool.get("type") in TYPES}
        tools = [tool for tool in self._tools if tool[tool["type"]].get("name") in names]
        mode = choice.get("mode") or "auto"
        if not tools and mode == "required":
            raise WrongField("tool_choice.tools", "names none of the functions and custom tools of the request")
        return {"tools": tools, "tool_choice": mode} if tools else {}

    def _choice(self, choice: Mapping[str, Any]) -> Fields:
        kind = choice.get("type")
        if kind not in TYPES:
            raise WrongField("tool_choice.type", ONLY_TYPES)
        return {"type": kind, kind: {"name": self.chat_name(choice.get("namespace"), choice.get("name"))}}


def _listed(tools: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each tool with its namespace."""
    for tool in map(as_object, as_list(tools)):
        if tool.get("type") == NAMESPACE:
            for inner in map(as_object, as_list(tool.get("tools"))):
                yield str(tool.get("name") or ""), inner
        else:
            yield "", tool


def _type(tool: Mapping[str, Any]) -> str:
    """Return the type of a tool, empty if it is not a name."""
    kind = tool.get("type")
    return kind if isinstance(kind, str) and _TYPE.fullmatch(kind) else ""


def _is_usable(tool: Mapping[str, Any]) -> bool:
    return tool.get("type") in TYPES


def _chat_names(names: Iterable[Name]) -> dict[Name, str]:
    """Return a name for each tool. A tool whose name has been used gets its namespace in front of its name."""
    chat_names: dict[Name, str] = {}
    used: set[str] = set()
    for space, name in sorted(names, key=lambda item: bool(item[0])):  # tools without a namespace keep their names
        chat_name = f"{space.rstrip('_')}__{name}"[-MAX_NAME_CHARACTERS:] if space and name in used else name
        used.add(chat_name)
        chat_names.setdefault((space, name), chat_name)
    return chat_names


def _chat_tool(tool: Mapping[str, Any], chat_name: str) -> Fields:
    kind = tool["type"]
    fields = {key: value for key, value in tool.items() if key != "type"}
    form = as_object(fields.get("format"))
    if kind == "custom" and form.get("type") == "grammar":
        fields["format"] = {"type": "grammar", "grammar": {key: form[key] for key in form if key != "type"}}
    return {"type": kind, kind: {**fields, "name": chat_name} if "name" in fields else fields}
