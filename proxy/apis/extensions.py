"""What is ours in a request of any client API: evidence, documents, citations; taken out before a provider sees it."""

from dataclasses import dataclass
from typing import Any

from citation.dialects import dialect
from citation.evidence import Evidence, FieldError, parse_sources
from citation.options import Options, parse_options
from citation.scoring import SCORERS

Body = dict[str, Any]

OURS = ("evidence", "documents", "citations", "retrieval", "query_config")


@dataclass(frozen=True, slots=True)
class Extensions:
    """The evidence a request brings and how it wants its citations."""

    evidence: tuple[Evidence, ...]
    options: Options


def take(body: Body, defaults: Options, *, limit: int, max_characters: int) -> tuple[Body, Extensions]:
    """Split a request into what goes on and what is ours. Raises FieldError with the path of a wrong field."""
    evidence = parse_sources(body.get("evidence"), body.get("documents"), limit=limit, max_characters=max_characters)
    if body.get("retrieval") is not None:
        raise FieldError("retrieval", "names a source, and this server has none: send evidence instead")
    rest = {key: value for key, value in body.items() if key not in OURS}
    return rest, Extensions(evidence, _options(body, defaults))


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
