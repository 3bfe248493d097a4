"""The grounding report: how many claims are supported, and which citations of the model were rejected."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .evidence import Evidence
from .quotations import QuotationReport
from .support.decision import Decision, Reason, Status


@dataclass(slots=True)
class JudgeReport:
    """The work of the judge for one response."""

    calls: int = 0
    tokens: int = 0  # total of prompts and replies
    milliseconds: float = 0.0  # spent waiting for at least one verdict, summed over sentences
    confirmed: int = 0  # excerpts that it found to support a sentence
    refused: int = 0  # excerpts that it read and that do not
    late: int = 0  # verdicts that missed the deadline
    failed: int = 0  # failed calls
    unreadable: int = 0  # replies in another form than the question asks for
    cached: int = 0  # verdicts from earlier requests


@dataclass(slots=True)
class Grounding:
    """Counts over all choices of one response."""

    scorer: str
    host: str = ""  # the host whose prompt contained the evidence
    refusal: str = ""  # why some or all passages of the prompt are not evidence
    received: int = 0
    injected: int = 0
    dropped: tuple[int, ...] = ()  # numbers of evidence that did not fit into the prompt
    degraded: bool = False
    claims: int = 0
    supported: int = 0
    supports: Counter[Status] = field(default_factory=Counter)  # totals over all claims
    abstained: list[int] = field(default_factory=list)  # choices whose text a message replaces
    indirect: int = 0  # claims that only generated artifacts support
    unsupported: list[dict[str, int]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)  # one for each claim
    rejected: list[dict[str, Any]] = field(default_factory=list)
    rejections: Counter[Reason] = field(default_factory=Counter)  # number of entries in `rejected`
    judging: JudgeReport | None = None  # None: no judge is configured
    quotations: QuotationReport = field(default_factory=lambda: QuotationReport(()))
    notes: dict[str, Any] = field(default_factory=dict)  # further fields, such as a retriever's diagnostics
    timings_ms: dict[str, float] = field(default_factory=dict)
    decision_times_ns: tuple[int, int] = (0, 0)  # begin of the first and end of the last decision; set by the server
    explained: list[dict[str, Any]] = field(default_factory=list)  # claims with their verdicts, if requested

    def add_decision(
        self,
        choice: int,
        start: int,
        end: int,
        decision: Decision,
        cited: Sequence[Evidence],
        conflict: dict[str, Any] | None = None,
        tool_call: int | None = None,
    ) -> None:
        """Count the decision about one claim, which is at `start`, `end` of the shown text.

        `cited`: the evidence that supports it. `conflict`: the passage that says otherwise, if one does, in its JSON
        form. `tool_call`: the index of the tool call whose arguments these offsets refer to instead.
        """
        place = {"choice": choice, "start": start, "end": end} | ({} if tool_call is None else {"tool_call": tool_call})
        self.claims += 1
        if decision.supports:
            self.supported += 1
            self.supports.update(support.status for support in decision.supports)
            self.indirect += all(evidence.is_generated_artifact for evidence in cited)
        else:
            self.unsupported.append(place)
        self.verdicts.append(
            {
                **place,
                "verdict": _verdict(decision, has_conflict=conflict is not None),
                "evidence": [evidence.number for evidence in cited],
                "conflict": conflict,
            }
        )
        if decision.verdicts:
            verdicts = [verdict.as_dict() for verdict in decision.verdicts]
            self.explained.append({**place, "evidence": verdicts})
        for rejection in decision.rejected:
            self.reject(choice, rejection.number, rejection.reason)

    def reject(self, choice: int, number: int, reason: Reason) -> None:
        """Report that the model cited `number`, and why the citation was removed."""
        self.rejected.append({"choice": choice, "number": number, "reason": reason.value})
        self.rejections[reason] += 1

    @property
    def supported_share(self) -> float | None:
        """The share of all claims that are supported, 0 to 1; None if there is no claim."""
        return round(self.supported / self.claims, 4) if self.claims else None

    def as_dict(self) -> dict[str, Any]:
        """Return the `grounding` object of the response."""
        return {
            "claims": self.claims,
            "supported": self.supported,
            "supported_share": self.supported_share,
            "abstained": list(self.abstained),
            "unsupported": list(self.unsupported),
            "rejected": list(self.rejected),
            "verdicts": list(self.verdicts),
            "quotations": self.quotations.finish(),
            "indirect": self.indirect,
            "scorer": self.scorer,
            "degraded": self.degraded,
            "evidence": {
                "received": self.received,
                "injected": self.injected,
                "dropped": len(self.dropped),
                **({"from": self.host} if self.host else {}),
                **({"refused": self.refusal} if self.refusal else {}),
            },
            **({"judge": asdict(self.judging)} if self.judging else {}),
            **self.notes,
            "timings_ms": dict(self.timings_ms),
        }


def _verdict(decision: Decision, *, has_conflict: bool) -> str:
    if decision.supports:
        return "partly" if decision.is_partial else "supported"
    return "contradicted" if has_conflict else "unsupported"
