"""Check which parts of a faulty answer a client receives."""

from collections.abc import Iterator

from tests.faults.clients import Client, Seen
from tests.faults.dialects import DIALECTS
from tests.faults.framing import joined
from tests.faults.scenarios import CITED, SECOND, Scenario
from tests.upstreams.wire import Break

WHOLE, CUT, NOTHING = "whole", "cut", "–"
ERRORS = {400, 502, 503, 504}  # status codes of a broken answer that is not streamed
SECRETS = (b"internal", b"sk-secret", b"Traceback", b"127.0.0.1", b"<html>", b"/srv/")


def applies(scenario: Scenario, kind: str, client: Client) -> bool:
    """Whether this provider can fail like this, and this client ask for it."""
    return kind in scenario.kinds and (scenario.choices == 1 or client.choices)


def judged(scenario: Scenario, kind: str, client: Client, seen: Seen, raw: bytes, headers: dict[str, str]) -> list[str]:
    """Yield or return the errors."""
    passed_on = scenario.begun and not client.evidence  # with pass-through, the headers have been sent already
    if scenario.status and not passed_on:
        return list(_before(scenario, seen, raw, headers))
    if scenario.error or scenario.status:
        if not client.streamed:
            return [] if seen.status in ERRORS and seen.error else [f"status {seen.status} of half an answer"]
        return list(_cut(scenario, kind, client, seen, raw))
    return list(_complete(scenario, kind, client, seen, raw))


def _before(scenario: Scenario, seen: Seen, raw: bytes, headers: dict[str, str]) -> Iterator[str]:
    if seen.status != scenario.status:
        yield f"status {seen.status} instead of {scenario.status}"
    if not seen.error:
        yield "no error is told"
    yield from (f"{secret!r} is told" for secret in SECRETS if secret in raw)
    if scenario.waits and headers.get("retry-after") != "7":
        yield "Retry-After is lost"


def _cut(scenario: Scenario, kind: str, client: Client, seen: Seen, raw: bytes) -> Iterator[str]:
    text = "" if scenario.status else scenario.text
    if seen.status != 200:
        yield f"status {seen.status}"
        return
    if client.evidence and seen.text() != text and not (scenario.lossy and text.startswith(seen.text())):
        yield f"text {seen.text()!r}"
    if not seen.error:
        yield "no error is told"
    if client.evidence:
        yield from (f"{secret!r} is told" for secret in SECRETS if secret in raw)
    if seen.reasons - {"error"}:
        yield f"an invented end: {seen.reasons}"
    if client.evidence and not seen.last:
        yield "the stream does not end as it should"
    if client.evidence and CITED in seen.text() and seen.cited != ["bridge"]:
        yield f"references {seen.cited}"
    same = client.evidence or scenario.lossy or scenario.changed or not text
    if not same and not raw.startswith(_whole_events(scenario, kind)):
        yield "bytes that passed through have changed"


def _complete(scenario: Scenario, kind: str, client: Client, seen: Seen, raw: bytes) -> Iterator[str]:
    if seen.status != 200 or seen.error:
        yield f"status {seen.status}, error {seen.error!r}"
        return
    if not client.evidence:
        if raw != _until_break(scenario, kind) and not (
            scenario.torn and raw.startswith(_whole_events(scenario, kind))
        ):
            yield "bytes that passed through have changed"
        return
    if seen.text() != scenario.text:
        yield f"text {seen.text()!r}"
    if scenario.choices == 2 and seen.text(1) != "".join(SECOND):
        yield f"second text {seen.text(1)!r}"
    if seen.reasons != {scenario.reason}:
        yield f"end {seen.reasons}"
    if seen.cited != ["bridge"]:
        yield f"references {seen.cited}"
    if not seen.last:
        yield "the stream does not end as it should"


def _whole_events(scenario: Scenario, kind: str) -> bytes:
    events, blank, _ = _until_break(scenario, kind).rpartition(DIALECTS[kind].blank)
    return events + blank


def _until_break(scenario: Scenario, kind: str) -> bytes:
    pieces = []
    for piece in scenario.body(DIALECTS[kind]):
        if isinstance(piece, Break):
            break
        pieces.append(piece)
    return joined(pieces)
