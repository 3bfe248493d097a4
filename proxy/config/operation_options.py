"""What operators and their machines are told."""

import re
from typing import Literal

from pydantic import Field, model_validator

from .section import Keyed, Section


class Readiness(Section):
    """When `GET /readyz` says that this server can serve."""

    required: tuple[str, ...] = Field(
        default=(),
        description="what it cannot do without: providers.NAME, retrievers.NAME, references; without: 503. "
        "Of the rest it tells, and serves",
    )
    seconds: float = Field(
        default=0.5,  # Kubernetes waits 1 s unless told otherwise, for all of the answer
        gt=0,
        le=10,
        description="that each of them may take; less than a load balancer waits",
    )


class Log(Section):
    """What is written to standard error; never keys, and no questions, evidence or answers unless `content` is on."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="from which gravity on")
    format: Literal["text", "json"] = Field(default="text", description="json: an object a line, for log collectors")
    access: bool = Field(default=True, description="a line for each request: who, what, status, how long")
    content: bool = Field(
        default=False, description="what is asked and answered too, to find a fault; not for others' data"
    )


class Traces(Section):
    """What happens with requests as OpenTelemetry spans; wants the extra `otel`."""

    endpoint: str = Field(
        default="", description="collector that takes OTLP over HTTP: http://127.0.0.1:4318; empty: none are made"
    )
    headers: dict[str, str] = Field(default_factory=dict, repr=False, description="for the collector, such as its key")
    sample: float = Field(
        default=1.0, ge=0, le=1, description="share of the requests; one that comes with a trace follows it"
    )


class StoreConfig(Keyed):
    """Where references and conversations are kept, if several machines share them."""

    url: str = Field(
        default="", repr=False, description="redis://host:6379/0, or rediss://; empty: as `references` says"
    )
    ca_file: str = Field(default="", description="PEM file with the certificate authority to trust")
    timeout: float = Field(default=1.0, gt=0, description="seconds that it may take; no answer waits for it")

    @model_validator(mode="after")
    def _known(self) -> "StoreConfig":
        if self.url and not self.url.startswith(("redis://", "rediss://")):
            raise ValueError("url must begin with redis:// or rediss://")
        if re.match(r"\w+://[^/]*:[^/@]+@", self.url):
            raise ValueError("url must not hold a password: use api_key, api_key_env or api_key_file")
        return self
