"""Fuzzed functions: they take bytes and must not raise for any input.

`test_targets.py` runs them with bytes that Hypothesis generates. `make fuzz` runs them with atheris, which chooses
mutations by their coverage.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError
from citestream.citation.link_policy import LinkDefanger
from citestream.citation.markers import MarkerNames, marker_end, strip
from citestream.citation.markers.strip import MarkerStripper
from citestream.citation.options import Options
from citestream.citation.prompt.injection import inject
from citestream.citation.prompt.sanitize import sanitize
from citestream.citation.support.decision import Decision, Status, Support
from citestream.citation.text.segmentation import Segmenter, SegmentLimits, StructuredBlocks
from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.events import Event, Finish, OtherDelta, TextDelta, Usage
from citestream.providers.transport import EventSplitter, LineSplitter
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.gemini.candidates import GeminiReader
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.openai_chunks import ChunkReader
from citestream.proxy.apis import ollama
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.apis.responses import ResponsesApi
from citestream.proxy.config import ConfigError, load
from citestream.proxy.http.client_api import ClientApi
from citestream.proxy.http.encoding import dumps, loads
from citestream.proxy.http.error_responses import RequestError
from citestream.proxy.pipeline.completion_chunks import UncitedChunks

LIMIT = 4096  # bytes of an event; small, so that inputs reach it
EVIDENCE = (
    Evidence(1, "The bridge was opened in 1932.", "e1", url="https://ex.org/a", file_name="a.md"),
    Evidence(2, "It is red and 503 metres long.", "e2", title="Bridge"),
)
NAMES = MarkerNames.from_evidence(EVIDENCE)
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))


class Splitter(Protocol):
    """Bytes in, payloads out."""

    def feed(self, received: bytes) -> list[bytes]: ...

    def flush(self) -> list[bytes]: ...


def sizes_and_bytes(data: bytes) -> tuple[Iterator[int], bytes]:
    """Return sizes of pieces, which the first bytes encode, and the remaining bytes."""
    sizes = data[1 : 1 + data[0] % 8] if data else b""

    def endless() -> Iterator[int]:
        while True:
            yield from (1 + size % 40 for size in sizes or b"\x07")

    return endless(), data[1 + len(sizes) :]


def pieces(whole: Any, sizes: Iterator[int]) -> Iterator[Any]:
    """Split a text or bytes into pieces of these sizes."""
    start = 0
    while start < len(whole):
        size = next(sizes)
        yield whole[start : start + size]
        start += size


def sizes_and_text(data: bytes) -> tuple[Iterator[int], str]:
    sizes, rest = sizes_and_bytes(data)
    return sizes, rest.decode("utf-8", "replace")


def _payloads(splitter: Splitter, parts: Sequence[bytes]) -> list[bytes] | None:
    """Return the payloads, or None if one exceeds the limit."""
    try:
        return [payload for part in parts for payload in splitter.feed(part)] + splitter.flush()
    except BrokenStream:
        return None


def events(data: bytes) -> None:
    """Payloads of server-sent events do not depend on how a stream up to the limit is split."""
    sizes, stream = sizes_and_bytes(data)
    whole = _payloads(EventSplitter(LIMIT), [stream])
    again = _payloads(EventSplitter(LIMIT), [*pieces(stream, sizes)])
    assert whole == again or len(stream) > LIMIT, (whole, again)


def lines(data: bytes) -> None:
    """Lines of NDJSON do not depend on how a stream up to the limit is split."""
    sizes, stream = sizes_and_bytes(data)
    whole = _payloads(LineSplitter(LIMIT), [stream])
    again = _payloads(LineSplitter(LIMIT), [*pieces(stream, sizes)])
    assert whole == again or len(stream) > LIMIT, (whole, again)


def _read(reader: Any, payloads: Sequence[bytes]) -> None:
    found: list[Event] = []
    with suppress(ProviderError):
        for payload in payloads:
            with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):  # skipped, as in streaming
                found += reader.read(payload)
        if reader.error is None:
            found += reader.end()
        for event in found:
            _well_formed(event)


def _well_formed(event: Event) -> None:
    assert isinstance(event, TextDelta | Finish | OtherDelta | Usage)
    dumps(event.chunk)
    assert isinstance(event.chunk["choices"], list)
    assert not isinstance(event, TextDelta) or isinstance(event.text, str)


def openai_stream(data: bytes) -> None:
    """Any stream of an OpenAI-compatible server results in valid events or in a `ProviderError`."""
    _read(ChunkReader(), _payloads(EventSplitter(LIMIT), [data]) or [])


def ollama_stream(data: bytes) -> None:
    """Any stream of Ollama results in valid events or in a `ProviderError`."""
    _read(OllamaReader("m"), _payloads(LineSplitter(LIMIT), [data]) or [])


def gemini_stream(data: bytes) -> None:
    """Any stream of Gemini results in valid events or in a `ProviderError`."""
    _read(GeminiReader("m", 1), _payloads(EventSplitter(LIMIT), [data]) or [])


def anthropic_stream(data: bytes) -> None:
    """Any stream of Anthropic results in valid events or in a `ProviderError`."""
    _read(AnthropicReader("m"), _payloads(EventSplitter(LIMIT), [data]) or [])


APIS: tuple[ClientApi, ...] = (
    OpenAIChatApi(),
    ResponsesApi(),
    ollama.CHAT,
    ollama.GENERATE,
    GeminiApi("m", stream=True, sse=True),
    CohereApi(),
)


def request(data: bytes) -> None:
    """Any request results in a job or in a client error."""
    api = APIS[data[0] % len(APIS)] if data else APIS[0]
    try:
        body = loads(data[1:])
    except ValueError:
        return
    if not isinstance(body, dict):
        return
    with suppress(FieldError, RequestError):
        job = api.parse(body, Options(), EvidenceLimits(items=200, characters=100_000))
        api.encoder(job, UncitedChunks(usage=False))
        if job.options.enabled and job.evidence:
            inject(job.messages, job.evidence, nonce="7f3a9c51", budget_tokens=2000)


def segmenter(data: bytes) -> None:
    """Sentences do not depend on how the text is split, and contain the whole text."""
    sizes, text = sizes_and_text(data)
    limits = SegmentLimits(characters=100)
    for finds_blocks in (False, True):
        one, other = (Segmenter(limits, marker_end(), StructuredBlocks() if finds_blocks else None) for _ in range(2))
        whole = one.feed(text) + one.flush()
        again = [sentence for part in pieces(text, sizes) for sentence in other.feed(part)] + other.flush()
        assert whole == again
        assert "".join(sentence.text for sentence in whole) == text


def markers(data: bytes) -> None:
    """Stripping markers does not depend on how the text is split. Sanitizing is idempotent and removes the nonce."""
    sizes, text = sizes_and_text(data)
    stripper = MarkerStripper(NAMES)
    shown = "".join(stripper.feed(part) for part in pieces(text, sizes)) + stripper.flush()
    whole = strip(text, NAMES)
    assert (whole.text, whole.cited, whole.unknown) == (shown, stripper.cited, stripper.unknown)
    safe = sanitize(text, "7f3a9c51")
    assert sanitize(safe, "7f3a9c51") == safe
    assert "7f3a9c51" not in safe


def links(data: bytes) -> None:
    """Defanging does not depend on how the text is split, and leaves no link syntax, even if each piece is flushed."""
    sizes, text = sizes_and_text(data)
    one, other, flushed = LinkDefanger(), LinkDefanger(), LinkDefanger()
    whole = one.feed(text) + one.flush()
    assert "".join(map(other.feed, pieces(text, sizes))) + other.flush() == whole
    joined = "".join(flushed.feed(part) + flushed.flush() for part in pieces(text, sizes))
    for shown in (whole, joined):
        for syntax in ("://", "](", "]:", "![", "<a ", "<img"):
            assert syntax not in shown, shown


def answer(data: bytes) -> None:
    """Both release modes show the same answer. Spans index its cited sentences and markers."""
    sizes, text = sizes_and_text(data)
    shown = []
    for release, parts in (("sentence", [text]), ("live", [*pieces(text, sizes)])):
        options = Options(release=release, references_in_text=True)  # type: ignore[arg-type]
        response = Response(EVIDENCE, options, limits=SegmentLimits(characters=200), links="none")
        written = response.answer(0)
        assert isinstance(written, Answer)
        drafts = (draft for part in parts for draft in written.feed(part))
        whole = "".join(written.cite(draft, SUPPORTED) for draft in drafts)
        whole += "".join(written.cite(draft, SUPPORTED) for draft in written.flush()) + written.reference_list()
        for reference in response.references.cited():
            for span in reference.spans:
                assert whole[span.start : span.end].strip() == whole[span.start : span.end] != ""
                assert whole[slice(*span.marker)] == "[1]"
        dumps(response.choice_fields(0) | response.response_fields())
        shown.append(whole)
    assert shown[0] == shown[1]


def config(data: bytes) -> None:
    """An error about a configuration does not contain the values of environment variables."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "c.yaml"
        file.write_bytes(data)
        message = ""
        try:
            load(str(file), environ={"X": "canary-value"})
        except ConfigError as error:
            message = str(error)
        assert "canary-value" not in message


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        *(events, lines, openai_stream, ollama_stream, gemini_stream, anthropic_stream),
        *(request, segmenter, markers, links, answer, config),
    )
}

_EVENT = {"id": "c", "choices": [{"index": 0, "delta": {"content": "It is [1].", "reasoning": "x"}}], "usage": None}
_LINE = {"model": "m", "message": {"role": "assistant", "content": "It is", "thinking": "x"}, "done": False}
_CANDIDATE = {"candidates": [{"content": {"parts": [{"text": "It", "thought": True}]}, "finishReason": "STOP"}]}
_MESSAGE = [
    {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "f"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": "x"}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
]
_TEXT = (
    "Dr. Who opened it in 1932 [1][2]. See [it](https://ex.org/a), `x[1]`!\n\n- **A** <b>b</b> $x$ 天是蓝的。[ID:1]\n"
)
_BODY = {"model": "m", "stream": True, "evidence": [{"text": "x", "id": "a"}], "citations": {"marker": "link"}}
_MESSAGES = [{"role": "user", "content": [{"type": "text", "text": "x"}]}, {"role": "tool", "content": "y"}]

SEEDS: dict[str, list[bytes]] = {
    "events": [b"\x02\x01\x05\xef\xbb\xbfdata: a\r\ndata:b\r\n\r\n: c\n\nevent: x\rdata: y\r\r"],
    "lines": [b'\x02\x01\x05{"a": 1}\r\n\n{"b": 2}'],
    "openai_stream": [b"data: " + json.dumps(_EVENT).encode() + b"\n\ndata: [DONE]\n\n"],
    "ollama_stream": [json.dumps(_LINE).encode() + b'\n{"done": true, "done_reason": "stop", "eval_count": 1}\n'],
    "gemini_stream": [b"data: " + json.dumps(_CANDIDATE).encode() + b"\r\n\r\n"],
    "anthropic_stream": [b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in _MESSAGE)],
    "request": [
        b"\x00" + json.dumps({**_BODY, "messages": _MESSAGES, "tools": [], "n": 1}).encode(),
        b"\x01" + json.dumps({**_BODY, "input": _MESSAGES, "instructions": "x"}).encode(),
        b"\x02" + json.dumps({**_BODY, "messages": [{"role": "user", "content": "x", "images": ["a"]}]}).encode(),
        b"\x03" + json.dumps({**_BODY, "prompt": "x", "options": {"stop": ["x"]}, "format": "json"}).encode(),
        b"\x04" + json.dumps({**_BODY, "contents": [{"parts": [{"text": "x"}]}], "generationConfig": {}}).encode(),
    ],
    "config": [
        b"server: {port: 1, keys: [{name: a, key: '${X}'}], tls: {certificate: a}}\nmodels: {f: {model: a/b}}\n",
        (Path(__file__).parents[2] / "config.example.yaml").read_bytes(),
    ],
} | {name: [b"\x03\x01\x04\x09" + _TEXT.encode()] for name in ("segmenter", "markers", "links", "answer")}
