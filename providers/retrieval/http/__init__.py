"""Search services that answer a POST with JSON: a template of the request, and paths into the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any
from urllib.parse import quote

from citestream.citation.text.steps import Steps

from ...embedding import Embedder
from ...errors import BrokenStream, ProviderError
from ...masking import mask_start, register_secrets
from ...scheduler import Work, scheduler
from ...transport import Call, Timeouts, Transport, check_reachable, read_all
from ...wire.json_steps import loads_in_steps, release_in_steps
from ...wire.json_text import dumps
from ..entries import make_entry, text_of, value_at
from ..hybrid_search import milliseconds_since
from ..retriever import Entry, Retrieved, Retriever
from .presets import PRESETS, Service
from .template import fill, placeholders

SERVICE = "retriever"  # in error messages
MAX_ANSWER_BYTES = 16 * 2**20  # one search: 200 excerpts of 80 KB
MAX_ENTRIES = 1_000  # results that are read; `top_k` is 200 at most, and some results may have no text
MAX_ERROR_CHARACTERS = 300  # characters of an error message; those of Elasticsearch contain whole queries
# The paths of the error message of Elasticsearch, Azure, Qdrant, Weaviate and most others.
_ERROR_PATHS = "error.reason|error.message|status.error|error.0.message|message|detail|error"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one service. `body` and `fields` extend the preset's; other values replace it unless empty."""

    url: str
    preset: str = ""
    index: str = ""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] = field(default_factory=dict)
    entries: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    ca_file: str = ""
    timeout: float = 5.0  # seconds

    def service(self) -> Service:
        """Return the preset with the changes. Raises ValueError for an unknown preset."""
        if self.preset not in PRESETS:
            raise ValueError(f"unknown preset {self.preset!r}; there are: {', '.join(filter(None, PRESETS))}")
        preset = PRESETS[self.preset]
        return replace(
            preset,
            body={**preset.body, **self.body},
            entries=self.entries or preset.entries,
            fields={**preset.fields, **self.fields},
        )

    def wants_vector(self) -> bool:
        """Return whether its request contains the vector of the query."""
        return bool({"vector", "vector_json"} & placeholders(self.service().body))


class HttpRetriever(Retriever):
    """One search service."""

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        """Nothing is connected yet. `embedder` is closed by the caller. Raises ValueError for an unknown preset."""
        register_secrets(settings.api_key, *settings.headers.values())
        self._settings = settings
        self._service = settings.service()
        self._wants_vector = settings.wants_vector()
        self._embedder = embedder
        self._transport = Transport(SERVICE)
        self._names = {"index": settings.index, "properties": _properties(self._service.fields)}

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Search. Raises ProviderError, also if a body reports a failure."""
        values: dict[str, Any] = {**self._names, "query": query, "top_k": top_k}
        began = perf_counter()
        if self._wants_vector:
            values["vector"] = await self._vector(query)
        answer = await self._post(fill(self._service.body, values))
        if self._service.failed and value_at(answer, self._service.failed):
            message = value_at(answer, self._service.message)
            raise ProviderError(f"The retriever answered: {_masked(message) or 'an error'}")
        items = value_at(answer, str(fill(self._service.entries, values)))
        if items is None:
            raise BrokenStream(f"The retriever's answer has no list at {self._service.entries or 'the top level'}.")
        items = items if isinstance(items, list) else []
        entries, without_text = await Work("retriever").run(_first_entries(items, self._service.fields, top_k))
        notes = {"search_ms": milliseconds_since(began)}
        if len(items) > MAX_ENTRIES:
            scheduler().start("retriever", release_in_steps(answer))
        return Retrieved(entries, len(items), notes | ({"without_text": without_text} if without_text else {}))

    async def reach(self) -> None:
        """Check that a server answers at its address, without the key. Raises ProviderError if not."""
        call = Call("GET", self._settings.url, ca_file=self._settings.ca_file)
        await check_reachable(self._transport, call, has_key=False)

    async def aclose(self) -> None:
        """Close connections."""
        await self._transport.aclose()

    async def _vector(self, query: str) -> list[float]:
        if self._embedder is None:
            raise ProviderError("The retriever's request needs the query's vector, but no embedder is configured.")
        (vector,) = await self._embedder.embed([query])
        return [float(value) for value in vector]

    async def _post(self, body: Any) -> Any:
        settings = self._settings
        header, value = self._service.auth
        key = {header: value.replace("{key}", settings.api_key)} if settings.api_key else {}
        path = self._service.path.replace("{index}", quote(settings.index, safe=",*-_"))
        headers = {"Content-Type": "application/json", **key, **settings.headers}
        call = Call("POST", settings.url.rstrip("/") + path, dumps(body), headers, settings.ca_file)
        timeouts = Timeouts(connect=settings.timeout, first_token=settings.timeout, total=settings.timeout)
        async with self._transport.open(call, timeouts) as response:
            answer = await _decode(await read_all(response, MAX_ANSWER_BYTES, settings.timeout, SERVICE))
        if not 200 <= response.status < 300:
            message = _masked(value_at(answer, _ERROR_PATHS)) or "no explanation"
            raise ProviderError(f"The retriever answered {response.status}: {message}", status=502)
        if answer is None:
            raise BrokenStream("The retriever's answer is not JSON.")
        return answer


async def _decode(body: bytes) -> Any:
    """Return the JSON value of an answer, None if it is not JSON."""
    try:
        value, _ = await Work("retriever").run(loads_in_steps(body, replace=True))
    except ValueError:
        return None
    return value


def _first_entries(items: Sequence[Any], fields: Mapping[str, str], top_k: int) -> Steps[tuple[list[Entry], int]]:
    """Return the first `top_k` entries with a text, and the number of entries without one."""
    entries: list[Entry] = []
    without_text = 0
    for item in items[:MAX_ENTRIES]:
        entry = make_entry(item, fields)
        if not entry.get("text", "").strip():
            without_text += 1
        elif len(entries) < top_k:
            entries.append(entry)
        yield None
    return entries, without_text


def _masked(explanation: Any) -> str:
    """Return an error message as a client may see it."""
    return mask_start(text_of(explanation), MAX_ERROR_CHARACTERS)


def _properties(fields: Mapping[str, str]) -> str:
    """Return the properties that a GraphQL query has to name: the first key of every path of the user's."""
    firsts = (path.split(".")[0] for paths in fields.values() for path in paths.split("|"))
    return " ".join(dict.fromkeys(first for first in firsts if not first.startswith("_")))
