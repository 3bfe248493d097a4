"""The grounding report: how much of an answer stands on evidence, and what was refused."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from .evidence import Evidence
from .support.decision import Decision, Reason, Status


@dataclass(slots=True)
class JudgeReport:
    """Work of the judge for one response."""

    calls: int = 0
    tokens: int = 0  # of prompts and replies
    milliseconds: float = 0.0  # during which at least one verdict was waited for, added up over sentences
    confirmed: int = 0
    refused: int = 0
    late: int = 0  # verdicts that missed the deadline
    failed: int = 0  # calls that failed, and replies that are neither Yes nor No
    cached: int = 0  # verdicts from earlier requests


@dataclass(slots=True)
class Grounding:
    """Counts over one response; every choice adds to it."""

    scorer: str
    received: int = 0
    injected: int = 0
    dropped: tuple[int, ...] = ()  # evidence numbers that did not fit
    degraded: bool = False
    claims: int = 0
    supported: int = 0
    supports: Counter[Status] = field(default_factory=Counter)  # of all claims
    indirect: int = 0
    unsupported: list[dict[str, int]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    judging: JudgeReport | None = None  # None: no judge is configured
    notes: dict[str, Any] = field(default_factory=dict)  # what else is worth saying, such as a retriever's diagnostics
    timings_ms: dict[str, float] = field(default_factory=dict)
    decided: tuple[int, int] = (0, 0)  # when the first decision began and the last ended, if somebody has a clock
    explained: list[dict[str, Any]] = field(default_factory=list)  # claims with the verdicts that decided, if wanted

    def judge(self, choice: int, start: int, end: int, decision: Decision, cited: Iterable[Evidence]) -> None:
        """Take in the decision about one claim; `start`, `end` locate it in the shown text."""
        self.claims += 1
        if decision.supports:
            self.supported += 1
            for support in decision.supports:  # at a third of the cost of Counter.update
                self.supports[support.status] += 1
            self.indirect += all(evidence.is_generated_artifact for evidence in cited)
        else:
            self.unsupported.append({"choice": choice, "start": start, "end": end})
        if decision.verdicts:
            verdicts = [verdict.as_dict() for verdict in decision.verdicts]
            self.explained.append({"choice": choice, "start": start, "end": end, "evidence": verdicts})
        for rejection in decision.rejected:
            self.reject(choice, rejection.number, rejection.reason)

    def reject(self, choice: int, number: int, reason: Reason) -> None:
        """Say that the model cited `number` and why it was taken out."""
        self.rejected.append({"choice": choice, "number": number, "reason": reason.value})

    def as_dict(self) -> dict[str, Any]:
        """As `grounding` on the wire."""
        return {
            "claims": self.claims,
            "supported": self.supported,
            "unsupported": list(self.unsupported),
            "rejected": list(self.rejected),
            "indirect": self.indirect,
            "scorer": self.scorer,
            "degraded": self.degraded,
            "evidence": {"received": self.received, "injected": self.injected, "dropped": len(self.dropped)},
            **({"judge": asdict(self.judging)} if self.judging else {}),
            **self.notes,
            "timings_ms": dict(self.timings_ms),
        }
