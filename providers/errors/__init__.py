"""The errors of providers, and the status with which a server should answer each of them.

ProviderError
├── Unreachable        no connection, or it broke before an answer began            502
├── TimedOut           connected, but too slow                                      504
├── Rejected           the provider answered with an error status                   the same (4xx), 503 for 503
│   │                                                                               and 529, otherwise 502
│   └── NoSuchApi      it has another API of the vendor, but not this one           404
├── NotSupported       the provider does not have this method                       501
├── BrokenStream       its stream violates its protocol                             502
├── IncompleteAnswer   the stream ended without a finish reason                     502
└── ReportedError      an error object inside the stream                            as for Rejected

Messages may be shown to clients: keys are masked, addresses of the operator's network are removed, and a body that is
not an error object (such as a proxy's HTML page) is never quoted.
"""

from .error_objects import passed_headers, rejected, reported
from .exceptions import (
    ADDRESS,
    CERTIFICATE,
    CONNECT_TIMEOUT,
    BrokenStream,
    IncompleteAnswer,
    NoSuchApi,
    NotSupported,
    ProviderError,
    Rejected,
    ReportedError,
    TimedOut,
    Unreachable,
)
from .translation import translate

__all__ = [
    "ADDRESS",
    "CERTIFICATE",
    "CONNECT_TIMEOUT",
    "BrokenStream",
    "IncompleteAnswer",
    "NoSuchApi",
    "NotSupported",
    "ProviderError",
    "Rejected",
    "ReportedError",
    "TimedOut",
    "Unreachable",
    "passed_headers",
    "rejected",
    "reported",
    "translate",
]
