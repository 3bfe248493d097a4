"""Signed links to the passages of one answer, and the store that the pages read.

A link contains a random token of the answer, the number of the evidence and a signature (HMAC-SHA256). The page needs
no key, because browsers do not send one with a link. Any person with the link can read this passage, and no other.
"""

import base64
import hmac
import re
import secrets
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from citestream.citation.references import Reference
from citestream.providers.events import Chunk

from ..observability.logs import PASSAGE_PREFIX
from ..pipeline.completion_chunks import Chunks
from ..pipeline.outgoing import Outgoing, ends_answer
from ..storage import OwnedReferences, RecentReferences

Fields = dict[str, Any]

STORED_AS = "passages"  # the client of the entries in the store; the name of a real client is a hash or empty
TOKEN_BYTES = 16  # random bytes that identify an answer
SIGNATURE_BYTES = 16  # length of a signature; a forgery needs 2^127 requests on average
ENTRY_PASSAGES = 16  # passages of an entry in the store; most answers need one entry
FRAGMENT = "quote"  # the id of the first marked sentence, to which browsers scroll

_ID = re.compile(r"(?P<token>[\w-]{22})\.(?P<number>[1-9]\d{0,5})\.(?P<signature>[\w-]{22})", re.ASCII)


class PassageLinks:
    """Creates and checks the links of a server."""

    def __init__(self, public_url: str, secret: str = "") -> None:  # nosec B107 # no password: a random secret is made
        """`public_url`: the address that browsers reach; empty: there are no links. `secret`: empty: a random one."""
        self._base = public_url.rstrip("/")
        self._secret = secret.encode() or secrets.token_bytes(32)

    def of_answer(self) -> "AnswerPassages | None":
        """Return the links of a new answer; None without a public address."""
        return AnswerPassages(self, secrets.token_urlsafe(TOKEN_BYTES)) if self._base else None

    def link(self, token: str, number: int) -> str:
        """Return the link to a piece of evidence of an answer."""
        return f"{self._base}{PASSAGE_PREFIX}{token}.{number}.{self._signature(token, number)}#{FRAGMENT}"

    def parse(self, signed: str) -> tuple[str, int] | None:
        """Return the token and the evidence number of a signed id; None if it is malformed or forged."""
        match = _ID.fullmatch(signed)
        if match is None:
            return None
        token, number = match["token"], int(match["number"])
        return (token, number) if hmac.compare_digest(self._signature(token, number), match["signature"]) else None

    def _signature(self, token: str, number: int) -> str:
        digest = hmac.digest(self._secret, f"{token}.{number}".encode(), sha256)
        return base64.urlsafe_b64encode(digest[:SIGNATURE_BYTES]).rstrip(b"=").decode()


class AnswerPassages:
    """The links of one answer."""

    def __init__(self, links: PassageLinks, token: str) -> None:
        """`token`: identifies the answer in the store."""
        self._links = links
        self.token = token

    def link(self, number: int) -> str:
        """Return the link to a piece of evidence."""
        return self._links.link(self.token, number)


def entry_name(token: str, number: int) -> str:
    """Return the name of the entry in the store that has the passage of this evidence number."""
    return f"{token}.{(number - 1) // ENTRY_PASSAGES}"


class PassageRecorder:
    """Stores the cited passages of one answer whenever there are new ones, so that links open while it streams.

    An entry has at most ENTRY_PASSAGES passages, and only entries with new passages are written.
    """

    def __init__(self, recent: RecentReferences | OwnedReferences, chunks: Chunks) -> None:
        """`recent`: counts the passages as those of the client. `chunks`: of the answer, which know its references."""
        self._recent = recent
        self._token = chunks.passage_token
        self._chunks = chunks
        self._stored = 0  # references

    def observe(self, event: Outgoing, _chunks: Sequence[Chunk]) -> None:
        """Store the passages if there are new references, and at the end, when all quotes are known."""
        count = self._chunks.reference_count
        ends = ends_answer(event)
        if self._token and (count > self._stored or (count and ends)):
            self._store(0 if ends else self._stored)
            self._stored = count

    def _store(self, first: int) -> None:
        """Store the references from the first-th on, and those in the same entries."""
        entries: defaultdict[str, list[Reference]] = defaultdict(list)
        references = self._chunks.references()
        for reference in references:
            entries[entry_name(self._token, reference.evidence.number)].append(reference)
        for name in {entry_name(self._token, reference.evidence.number) for reference in references[first:]}:
            self._recent.put(STORED_AS, name, {"passages": self._chunks.passages(entries[name])})
