"""The CPU profile of the proxy benchmark assigns each sample to a stage."""

import pytest

from bench.proxy.cpu_profile import LOOP, stage

REQUEST = [
    "main (proxy/cli/commands.py:9)",
    "serve_process (proxy/http/serving/server.py:60)",
    "_handle_request (aiohttp/web_protocol.py:567)",
    "answer (proxy/http/exchange.py:44)",
]
SENDING = [*REQUEST, "send (proxy/http/sending.py:180)"]
RESPONDING = [*SENDING, "respond (proxy/pipeline/respond.py:40)"]
STEP = [*REQUEST[:2], "step (providers/scheduler.py:160)"]

SAMPLES = {
    "a sentence is scored": (
        "score",
        [*RESPONDING, "run (providers/scheduler.py:205)", "scores (citation/support/features/features.py:109)"],
    ),
    "an excerpt is analysed in a step": (
        "prepare evidence",
        [*STEP, "of (citation/support/features/index.py:203)", "tokenize (citation/text/tokens.py:104)"],
    ),
    "a step without a stage of its own": ("steps between", STEP),
    "a provider is read while an answer is sent": (
        "read provider",
        [*RESPONDING, "stream (providers/streaming/answer_stream.py:113)", "match (providers/wire/text_runs.py:90)"],
    ),
    "JSON is encoded": ("encode", [*SENDING, "encode (proxy/http/sending.py:236)"]),
    "data is written": (
        "write to client",
        [*SENDING, "write (proxy/http/client_stream.py:98)", "_writelines (aiohttp/http_writer.py:106)"],
    ),
    "an answer ends": ("write to client", [*SENDING, "end (proxy/http/client_stream.py:103)"]),
    "a request is routed": ("take requests", REQUEST),
    "the event loop": (LOOP, REQUEST[:2]),
}


@pytest.mark.parametrize(("expected", "frames"), SAMPLES.values(), ids=SAMPLES)
def test_sample_is_assigned_to_its_stage(expected: str, frames: list[str]) -> None:
    assert stage(frames) == expected
