"""Configuration of the server.

Defaults are overridden by a YAML file, the file by environment variables, and these by the command line.
`CITESTREAM_SERVER__PORT=9000` sets `server.port`. In the file, `${NAME}` is replaced by an environment variable, and
`${NAME:-x}` by "x" if the variable is not set. An unknown key is an error with its path and a suggestion.
"""

from .client_keys import ClientKey, check_client_key, check_distinct, hash_key
from .evidence_options import EvidenceConfig, PromptFiles, ScoringConfig
from .loading import default_providers, load, parse
from .schema import Config, Limits, Output, find_loop
from .section import Section
from .server_options import (
    Log,
    Readiness,
    ReferencesConfig,
    Server,
    StoreConfig,
    Tls,
    Traces,
    is_loopback,
)
from .service_options import STORE, Alias, ProviderConfig, RetrieverConfig, Timeouts
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
    "check_client_key",
    "check_distinct",
    "default_providers",
    "find_loop",
    "hash_key",
    "is_loopback",
    "load",
    "parse",
]
