"""Options of the server itself: address, client keys, storage, readiness, logging and traces."""

import re
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from .client_keys import ClientKey, check_secret
from .section import Section, SectionWithKey

_UNSAFE_IN_URL = re.compile(r"[\s\x00-\x1f()<>\[\]\\\"']")  # would end a link in Markdown
_ORIGIN = re.compile(r"[A-Za-z][\w+.-]*://[^\s/?#]*/?")  # desktop applications send file:// and app://.


class Tls(Section):
    """Certificate files to serve HTTPS."""

    certificate: str = Field(default="", description="PEM file with the certificate chain")
    private_key: str = Field(default="", description="PEM file with the private key; empty: it is in `certificate`")

    @model_validator(mode="after")
    def _complete(self) -> "Tls":
        if self.private_key and not self.certificate:
            raise ValueError("private_key is of no use without certificate")
        return self


class Server(Section):
    """Listening address, access and connection limits."""

    host: str = Field(
        default="127.0.0.1", description="address to listen on; beyond loopback, client keys are required"
    )
    port: int = Field(default=8787, ge=0, le=65535, description="port to listen on; 0: any free port")
    workers: int = Field(default=1, ge=1, le=256, description="processes that share the port; use one for each core")
    keys: tuple[ClientKey, ...] = Field(default=(), description="client keys; empty: no key is required")
    shared_ids: tuple[str, ...] = Field(
        default=(),
        description="ids of files, prompts and vector stores at providers that every client may use; "
        "with several client keys, other ids are accepted only from the client that received them",
    )
    allow_anonymous: bool = Field(default=False, description="allow listening beyond loopback without client keys")
    cors_origins: tuple[str, ...] = Field(
        default=(), description="origins of web pages that may send requests: https://app.example, or * for all"
    )
    hosts: tuple[str, ...] = Field(
        default=(),
        description="accepted host names besides IP addresses and localhost; "
        "empty: any, but none on loopback without client keys",
    )
    public_url: str = Field(
        default="",
        description="address under which browsers reach this server: https://citestream.example; "
        "references without a URL then link to a page with the passage; empty: no such pages",
    )
    link_secret: str = Field(
        default="",
        repr=False,
        description="secret of at least 16 characters that signs these links; prefer `${VARIABLE}`; "
        "empty: a random one at each start; required if several machines share a store",
    )
    tls: Tls = Field(default_factory=Tls, description="certificate files to serve HTTPS")
    max_body_bytes: int = Field(
        default=32 * 2**20, ge=1024, description="maximum size of a request body, which can contain images in base64"
    )
    max_bodies_bytes: int = Field(
        default=2**30,
        ge=2**20,
        description="maximum memory for the bodies of all requests in flight, estimated from their decompressed JSON; "
        "further ones get a 503 with Retry-After: 30 KB of gzip may take 100 MB",
    )
    body_seconds: float = Field(
        default=120.0, gt=0, description="maximum seconds to receive a request body, without time in the queue"
    )
    max_streams: int = Field(
        default=1000, ge=1, description="maximum requests in flight; further ones get a 503 with Retry-After"
    )
    max_streams_per_client: int = Field(
        default=0,
        ge=0,
        description="maximum requests in flight of one client key; further ones get a 429 with Retry-After; "
        "0: three quarters of `max_streams` if there are several keys",
    )
    drain_seconds: float = Field(
        default=30.0, ge=0, description="maximum seconds for running streams to finish after SIGTERM"
    )
    keepalive_seconds: float = Field(
        default=15.0, gt=0, description="seconds without data after which a stream sends a keep-alive comment"
    )
    stalled_seconds: float = Field(
        default=300.0, gt=0, description="seconds after which a client that reads nothing is disconnected"
    )

    @field_validator("link_secret")
    @classmethod
    def _is_secret(cls, value: str) -> str:
        return check_secret(value) if value else value

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            if value not in ("*", "null") and not _ORIGIN.fullmatch(value):
                raise ValueError(f"{value!r} is not an origin; write scheme and host, such as https://app.example")
        return values

    @field_validator("public_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        address = urlsplit(value)
        if value and (address.scheme not in ("http", "https") or not address.hostname or address.username is not None):
            raise ValueError("must begin with http:// or https:// and a host, without a user name")
        if address.query or address.fragment or _UNSAFE_IN_URL.search(value):
            raise ValueError("must not have a query, a fragment, spaces or brackets")
        return value.rstrip("/")


class ReferencesConfig(Section):
    """Stored references of recent answers, for clients that drop unknown fields."""

    keep: int = Field(default=10_000, ge=0, description="maximum number of answers; the oldest are removed; 0: none")
    keep_seconds: float = Field(default=3600.0, gt=0, description="seconds to keep each answer")
    max_bytes: int = Field(default=256 * 2**20, ge=2**16, description="maximum size of all stored answers")
    conversations: Literal["memory", "file", "none"] = Field(
        default="memory",
        description="conversations for `previous_response_id` of the Responses API; "
        "memory: only if `file` is empty; file: also in `file`",
    )
    file: str = Field(
        default="", description="SQLite file that survives a restart; empty: memory, or a temporary file with workers"
    )

    @property
    def keeps_conversations(self) -> bool:
        """Whether conversations are stored. User questions are written to a permanent file only if configured."""
        return self.conversations == "file" or (self.conversations == "memory" and not self.file)


class StoreConfig(SectionWithKey):
    """Redis server that stores references and conversations for several machines."""

    url: str = Field(default="", repr=False, description="redis://host:6379/0 or rediss://; empty: see `references`")
    ca_file: str = Field(default="", description="PEM file with an additional certificate authority to trust")
    timeout: float = Field(
        default=1.0, gt=0, description="maximum seconds for an operation; answers do not wait for the store"
    )

    @model_validator(mode="after")
    def _known(self) -> "StoreConfig":
        if self.url and not self.url.startswith(("redis://", "rediss://")):
            raise ValueError("url must begin with redis:// or rediss://")
        if re.match(r"\w+://[^/]*:[^/@]+@", self.url):
            raise ValueError("url must not hold a password: use api_key, api_key_env or api_key_file")
        return self


class Readiness(Section):
    """Conditions for `GET /readyz` to report that the server is ready."""

    required: tuple[str, ...] = Field(
        default=(),
        description="services without which /readyz returns 503: providers.NAME, retrievers.NAME, references; "
        "other failures are only reported",
    )
    seconds: float = Field(
        default=0.5,  # the default timeout of a Kubernetes probe is 1 s for the whole response
        gt=0,
        le=10,
        description="maximum seconds to check a service; keep it below the timeout of your load balancer",
    )


class Log(Section):
    """Log on standard error. It never contains keys; it contains questions and answers only with `content`."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="minimum severity")
    format: Literal["text", "json"] = Field(default="text", description="json: one JSON object per line")
    access: bool = Field(default=True, description="one line for each request: client, path, status, duration")
    content: bool = Field(
        default=False, description="also log questions and answers, for debugging; do not use it with personal data"
    )


class Traces(Section):
    """OpenTelemetry spans of requests. Needs the extra `otel`."""

    endpoint: str = Field(
        default="", description="collector for OTLP over HTTP: http://127.0.0.1:4318; empty: no traces"
    )
    headers: dict[str, str] = Field(
        default_factory=dict, repr=False, description="headers for the collector, such as its API key"
    )
    sample: float = Field(
        default=1.0, ge=0, le=1, description="share of requests to trace; requests with a trace keep its decision"
    )


def is_malformed_address(host: str) -> bool:
    """Return whether a host is written like an IPv4 address, but is none: 300.1.1.1."""
    try:
        return bool(host) and not host.strip("0123456789.") and not ip_address(host)
    except ValueError:
        return True


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a host name
        return host == "localhost"
