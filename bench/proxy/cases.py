"""Cases to measure: proxy, API, amount of evidence, number of streams and speed of the provider."""

from dataclasses import dataclass, replace
from typing import Literal

from bench.proxy import api_formats
from bench.proxy.api_formats import KINDS, Kind
from bench.proxy.load import Request
from bench.proxy.sample_text import excerpts

TOKENS = 200  # tokens of an answer, about a page
PACE = 10  # milliseconds between tokens of a fast model
PACED_SECONDS = 4.0  # per round: two consecutive answers per stream, or more if they are short
FEW = 20  # tokens of an answer of which only the start is measured
# Streams per round: enough for one second of CPU time, or one per client if that takes seconds.
BURSTS = {1: 20, 16: 64, 64: 128, 256: 256}

Release = Literal["sentence", "live"]


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a table."""

    streams: int  # concurrent
    evidence: int = 0  # excerpts
    release: Release = "sentence"
    kind: Kind = "openai"  # API of the client and of the provider
    paced: bool = False
    tokens: int = TOKENS
    same: bool = False  # all streams have the same evidence, like the turns of a conversation

    @property
    def total(self) -> int:
        """Total number of streams."""
        if not self.paced:
            return BURSTS.get(self.streams, self.streams)
        return self.streams * max(2, round(PACED_SECONDS / self.spread))

    @property
    def spread(self) -> float:
        """Seconds over which clients start: the duration of a stream, if it is known."""
        return self.tokens * PACE / 1000 if self.paced else 0.0

    @property
    def baseline(self) -> "Case":
        """The same case for a proxy without the option `release`."""
        return replace(self, release="sentence", same=False)

    @property
    def name(self) -> str:
        """Name in tables and in the file of ratios."""
        how = f"paced {PACE} ms" if self.paced else "burst"
        what = (
            f"{self.evidence} {'same' if self.same else 'new'} excerpts, {self.release}"
            if self.evidence
            else "no evidence"
        )
        length = "" if self.tokens == TOKENS else f", {self.tokens} tokens"
        return f"{self.kind}, {how}, {self.streams} streams, {what}{length}"

    def model(self, number: int, run: str) -> str:
        """Return a model name that tells the fake provider how to answer. `run` makes the name unique."""
        return f"paced.{self.tokens}.{PACE}.{run}-{number}" if self.paced else f"burst.{self.tokens}"


def plain(case: Case, number: int, run: str) -> Request:
    """Return a request for proxies without evidence: the excerpts are part of the prompt."""
    texts = [f"[{at}] {text}" for at, text in enumerate(excerpts(case.evidence), 1)]
    model = case.model(number, run)
    return Request(
        case.kind,
        api_formats.path(case.kind, model),
        api_formats.body(case.kind, model, "\n\n".join([*texts, api_formats.QUESTION])),
    )


def cited(case: Case, number: int, run: str) -> Request:
    """Return a request for Citestream. The providers in this benchmark are named like their API."""
    model = f"{case.kind}/{case.model(number, run)}"
    more: dict[str, object] = {}
    if case.evidence:
        own = "" if case.same else f" Retrieved for request {run}-{number}."
        texts = enumerate(excerpts(case.evidence))
        evidence = [{"text": text + own, "title": f"Document {at}"} for at, text in texts]
        more = {"evidence": evidence, "citations": {"release": case.release}}
    return Request(
        case.kind, api_formats.path(case.kind, model), api_formats.body(case.kind, model, api_formats.QUESTION, **more)
    )


QUICK = (
    *(Case(streams, evidence) for streams in (16, 64) for evidence in (0, 20)),
    Case(64, 20, same=True),
    Case(1, paced=True),
    Case(1, 20, "live", paced=True),
    Case(1, paced=True, tokens=FEW),
    Case(1, 20, "live", paced=True, tokens=FEW),
    Case(64, paced=True),
    Case(64, 20, paced=True),
)
MANY = (1, 16, 64, 256)
RELEASES: tuple[Release, ...] = ("sentence", "live")
FULL = (
    *(Case(streams) for streams in MANY),
    *(Case(streams, evidence, release) for streams in MANY for evidence in (5, 20) for release in RELEASES),
    *(Case(streams, 20, same=True) for streams in MANY),
    *(Case(streams, evidence, kind=kind) for kind in KINDS[1:] for streams in (16, 64) for evidence in (0, 20)),
    *(Case(streams, paced=True) for streams in MANY),
    *(Case(streams, 20, release, paced=True) for streams in MANY for release in RELEASES),
)
LENGTHS = tuple(Case(16, evidence, tokens=tokens) for tokens in (50, 200, 500, 2000) for evidence in (0, 20))
EXCERPTS = tuple(Case(16, evidence, same=same) for evidence in (1, 5, 20, 50) for same in (False, True))
STREAMS = tuple(case for many in MANY for case in (Case(many), Case(many, 20), Case(many, 20, same=True)))
SCALING = tuple(dict.fromkeys((*STREAMS, *EXCERPTS, *LENGTHS)))
SETS = {"quick": QUICK, "full": FULL, "scaling": SCALING}
