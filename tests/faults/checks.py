"""Compare an answer that a client received with the expected result of a scenario."""

import re
from collections.abc import Iterator

from tests.faults.clients import Client, Received
from tests.faults.dialects import DIALECTS
from tests.faults.framing import joined
from tests.faults.scenarios import CITED, SECOND, Scenario
from tests.upstreams.wire import Break

WHOLE, CUT, NOTHING = "whole", "cut", "–"
ERRORS = {400, 502, 503, 504}  # statuses of an incomplete answer that is not streamed
_MODEL = re.compile(rb'"model"\s*:\s*"[^"]*"')
SECRETS = (b"internal", b"sk-secret", b"Traceback", b"127.0.0.1", b"<html>", b"/srv/")


def applies(scenario: Scenario, kind: str, client: Client) -> bool:
    """Return whether this provider can have this fault, and this client API can request the answer."""
    return kind in scenario.kinds and (scenario.choices == 1 or client.choices)


def check(
    scenario: Scenario, kind: str, client: Client, received: Received, raw: bytes, headers: dict[str, str]
) -> list[str]:
    """Return the differences from the expected result."""
    # A client whose bytes pass through has already received status 200.
    if scenario.status and (client.evidence or not scenario.headers_sent):
        return list(_refused(scenario, received, raw, headers))
    if scenario.error or scenario.status:
        if not client.streamed:
            expected = received.status in ERRORS and received.error
            return [] if expected else [f"status {received.status} for an incomplete answer"]
        return list(_incomplete(scenario, kind, client, received, raw))
    return list(_complete(scenario, kind, client, received, raw))


def _refused(scenario: Scenario, received: Received, raw: bytes, headers: dict[str, str]) -> Iterator[str]:
    if received.status != scenario.status:
        yield f"status {received.status} instead of {scenario.status}"
    if not received.error:
        yield "no error is reported"
    yield from (f"{secret!r} is in the answer" for secret in SECRETS if secret in raw)
    if scenario.retry_after and headers.get("retry-after") != "7":
        yield "Retry-After is missing"


def _incomplete(scenario: Scenario, kind: str, client: Client, received: Received, raw: bytes) -> Iterator[str]:
    text = "" if scenario.status else scenario.text
    if received.status != 200:
        yield f"status {received.status}"
        return
    if client.evidence and received.text() != text and not (scenario.lossy and text.startswith(received.text())):
        yield f"text {received.text()!r}"
    if not received.error:
        yield "no error is reported"
    if client.evidence:
        yield from (f"{secret!r} is in the answer" for secret in SECRETS if secret in raw)
    if received.reasons - {"error"}:
        yield f"a finish reason that was not sent: {received.reasons}"
    if client.evidence and not received.ended:
        yield "the end marker of the stream is missing"
    if client.evidence and CITED in received.text() and received.cited != ["bridge"]:
        yield f"references {received.cited}"
    comparable = text and not (client.evidence or scenario.lossy or scenario.changed)
    if comparable and not _without_model(raw).startswith(_without_model(_complete_events(scenario, kind))):
        yield "passed-through bytes have changed"


def _complete(scenario: Scenario, kind: str, client: Client, received: Received, raw: bytes) -> Iterator[str]:
    if received.status != 200 or received.error:
        yield f"status {received.status}, error {received.error!r}"
        return
    if not client.evidence:
        shown, sent = _without_model(raw), _without_model(_until_break(scenario, kind))
        complete = _without_model(_complete_events(scenario, kind))
        if shown != sent and not (scenario.partial_event and shown.startswith(complete)):
            yield "passed-through bytes have changed"
        return
    if received.text() != scenario.text:
        yield f"text {received.text()!r}"
    if scenario.choices == 2 and received.text(1) != "".join(SECOND):
        yield f"second text {received.text(1)!r}"
    if received.reasons != {scenario.reason}:
        yield f"end {received.reasons}"
    if received.cited != ["bridge"]:
        yield f"references {received.cited}"
    if not received.ended:
        yield "the end marker of the stream is missing"


def _without_model(data: bytes) -> bytes:
    """Return an answer without the name of its model: Anthropic's clients receive the one that they requested."""
    return _MODEL.sub(b"", data, count=1)


def _complete_events(scenario: Scenario, kind: str) -> bytes:
    events, separator, _ = _until_break(scenario, kind).rpartition(DIALECTS[kind].separator)
    return events + separator


def _until_break(scenario: Scenario, kind: str) -> bytes:
    pieces = []
    for piece in scenario.body(DIALECTS[kind]):
        if isinstance(piece, Break):
            break
        pieces.append(piece)
    return joined(pieces)
