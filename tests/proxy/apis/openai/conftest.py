"""Compare each answer of the Responses API that a test in this folder receives with the schema of Open Responses."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import httpx2
import pytest

from tests.proxy.open_responses import check_body


class _Recorded(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """Adds all bytes of a stream to a list."""

    def __init__(self, stream: Any, received: bytearray) -> None:
        self._stream = stream
        self._received = received

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            self._received += data
            yield data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            self._received += data
            yield data

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


@pytest.fixture(autouse=True)
def answers_of_the_responses_api(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytearray]]:
    """Record the answers of `/v1/responses` that OpenAI's clients and aiohttp receive, and check them at the end."""
    answers: list[bytearray] = []

    def recorded(request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        if "/responses" in request.url.path:
            answers.append(bytearray())
            response.stream = _Recorded(response.stream, answers[-1])
        return response

    send, send_async = httpx2.HTTPTransport.handle_request, httpx2.AsyncHTTPTransport.handle_async_request
    read = aiohttp.ClientResponse.read

    def handle(self: Any, request: httpx2.Request) -> httpx2.Response:
        return recorded(request, send(self, request))

    async def handle_async(self: Any, request: httpx2.Request) -> httpx2.Response:
        return recorded(request, await send_async(self, request))

    async def read_body(self: aiohttp.ClientResponse) -> bytes:
        body = await read(self)
        if "/responses" in self.url.path:
            answers.append(bytearray(body))
        return body

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle_async)
    monkeypatch.setattr(aiohttp.ClientResponse, "read", read_body)
    yield answers
    for answer in answers:
        if answer.endswith((b"}", b"\n\n")):  # not broken off by the test
            check_body(bytes(answer))
