"""What is ours in a request of any client API: evidence, documents, citations; taken out before a provider sees it."""

from dataclasses import dataclass
from typing import Any

from citestream.citation.dialects import dialect
from citestream.citation.evidence import Evidence, FieldError, parse_sources
from citestream.citation.options import Options, parse_options
from citestream.citation.support.scorers import SCORERS

from ..pipeline.job import Retrieval

Body = dict[str, Any]

OURS = ("evidence", "documents", "citations", "retrieval", "query_config")


@dataclass(frozen=True, slots=True)
class Extensions:
    """The evidence a request brings and how it wants its citations."""

    evidence: tuple[Evidence, ...]
    retrieval: Retrieval
    options: Options


def take(body: Body, defaults: Options, *, limit: int, max_characters: int) -> tuple[Body, Extensions]:
    """Split a request into what goes on and what is ours. Raises FieldError with the path of a wrong field."""
    evidence = parse_sources(body.get("evidence"), body.get("documents"), limit=limit, max_characters=max_characters)
    retrieval = _retrieval(body.get("retrieval"))
    rest = {key: value for key, value in body.items() if key not in OURS}
    return rest, Extensions(evidence, retrieval, _options(body, defaults))


def _retrieval(raw: Any) -> Retrieval:
    """`{"source"?, "query"?, "top_k"?}`; `false` for none, even where the configuration names a default."""
    if raw is None or raw is False:
        return Retrieval(off=raw is False)
    if not isinstance(raw, dict):
        raise FieldError("retrieval", "must be an object with source, query, top_k, or false")
    for key in raw:
        if key not in ("source", "query", "top_k"):
            raise FieldError(f"retrieval.{key}", "is not a field of retrieval; there are: source, query, top_k")
    for key in ("source", "query"):
        if not isinstance(raw.get(key, ""), str | None):
            raise FieldError(f"retrieval.{key}", "must be a string")
    top_k = raw.get("top_k")
    if top_k is not None and (not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1):
        raise FieldError("retrieval.top_k", "must be a whole number from 1 on")
    return Retrieval(raw.get("source") or "", raw.get("query") or "", top_k or 0)


def _options(body: Body, defaults: Options) -> Options:
    """The request's options over its dialect's over the configured ones."""
    raw = body.get("citations")
    named = raw.get("dialect") if isinstance(raw, dict) else None
    if named is None and isinstance(raw, dict | None) and wants_inline_citations(body):
        named, raw = "writer", {**(raw or {}), "dialect": "writer"}
    try:
        spoken = dialect(named).options if isinstance(named, str) else {}
    except KeyError:
        spoken = {}  # the name is wrong: parse_options says so
    return available(parse_options(raw, parse_options(spoken, defaults) if spoken else defaults))


def available(options: Options) -> Options:
    """The options, if there is such a scorer. Raises FieldError."""
    if options.scorer not in SCORERS:
        raise FieldError("citations.scorer", f"must be one of: {', '.join(SCORERS)}")
    return options


def wants_inline_citations(body: Body) -> bool:
    """Writer's way to ask: `query_config: {"inline_citations": true}`."""
    config = body.get("query_config")
    return isinstance(config, dict) and config.get("inline_citations") is True


def required_text(body: Body, key: str) -> str:
    """A field that must be a non-empty string."""
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise FieldError(key, "must be a non-empty string")
    return value
