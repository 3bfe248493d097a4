"""Any search service that answers JSON to a POST: a template of the request, and paths into the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any
from urllib.parse import quote

from ...embedding import Embedder
from ...errors import BrokenStream, ProviderError
from ...masking import mask, register_secrets
from ...transport import Call, Timeouts, Transport, check_reachable, read_all
from ...wire.json_text import dumps, loads
from ..entries import entry, found, text_of
from ..retriever import Retrieved, Retriever
from .presets import PRESETS, Service
from .template import filled, named

MAX_ANSWER_BYTES = 16 * 2**20  # of one search: 200 excerpts of 80 KB
LONGEST_EXPLANATION = 300  # characters of an error that go on; Elasticsearch's hold whole queries
# Where Elasticsearch, Azure, Qdrant, Weaviate and most others say what is wrong.
_EXPLAINED = "error.reason|error.message|status.error|error.0.message|message|detail|error"


@dataclass(frozen=True, slots=True)
class Settings:
    """One service's. `body` and `fields` are laid over the preset's, the other texts replace it unless empty."""

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
        """The preset with what differs. Raises ValueError for an unknown one."""
        if self.preset not in PRESETS:
            raise ValueError(f"unknown preset {self.preset!r}; there are: {', '.join(filter(None, PRESETS))}")
        known = PRESETS[self.preset]
        return replace(
            known,
            body={**known.body, **self.body},
            entries=self.entries or known.entries,
            fields={**known.fields, **self.fields},
        )

    def wants_vector(self) -> bool:
        """Whether its request holds the query's vector."""
        return bool({"vector", "vector_json"} & named(self.service().body))


class HttpRetriever(Retriever):
    """One search service."""

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        """Nothing is connected yet. `embedder`: closed by the caller. Raises ValueError for an unknown preset."""
        register_secrets(settings.api_key, *settings.headers.values())
        self._settings = settings
        self._service = settings.service()
        self._wants_vector = settings.wants_vector()
        self._embedder = embedder
        self._transport = Transport()
        self._names = {"index": settings.index, "properties": _properties(self._service.fields)}

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Raises ProviderError, also where the service says in a body that it failed."""
        values: dict[str, Any] = {**self._names, "query": query, "top_k": top_k}
        began = perf_counter()
        if self._wants_vector:
            values["vector"] = await self._vector(query)
        answer = await self._asked(filled(self._service.body, values))
        if self._service.failed and found(answer, self._service.failed):
            said = found(answer, self._service.message)
            raise ProviderError(f"It answered: {_masked(said) or 'an error'}")
        listed = found(answer, str(filled(self._service.entries, values)))
        if listed is None:
            raise BrokenStream(f"Its answer has no list at {self._service.entries or 'its top'}.")
        entries = [entry(item, self._service.fields) for item in listed] if isinstance(listed, list) else []
        readable = [one for one in entries if one.get("text", "").strip()]
        notes = {"search_ms": round((perf_counter() - began) * 1000, 3)}
        without = len(entries) - len(readable)
        return Retrieved(readable[:top_k], len(entries), notes | ({"without_text": without} if without else {}))

    async def reach(self) -> None:
        """Raises ProviderError where nobody is at its address. Asks without the key: any path may do, or none."""
        call = Call("GET", self._settings.url, ca_file=self._settings.ca_file)
        await check_reachable(self._transport, call, has_key=False)

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._transport.aclose()

    async def _vector(self, query: str) -> list[float]:
        if self._embedder is None:
            raise ProviderError("Its request wants the query's vector, and no embedder is configured.")
        (vector,) = await self._embedder.embed([query])
        return [float(value) for value in vector]

    async def _asked(self, question: Any) -> Any:
        settings = self._settings
        header, value = self._service.auth
        key = {header: value.replace("{key}", settings.api_key)} if settings.api_key else {}
        path = self._service.path.replace("{index}", quote(settings.index, safe=",*-_"))
        headers = {"Content-Type": "application/json", **key, **settings.headers}
        call = Call("POST", settings.url.rstrip("/") + path, dumps(question), headers, settings.ca_file)
        timeouts = Timeouts(connect=settings.timeout, first_token=settings.timeout, total=settings.timeout)
        async with self._transport.open(call, timeouts) as response:
            answer, _ = loads(await read_all(response, MAX_ANSWER_BYTES, settings.timeout))
        if not 200 <= response.status < 300:
            said = _masked(found(answer, _EXPLAINED)) or "no explanation"
            raise ProviderError(f"It answered {response.status}: {said}", status=502)
        if answer is None:
            raise BrokenStream("Its answer is not JSON.")
        return answer


def _masked(explanation: Any) -> str:
    """What a service says of its failure, as a client may see it."""
    return mask(text_of(explanation))[:LONGEST_EXPLANATION]


def _properties(fields: Mapping[str, str]) -> str:
    """What a GraphQL query has to name: the first key of every path that is not the service's own."""
    firsts = (path.split(".")[0] for paths in fields.values() for path in paths.split("|"))
    return " ".join(dict.fromkeys(first for first in firsts if not first.startswith("_")))
