"""Functions of all scripts of Python clients: the case, and one line of JSON that reports what the client received."""

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
CLOSE_SECONDS = 5.0  # until the stream of the provider must be closed

Seen = dict[str, Any]
Ask = Callable[[str], Seen]

_ways: list[dict[str, Any]] = []
_shown: dict[str, str] = {}


def way(name: str, via: str, ask: Ask, models: Sequence[str] = CASE["models"], **checks: Callable[[], Any]) -> None:
    """Run `ask(model)`, one way to use the client, for every provider, and report the results.

    `via`: the source of the references. `checks`: further checks, keys of checking.CHECKS.
    `ask` returns `text`, `usage`, `references` (their links or names), `text_at_offsets` (the text at their offsets),
    `not_returned` (fields that the client drops: name -> value, which must be empty).
    """
    found: dict[str, Any] = {"way": name, "via": via, "seen": {}}
    for model in models:
        found["seen"][model] = _guarded(lambda model=model: _printing(ask, model))
    with redirect_stdout(StringIO()):
        found |= {name: _guarded(check) for name, check in checks.items()}
    _ways.append(found)


def report(client: str, version: str) -> None:
    """Print the report as one line of JSON."""
    print(json.dumps({"client": client, "version": version, "ways": _ways, "shown": _shown}))


def raised(ask: Callable[[], Any]) -> Seen:
    """Return the type and message of the error that `ask` raises. Raise AssertionError if it raises none."""
    try:
        ask()
    except Exception as error:  # noqa: BLE001 - each client has its own errors
        return {"type": type(error).__name__, "message": str(error)}
    raise AssertionError("no error")


def broken(pieces: Callable[[], Iterable[str]]) -> Seen:
    """Return the text that arrives before a stream breaks off, and the error."""
    text: list[str] = []
    error = raised(lambda: text.extend(pieces()))
    return {"text": "".join(text), **error}


def provider_closed(model: str) -> bool:
    """Return whether Citestream closes the stream of the provider after the client has cancelled it."""
    with urlopen(f"{os.environ['SILENT']}/closed/{model}", timeout=CLOSE_SECONDS) as answer:
        return bool(answer.status == 200)


def stored_references(identity: str) -> list[Any]:
    """Return the references of an answer from the endpoint for clients that drop them."""
    request = Request(f"{CITESTREAM}/v1/references/{identity}", headers={"Authorization": f"Bearer {KEY}"})
    with urlopen(request) as answer:
        return list(json.load(answer)["references"])


def _printing(ask: Ask, model: str) -> Seen:
    with redirect_stdout(StringIO()) as printed:
        seen = ask(model)
    _shown.setdefault(ask.__name__, printed.getvalue())  # the output for the first model
    return seen


def _guarded(check: Callable[[], Any]) -> Any:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - the runner reports it
        return {"failed": f"{type(error).__name__}: {error}"}
