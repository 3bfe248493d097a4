"""Where evidence is fetched from for requests that bring none."""

import re
from dataclasses import fields
from typing import Any, Literal

from pydantic import Field, model_validator

from citestream.citation.evidence import Evidence
from citestream.providers.retrieval.http import Settings
from citestream.providers.retrieval.http.presets import PRESETS

from .section import Keyed
from .validation_errors import meant

FIELDS = tuple(field.name for field in fields(Evidence) if field.name != "number")
STORE = ".citestream/evidence.db"  # where one works, like .git: found without being named, and easily deleted


class RetrieverConfig(Keyed):
    """One place where evidence is kept."""

    kind: Literal["folder", "http", "postgres"] = Field(
        description="folder: what `citestream index DIR` has read; postgres: a table; http: any search service"
    )
    store: str = Field(default=STORE, description="folder: the file that `citestream index` fills")
    url_prefix: str = Field(default="", description="folder: what file names follow on in the url of a reference")
    url: str = Field(
        default="", repr=False, description="http, postgres: its address, such as postgresql://user@host/database"
    )
    preset: Literal["", "ragflow", "elasticsearch", "opensearch", "qdrant", "weaviate", "azure"] = Field(
        default="", description="http: what it is, if it is known; empty: as `body`, `entries` and `fields` say"
    )
    index: str = Field(default="", description="http: the index, collection or class")
    headers: dict[str, str] = Field(default_factory=dict, repr=False, description="http: headers to add")
    body: dict[str, Any] = Field(
        default_factory=dict, description="http: of the request, over the preset's; {query}, {top_k}, {vector} in it"
    )
    entries: str = Field(default="", description="http: where the answer has its list: hits.hits; empty: the preset's")
    fields: dict[str, str] = Field(
        default_factory=dict,
        description="by field of evidence, where an entry or row has it; over what is usual",
    )
    embedder: str = Field(default="", description="who makes a question's vector: local, or provider/model")
    table: str = Field(default="", description="postgres: the table or view, or schema.table")
    language: str = Field(default="english", description="postgres: the text search configuration of its words")
    connections: int = Field(default=4, ge=1, le=100, description="postgres: at most, of each worker")
    ca_file: str = Field(default="", description="PEM file with the certificate authority to trust")
    top_k: int = Field(default=8, ge=1, le=200, description="excerpts that an answer gets")
    min_score: float = Field(
        default=0.0, ge=0, description="excerpts below it are dropped; a folder scores from 0 to 1"
    )
    timeout: float = Field(default=5.0, gt=0, description="seconds that a search may take")
    on_failure: Literal["fail", "answer"] = Field(
        default="fail", description="answer: without evidence, and say so in `grounding`"
    )
    rewrite: str = Field(
        default="", description="provider/model that makes one query of a conversation; empty: its last question"
    )

    @model_validator(mode="after")
    def _whole(self) -> "RetrieverConfig":
        if self.kind != "folder":
            self._check_service()
        if self.kind == "http":
            self._check_http()
        elif self.kind == "postgres" and not self.table:
            raise ValueError("table is missing: where the text is")
        return self

    def _check_service(self) -> None:
        scheme = ("http://", "https://") if self.kind == "http" else ("postgresql://", "postgres://")
        if not self.url.startswith(scheme):
            raise ValueError(f"url is missing: where it is, {scheme[0]}…")
        if re.match(r"\w+://[^/]*:[^/@]+@" if self.kind == "postgres" else r"\w+://[^/]*@", self.url):
            raise ValueError("url must not hold a password: use api_key, api_key_env or api_key_file")
        for name in self.fields:
            if name not in FIELDS:
                raise ValueError(f"fields.{name}: evidence has no such field{meant(name, FIELDS)}")

    def _check_http(self) -> None:
        if "{index}" in PRESETS[self.preset].path and not self.index:
            raise ValueError(f"index is missing: {self.preset} wants one")
        if not self.preset and not self.body:
            raise ValueError('body is missing: what the service is asked, such as {"q": "{query}", "limit": "{top_k}"}')
        if Settings(self.url, self.preset, body=self.body).wants_vector() and not self.embedder:
            raise ValueError("embedder is missing: who makes the vector of a question, local or provider/model")
