"""The client for which the current task works. Caches of content keep what each client caused apart.

Otherwise a client could find out what another one has sent: a cached verdict needs no call, a cached vector no request,
and a known excerpt is analyzed faster.
"""

from contextvars import ContextVar

CACHE_OWNER: ContextVar[str] = ContextVar("cache_owner", default="")  # a tenant; empty: all clients are one
