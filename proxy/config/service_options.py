"""Options of external services: providers, model aliases and retrievers."""

import re
from dataclasses import fields
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from citestream.citation.evidence import Evidence
from citestream.providers import ollama, transport
from citestream.providers.retrieval import postgres
from citestream.providers.retrieval.http import Settings
from citestream.providers.retrieval.http.presets import PRESETS

from .section import Section, SectionWithKey
from .validation_errors import suggestion

EVIDENCE_FIELDS = tuple(field.name for field in fields(Evidence) if field.name != "number")
STORE = ".citestream/evidence.db"  # relative to the working directory, like .git: found by default, easy to delete

_TIMEOUTS = transport.Timeouts()
_RETRIES = transport.Retries()
_TABLE = postgres.Settings(url="", table="")


class Timeouts(Section):
    """Timeouts for a provider, in seconds."""

    connect: float = Field(default=_TIMEOUTS.connect, gt=0, description="seconds to connect")
    first_token: float = Field(
        default=_TIMEOUTS.first_token,
        gt=0,
        description="seconds until the response begins; local models may have to be loaded first",
    )
    idle: float = Field(default=_TIMEOUTS.idle, gt=0, description="seconds between two events of a stream")
    total: float = Field(default=_TIMEOUTS.total, gt=0, description="seconds for the whole response")


class Retries(Section):
    """Retries after connection errors and the status codes 429, 502, 503 and 504."""

    most: int = Field(default=_RETRIES.most, ge=0, le=10, description="maximum number of retries")
    longest_wait: float = Field(
        default=_RETRIES.longest_wait,
        gt=0,
        description="maximum seconds of all waits together; a longer Retry-After is returned to the client",
    )
    timeouts: bool = Field(
        default=_RETRIES.timeouts,
        description="also retry after a timeout; the provider may process and bill the request twice",
    )


class ProviderConfig(SectionWithKey):
    """One provider."""

    kind: Literal["openai", "ollama", "gemini", "anthropic", "extractive"] = Field(
        description="protocol of the provider; optional if the provider's name is one of them"
    )
    base_url: str = Field(default="", description="address; empty: the default of the vendor")
    pass_client_key: bool = Field(
        default=False, description="send the client's API key to the provider if there is one"
    )
    headers: dict[str, str] = Field(default_factory=dict, repr=False, description="headers to add to every request")
    models: tuple[str, ...] = Field(
        default=(), description="models to list in /v1/models; empty: the list of the provider"
    )
    api_version: str = Field(default="", description="API version; Azure OpenAI: api-version; Gemini: v1beta or v1")
    azure: bool = Field(default=False, description="base_url is an Azure OpenAI resource")
    responses: bool | Literal["auto"] = Field(
        default="auto",
        description="whether an OpenAI-compatible server has /v1/responses; auto: try it, then chat completions",
    )
    vertex: bool = Field(default=False, description="base_url is a Vertex AI address up to and including the location")
    ca_file: str = Field(default="", description="PEM file with an additional certificate authority to trust")
    timeouts: Timeouts = Field(default_factory=Timeouts, description="timeouts in seconds")
    retries: Retries = Field(default_factory=Retries, description="retries before the response begins")
    fallback: str = Field(
        default="", description="provider/model or alias to use after an error; never after text was sent"
    )

    @model_validator(mode="after")
    def _no_password(self) -> "ProviderConfig":
        if re.match(r"\w+://[^/]*@", self.base_url):
            raise ValueError("base_url must not hold a user or password: use api_key or headers")
        return self

    @model_validator(mode="after")
    def _is_address(self) -> "ProviderConfig":
        if not self.base_url:
            return self
        try:
            parts = urlsplit(ollama.address(self.base_url) if self.kind == "ollama" else self.base_url)
            is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # the port is not a number below 65536, or a bracket is missing
            is_address = False
        if not is_address:
            raise ValueError("base_url must be an address such as http://127.0.0.1:8000/v1")
        return self


class Alias(Section):
    """A custom model name with its own citation options."""

    model: str = Field(min_length=1, description="provider/model")
    fallback: str = Field(default="", description="provider/model or alias to use after an error")
    citations: dict[str, Any] = Field(default_factory=dict, description="options that differ from `citations`")


class RetrieverConfig(SectionWithKey):
    """A source of evidence for requests without evidence."""

    kind: Literal["folder", "http", "postgres"] = Field(
        description="folder: files indexed with `citestream index DIR`; postgres: a table; http: any search service"
    )
    store: str = Field(default=STORE, description="folder: index file that `citestream index` writes")
    url_prefix: str = Field(default="", description="folder: prefix of file names in the url of a reference")
    url: str = Field(
        default="", repr=False, description="http, postgres: address, such as postgresql://user@host/database"
    )
    preset: Literal["", "ragflow", "elasticsearch", "opensearch", "qdrant", "weaviate", "azure"] = Field(
        default="", description="http: type of the service; empty: use `body`, `entries` and `fields`"
    )
    index: str = Field(default="", description="http: name of the index, collection or class")
    headers: dict[str, str] = Field(
        default_factory=dict, repr=False, description="http: headers to add to every request"
    )
    body: dict[str, Any] = Field(
        default_factory=dict,
        description="http: request body, merged over the preset's; it can contain {query}, {top_k} and {vector}",
    )
    entries: str = Field(
        default="", description="http: path of the result list in the response, such as hits.hits; empty: the preset's"
    )
    fields: dict[str, str] = Field(
        default_factory=dict,
        description="source of each evidence field: a path in a result or a column; merged over the defaults",
    )
    embedder: str = Field(default="", description="embedding model for queries: local, or provider/model")
    table: str = Field(default="", description="postgres: table or view, also as schema.table")
    language: str = Field(default=_TABLE.language, description="postgres: text search configuration")
    connections: int = Field(
        default=_TABLE.connections, ge=1, le=100, description="postgres: maximum connections of each worker"
    )
    ca_file: str = Field(default="", description="PEM file with an additional certificate authority to trust")
    top_k: int = Field(default=8, ge=1, le=200, description="number of excerpts for a request")
    min_score: float | None = Field(
        default=None,
        ge=0,
        description="minimum score of an excerpt; folders have scores from 0 to 1; "
        "empty: 0.3 for a folder that is searched by words only, otherwise 0",
    )
    timeout: float = Field(default=_TABLE.timeout, gt=0, description="maximum seconds for a search")
    on_failure: Literal["fail", "answer"] = Field(
        default="fail",
        description="fail: return an error; answer: answer without evidence and report it in `grounding`",
    )
    rewrite: str = Field(
        default="", description="provider/model that rewrites a conversation into a query; empty: use the last question"
    )

    @model_validator(mode="after")
    def _complete(self) -> "RetrieverConfig":
        if self.kind != "folder":
            self._check_service()
        if self.kind == "http":
            self._check_http()
        elif self.kind == "postgres" and not self.table:
            raise ValueError("table is missing: the table or view with the text")
        return self

    def _check_service(self) -> None:
        scheme = ("http://", "https://") if self.kind == "http" else ("postgresql://", "postgres://")
        if not self.url.startswith(scheme):
            raise ValueError(f"url is missing or has another scheme: {scheme[0]}…")
        if re.match(r"\w+://[^/]*:[^/@]+@" if self.kind == "postgres" else r"\w+://[^/]*@", self.url):
            raise ValueError("url must not hold a password: use api_key, api_key_env or api_key_file")
        for name in self.fields:
            if name not in EVIDENCE_FIELDS:
                raise ValueError(f"fields.{name}: evidence has no such field{suggestion(name, EVIDENCE_FIELDS)}")

    def _check_http(self) -> None:
        if "{index}" in PRESETS[self.preset].path and not self.index:
            raise ValueError(f"index is missing: {self.preset} requires one")
        if not self.preset and not self.body:
            raise ValueError('body is missing: the request body, such as {"q": "{query}", "limit": "{top_k}"}')
        if Settings(self.url, self.preset, body=self.body).wants_vector() and not self.embedder:
            raise ValueError("embedder is missing: the embedding model for queries, local or provider/model")
