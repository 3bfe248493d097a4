"""The queue of documents that clients send: reading one takes up to 30 seconds, a processor and some hundred MB."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from aiohttp import web

from .error_responses import RequestError
from .middleware.admission import Admission

READERS = 2  # documents that one worker reads at once
PLACES = 16  # documents that wait or are read; each takes the memory of its request
CLIENT_PLACES = 8  # one client leaves places to the others
RETRY_SECONDS = 5  # a reader is free after 30 seconds at the latest, most documents take less than one


@dataclass(eq=False, slots=True)
class _Waiting:
    client: str
    turn: asyncio.Future[None]


class DocumentQueue:
    """Readers that all clients share. Requests in it do not count as streams, so that they take none from others.

    The next document is one of the client whose last turn was longest ago.
    """

    def __init__(self, admission: Admission, *, is_shared: bool = False) -> None:
        """`is_shared`: whether there are several clients. One of them may use all readers but one then."""
        self._admission = admission
        self._client_readers = READERS - 1 if is_shared else READERS
        self._places = Counter[str]()  # by client
        self._running = Counter[str]()
        self._last_turn: dict[str, int] = {}  # number of the turn, of clients with a place
        self._turns = 0
        self._waiting: list[_Waiting] = []

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Take a place in the queue, outside of the streams. Raise RequestError 503 if there is none."""
        if self._places.total() >= PLACES or self._places[client] >= CLIENT_PLACES:
            message = "too many documents are waiting to be read"
            raise RequestError(503, message, code="over_capacity", retry_after=RETRY_SECONDS)
        self._places[client] += 1
        try:
            with self._admission.outside_of_streams(client):
                yield
        finally:
            self._places[client] -= 1
            if not self._places[client]:
                del self._places[client]
                self._last_turn.pop(client, None)

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Wait until a reader is free for this client, and use it."""
        waiting = _Waiting(client, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._start()
        try:
            await waiting.turn
            yield
        finally:
            if waiting in self._waiting:  # cancelled before its turn
                self._waiting.remove(waiting)
            else:
                self._running[client] -= 1
                self._start()

    def _start(self) -> None:
        """Give free readers to waiting documents."""
        while self._running.total() < READERS:
            ready = [item for item in self._waiting if self._running[item.client] < self._client_readers]
            if not ready:
                return
            chosen = min(ready, key=lambda item: self._last_turn.get(item.client, 0))
            self._waiting.remove(chosen)
            self._running[chosen.client] += 1
            self._turns += 1
            self._last_turn[chosen.client] = self._turns
            if not chosen.turn.done():  # it is done if its request was cancelled just now
                chosen.turn.set_result(None)


DOCUMENTS = web.AppKey("documents", DocumentQueue)
