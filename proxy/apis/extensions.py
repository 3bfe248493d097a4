"""Citestream's own fields of a request, which the provider never sees: evidence, documents, citations, retrieval."""

from dataclasses import dataclass
from typing import Any

from citestream.citation.dialects import dialect
from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError, parse_sources
from citestream.citation.options import Options, parse_options
from citestream.citation.support.scorers import AUTO, SCORERS

from ..pipeline.request.job import Retrieval

Body = dict[str, Any]

EXTENSION_FIELDS = ("evidence", "documents", "citations", "retrieval", "query_config")
RETRIEVAL_FIELDS = ("source", "query", "top_k")


@dataclass(frozen=True, slots=True)
class Extensions:
    """The parsed fields."""

    evidence: tuple[Evidence, ...]
    retrieval: Retrieval
    options: Options


def parse_extensions(body: Body, defaults: Options, limits: EvidenceLimits) -> tuple[Body, Extensions]:
    """Return the request without Citestream's fields, and these fields. Raises FieldError with a field's path."""
    evidence = parse_sources(body.get("evidence"), body.get("documents"), limits)
    extensions = Extensions(evidence, _parse_retrieval(body.get("retrieval")), _parse_citations(body, defaults))
    return without_extensions(body), extensions


def without_extensions(body: Body) -> Body:
    """Return the request without Citestream's fields."""
    return {key: value for key, value in body.items() if key not in EXTENSION_FIELDS}


def _parse_retrieval(raw: Any) -> Retrieval:
    """Parse `{"source"?, "query"?, "top_k"?}`, or `false`: no retrieval, even if a default is configured."""
    if raw is None or raw is False:
        return Retrieval(off=raw is False)
    if not isinstance(raw, dict):
        raise FieldError("retrieval", "must be an object with source, query, top_k, or false")
    for key in raw:
        if key not in RETRIEVAL_FIELDS:
            raise FieldError(f"retrieval.{key}", f"is not a field; the fields are: {', '.join(RETRIEVAL_FIELDS)}")
    for key in ("source", "query"):
        if not isinstance(raw.get(key, ""), str | None):
            raise FieldError(f"retrieval.{key}", "must be a string")
    top_k = raw.get("top_k")
    if isinstance(top_k, float) and top_k.is_integer():  # some clients write whole numbers as 3.0
        top_k = int(top_k)
    if top_k is not None and (not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1):
        raise FieldError("retrieval.top_k", "must be a whole number of at least 1")
    return Retrieval(raw.get("source") or "", raw.get("query") or "", top_k or 0)


def _parse_citations(body: Body, defaults: Options) -> Options:
    """Parse the options: the request's own, then those of its dialect, then the configured defaults."""
    raw = body.get("citations")
    if not isinstance(raw, dict | None):
        return parse_options(raw, defaults)  # raises FieldError
    requested = dict(raw or {})
    if requested.get("dialect") is None and _wants_inline_citations(body):
        requested["dialect"] = "writer"
    return check_scorer(parse_options({**_dialect_options(requested.get("dialect")), **requested}, defaults))


def _dialect_options(name: object) -> Body:
    try:
        return dict(dialect(name).options) if isinstance(name, str) else {}
    except KeyError:
        return {}  # parse_options reports an unknown name


def check_scorer(options: Options) -> Options:
    """Return the options. Raises FieldError if their scorer does not exist."""
    if options.scorer not in SCORERS and options.scorer != AUTO:
        raise FieldError("citations.scorer", f"must be one of: {AUTO}, {', '.join(SCORERS)}")
    return options


def _wants_inline_citations(body: Body) -> bool:
    """Return whether the request has `query_config: {"inline_citations": true}`, as Writer's clients send it."""
    config = body.get("query_config")
    return isinstance(config, dict) and config.get("inline_citations") is True
