"""HttpProvider: the base class of all providers over HTTP."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

from ..events import ChatRequest, Event, Provider, Relayed
from ..scheduler import Work, scheduler
from ..settings import Settings
from ..transport import Call, EventSplitter, LineSplitter, Retries, Transport
from ..wire.json_steps import dumps_in_steps, release_in_steps
from ..wire.json_text import as_list, as_object
from ..wire.stream_end import StreamEnd
from .answer_stream import StreamReader, stream
from .relay import read_json, relay

MAX_DESCRIPTION_BYTES = 4 * 2**20  # A list of 2,000 models with 2 KB each has as many.
MAX_MODELS = 10_000
MANY_MESSAGES = 1_000  # translating them takes 1 to 5 ms


class HttpProvider(Provider):
    """A provider over HTTP."""

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """Nothing is connected yet. `transport`: the app's, which the app closes; None: one of its own."""
        self._settings = settings or Settings()
        self._own_transport = Transport() if transport is None else None
        self._transport = transport or self._own_transport or Transport()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError."""
        async with aclosing(await self._answer(request)) as events:
            async for event in events:
                yield event

    @abstractmethod
    async def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Return the stream of one answer, which is requested when it is read."""

    async def aclose(self) -> None:
        """Close its connections."""
        if self._own_transport:
            await self._own_transport.aclose()

    def _stream(
        self,
        request: ChatRequest,
        call: Call,
        splitter: type[EventSplitter | LineSplitter],
        reader: StreamReader,
        *,
        server_closes: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Send the call of a request and yield the events of its answer. Raises ProviderError; see `stream`."""
        limited = splitter(self._settings.max_event_bytes)
        return stream(
            self._transport,
            call,
            self._settings,
            limited,
            reader,
            request.received_headers,
            request.wakeup,
            server_closes=server_closes,
        )

    async def _relay(self, call: Call, end: StreamEnd | None = None) -> Relayed:
        """Send a call and pass its answer through unchanged. Raises ProviderError; see `relay`."""
        return await relay(self._transport, call, self._settings.timeouts, end, self._settings.max_event_bytes)

    async def _json(self, call: Call) -> dict[str, Any]:
        """Send a call about models once and return the JSON object in its answer, {} if it is none.

        Raises ProviderError.
        """
        return await read_json(await self._relay(replace(call, retries=Retries(most=0))), MAX_DESCRIPTION_BYTES)


def named_models(models: object, field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the description of each model in a provider's list. `field`: that of the name.

    Entries without a name, and further ones than MAX_MODELS, are left out.
    """
    for model in map(as_object, as_list(models)[:MAX_MODELS]):
        if isinstance(name := model.get(field), str) and name:
            yield name, model


async def request_body(make: Callable[[ChatRequest], object], request: ChatRequest) -> bytes:
    """Return the JSON of `make(request)`, which translates the request for a provider, without long steps."""
    is_long = len(request.messages) > MANY_MESSAGES
    body = await scheduler().in_thread(partial(make, request)) if is_long else make(request)
    data = await Work("prepare_prompt").run(dumps_in_steps(body))
    if is_long:
        scheduler().start("prepare_prompt", release_in_steps(body))
    return data


def requested_choices(params: Mapping[str, Any]) -> int:
    """Return the number of answers that these parameters of a request ask for."""
    count = params.get("n")
    return int(count) if isinstance(count, int | float) else 1  # some clients write whole numbers as 3.0
