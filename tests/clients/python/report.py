"""Shared by the scripts of Python clients: the case, and the one line of JSON that reports what the client saw."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

CASE = json.loads((Path(__file__).parent.parent / "case.json").read_text("utf-8"))
CITESTREAM = os.environ.get("CITESTREAM", "http://127.0.0.1:8787")
KEY = os.environ.get("CITESTREAM_KEY", "none")
LEAVE_SECONDS = 5.0  # within which the provider of a client that leaves has to be let go

Seen = dict[str, Any]
Look = Callable[[str], Seen]

_ways: list[dict[str, Any]] = []
_shown: dict[str, str] = {}


def way(name: str, via: str, ask: Look, models: Sequence[str] = CASE["models"], **looks: Callable[[], Any]) -> None:
    """Run `ask(model)`, one way to use the client, for every provider, and report the results.

    `via`: the source of the references. `looks`: further checks, keys of judging.LOOKS.
    `ask` returns `text`, `usage`, `references` (their links or names), `points_at` (the text at their offsets),
    `lost` (what its user looks for in vain: name -> what is there instead, nothing).
    """
    found: dict[str, Any] = {"way": name, "via": via, "seen": {}}
    for model in models:
        found["seen"][model] = _guarded(lambda model=model: _printing(ask, model))
    with redirect_stdout(StringIO()):
        found |= {look: _guarded(function) for look, function in looks.items()}
    _ways.append(found)


def report(client: str, version: str) -> None:
    """Print the line."""
    print(json.dumps({"client": client, "version": version, "ways": _ways, "shown": _shown}))


def raised(ask: Callable[[], Any]) -> Seen:
    """The error that asking ends with: its type and message. Raises AssertionError where it ends without one."""
    try:
        ask()
    except Exception as error:  # noqa: BLE001 - whichever a client raises
        return {"type": type(error).__name__, "message": str(error)}
    raise AssertionError("no error")


def broken(pieces: Callable[[], Iterable[str]]) -> Seen:
    """The text that arrives before a stream breaks off, and the error."""
    text: list[str] = []
    error = raised(lambda: text.extend(pieces()))
    return {"text": "".join(text), **error}


def left(model: str) -> bool:
    """Whether the provider of this stream, which the client has just left, was let go."""
    with urlopen(f"{os.environ['SILENT']}/left/{model}", timeout=LEAVE_SECONDS) as answer:
        return bool(answer.status == 200)


def side(identity: str) -> list[Any]:
    """The references of an answer, from the endpoint for clients that drop them."""
    asked = Request(f"{CITESTREAM}/v1/references/{identity}", headers={"Authorization": f"Bearer {KEY}"})
    with urlopen(asked) as answer:
        return list(json.load(answer)["references"])


def _printing(ask: Look, model: str) -> Seen:
    with redirect_stdout(StringIO()) as printed:
        seen = ask(model)
    _shown.setdefault(ask.__name__, printed.getvalue())  # the output for the first model
    return seen


def _guarded(look: Callable[[], Any]) -> Any:
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - the runner tells
        return {"failed": f"{type(error).__name__}: {error}"}
