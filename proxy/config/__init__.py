"""Configuration: a typed tree with every default in one place; a YAML file over it, environment variables over that.

`CITESTREAM_SERVER__PORT=9000` sets `server.port`; `${NAME}` in a file stands for a variable, `${NAME:-x}` for one that
may be missing. An unknown key is an error that names its path and what was probably meant.
"""

from .loading import default_providers, load, parse
from .operation_options import Log, Readiness, StoreConfig, Traces
from .retrieval_options import STORE, RetrieverConfig
from .schema import (
    Alias,
    ClientKey,
    Config,
    EvidenceConfig,
    Limits,
    Output,
    PromptFiles,
    ProviderConfig,
    ReferencesConfig,
    ScoringConfig,
    Server,
    Timeouts,
    Tls,
    asks_itself,
    hashed,
    is_loopback,
)
from .section import Section
from .validation_errors import ConfigError

__all__ = [
    "STORE",
    "Alias",
    "ClientKey",
    "Config",
    "ConfigError",
    "EvidenceConfig",
    "Limits",
    "Log",
    "Output",
    "PromptFiles",
    "ProviderConfig",
    "Readiness",
    "ReferencesConfig",
    "RetrieverConfig",
    "ScoringConfig",
    "Section",
    "Server",
    "StoreConfig",
    "Timeouts",
    "Tls",
    "Traces",
    "asks_itself",
    "default_providers",
    "hashed",
    "is_loopback",
    "load",
    "parse",
]
