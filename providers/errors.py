"""What can go wrong with a provider, and what a server should answer.

ProviderError
├── Unreachable        no connection, or it broke before an answer began            502
├── TimedOut           connected, but too slow                                      504
├── Rejected           the provider answered with an error status                   its own (4xx), 502 for 5xx
├── BrokenStream       what it streams is not its protocol                          502
├── IncompleteAnswer   the stream ended without a finish reason                     502
└── ReportedError      an error object inside the stream                            its own, or 502
"""
